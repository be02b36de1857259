import os
import subprocess
import sys


def test_without_an_adapter_the_message_says_what_to_install():
    """Forces a backend that this platform's wgpu lacks, in a process of its own."""
    backend = "Metal" if sys.platform != "darwin" else "D3D12"
    code = (
        "from engine.errors import EngineError\n"
        "from engine.render.open import open_renderer\n"
        "try:\n    open_renderer()\n"
        "except EngineError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"WGPU_BACKEND_TYPE": backend},
    )
    assert "no GPU adapter" in done.stdout
    assert "mesa-vulkan-drivers" in done.stdout

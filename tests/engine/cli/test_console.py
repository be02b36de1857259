"""What becomes of a command whose output can't be written."""

import os
import subprocess
import sys

import pytest

from tests.patience import PROCESS_S

COMMANDS = [
    ("engine.cli.scene", "stats", "a.scene"),
    ("engine.cli.cook", "out", "nothing.glb"),
]


def run(folder, arguments, redirection):
    command = " ".join([sys.executable, "-m", *arguments, redirection])
    (folder / "a.scene").write_text("cinder-scene 2\n")
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
    environment = {**os.environ, "PYTHONPATH": root}
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=PROCESS_S
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_is_told_of_in_a_line(tmp_path):
    done = run(tmp_path, COMMANDS[0], "> /dev/full")
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert done.stderr.startswith(b"cinder-scene: ")


@pytest.mark.skipif(os.name != "posix", reason="streams are closed by the shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
@pytest.mark.parametrize(("arguments", "status"), [(COMMANDS[0], 0), (COMMANDS[1], 1)])
def test_nothing_is_needed_to_print_to(tmp_path, arguments, status, closed):
    done = run(tmp_path, arguments, closed)
    assert done.returncode == status
    assert b"Traceback" not in done.stdout + done.stderr

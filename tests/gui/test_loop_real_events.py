"""The artist's whole loop, with the real window in a process of its own, twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PROCESS_S

ROOT = Path(__file__).resolve().parent.parent.parent
# Of eight packs; skinned, of several primitives, textured. The two of Kenney's refer to
# "Textures/colormap.png" each, with different contents.
PROPS = (
    "kenney_platformer/platform-grass-large-round.glb",
    "kenney_racing/vehicle-truck-red.glb",
    "kenney_racing/decoration-tents.glb",
    "kaykit_dungeon/Assets/gltf/chest_gold.glb",
    "kaykit_city/Assets/gltf/car_hatchback.gltf",
    "quaternius/animals_pack/Fox.glb",
    "quaternius/medieval_village_pack/Barrel.glb",
    "quaternius/nature_pack/BirchTree_1.glb",
    "kaykit_adventurers/Characters/gltf/Knight.glb",
    "kenney_platformer/flag.glb",
)


def run_session(*arguments: str | Path, folder: Path, program: str = "loop_session.py") -> None:
    """Run one sitting on the screen that there is, else on Qt's offscreen one."""
    on_screen = sys.platform.startswith("linux") and os.environ.get("DISPLAY")
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "xcb" if on_screen else "offscreen",
        "PYTHONPATH": str(ROOT),
        "CINDER_CONFIG_DIR": str(folder / "config"),
        "CINDER_DATA_DIR": str(folder / "data"),
    }
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name(program)), *map(str, arguments)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.gpu
def test_place_arrange_save_and_reopen(shared: Path, tmp_path: Path) -> None:
    props = [shared / "assets" / "props" / name for name in PROPS]
    level = tmp_path / "project" / "levels" / "loop.scene"
    level.parent.mkdir(parents=True)
    (tmp_path / "project" / "project.json").write_text('{"name": "Loop"}')
    first, second = tmp_path / "first.json", tmp_path / "second.json"

    run_session("make", level, first, *props, folder=tmp_path)
    saved = level.read_bytes()
    run_session("reopen", level, second, first, folder=tmp_path)

    made, found = (json.loads(path.read_text()) for path in (first, second))
    assert made["undone"]
    assert made["redone"]
    assert found["tree"] == made["tree"]
    assert len([row for row in made["tree"] if "GltfInstance" in row[2]]) == len(PROPS) + 1
    assert level.read_bytes() == saved
    assert level.with_name("again.scene").read_bytes() == saved
    textures = [path.read_bytes() for path in (tmp_path / "project").rglob("colormap.png")]
    assert len(textures) == len(set(textures)) == 2
    pictures = [path.with_suffix(".raw").read_bytes() for path in (first, second)]
    assert len(set(pictures[0])) > 50
    assert pictures[0] == pictures[1]

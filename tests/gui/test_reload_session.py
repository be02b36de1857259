"""Props placed and tweaked by mouse and keys, then one of them is exported over its file."""

import json
from pathlib import Path

import pytest

from engine.assets import load_gltf
from engine.assets.gltf_export import export_glb
from tests.editor.document.props import write_prop
from tests.gui.test_loop_real_events import run_session

KAYKIT = "kaykit_dungeon/Assets/gltf"
SHARED = ("chest_gold.glb", "wall_doorway.glb", "barrel_large.gltf.glb")


def make_props(folder: Path) -> list[Path]:
    """Write two props, each a mesh below another, as binary files."""
    made = []
    for name in ("crate", "stone"):
        asset = load_gltf(str(write_prop(folder, name)))
        made.append(folder / f"{name}.glb")
        made[-1].write_bytes(export_glb(asset).data)
    return made


@pytest.mark.gpu
@pytest.mark.parametrize("origin", ["own", "shared"])
def test_a_prop_exported_over_its_file_keeps_every_tweak(tmp_path: Path, request, origin) -> None:
    if origin == "own":
        props = make_props(tmp_path / "made")
    else:
        pack = request.getfixturevalue("shared") / "assets" / "props" / KAYKIT
        props = [pack / name for name in SHARED]
    project = tmp_path / "project"
    project.mkdir()
    (project / "project.json").write_text('{"name": "Room"}')
    level, report = project / "room.scene", tmp_path / "report.json"
    level.write_text("cinder-scene 2\n")
    run_session(level, report, *props, folder=tmp_path, program="reload_session.py")

    seen = json.loads(report.read_text())
    before, after, again = seen["before"], seen["after"], seen["again"]
    assert after["height"] > 1.2 * before["height"]
    assert after["note"] == f"Reloaded {props[0].name}"
    assert before["marked"]
    assert before["node"][1] == 1.25
    assert before["turned"] != [0, 0, 0, 1]
    assert not before["shadows"]
    kept = {name for name in before if name not in ("height", "note")}
    assert {n: after[n] for n in kept} == {n: before[n] for n in kept}
    assert {n: again[n] for n in kept} == {n: before[n] for n in kept}
    assert seen["undone"]
    assert not seen["dirty"]
    pictures = [report.with_suffix(f".{when}.png").read_bytes() for when in ("before", "after")]
    assert pictures[0] != pictures[1]

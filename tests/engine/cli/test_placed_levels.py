"""The command line on levels that place other levels."""

import numpy as np
import pytest
from PIL import Image

from engine.assets import load_gltf
from engine.cli.scene import main
from tests.engine.scene.instance_stage import ARM, write_asset

ROOM = (
    "cinder-scene 2\n"
    'entity 0\n  Name text="Box"\n  LocalTransform\n  Shape kind="box" color=[0.9,0.02,0.02]\n'
    'entity 1\n  Name text="Prop"\n  LocalTransform\n  GltfInstance asset="arm.gltf"\n'
    'entity 2\n  Name text="Look"\n  Environment exposure=9.0\n'
)
HALL = 'cinder-scene 2\nentity 0\n  Name text="Room"\n  SceneInstance level="room.scene"\n'
HOUSE = (
    "cinder-scene 2\n"
    'entity 0\n  Name text="Hall"\n  LocalTransform\n  SceneInstance level="hall.scene"\n'
    'entity 1\n  InstanceNode root=#0 path="Room/Box"\n  LocalTransform translation=[0.0,7.0,0.0]\n'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project.json").write_text("{}")
    write_asset(tmp_path / "arm.gltf", ARM)
    for name, text in (("room", ROOM), ("hall", HALL), ("house", HOUSE)):
        (tmp_path / f"{name}.scene").write_text(text)
    return tmp_path


def test_check_looks_into_placed_levels(folder, capsys):
    assert main(["check", "house.scene"]) == 0
    (folder / "room.scene").write_text("cinder-scene 2\nentity x\n")
    assert main(["check", "house.scene"]) == 1
    assert "level room.scene: " in capsys.readouterr().out
    (folder / "hall.scene").unlink()
    assert main(["check", "house.scene"]) == 1
    assert "level hall.scene: " in capsys.readouterr().out


def test_check_says_by_which_way_a_level_holds_itself(folder, capsys):
    (folder / "room.scene").write_text(
        ROOM + 'entity 3\n  Name text="Loop"\n  SceneInstance level="hall.scene"\n'
    )
    assert main(["check", "house.scene"]) == 1
    assert "hall.scene -> room.scene -> hall.scene" in capsys.readouterr().out


def test_diff_names_the_level_that_was_replaced(folder, capsys):
    (folder / "other.scene").write_text(HOUSE.replace("hall.scene", "room.scene"))
    assert main(["diff", "house.scene", "other.scene"]) == 1
    assert 'replaced the level of "Hall" (#0) from' in capsys.readouterr().out


def test_stats_counts_the_levels_that_are_named(folder, capsys):
    assert main(["stats", "house.scene"]) == 0
    rows = dict(line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert rows["level files"] == "1"
    assert rows["entities"] == "2"


def test_export_writes_what_is_inside_with_the_changes(folder):
    assert main(["export", "house.scene", "out.glb"]) == 0
    nodes = {node.name: node for node in load_gltf(str(folder / "out.glb")).nodes}
    assert {"Hall", "Room", "Box", "Prop", "Body"} <= nodes.keys()
    assert nodes["Box"].translation.tolist() == [0, 7, 0]
    assert nodes["Body"].mesh is not None


def test_export_of_a_loop_is_refused(folder, capsys):
    (folder / "room.scene").write_text(HALL.replace("room.scene", "house.scene"))
    assert main(["export", "house.scene", "out.glb"]) == 2
    assert "house.scene -> hall.scene -> room.scene -> house.scene" in capsys.readouterr().err
    assert not (folder / "out.glb").exists()


@pytest.mark.gpu
def test_render_draws_what_is_inside_without_its_look(folder):
    (folder / "house.scene").write_text(HOUSE.split("entity 1")[0])
    assert main(["render", "house.scene", "nested.png", "--size", "160x120"]) == 0
    flat = ROOM.split("entity 2")[0]
    (folder / "flat.scene").write_text(flat)
    assert main(["render", "flat.scene", "flat.png", "--size", "160x120"]) == 0
    nested, plain = (np.asarray(Image.open(folder / f"{n}.png")) for n in ("nested", "flat"))
    assert np.abs(nested.astype(int) - plain).max() <= 2


def test_check_says_what_levels_that_multiply_come_to(folder, capsys):
    for at in range(20):
        inner = f'SceneInstance level="twice{at + 1}.scene"\n'
        text = f"cinder-scene 2\nentity 0\n  {inner}entity 1\n  {inner}"
        (folder / f"twice{at}.scene").write_text(text)
    (folder / "twice20.scene").write_text("cinder-scene 2\n")
    (folder / "house.scene").write_text(HOUSE.replace("hall.scene", "twice0.scene"))
    assert main(["check", "house.scene"]) == 1
    assert "comes to 2,097,151 levels inside each other" in capsys.readouterr().out

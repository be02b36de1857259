"""Levels placed in the open level: placing, overriding, refusing loops, following the disk."""

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import EngineError, SceneError
from engine.reflect import Entity
from engine.scene import (
    GltfInstance,
    InstanceNode,
    LightSource,
    LocalTransform,
    Name,
    Parent,
    Placeholder,
    SceneInstance,
    children,
)
from engine.scene.hierarchy import world_matrix
from engine.scene.instances import find_node
from tests.editor.document.levels import crash
from tests.editor.document.props import write_prop

ROOM = """cinder-scene 2
entity 0
  Name text="Table"
  LocalTransform translation=[1.0,0.0,0.0]
  GltfInstance asset="crate.gltf"
entity 1
  Name text="Candle"
  LocalTransform translation=[0.0,2.0,0.0]
  LightSource intensity=5.0
"""
HOUSE = """cinder-scene 2
entity 0
  Name text="Ground"
  LocalTransform
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    write_prop(tmp_path)
    (tmp_path / "room.scene").write_text(ROOM)
    (tmp_path / "house.scene").write_text(HOUSE)
    return tmp_path


@pytest.fixture
def house(folder):
    document = LevelDocument()
    document.open(folder / "house.scene")
    yield document
    document.close()


def node(document: LevelDocument, root: Entity, path: str) -> Entity:
    found = find_node(document.world, root, path)
    assert found, path
    return found


def test_placing_a_level_is_one_step_that_shows_it(house):
    matrix = np.eye(4)
    matrix[:3, 3] = (0, 0, 7)
    root = house.place("room.scene", matrix)
    assert house.world.get(root, SceneInstance).level == "room.scene"
    assert house.label(root) == "room"
    assert list(house.selection) == [root]
    body = node(house, root, "Table/Body")
    assert world_matrix(house.world, body)[:3, 3].tolist() == [1, 0, 7]
    assert house.roots_of(body) == [root, node(house, root, "Table")]
    house.undo()
    assert not house.world.alive(root)
    house.redo()
    house.settle()
    assert node(house, root, "Table/Body") == body


def test_an_override_inside_is_saved_with_the_whole_path_and_comes_back(house, folder):
    root = house.place("room.scene")
    house.set_fields(node(house, root, "Candle"), LightSource, intensity=9.0)
    house.set_fields(node(house, root, "Table/Body/Arm"), LocalTransform, translation=(0, 1, 0))
    house.save()
    text = (folder / "house.scene").read_text()
    assert 'path="Candle"' in text
    assert 'path="Table/Body/Arm"' in text
    assert (folder / "room.scene").read_text() == ROOM
    house.open(folder / "house.scene")
    root = house.children()[1]
    assert house.world.get(node(house, root, "Candle"), LightSource).intensity == 9
    arm = node(house, root, "Table/Body/Arm")
    assert house.world.get(arm, LocalTransform).translation.tolist() == [0, 1, 0]


def test_a_level_that_changes_on_disk_shows_and_keeps_overrides_and_history(house, folder):
    root = house.place("room.scene")
    candle = node(house, root, "Candle")
    house.set_fields(candle, LightSource, intensity=9.0)
    steps = house.history.index
    changed = ROOM.replace("[0.0,2.0,0.0]", "[0.0,4.0,0.0]").replace("5.0", "6.0")
    (folder / "room.scene").write_text(changed)
    assert house.reload_assets(force=True)
    assert house.world.get(candle, LocalTransform).translation.tolist() == [0, 4, 0]
    assert house.world.get(candle, LightSource).intensity == 9
    assert house.history.index == steps
    house.undo()
    house.settle()
    assert house.world.get(candle, LightSource).intensity == 6


@pytest.mark.parametrize("way", ["place", "spawn", "field", "component", "paste", "override"])
def test_a_loop_is_refused_however_it_comes(house, folder, way):
    (folder / "loop.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="x"\n  SceneInstance level="house.scene"\n'
    )
    root = house.place("room.scene")
    (folder / "slot.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="Slot"\n  SceneInstance level="room.scene"\n'
    )
    slot = house.place("slot.scene")
    before, index = house.app.level_file.draft_bytes(), house.history.index
    pasted = 'cinder-scene 2\nentity 0\n  Name text="x"\n  SceneInstance level="loop.scene"\n'
    ways = {
        "place": lambda: house.place("loop.scene"),
        "spawn": lambda: house.spawn(SceneInstance("loop.scene")),
        "field": lambda: house.set_fields(root, SceneInstance, level="loop.scene"),
        "component": lambda: house.add_component(house.children()[0], SceneInstance("loop.scene")),
        "paste": lambda: house.paste(pasted),
        "override": lambda: house.set_fields(
            node(house, slot, "Slot"), SceneInstance, level="slot.scene"
        ),
    }
    chain = r"house\.scene -> loop\.scene -> house\.scene"
    with pytest.raises(
        SceneError, match=r"slot\.scene -> slot\.scene" if way == "override" else chain
    ):
        ways[way]()
    assert house.app.level_file.draft_bytes() == before
    assert house.history.index == index


def test_a_level_that_cannot_be_read_is_not_placed(house, folder):
    (folder / "broken.scene").write_text("cinder-scene 2\nentity x\n")
    for name in ("broken.scene", "missing.scene"):
        with pytest.raises(EngineError, match=name):
            house.place(name)
    (folder / "broken.scene").write_text(ROOM)
    assert house.place("broken.scene")


@pytest.fixture
def far(tmp_path_factory):
    """A level of another project, which places a prop of that."""
    other = tmp_path_factory.mktemp("other")
    (other / "project.json").write_text("{}")
    (other / "rooms").mkdir()
    write_prop(other, name="chest")
    (other / "rooms" / "far.scene").write_text(ROOM.replace("crate", "chest"))
    return other / "rooms" / "far.scene"


def files_of(folder) -> set[str]:
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    return {path for path in found if not path.startswith(".cinder/")}


@pytest.mark.parametrize("wait", [True, False])
def test_a_level_of_another_project_brings_what_it_uses_along(house, folder, far, wait):
    before = files_of(folder)
    root = house.place(far, wait=wait)
    house.settle()
    assert house.world.get(root, SceneInstance).level == "rooms/far.scene"
    assert "chest.gltf" in files_of(folder) - before
    assert (folder / "rooms" / "far.scene").read_bytes() == far.read_bytes()
    table = node(house, root, "Table")
    assert node(house, table, "Body")
    copied = files_of(folder)
    house.place(far)
    assert files_of(folder) == copied, "equal content is not copied twice"


def test_a_level_of_another_project_that_can_not_be_placed_leaves_no_file(house, folder, far):
    (folder / "chest.gltf").write_text((folder / "crate.gltf").read_text() + " ")
    before = files_of(folder)
    with pytest.raises(EngineError, match=r"chest\.gltf, where this project has something else"):
        house.place(far)
    (folder / "chest.gltf").unlink()
    far.write_text(far.read_text() + 'entity 2\n  SceneInstance level="house.scene"\n')
    (far.parent.parent / "house.scene").write_text(
        HOUSE + 'entity 1\n  SceneInstance level="rooms/far.scene"\n'
    )
    with pytest.raises(EngineError):
        house.place(far)
    assert files_of(folder) == before - {"chest.gltf"}
    assert len(house.children()) == 1


def test_a_level_from_outside_whose_placing_is_cancelled_takes_its_files_along(house, folder, far):
    before = files_of(folder)
    gesture = house.gesture("Place")
    house.place(far, wait=False)
    assert files_of(folder) > before
    gesture.cancel()
    assert files_of(folder) == before


def test_opening_a_loop_is_refused_and_leaves_the_open_level(house, folder):
    (folder / "room.scene").write_text(
        ROOM + 'entity 2\n  Name text="x"\n  SceneInstance level="room.scene"\n'
    )
    with pytest.raises(SceneError, match=r"room\.scene -> room\.scene"):
        house.open(folder / "room.scene")
    assert house.name == "house"
    house.open(folder / "room.scene", allow_loops=True)
    root = house.children()[2]
    assert house.world.has(children(house.world, root)[0], Placeholder)
    house.delete(root)
    house.save()


def test_saving_into_another_project_takes_along_what_placed_levels_use(house, tmp_path_factory):
    house.place("room.scene")
    other = tmp_path_factory.mktemp("other")
    (other / "project.json").write_text("{}")
    house.save(other / "moved.scene")
    assert (other / "room.scene").read_text() == ROOM
    assert (other / "crate.gltf").is_file()
    root = house.children()[1]
    assert node(house, root, "Table/Body")


def test_user_added_children_and_references_find_nodes_deep_inside(house, folder):
    root = house.place("room.scene")
    hat = house.spawn(Name("Hat"), parent=node(house, root, "Table/Body"))
    house.save()
    house.open(folder / "house.scene")
    root = house.children()[1]
    body = node(house, root, "Table/Body")
    assert [house.label(e) for e in house.children(body)] == ["Arm", "Hat"]
    assert house.world.get(house.children(body)[1], Parent).entity == body
    assert house.world.has(body, InstanceNode)
    assert hat


def test_a_duplicate_carries_its_overrides(house):
    root = house.place("room.scene")
    house.set_fields(node(house, root, "Candle"), LightSource, intensity=9.0)
    (copy,) = house.duplicate(root)
    assert house.world.get(node(house, copy, "Candle"), LightSource).intensity == 9
    text = house.copy()
    (pasted,) = house.paste(text)
    assert house.world.get(node(house, pasted, "Candle"), LightSource).intensity == 9


def test_steps_inside_a_placed_level_come_back_after_a_crash(house, folder):
    root = house.place("room.scene")
    house.set_fields(node(house, root, "Table/Body"), LocalTransform, scale=(2, 2, 2))
    house.set_fields(node(house, root, "Table"), GltfInstance, cast_shadows=False)
    crash(house)
    again = LevelDocument()
    [entry] = again.recoverable()
    again.recover(entry)
    root = again.children()[1]
    scale = again.world.get(node(again, root, "Table/Body"), LocalTransform).scale
    assert scale.tolist() == [2, 2, 2]
    assert not again.world.get(node(again, root, "Table"), GltfInstance).cast_shadows
    again.close()


def test_what_the_editor_does_not_know_is_shown_inside_a_placed_level_too(house, folder):
    text = ROOM.replace("LightSource intensity=5.0", "LightSource intensity=5.0 acme=1")
    (folder / "room.scene").write_text(text + "  acme.Loot gold=3\n")
    root = house.place("room.scene")
    views = {view.name: view for view in house.components(node(house, root, "Candle"))}
    assert views["acme.Loot"].unknown
    assert views["acme.Loot"].record.get("gold").integer == 3
    assert views["LightSource"].record.get("acme").value == 1
    house.unpack(root)
    assert "acme.Loot gold=3" in house.app.level_file.draft_bytes().decode()
    assert "acme=1" in house.app.level_file.draft_bytes().decode()


# -- in a window, whose frames take in what workers read --------------------------------------


def arrive(document: LevelDocument) -> None:
    """Draw frames until nothing is read any more."""
    document.app.frame(0.0)
    while document.app.is_loading:
        document.app.frame(0.0)


@pytest.fixture
def told(house):
    house.waits = False
    told = []
    house.message_posted.connect(lambda message: told.append(message.text))
    return told


def test_a_level_is_placed_at_once_and_shows_when_it_is_read(house, told):
    root = house.place("room.scene", wait=False)
    assert house.app.levels.get("room.scene").state == "loading"
    house.undo()
    arrive(house)
    assert not house.world.alive(root)
    house.redo()
    arrive(house)
    assert not house.is_arriving(root)
    assert node(house, root, "Table/Body")
    assert told == []


def test_a_level_that_turns_out_broken_stays_a_box_and_says_so(house, folder, told):
    (folder / "broken.scene").write_text("cinder-scene 2\nentity x\n")
    root = house.place("broken.scene", wait=False)
    arrive(house)
    [text] = told
    assert text.startswith("broken.scene: line 2: ")
    assert text.endswith("a box stands in its place")
    assert house.world.has(children(house.world, root)[0], Placeholder)
    with pytest.raises(SceneError, match=r"broken\.scene: line 2"):
        house.place("broken.scene", wait=False)
    (folder / "broken.scene").write_text(ROOM)
    again = house.place("broken.scene", wait=False)
    arrive(house)
    assert node(house, again, "Candle")
    assert node(house, root, "Candle")


def test_loops_and_missing_levels_are_refused_at_once_also_unread(house, folder, told):
    (folder / "loop.scene").write_text(
        'cinder-scene 2\nentity 0\n  SceneInstance level="hall.scene"\n'
    )
    (folder / "hall.scene").write_text(
        'cinder-scene 2\nentity 0\n  SceneInstance level="house.scene"\n'
    )
    before = house.app.level_file.draft_bytes()
    chain = r"house\.scene -> loop\.scene -> hall\.scene -> house\.scene"
    with pytest.raises(SceneError, match=chain):
        house.place("loop.scene", wait=False)
    with pytest.raises(SceneError, match=r"missing\.scene: there is no such file"):
        house.place("missing.scene", wait=False)
    assert house.app.level_file.draft_bytes() == before


def test_a_level_that_changes_while_something_is_dragged_waits_for_the_end(house, folder, told):
    root = house.place("room.scene", wait=False)
    arrive(house)
    candle = node(house, root, "Candle")
    gesture = house.begin_gesture("Move")
    (folder / "room.scene").write_text(ROOM.replace("[0.0,2.0,0.0]", "[0.0,4.0,0.0]"))
    house.reload_assets(force=True, wait=False)
    arrive(house)
    assert house.world.get(candle, LocalTransform).translation.tolist() == [0, 2, 0]
    gesture.commit()
    arrive(house)
    assert house.world.get(candle, LocalTransform).translation.tolist() == [0, 4, 0]

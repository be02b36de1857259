"""Making an instance from a selection, and writing changes into the level that is placed."""

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import SceneError
from engine.project import first_level, project_root
from engine.reflect import Entity, SceneComponent, component
from engine.scene import (
    Environment,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    Name,
    Parent,
    Realised,
    SceneInstance,
)
from engine.scene.hierarchy import world_matrix
from tests.editor.document.levels import crash, named
from tests.editor.document.placed import check_undo, node, pose
from tests.editor.document.props import write_prop


@component(id=951, name="Wire")
class Wire(SceneComponent):
    target: Entity = Entity.null()


@pytest.fixture
def furnished(house, folder):
    """A prop with a change and a child, a light, and wires across the border."""
    house.registry.register(Wire)
    house.open(folder / "house.scene")
    matrix = np.eye(4)
    matrix[:3, 3] = (3, 0, 0)
    table = house.place("crate.gltf", matrix)
    arm = node(house, table, "Body/Arm")
    house.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    lamp = house.spawn(Name("Lamp"), LocalTransform((0, 2, 0)), LightSource(), parent=arm)
    chair = house.spawn(Name("Chair"), LocalTransform((5, 0, 2)), Wire(lamp))
    ground = house.children()[0]
    house.add_component(chair, GltfInstance("crate.gltf"))
    house.add_component(lamp, Wire(ground))
    house.add_component(ground, Wire(chair))
    house.settle()
    return table, arm, lamp, chair, ground


def test_a_selection_becomes_a_level_that_is_placed_where_it_stood(house, folder, furnished):
    table, arm, lamp, chair, ground = furnished
    before = house.app.level_file.draft_bytes()
    places = {e: world_matrix(house.world, e) for e in (table, arm, lamp, chair)}
    looks = {e: pose(house, e) for e in (table, chair)}
    root = house.make_instance("sets/corner.scene", [table, chair])
    world = house.world
    assert world.get(root, SceneInstance).level == "sets/corner.scene"
    assert list(house.selection) == [root]
    assert house.children() == [ground, root]
    for entity, matrix in places.items():
        assert np.allclose(world_matrix(world, entity), matrix, atol=1e-5)
        assert world.has(entity, Realised)
    assert {e: pose(house, e) for e in (table, chair)} == looks
    assert not world.has(arm, KeptRecords)
    assert world.get(chair, Wire).target == lamp
    assert world.get(lamp, Wire).target == ground
    assert world.get(ground, Wire).target == chair
    check_undo(house, before)
    assert house.app.realiser.issues == {}


def test_it_is_the_same_after_saving_and_opening(house, folder, furnished):
    table, _, _, chair, _ = furnished
    root = house.make_instance("corner.scene", [table, chair])
    looks = pose(house, root)
    house.save()
    text = (folder / "house.scene").read_text()
    assert text.count("SceneInstance") == 1
    assert 'path="Chair"' in text
    assert "GltfInstance" not in text
    house.open(folder / "house.scene")
    root = house.children()[1]
    assert pose(house, root) == looks
    world = house.world
    assert world.get(named(house, "Ground"), Wire).target == named(house, "Chair")
    assert world.get(named(house, "Lamp"), Wire).target == named(house, "Ground")
    assert world.get(named(house, "Chair"), Wire).target == named(house, "Lamp")
    inner = (folder / "corner.scene").read_text()
    assert "translation=[0.0,1.0,0.0]" in inner
    assert 'InstanceNode root=#0 path="Body/Arm"' in inner


def test_one_entity_with_its_children_keeps_its_name_and_stands_at_the_origin(house, folder):
    matrix = np.diag([2.0, 3.0, 2.0, 1.0])
    matrix[:3, 3] = (1, 2, 3)
    hall = house.add_empty(matrix)
    house.rename(hall, "Hall")
    box = house.add_shape("box", parent=hall)
    house.set_fields(box, LocalTransform, rotation=(0, 0.5, 0, 0.8660254))
    place = world_matrix(house.world, box)
    root = house.make_instance(entities=[hall])
    assert house.world.get(root, SceneInstance).level == "Hall.scene"
    assert house.label(root) == "Hall"
    assert np.allclose(world_matrix(house.world, box), place, atol=1e-5)
    assert house.world.get(hall, LocalTransform).translation.tolist() == [0, 0, 0]
    assert house.world.get(root, LocalTransform).scale.tolist() == [2, 3, 2]
    house.undo()
    assert house.free_level([hall]) == "Hall-2.scene"


def test_the_file_stays_on_undo_and_a_redo_takes_it_when_nobody_changed_it(
    house, folder, furnished
):
    table = furnished[0]
    house.make_instance("corner.scene", [table])
    written = (folder / "corner.scene").read_bytes()
    house.undo()
    house.settle()
    assert (folder / "corner.scene").read_bytes() == written
    (folder / "corner.scene").write_text("cinder-scene 2\n")
    index, before = house.history.index, house.app.level_file.draft_bytes()
    with pytest.raises(SceneError, match="something is there already"):
        house.redo()
    assert (house.history.index, house.app.level_file.draft_bytes()) == (index, before)
    (folder / "corner.scene").unlink()
    house.redo()
    house.settle()
    assert (folder / "corner.scene").read_bytes() == written
    assert node(house, house.children()[-1], "crate/Body")


def test_a_name_that_undo_needs_is_not_taken(house, folder):
    placed = house.place("room.scene")
    house.rename_asset("room.scene", "parlour.scene")
    house.rename(placed, "room")
    house.make_instance(entities=[placed])
    assert (folder / "room-2.scene").is_file()
    while house.history.can_undo:
        house.undo()
    assert (folder / "room.scene").is_file()
    while house.history.can_redo:
        house.redo()
    assert (folder / "parlour.scene").is_file()


def test_undo_brings_back_what_the_new_level_lost_meanwhile(house, folder, furnished):
    table, arm, lamp, chair, _ = furnished
    before = house.app.level_file.draft_bytes()
    house.make_instance("corner.scene", [table, chair])
    (folder / "corner.scene").write_text("cinder-scene 2\n")
    house.reload_assets(force=True)
    house.undo()
    house.settle()
    assert house.app.level_file.draft_bytes() == before
    assert all(map(house.world.alive, (table, arm, lamp, chair)))


@pytest.mark.parametrize("what", ["node", "look", "nothing", "taken", "outside", "suffix"])
def test_what_cannot_be_made_an_instance_is_refused_and_leaves_no_file(
    house, folder, furnished, what
):
    table, arm, _, _, ground = furnished
    sky = house.spawn(Name("Sky"), Environment())
    cases = {
        "node": ("a.scene", [arm], "unpack"),
        "look": ("a.scene", [table, sky], "look of this level"),
        "nothing": ("a.scene", [], "nothing is selected"),
        "taken": ("room.scene", [table], "already"),
        "outside": ("../a.scene", [table], "outside"),
        "suffix": ("a.txt", [table], r"\.scene or \.cscn"),
    }
    path, entities, words = cases[what]
    before = house.app.level_file.draft_bytes()
    files = sorted(p.name for p in folder.iterdir())
    with pytest.raises(SceneError, match=words):
        house.make_instance(path, entities)
    assert house.app.level_file.draft_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == files
    assert ground


def test_a_made_instance_comes_back_after_a_crash(house, folder, furnished):
    table, _, _, chair, _ = furnished
    root = house.make_instance("corner.scene", [table, chair])
    house.rename(root, "Corner")
    expected = pose(house, root)
    crash(house)
    again = LevelDocument()
    again.registry.register(Wire)
    [entry] = again.recoverable()
    again.recover(entry)
    assert pose(again, again.children()[-1]) == expected
    again.close()


def test_unpacking_what_was_made_gives_back_what_was_there(house, folder, furnished):
    table, arm, lamp, chair, ground = furnished
    root = house.make_instance("corner.scene", [table, chair])
    looks = pose(house, root)
    house.unpack(root)
    assert pose(house, root) == looks
    assert house.world.get(arm, InstanceNode).root == table
    assert house.world.get(lamp, Parent).entity == arm
    assert house.world.get(lamp, Wire).target == ground
    assert house.world.get(chair, Wire).target == lamp


# -- writing changes into the placed level -----------------------------------------------------


@pytest.fixture
def changed(house, folder):
    """A placed level with changes on its own entity and on a node of a prop inside."""
    house.registry.register(Wire)
    house.open(folder / "house.scene")
    root = house.place("room.scene")
    house.set_fields(node(house, root, "Table"), LocalTransform, translation=(5, 0, 0))
    arm = node(house, root, "Table/Body/Arm")
    house.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    house.add_component(node(house, root, "Table/Body"), LightSource(intensity=2))
    return root


def test_changes_are_written_into_the_placed_level_and_are_none_any_more(house, folder, changed):
    before = (folder / "room.scene").read_bytes()
    looks = pose(house, changed)
    house.apply_overrides(changed)
    text = (folder / "room.scene").read_text()
    assert "LocalTransform translation=[5.0,0.0,0.0]" in text
    assert "LocalTransform translation=[0.0,3.0,0.0] scale=[2.0,2.0,2.0]" in text
    assert 'InstanceNode root=#0 path="Body"' in text
    assert "acme.Points at=#1 to=#2 gold=3\n" in text
    assert pose(house, changed) == looks
    assert b"InstanceNode" not in house.app.level_file.draft_bytes()
    assert house.app.realiser.issues == {}
    house.undo()
    house.settle()
    assert (folder / "room.scene").read_bytes() == before
    assert pose(house, changed) == looks
    assert house.app.level_file.draft_bytes().count(b"InstanceNode") == 3
    house.redo()
    house.settle()
    assert (folder / "room.scene").read_text() == text
    assert pose(house, changed) == looks


def test_only_chosen_nodes_are_written(house, folder, changed):
    house.apply_overrides(changed, [node(house, changed, "Table")])
    text = (folder / "room.scene").read_text()
    assert "[5.0,0.0,0.0]" in text
    assert "scale" not in text
    assert house.world.has(node(house, changed, "Table/Body/Arm"), InstanceNode)


def test_removed_nodes_and_components_go_from_the_level(house, folder, changed):
    house.delete(node(house, changed, "Sign"))
    candle = named(house, "Candle")
    house.remove_component(candle, LightSource)
    house.apply_overrides(changed)
    text = (folder / "room.scene").read_text()
    assert "Sign" not in text
    assert "LightSource intensity=5.0" not in text
    assert not house.world.has(candle, LightSource)


def test_a_reference_to_what_the_level_lacks_stays_an_override(house, folder, changed):
    sign = node(house, changed, "Sign")
    house.add_component(sign, Wire(house.children()[0]))
    house.add_component(node(house, changed, "Table"), Wire(sign))
    house.apply_overrides(changed)
    assert house.world.get(sign, Wire).target == house.children()[0]
    assert "Wire target=#3" in (folder / "room.scene").read_text()
    assert house.app.level_file.draft_bytes().count(b"InstanceNode") == 1


def test_what_somebody_else_changed_too_is_refused_and_the_rest_is_kept(house, folder, changed):
    text = (folder / "room.scene").read_text()
    theirs = text.replace("[1.0,0.0,0.0]", "[9.0,0.0,0.0]")
    (folder / "room.scene").write_text(theirs)
    before = house.app.level_file.draft_bytes()
    with pytest.raises(SceneError, match=r"Table: LocalTransform\.translation"):
        house.apply_overrides(changed)
    assert (folder / "room.scene").read_text() == theirs
    assert house.app.level_file.draft_bytes() == before
    (folder / "room.scene").write_text(text.replace("gold=3", "gold=4"))
    house.apply_overrides(changed)
    assert "gold=4" in (folder / "room.scene").read_text()
    assert "[5.0,0.0,0.0]" in (folder / "room.scene").read_text()


def test_undo_does_not_take_back_a_file_that_somebody_else_changed(house, folder, changed):
    house.apply_overrides(changed)
    theirs = (folder / "room.scene").read_text().replace("gold=3", "gold=4")
    (folder / "room.scene").write_text(theirs)
    index = house.history.index
    with pytest.raises(SceneError, match="changed on disk"):
        house.undo()
    assert house.history.index == index
    assert (folder / "room.scene").read_text() == theirs


def test_only_a_level_takes_changes_in(house, changed):
    crate = house.place("crate.gltf")
    house.set_fields(node(house, crate, "Body"), LocalTransform, scale=(2, 2, 2))
    with pytest.raises(SceneError, match="only a level"):
        house.apply_overrides(crate)
    house.revert_instance(changed)
    with pytest.raises(SceneError, match="no changes"):
        house.apply_overrides(changed)


def test_all_changes_of_an_instance_are_reverted_in_one_step(house, changed):
    house.revert_instance(changed)
    assert b"InstanceNode" not in house.app.level_file.draft_bytes()
    transform = house.world.get(node(house, changed, "Table"), LocalTransform)
    assert transform.translation.tolist() == [1, 0, 0]
    house.undo()
    house.settle()
    assert transform is not None
    moved = house.world.get(node(house, changed, "Table"), LocalTransform)
    assert moved.translation.tolist() == [5, 0, 0]


def test_somebody_else_made_the_instance(house, folder, furnished):
    house.save()
    places = {name: world_matrix(house.world, named(house, name)) for name in ("Chair", "Lamp")}
    other = LevelDocument()
    other.registry.register(Wire)
    other.open(folder / "house.scene")
    other.make_instance("corner.scene", [named(other, "crate"), named(other, "Chair")])
    other.save()
    other.close()
    assert house.merge_disk() is not None
    root = named(house, "corner")
    assert house.world.get(root, SceneInstance).level == "corner.scene"
    for name, matrix in places.items():
        entity = named(house, name)
        assert house.world.has(entity, Realised)
        assert np.allclose(world_matrix(house.world, entity), matrix, atol=1e-5)
    assert house.world.get(named(house, "Ground"), Wire).target == named(house, "Chair")
    assert house.world.get(named(house, "Lamp"), Wire).target == named(house, "Ground")
    assert house.app.realiser.issues == {}


def test_an_instance_made_before_the_first_save_goes_along_with_it(document, prop, tmp_path):
    crate = document.place(prop)
    root = document.make_instance(entities=[crate])
    looks = pose(document, root)
    document.save(tmp_path / "mine" / "yard.scene")
    level = document.world.get(root, SceneInstance).level
    assert (tmp_path / "mine" / level).is_file()
    assert pose(document, root) == looks
    again = LevelDocument()
    again.open(tmp_path / "mine" / "yard.scene")
    assert pose(again, again.children()[0]) == looks
    assert again.app.realiser.issues == {}
    again.close()


def lone_house(tmp_path) -> LevelDocument:
    """A level saved to a folder that is no project, with a prop in it."""
    prop = write_prop(tmp_path / "elsewhere")
    document = LevelDocument()
    document.new()
    document.place(prop)
    (tmp_path / "town").mkdir()
    document.save(tmp_path / "town" / "town.scene")
    return document


def missing(path) -> list[str]:
    document = LevelDocument()
    document.open(path)
    found = [entry.path for entry in document.app.assets.entries() if entry.error]
    document.close()
    return found


def test_what_lies_in_a_folder_of_a_plain_folder_opens_by_itself(tmp_path):
    document = lone_house(tmp_path)
    town = tmp_path / "town"
    assert not (town / "project.json").exists(), "a level alone needs no project"
    document.make_instance("levels/corner.scene", [document.children()[0]])
    assert first_level(town) == town / "town.scene"
    assert missing(town / "levels" / "corner.scene") == []
    document.save()
    document.close()
    assert missing(town / "town.scene") == []


def test_a_level_in_a_folder_comes_into_a_plain_folder_that_is_a_project_then(tmp_path):
    document = lone_house(tmp_path)
    town = tmp_path / "town"
    document.make_instance("levels/corner.scene", [document.children()[0]])
    (tmp_path / "copy").mkdir()
    document.save(tmp_path / "copy" / "copy.scene")
    document.close()
    assert (tmp_path / "copy" / "project.json").is_file()
    assert missing(tmp_path / "copy" / "levels" / "corner.scene") == []
    assert project_root(town / "levels" / "corner.scene") == town


def test_a_project_that_is_there_stays_as_it_is(tmp_path):
    document = lone_house(tmp_path)
    (tmp_path / "town" / "project.json").write_text("{}")
    document.make_instance("levels/corner.scene", [document.children()[0]])
    document.save()
    document.close()
    assert (tmp_path / "town" / "project.json").read_text() == "{}"

"""What was hung under a placed level is written into it, and is part of the instance then."""

import re

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent, component
from engine.scene import (
    CameraComponent,
    Environment,
    InstanceNode,
    LightSource,
    LocalTransform,
    Name,
    Order,
    Parent,
    Realised,
    SceneInstance,
)
from engine.scene.hierarchy import world_matrix
from tests.editor.document.levels import crash, named
from tests.editor.document.placed import check_undo, node, pose


@component(id=952, name="Cord")
class Cord(SceneComponent):
    target: Entity = Entity.null()


class Hung:
    """A placed room with things hung under its root, its own entity, and a node of its prop."""

    def __init__(self, house, folder):
        house.registry.register(Cord)
        house.open(folder / "house.scene")
        self.house, self.file = house, folder / "room.scene"
        self.root = house.place("room.scene")
        house.set_fields(self.root, LocalTransform, translation=(4, 0, 0), scale=(2, 2, 2))
        arm, sign = node(house, self.root, "Table/Body/Arm"), node(house, self.root, "Sign")
        table = node(house, self.root, "Table")
        self.bell = house.spawn(Name("Bell"), LocalTransform((0, 1, 0)), parent=arm)
        self.clapper = house.spawn(
            Name("Clapper"), LocalTransform((0, -1, 0)), LightSource(), parent=self.bell
        )
        self.rug = house.spawn(Name("Rug"), LocalTransform((1, 0, 1)), parent=self.root)
        self.nail = house.spawn(Name("Nail"), LocalTransform((0, 0, 1)), parent=sign)
        self.vase = house.spawn(Name("Vase"), LocalTransform((0, 2, 0)), parent=table)
        self.all = (self.bell, self.clapper, self.rug, self.nail, self.vase)

    def places(self):
        world = self.house.world
        return {e: np.round(world_matrix(world, e), 5).tolist() for e in self.all}

    def text(self):
        return self.file.read_text()


@pytest.fixture
def hung(house, folder):
    return Hung(house, folder)


def test_what_was_hung_under_it_is_part_of_the_level_then(house, hung):
    house.select([hung.clapper])
    places, looks = hung.places(), pose(house, hung.root)
    before, file = house.app.level_file.draft_bytes(), hung.file.read_bytes()
    house.apply_overrides(hung.root)
    world = house.world
    assert all(world.has(e, Realised) for e in hung.all), "the same entities"
    assert (hung.places(), pose(house, hung.root)) == (places, looks)
    assert list(house.selection) == [hung.clapper]
    own = house.app.level_file.draft_bytes()
    assert not [n for n in (b"Bell", b"Clapper", b"Rug", b"Nail", b"Vase") if n in own]
    assert b"InstanceNode" not in own
    assert hung.text().count('Name text="Bell"') == 1
    assert house.app.realiser.issues == {}
    assert [label.split(" to ")[0] for label in house.history.labels[-1:]] == [
        "Apply 4 added entities"
    ]
    check_undo(house, before)
    house.undo()
    house.settle()
    assert hung.file.read_bytes() == file, "undo takes the file back too"
    assert not any(world.has(e, Realised) for e in hung.all)
    assert (hung.places(), pose(house, hung.root)) == (places, looks)
    house.redo()
    house.settle()
    assert (hung.places(), pose(house, hung.root)) == (places, looks)


def test_it_is_the_same_after_saving_and_opening(house, folder, hung):
    house.apply_overrides(hung.root)
    looks = pose(house, hung.root)
    house.save()
    house.open(folder / "house.scene")
    root = next(e for e in house.children() if house.world.has(e, SceneInstance))
    assert pose(house, root) == looks
    assert house.world.get(named(house, "Nail"), Parent).entity == named(house, "Sign")
    assert house.world.get(named(house, "Bell"), Parent).entity == named(house, "Arm")
    assert house.app.realiser.issues == {}


def test_every_other_place_of_the_level_shows_it_too(house, hung):
    other = house.place("room.scene")
    house.apply_overrides(hung.root)
    names = {house.label(e) for e in (*_below(house, other),)}
    assert {"Bell", "Clapper", "Rug", "Nail", "Vase"} <= names


def _below(house, root):
    for child in house.children(root):
        yield child
        yield from _below(house, child)


def test_references_from_outside_lead_to_the_nodes_that_they_are_now(house, folder, hung):
    ground = house.children()[0]
    house.add_component(ground, Cord(hung.clapper))
    house.apply_overrides(hung.root)
    assert house.world.get(ground, Cord).target == hung.clapper
    house.save()
    text = (folder / "house.scene").read_text()
    assert 'path="\\\\@Bell/Clapper"' in text
    house.open(folder / "house.scene")
    assert house.world.get(house.children()[0], Cord).target == named(house, "Clapper")


def test_references_inside_and_to_the_level_go_along_and_others_stay_with_this_level(house, hung):
    ground, sign = house.children()[0], node(house, hung.root, "Sign")
    arm = node(house, hung.root, "Table/Body/Arm")
    house.add_component(hung.rug, Cord(hung.clapper))
    house.add_component(hung.nail, Cord(sign))
    house.add_component(hung.vase, Cord(arm))
    house.add_component(hung.bell, Cord(ground))
    house.apply_overrides(hung.root)
    world = house.world
    targets = {house.label(e): world.get(e, Cord).target for e in hung.all if world.has(e, Cord)}
    assert targets == {"Rug": hung.clapper, "Nail": sign, "Vase": arm, "Bell": ground}
    assert len(re.findall(r"Cord target=#\d", hung.text())) == 3
    own = house.app.level_file.draft_bytes().decode()
    assert own.count("Cord target=") == 1
    assert own.count("InstanceNode") == 1, "the bell's cord is an override of the instance"
    house.save()
    house.open(house.path)
    for name, target in (("Rug", "Clapper"), ("Nail", "Sign"), ("Vase", "Arm"), ("Bell", "Ground")):
        assert house.label(house.world.get(named(house, name), Cord).target) == target


def test_an_override_that_refers_to_what_was_hung_goes_along(house, hung):
    sign = node(house, hung.root, "Sign")
    house.add_component(sign, Cord(hung.clapper))
    house.apply_overrides(hung.root)
    assert house.world.get(sign, Cord).target == hung.clapper
    assert b"Cord" not in house.app.level_file.draft_bytes()


def test_a_prop_goes_along_with_its_changes_and_what_hangs_under_its_nodes(house, folder, hung):
    crate = house.place("crate.gltf", parent=hung.rug)
    arm = node(house, crate, "Body/Arm")
    house.set_fields(arm, LocalTransform, scale=(3, 3, 3))
    lamp = house.spawn(Name("Lamp"), LightSource(), LocalTransform((0, 1, 0)), parent=arm)
    looks = pose(house, hung.root)
    before = house.app.level_file.draft_bytes()
    house.apply_overrides(hung.root)
    assert pose(house, hung.root) == looks
    assert house.world.has(lamp, Realised)
    assert not house.world.has(arm, InstanceNode)
    assert "GltfInstance" not in house.app.level_file.draft_bytes().decode()
    check_undo(house, before)
    house.save()
    house.open(folder / "house.scene")
    root = next(e for e in house.children() if house.world.has(e, SceneInstance))
    assert pose(house, root) == looks


def test_only_what_hangs_under_chosen_nodes_goes(house, hung):
    house.apply_overrides(hung.root, [node(house, hung.root, "Sign")])
    world = house.world
    assert [e for e in hung.all if world.has(e, Realised)] == [hung.nail]
    assert "Bell" not in hung.text()


def test_changes_and_additions_are_one_step(house, hung):
    table = node(house, hung.root, "Table")
    house.set_fields(table, LocalTransform, translation=(9, 0, 0))
    before, file = house.app.level_file.draft_bytes(), hung.file.read_bytes()
    house.apply_overrides(hung.root)
    assert "[9.0,0.0,0.0]" in hung.text()
    assert house.history.labels[-1].startswith("Apply 1 changed node and 4 added entities")
    house.undo()
    house.settle()
    assert (house.app.level_file.draft_bytes(), hung.file.read_bytes()) == (before, file)


def test_names_that_the_level_has_there_are_numbered_and_its_paths_stay(house, hung):
    twin = house.spawn(Name("Sign"), LocalTransform((7, 0, 0)), Order(-9000), parent=hung.root)
    candle = house.spawn(Name("Candle"), LocalTransform((0, 9, 0)), parent=hung.bell)
    house.rename(hung.bell, "Candle")
    sign = node(house, hung.root, "Sign")
    other = house.place("room.scene")
    house.add_component(node(house, other, "Sign"), LocalTransform((3, 3, 3)))
    house.apply_overrides(hung.root)
    assert (house.label(twin), house.label(hung.bell)) == ("Sign 2", "Candle 2")
    assert house.label(candle) == "Candle", "nobody has that name there"
    assert node(house, hung.root, "Sign") == sign
    moved = house.world.get(node(house, other, "Sign"), LocalTransform).translation
    assert moved.tolist() == [3, 3, 3]
    house.undo()
    assert (house.label(twin), house.label(hung.bell)) == ("Sign", "Candle")


def test_what_hangs_under_a_node_that_goes_stays_here(house, hung):
    house.add_component(hung.rug, Cord(hung.nail))
    house.delete(node(house, hung.root, "Sign"))
    house.apply_overrides(hung.root)
    assert house.history.labels[-1].startswith("Apply 1 changed node and 3 added entities")
    assert house.world.get(hung.rug, Cord).target == hung.nail
    assert "Sign" not in hung.text()
    assert house.world.alive(hung.nail)
    assert not house.world.has(hung.nail, Realised)
    assert house.world.has(hung.rug, Realised)


@pytest.mark.parametrize("what", ["look", "itself", "through"])
def test_what_a_placed_level_cannot_hold_is_refused_and_nothing_changes(house, folder, hung, what):
    if what == "look":
        house.spawn(Name("Sky"), Environment(), parent=hung.rug)
    elif what == "itself":
        house.place("room.scene", parent=hung.rug)
    else:
        (folder / "hall.scene").write_text(
            'cinder-scene 2\nentity 0\n  Name text="R"\n  SceneInstance level="room.scene"\n'
        )
        house.place("hall.scene", parent=hung.rug)
    before, file = house.app.level_file.draft_bytes(), hung.file.read_bytes()
    words = "look of this level" if what == "look" else "can't hold itself"
    with pytest.raises(SceneError, match=words):
        house.apply_overrides(hung.root)
    assert (house.app.level_file.draft_bytes(), hung.file.read_bytes()) == (before, file)
    assert not house.world.has(hung.rug, Realised)


def test_undo_leaves_a_file_that_somebody_else_changed(house, hung):
    house.apply_overrides(hung.root)
    theirs = hung.text().replace("gold=3", "gold=4")
    hung.file.write_text(theirs)
    with pytest.raises(SceneError, match="changed on disk"):
        house.undo()
    assert hung.text() == theirs
    assert house.world.has(hung.rug, Realised)


def test_a_camera_that_goes_along_is_off_as_in_every_placed_level(house, hung):
    house.add_component(hung.rug, CameraComponent(active=True))
    house.apply_overrides(hung.root)
    assert not house.world.get(hung.rug, CameraComponent).active
    house.undo()
    house.settle()
    assert house.world.get(hung.rug, CameraComponent).active


def test_it_comes_back_after_a_crash(house, hung):
    house.apply_overrides(hung.root)
    house.rename(hung.root, "Parlour")
    expected = pose(house, hung.root)
    crash(house)
    again = LevelDocument()
    again.registry.register(Cord)
    [entry] = again.recoverable()
    again.recover(entry)
    root = next(e for e in again.children() if again.world.has(e, SceneInstance))
    assert pose(again, root) == expected
    again.close()


def test_what_is_added_is_listed(house, hung):
    assert {house.label(e) for e in house.added_under(hung.root)} == {"Bell", "Nail", "Rug", "Vase"}
    crate = house.place("crate.gltf", parent=hung.rug)
    house.spawn(Name("Lamp"), parent=node(house, crate, "Body"))
    assert len(house.added_under(hung.root)) == 4
    assert [house.label(e) for e in house.added_under(crate)] == ["Lamp"]
    house.apply_overrides(hung.root)
    assert house.added_under(hung.root) == []
    house.undo()
    assert len(house.added_under(hung.root)) == 4
    house.delete([hung.rug])
    assert len(house.added_under(hung.root)) == 3
    house.reparent(hung.nail, None)
    assert {house.label(e) for e in house.added_under(hung.root)} == {"Bell", "Vase"}
    assert not house.world.alive(crate)

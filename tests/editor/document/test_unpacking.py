"""Unpacking instances, and making them: what is drawn, named and referred to stays the same."""

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import SceneError
from engine.scene import (
    Enabled,
    GltfInstance,
    GltfMesh,
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    MaterialOverride,
    MeshRenderer,
    Name,
    Parent,
    Realised,
    SceneInstance,
)
from tests.editor.document.levels import crash, named
from tests.editor.document.placed import check_undo, node, pose
from tests.editor.document.props import write_prop


def test_an_unpacked_prop_draws_the_same_with_its_overrides_baked_in(house):
    root = house.place("crate.gltf", np.diag([2.0, 2, 2, 1]))
    arm = node(house, root, "Body/Arm")
    house.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    house.add_component(arm, LightSource(intensity=7))
    before, looks = house.app.level_file.draft_bytes(), pose(house, root)
    house.unpack(root)
    assert pose(house, root) == looks
    assert not house.world.has(root, GltfInstance)
    assert not any(house.world.has(e, Realised) for e in house.world.entities())
    assert house.world.get(arm, GltfMesh) == GltfMesh("crate.gltf", "Body/Arm")
    assert not house.world.has(arm, InstanceNode)
    assert not house.world.has(arm, KeptRecords)
    assert house.app.realiser.issues == {}
    check_undo(house, before)
    house.undo()
    house.settle()
    assert pose(house, root) == looks


def test_the_settings_of_a_prop_stay_with_its_meshes(house):
    root = house.place("crate.gltf")
    house.set_fields(root, GltfInstance, cast_shadows=False, variant="worn")
    arm = node(house, root, "Body/Arm")
    house.unpack(root)
    assert house.world.get(arm, GltfMesh) == GltfMesh("crate.gltf", "Body/Arm", False, "worn")
    assert not house.world.get(arm, MeshRenderer).cast_shadows


def test_an_unpacked_prop_is_saved_and_opens_as_it_was(house, folder):
    root = house.place("crate.gltf")
    house.unpack()
    looks = pose(house, root)
    house.save()
    house.open(folder / "house.scene")
    root = house.children()[1]
    assert pose(house, root) == looks
    house.reparent(named(house, "Arm"), None)
    assert house.world.has(named(house, "Arm"), MeshRenderer)


def test_a_mesh_follows_its_file_and_is_a_box_without_it(house, folder):
    root = house.place("crate.gltf")
    house.unpack(root)
    arm = named(house, "Arm")
    write_prop(folder, nodes=[{"name": "Body", "mesh": 0}])
    house.reload_assets(force=True)
    assert "Arm" in house.app.realiser.issues[arm]
    assert house.world.has(arm, MeshRenderer)
    write_prop(folder)
    house.reload_assets(force=True)
    assert house.app.realiser.issues == {}
    house.remove_component(arm, GltfMesh)
    house.settle()
    assert not house.world.has(arm, MeshRenderer)


def test_removed_nodes_are_gone_and_their_children_of_the_level_stay(house):
    root = house.place("crate.gltf")
    arm = node(house, root, "Body/Arm")
    house.delete(arm)
    before = house.app.level_file.draft_bytes()
    house.unpack(root)
    assert not house.world.alive(arm)
    check_undo(house, before)
    house.undo()
    house.settle()
    hat = house.spawn(Name("Hat"), parent=arm)
    house.unpack(root)
    assert house.world.alive(arm)
    assert not house.world.get(arm, Enabled).on
    assert house.world.get(hat, Parent).entity == arm


def test_the_look_of_the_root_stays_on_what_was_inside(house):
    root = house.place("crate.gltf")
    house.add_component(root, MaterialOverride(metallic=0.25, roughness=0.5))
    body, arm = node(house, root, "Body"), node(house, root, "Body/Arm")
    house.add_component(body, MaterialOverride(roughness=0.75))
    house.unpack(root)
    for entity in (body, arm):
        look = house.world.get(entity, MaterialOverride)
        assert (look.metallic, look.roughness) == (0.25, 0.75)
    assert not house.world.has(root, MaterialOverride)


def test_an_unpacked_level_keeps_the_instances_inside_with_the_changes_of_both_levels(house):
    root = house.place("room.scene")
    arm = node(house, root, "Table/Body/Arm")
    house.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    house.set_fields(node(house, root, "Table"), LocalTransform, translation=(5, 0, 0))
    before, looks = house.app.level_file.draft_bytes(), pose(house, root)
    table, candle = node(house, root, "Table"), named(house, "Candle")
    house.unpack(root)
    assert pose(house, root) == looks
    world = house.world
    assert not world.has(root, SceneInstance)
    assert not world.has(table, Realised)
    assert world.get(table, LocalTransform).translation.tolist() == [5, 0, 0]
    link = world.get(arm, InstanceNode)
    assert (link.root, link.path) == (table, "Body/Arm")
    assert world.has(arm, Realised)
    assert world.get(candle, Parent).entity == arm
    text = house.app.level_file.draft_bytes().decode()
    assert "LocalTransform translation=[0.0,3.0,0.0] scale=[2.0,2.0,2.0]" in text
    check_undo(house, before)


def test_references_of_an_unpacked_level_hold_unknown_ones_too(house, folder):
    root = house.place("room.scene")
    hat = house.spawn(Name("Hat"), parent=node(house, root, "Sign"))
    house.unpack(root)
    assert house.world.get(hat, Parent).entity == named(house, "Sign")
    house.save()
    house.open(folder / "house.scene")
    (record,) = [r for _, r in house.world.get(named(house, "Sign"), KeptRecords).records]
    assert record.get("gold").integer == 3
    assert record.get("at").integer == named(house, "Candle")
    assert record.get("to").integer == named(house, "Arm")
    assert "Environment" not in (folder / "house.scene").read_text()


def test_an_unpacked_level_no_longer_follows_its_file_but_its_props_do(house, folder):
    root = house.place("room.scene")
    house.unpack(root)
    (folder / "room.scene").write_text("cinder-scene 2\n")
    write_prop(folder, nodes=[{"name": "Body", "mesh": 0, "translation": [0, 9, 0]}])
    house.reload_assets(force=True)
    table = named(house, "Table")
    body = node(house, table, "Body")
    assert house.world.get(body, LocalTransform).translation.tolist() == [0, 9, 0]


def test_what_is_no_instance_or_shows_nothing_is_not_unpacked(house):
    ground = house.children()[0]
    with pytest.raises(SceneError, match="Ground is no instance"):
        house.unpack(ground)
    broken = house.spawn(Name("Broken"), GltfInstance("gone.gltf"))
    with pytest.raises(SceneError, match="shows nothing"):
        house.unpack(broken)
    assert house.history.labels[-1] == "Add Broken"


def test_a_node_chosen_unpacks_its_instance(house):
    root = house.place("crate.gltf")
    house.unpack(node(house, root, "Body/Arm"))
    assert not house.world.has(root, GltfInstance)


def test_an_unpacked_level_comes_back_after_a_crash(house, folder):
    root = house.place("room.scene")
    house.set_fields(node(house, root, "Table/Body/Arm"), LocalTransform, scale=(2, 2, 2))
    house.save()
    house.unpack(root)
    house.rename(named(house, "Table"), "Desk")
    expected = pose(house, root)
    crash(house)
    again = LevelDocument()
    [entry] = again.recoverable()
    again.recover(entry)
    root = again.children()[1]
    assert pose(again, root) == expected
    assert not again.world.has(root, SceneInstance)
    again.close()


def test_somebody_else_unpacked_the_instance(house, folder):
    root = house.place("crate.gltf")
    arm = node(house, root, "Body/Arm")
    house.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    house.save()
    other = LevelDocument()
    other.open(folder / "house.scene")
    other.unpack(other.children()[1])
    other.save()
    expected = pose(other, other.children()[1])
    other.close()
    assert house.merge_disk() is not None
    assert pose(house, root) == expected
    assert not house.world.has(arm, Realised)
    assert house.world.has(arm, GltfMesh)


def test_fields_that_no_class_reads_stay_with_their_component(house, folder):
    root = house.place("crate.gltf")
    house.set_fields(node(house, root, "Body/Arm"), LocalTransform, translation=(0, 1, 0))
    house.save()
    path = folder / "house.scene"
    changed = "LocalTransform translation=[0.0,1.0,0.0]"
    text = path.read_text()
    assert text.count(changed) == 1
    path.write_text(text.replace(changed, f"{changed} sway=3.0"))
    house.open(path)
    house.unpack(house.children()[1])
    house.save()
    lines = [line for line in path.read_text().splitlines() if "sway" in line]
    assert len(lines) == 1
    assert "translation=[0.0,1.0,0.0]" in lines[0]
    house.remove_component([named(house, "Arm")], LocalTransform)
    house.save()
    assert "sway" not in path.read_text()


def test_changes_of_a_node_that_the_asset_lacks_become_an_entity_of_the_level(house, folder):
    root = house.place("crate.gltf")
    arm = node(house, root, "Body/Arm")
    house.set_fields(arm, LocalTransform, translation=(0, 4, 0))
    child = house.spawn(Name("Bulb"), LocalTransform(), parent=arm)
    write_prop(folder, nodes=[{"name": "Body", "mesh": 0}])
    house.reload_assets(force=True)
    (parked,) = house.parked_overrides(root)
    house.unpack(root)
    assert house.label(parked) == "Arm"
    assert house.world.get(parked, LocalTransform).translation.tolist() == [0, 4, 0]
    assert not house.world.has(parked, InstanceNode)
    assert not house.world.has(parked, Realised)
    assert house.parent(child) == parked
    assert house.parent(parked) == root


def test_what_the_open_level_put_back_stays_when_the_level_that_left_it_out_is_unpacked(
    house, folder
):
    (folder / "bare.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="Table"\n  GltfInstance asset="crate.gltf"\n'
        'entity 1\n  InstanceNode root=#0 path="Body/Arm" removed_components="LocalTransform"\n'
    )
    root = house.place("bare.scene")
    arm = node(house, root, "Table/Body/Arm")
    assert not house.world.has(arm, LocalTransform)
    house.add_component(arm, LocalTransform((0, 4, 0)))
    house.unpack(root)
    assert house.world.get(arm, LocalTransform).translation.tolist() == [0, 4, 0]
    house.save()
    house.open(folder / "house.scene")
    table = named(house, "Table")
    arm = node(house, table, "Body/Arm")
    assert house.world.get(arm, LocalTransform).translation.tolist() == [0, 4, 0]


def test_what_both_levels_change_of_a_node_that_is_lacking_becomes_one_record(house, folder):
    root = house.place("room.scene")
    arm = node(house, root, "Table/Body/Arm")
    house.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    house.spawn(Name("Hat"), parent=arm)
    write_prop(folder, nodes=[{"name": "Body", "mesh": 0}])
    house.reload_assets(force=True)
    before = house.app.level_file.draft_bytes()
    house.unpack(root)
    text = house.app.level_file.draft_bytes().decode()
    assert text.count('path="Body/Arm"') == 1
    assert "LocalTransform translation=[0.0,3.0,0.0] scale=[2.0,2.0,2.0]" in text
    check_undo(house, before)
    house.save()
    write_prop(folder)
    house.open(folder / "house.scene")
    arm = node(house, named(house, "Table"), "Body/Arm")
    place = house.world.get(arm, LocalTransform)
    assert (place.translation.tolist(), place.scale.tolist()) == ([0, 3, 0], [2, 2, 2])
    assert house.parent(named(house, "Hat")) == arm

"""What a registry does not know stays with the entity, its references included."""

import pytest

from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity
from engine.scene.components import InstanceNode, KeptRecords, LocalTransform, Name
from engine.scene.document import read_text, write_text
from engine.scene.registry import SceneRegistry
from tests.engine.scene.registry.game_components import Inventory, Position

TEXT = """cinder-scene 2
entity 0
  acme.Loot table="rare" nested="{\\"a\\": 1}" extra.0=#1 extra.1=#-1
  Name text="crate"
  acme.Tag
entity 1
  Name text="other" future=#0
"""


def registry(*, keep_unknown=True):
    result = SceneRegistry(keep_unknown)
    for type_ in (Name, LocalTransform, InstanceNode, Inventory, Position):
        result.register(type_)
    return result


def test_unknown_records_are_written_back_in_their_place():
    reg, world = registry(), World()
    world.spawn()
    entities = reg.instantiate(world, read_text(TEXT))
    assert write_text(reg.to_doc(world, entities)) == TEXT


def test_references_inside_are_remapped():
    reg, world = registry(), World()
    crate, other = reg.instantiate(world, read_text(TEXT))
    text = write_text(reg.to_doc(world, [other, crate]))
    assert 'Name text="other" future=#1' in text
    assert "extra.0=#0 extra.1=#-1" in text
    kept = world.get(crate, KeptRecords).find("acme.Loot")
    assert Entity(kept.get("extra.0").value) == other
    world.despawn(other)
    assert "extra.0=#-1" in write_text(reg.to_doc(world, [crate]))


def test_unknown_fields_are_kept_in_both_modes():
    text = 'cinder-scene 2\nentity 0\n  Inventory count=0 note="n" later=1.5\n'
    for keep_unknown in (False, True):
        reg, world = registry(keep_unknown=keep_unknown), World()
        entities = reg.instantiate(world, read_text(text))
        assert write_text(reg.to_doc(world, entities)) == text


def test_unknown_fields_are_kept_in_their_place():
    text = 'cinder-scene 2\nentity 0\n  Name before=1 text="a" after=[1.5]\n'
    reg, world = registry(), World()
    entities = reg.instantiate(world, read_text(text))
    world.set(entities[0], Name("b"))
    assert write_text(reg.to_doc(world, entities)) == text.replace('"a"', '"b"')
    assert world.get(entities[0], KeptRecords) == world.get(entities[0], KeptRecords)


def test_unknown_fields_go_with_their_component():
    reg, world = registry(), World()
    (entity,) = reg.instantiate(world, read_text("cinder-scene 2\nentity 0\n  Position later=1\n"))
    world.remove(entity, Position)
    assert write_text(reg.to_doc(world, [entity])) == "cinder-scene 2\nentity 0\n"


def test_without_keep_unknown_they_are_refused():
    world = World()
    with pytest.raises(SceneError, match=r"entity 0: unknown component: acme\.\w+"):
        registry(keep_unknown=False).instantiate(world, read_text(TEXT))
    assert len(world) == 0


def test_nothing_is_built_beside_an_instance_node():
    text = """cinder-scene 2
entity 0
  Name text="lamp"
entity 1
  LocalTransform translation=[1.0,2.0,3.0]
  InstanceNode root=#0 path="Body/Arm" removed=false removed_components=""
  Inventory item.0=#0 count=1
"""
    reg, world = registry(), World()
    lamp, arm = reg.instantiate(world, read_text(text))
    assert world.get(arm, InstanceNode).root == lamp
    assert set(world.types(arm)) == {InstanceNode, KeptRecords}
    assert write_text(reg.to_doc(world, [lamp, arm])) == text
    world.add(arm, Name("live"))
    assert write_text(reg.to_doc(world, [lamp, arm])) == text

import pytest

from editor.commands import AddComponent, RemoveComponent
from engine.errors import ComponentError, EntityError, SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import (
    Enabled,
    KeptRecords,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    WorldTransform,
)


def unknown(entity=0):
    fields = [Field.of("force", Kind.FLOAT, 3), Field.of("target", Kind.ENTITY, entity)]
    return KeptRecords([(1, ComponentRecord("Wind", fields))])


def test_those_that_have_one_keep_theirs(level):
    a = level.entity("a", None, LightSource(intensity=5))
    b = level.entity("b")
    level.check_laws(AddComponent([a, b], LightSource(intensity=2)))
    assert level.world.get(a, LightSource).intensity == 5
    assert level.world.get(b, LightSource).intensity == 2
    level.check_refused(AddComponent([a, b], LightSource()), ComponentError, "already has")


def test_derived_components_are_not_added_or_removed(level):
    a = level.entity("a", None, WorldTransform())
    level.check_refused(AddComponent([a], MeshRenderer()), SceneError, "derived")
    level.check_refused(RemoveComponent([a], WorldTransform), SceneError, "derived")


def test_a_parent_that_is_gone_or_below_is_refused(level):
    top = level.entity("top")
    below = level.entity("below", top)
    level.check_refused(AddComponent([top], Parent(below)), SceneError, "cycle")
    level.check_refused(AddComponent([top], Parent(Entity.of(77, 1))), EntityError)


def test_removing_by_type_and_by_name(level):
    a = level.entity("a", None, LightSource(), Enabled(False))
    level.check_laws(RemoveComponent([a], LightSource))
    level.check_laws(RemoveComponent([a], "Enabled"))
    assert {t.__name__ for t in level.world.types(a)} == {"Name", "LocalTransform"}


def test_an_unknown_component_is_removed_by_its_name(level):
    other = level.entity("other")
    a = level.entity("a", None, unknown(other))
    assert "Wind" in level.text()
    level.check_laws(RemoveComponent([a], "Wind"))
    assert "Wind" not in level.text()


@pytest.mark.parametrize("what", [Name, "Name"])
def test_every_entity_keeps_its_name(level, what):
    level.check_refused(RemoveComponent([level.entity("a")], what), SceneError, "keeps its Name")


def test_what_none_of_them_has_is_refused(level):
    entities = [level.entity("a"), level.entity("b")]
    level.check_refused(RemoveComponent(entities, "Wind"), ComponentError, "Wind")


def test_one_that_has_it_is_enough(level):
    a, b = level.entity("a", None, LightSource()), level.entity("b")
    level.check_laws(RemoveComponent([a, b], LightSource))


def test_removing_the_transform_comes_back_whole(level):
    a = level.entity("a", None, LocalTransform((1, 2, 3), (0, 0, 0, 1), (-1, 1, 1)))
    before = level.world.get(a, LocalTransform)
    level.check_laws(RemoveComponent([a], LocalTransform))
    level.history.undo()
    assert level.world.get(a, LocalTransform) == before

import numpy as np
import pytest

from editor.commands import AddComponent, ResetField, SetFieldEach, SetFields, Spawn
from engine.errors import ComponentError, EntityError, SceneError
from engine.reflect import (
    Entity,
    FieldReader,
    FieldWriter,
    SceneComponent,
    component,
)
from engine.scene import (
    LightSource,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    WorldTransform,
)


@component(id=900, name="Spring")
class Spring(SceneComponent):
    """Written by hand: the record speaks of hertz, the object of radians per second."""

    def __init__(self, rate=6.0):
        self.rate = rate

    def write_scene(self, w: FieldWriter):
        w.float("hertz", self.rate / 6.0)
        w.mat4("frame", np.arange(16).reshape(4, 4))

    @classmethod
    def read_scene(cls, r: FieldReader):
        return cls(float(r.float("hertz", 1.0)) * 6.0)


def test_fields_are_set_on_all_and_others_stay(level):
    a, b = level.entity("a"), level.entity("b")
    level.world.set(b, LocalTransform((1, 2, 3), (0, 0, 0, 1), (4, 4, 4)))
    command = level.check_laws(SetFields([a, b], LocalTransform, {"scale": (2, 2, 2)}))
    assert command.label == "Set scale of 2 entities"
    assert list(level.world.get(b, LocalTransform).translation) == [1, 2, 3]
    assert list(level.world.get(b, LocalTransform).scale) == [2, 2, 2]


def test_the_names_of_steps_spell_fields_in_words(level):
    lamp = level.entity("lamp")
    level.world.add(lamp, LightSource())
    lit = SetFields([lamp], LightSource, {"cast_shadows": True, "inner_angle": 0.2})
    assert level.check_laws(lit).label == "Set cast shadows, inner angle of lamp"
    each = SetFieldEach([lamp], LightSource, "outer_angle", [0.9])
    assert level.check_laws(each).label == "Set outer angle of lamp"
    reset = ResetField([lamp], LightSource, "outer_angle")
    assert level.check_laws(reset).label == "Reset outer angle of lamp"


def test_moving_keeps_rotation_and_scale_bit_equal(level):
    turned = LocalTransform((0, 0, 0), (0.1, 0.2, 0.3, 0.9273619), (-2, 1, 1))
    entity = level.entity("mirrored", None, turned)
    before = level.world.get(entity, LocalTransform)
    level.push(SetFields([entity], LocalTransform, {"translation": (5, 0, 0)}))
    after = level.world.get(entity, LocalTransform)
    assert after.rotation.tobytes() == before.rotation.tobytes()
    assert after.scale.tobytes() == before.scale.tobytes()


def test_undo_restores_only_the_fields_that_were_set(level):
    entity = level.entity("a")
    level.push(SetFields([entity], LocalTransform, {"scale": (2, 2, 2)}))
    moved = level.world.get(entity, LocalTransform)
    moved.translation = (9, 9, 9)
    level.world.set(entity, moved)
    level.history.undo()
    after = level.world.get(entity, LocalTransform)
    assert list(after.translation) == [9, 9, 9]
    assert list(after.scale) == [1, 1, 1]


def test_names_are_those_of_the_record(level):
    entity = level.entity("a", None, Spring())
    level.check_laws(SetFields([entity], Spring, {"hertz": 2.0}))
    assert level.world.get(entity, Spring).rate == 12.0
    level.check_refused(SetFields([entity], Spring, {"rate": 2.0}), SceneError, "no field 'rate'")


def test_a_matrix_is_given_as_four_by_four(level):
    entity = level.entity("a", None, LocalMatrix())
    matrix = np.arange(16, dtype=np.float32).reshape(4, 4)
    level.check_laws(SetFields([entity], LocalMatrix, {"matrix": matrix}))
    assert np.array_equal(level.world.get(entity, LocalMatrix).matrix, matrix)


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"nothing": 1}, "no field"),
        ({"translation": (1, 2)}, "translation"),
        ({"translation": "up"}, "translation"),
        ({"scale": (1, 2, 3), "translation": None}, "translation"),
    ],
)
def test_a_value_that_does_not_fit_changes_nothing(level, fields, match):
    a, b = level.entity("a"), level.entity("b")
    level.check_refused(SetFields([a, b], LocalTransform, fields), SceneError, match)


def test_a_component_that_one_lacks_changes_nothing_on_the_others(level):
    a, b = level.entity("a", None, LightSource()), level.entity("b")
    command = SetFields([a, b], LightSource, {"intensity": 7})
    level.check_refused(command, ComponentError, "has no LightSource")


def test_a_dead_entity_is_refused(level):
    a, b = level.entity("a"), level.entity("b")
    level.world.despawn(b)
    level.check_refused(SetFields([a, b], Name, {"text": "x"}), EntityError)


def test_derived_components_are_not_edited(level):
    a = level.entity("a", None, WorldTransform(), MeshRenderer())
    level.check_refused(SetFields([a], MeshRenderer, {"mesh": 3}), SceneError, "derived")


def test_a_parent_that_makes_a_cycle_is_refused(level):
    top = level.entity("top")
    below = level.entity("below", top)
    level.world.add(top, Parent(Entity.null()))
    level.check_refused(SetFields([top], Parent, {"entity": below}), SceneError, "cycle")
    level.check_refused(SetFields([top], Parent, {"entity": top}), SceneError, "cycle")


def test_the_same_value_again_is_no_step(level):
    entity = level.entity("a")
    level.push(SetFields([entity], Name, {"text": "a"}))
    assert level.history.count == 0


def test_negative_zero_is_another_value_than_zero(level):
    entity = level.entity("a")
    level.push(SetFields([entity], LocalTransform, {"translation": (-0.0, 0, 0)}))
    assert level.history.count == 1
    level.history.undo()
    assert not np.signbit(level.world.get(entity, LocalTransform).translation[0])


def test_each_gets_its_own_value(level):
    entities = [level.entity(f"e{i}") for i in range(3)]
    level.check_laws(SetFieldEach(entities, Name, "text", ["x", "y", "z"]))
    assert level.names() == ["x", "y", "z"]
    with pytest.raises(SceneError, match="3 entities but 2 values"):
        SetFieldEach(entities, Name, "text", ["x", "y"])


def test_reset_gives_what_a_new_component_has(level):
    entity = level.entity("a", None, LightSource(intensity=9), LocalMatrix(np.eye(4) * 2))
    level.check_laws(ResetField([entity], LightSource, "intensity"))
    level.check_laws(ResetField([entity], LocalMatrix, "matrix"))
    assert level.world.get(entity, LightSource) == LightSource()
    assert level.world.get(entity, LocalMatrix) == LocalMatrix()
    level.check_refused(ResetField([entity], LightSource, "volume"), SceneError, "no field")


def test_a_drag_is_one_step_and_the_last_value_wins_per_field(level):
    a, b = level.entity("a"), level.entity("b")
    before = level.state()
    with level.history.begin_gesture("Drag"):
        for i in range(60):
            level.push(SetFields([a], LocalTransform, {"translation": (i, 0, 0)}))
        level.push(SetFields([a], LocalTransform, {"scale": (2, 2, 2)}))
        level.push(SetFields([b], LocalTransform, {"translation": (0, 5, 0)}))
    assert level.history.labels == ["Drag"]
    assert level.history.steps[0].cost < 6000
    moved = level.world.get(a, LocalTransform)
    assert (moved.translation[0], moved.scale[0]) == (59, 2)
    level.history.undo()
    assert level.state() == before
    level.history.redo()
    assert level.world.get(a, LocalTransform) == moved
    assert level.world.get(b, LocalTransform).translation[1] == 5


def test_a_cancelled_drag_restores(level):
    a = level.entity("a")
    before = level.state()
    gesture = level.history.begin_gesture("Drag")
    level.push(SetFields([a], LocalTransform, {"translation": (1, 0, 0)}))
    level.push(SetFields([a], Name, {"text": "moved"}))
    gesture.cancel()
    assert (level.state(), level.history.count) == (before, 0)


def test_each_step_names_what_changed(level):
    a = level.entity("a")
    level.push(SetFields([a], LocalTransform, {"translation": (1, 0, 0)}))
    assert dict(level.context.changes.take().components) == {a: {LocalTransform}}
    level.history.undo()
    assert dict(level.context.changes.take().components) == {a: {LocalTransform}}


def test_a_text_that_no_file_can_hold_is_refused(level):
    entity = level.entity("crate")
    with pytest.raises(SceneError, match="half a character"):
        level.push(SetFields([entity], Name, {"text": "\ud800"}))
    assert level.world.get(entity, Name).text == "crate"


@pytest.mark.parametrize(
    "command",
    [
        lambda e: SetFields([e], LightSource, {"intensity": 2.0, "kind": "laser"}),
        lambda e: SetFieldEach([e], LightSource, "kind", ["laser"]),
        lambda e: SetFields([e], LightSource, {"kind": 3}),
    ],
)
def test_a_word_that_a_field_does_not_offer_is_refused(level, command):
    lamp = level.entity("lamp", None, LightSource())
    level.check_refused(
        command(lamp),
        SceneError,
        "lamp: LightSource.kind: found '(laser|3)', expected one of 'directional', 'point', 'spot'",
    )


def test_a_new_component_does_not_bring_such_a_word_either(level):
    entity = level.entity("lamp")
    odd = LightSource(kind="laser")
    level.check_refused(AddComponent([entity], odd), SceneError, "lamp: LightSource.kind: found")
    level.check_refused(Spawn([odd]), SceneError, "LightSource.kind: found 'laser'")


def test_a_word_that_a_file_made_up_stays_until_it_is_replaced(level):
    lamp = level.entity("lamp", None, LightSource(kind="laser"))
    level.check_laws(SetFields([lamp], LightSource, {"intensity": 7.0, "kind": "laser"}))
    assert level.world.get(lamp, LightSource).kind == "laser"
    level.check_laws(SetFields([lamp], LightSource, {"kind": "spot"}))
    level.history.undo()
    assert level.world.get(lamp, LightSource).kind == "laser"

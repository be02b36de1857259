"""A declared component: constructor, record, reading back, and what its annotations say."""

from typing import Annotated

import numpy as np
import pytest

from engine.reflect import (
    Angle,
    AssetPath,
    Choice,
    Color,
    ComponentError,
    ComponentRecord,
    Entity,
    Field,
    FieldReader,
    FieldWriter,
    FloatList,
    Floats,
    Kind,
    Mat4,
    Quat,
    Range,
    SceneComponent,
    SceneError,
    Vec3,
    component,
    component_fields,
    from_record,
    has_derived_codec,
    is_object_stored,
    to_record,
)


@component(id=20)
class Everything(SceneComponent):
    x: float = 0.25
    layer: int = 7
    visible: bool = True
    text: str = "hello"
    target: Entity = Entity.null()
    offset: Vec3 = (1, 2, 3)
    turn: Quat = (0, 0, 0, 1)
    frame: Mat4 = np.arange(16).reshape(4, 4)
    five: Floats[5] = (1, 2, 3, 4, 5)
    weights: FloatList = ()
    cone: Annotated[float, Angle, Range(0, 1)] = 0.5
    tint: Annotated[Vec3, Color()] = (1, 0, 0)
    mode: Annotated[str, Choice("a", "b")] = "a"
    file: AssetPath = ""


@component(id=21)
class Tag(SceneComponent):
    pass


class ByHand(SceneComponent):
    def __init__(self, values=()):
        self.values = list(values)

    def write_scene(self, w):
        w.int("count", len(self.values))
        for i, value in enumerate(self.values):
            w.string(f"value.{i}", value)

    @classmethod
    def read_scene(cls, r):
        return cls([r.string(f"value.{i}", "") for i in range(r.int("count", 0))])


def test_record_follows_the_declared_order_and_kinds():
    record = to_record(Everything())
    assert record.name == "Everything"
    assert [f.name for f in record.fields] == [s.name for s in component_fields(Everything)]
    kinds = [f.kind for f in record.fields[:6]]
    assert kinds == [Kind.FLOAT, Kind.INT, Kind.BOOL, Kind.STRING, Kind.ENTITY, Kind.FLOATS]


def test_every_kind_comes_back_from_its_record():
    value = Everything(
        x=1.5,
        target=Entity.of(3, 2),
        frame=np.arange(16).reshape(4, 4) * 2,
        weights=[1, 2, 3],
        text='a "b"\n',
    )
    assert from_record(Everything, to_record(value)) == value


def test_matrices_are_recorded_column_major():
    field = to_record(Everything()).get("frame")
    assert field.floats.tolist() == np.arange(16).reshape(4, 4).T.ravel().tolist()


def test_absent_fields_take_the_declared_defaults():
    assert from_record(Everything, ComponentRecord("Everything")) == Everything()


def test_positional_arguments_and_copies_share_nothing():
    a = Everything(1.0, 2)
    b = a.copy()
    b.offset[0] = 99
    assert (a.x, a.layer) == (1.0, 2)
    assert a.offset[0] == 1
    assert Everything().offset[0] == 1


def test_float_bits_survive_the_record():
    signalling = np.array([0x7F800001], np.uint32).view(np.float32)[0]
    field = Field("x", Kind.FLOAT)
    field.value = signalling
    assert int(field.value.view(np.uint32)) == 0x7F800001
    field.floats[0] = np.float32(2.5)
    assert field.number == np.float32(2.5)


@pytest.mark.parametrize(
    "kwargs",
    [{"x": "no"}, {"layer": 1.5}, {"layer": 1 << 63}, {"text": 3}, {"offset": (1, 2)}],
)
def test_a_value_its_field_cannot_hold_is_refused_with_the_place(kwargs):
    (name,) = kwargs
    with pytest.raises(ComponentError, match=f"Everything.{name}"):
        Everything(**kwargs)


def test_annotations_that_no_kind_knows_are_refused():
    with pytest.raises(ComponentError, match=r"Odd\.x"):

        @component(id=30)
        class Odd(SceneComponent):
            x: dict[str, int] = None


def test_metadata_is_there_for_the_inspector():
    specs = {s.name: s for s in component_fields(Everything)}
    assert specs["cone"].angle
    assert specs["cone"].range == Range(0, 1)
    assert specs["tint"].color
    assert specs["mode"].choices == ("a", "b")
    assert specs["file"].asset == "*"
    assert specs["turn"].quaternion
    assert not specs["x"].angle


def test_storage_follows_the_declaration():
    assert not is_object_stored(Tag)
    assert component_fields(Tag) == ()
    assert is_object_stored(ByHand)
    assert not has_derived_codec(ByHand)
    assert from_record(ByHand, to_record(ByHand(["a", "b"]))) == ByHand(["a", "b"])


def test_writer_maps_references_to_file_indices():
    w = FieldWriter("Link", {5: 0})
    w.entity("in", Entity.of(5, 1))
    w.entity("out", Entity.of(6, 1))
    w.entity("none", Entity.null())
    assert [f.integer for f in w.record.fields] == [0, -1, -1]
    w = FieldWriter("Link", [2, -1])
    w.entity("beyond", Entity.of(9, 1))
    w.entity("first", Entity.of(0, 1))
    assert [f.integer for f in w.record.fields] == [-1, 2]


def _reader(kind, value):
    return FieldReader(ComponentRecord("C", [Field.of("f", kind, value)]), [Entity.of(8, 1)])


@pytest.mark.parametrize(
    ("read", "kind", "value", "message", "result"),
    [
        (lambda r: r.float("f", 2.0), Kind.STRING, "a", "expected a float", 2.0),
        (lambda r: r.int("f", 2), Kind.FLOAT, 1.5, "expected an int", 2),
        (lambda r: r.bool("f", True), Kind.INT, 0, "expected a bool", True),
        (lambda r: r.string("f", "d"), Kind.INT, 0, "expected a string", "d"),
        (lambda r: r.floats("f", 2).tolist(), Kind.FLOATS, [1], "expected 2 floats", [0, 0]),
        (lambda r: r.vec3("f", (1, 1, 1)).tolist(), Kind.FLOATS, [1], "3 floats", [0, 0, 0]),
        (lambda r: r.mat4("f").any(), Kind.FLOATS, [1], "16 floats", False),
    ],
)
def test_a_field_of_the_wrong_kind_sets_the_error(read, kind, value, message, result):
    r = _reader(kind, value)
    assert read(r) == result
    assert r.error.startswith("field f: ")
    assert message in r.error


def test_entity_fields_never_set_the_error():
    for kind, value in ((Kind.ENTITY, -1), (Kind.ENTITY, 7), (Kind.STRING, "x")):
        r = _reader(kind, value)
        assert r.entity("f") == Entity.null()
        assert r.error == ""
    assert _reader(Kind.ENTITY, 0).entity("f") == Entity.of(8, 1)


def test_an_integer_field_reads_as_a_float():
    assert _reader(Kind.INT, 3).float("f", 0.0) == np.float32(3)


def test_from_record_names_component_and_field():
    record = to_record(Everything())
    record.fields[3] = Field.of("text", Kind.INT, 1)
    with pytest.raises(SceneError, match="Everything: field text: expected a string"):
        from_record(Everything, record)


def test_records_compare_by_value_bit_by_bit():
    a, b = to_record(Everything()), to_record(Everything())
    assert a == b
    b.fields[0].value = -0.0
    a.fields[0].value = 0.0
    assert a != b
    assert a.rename_field("x", "y")
    assert not a.rename_field("x", "y")
    assert a.find("y") == 0


def test_handles_pack_into_an_int():
    e = Entity.of(12, 3)
    assert (e.index, e.generation, str(e)) == (12, 3, "12v3")
    assert not Entity.null()
    assert Entity.of((1 << 32) - 1, (1 << 31) - 1) < 1 << 63

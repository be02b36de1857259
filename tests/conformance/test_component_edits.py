"""Every component that levels store can be added, edited field by field, undone, pasted, saved."""

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.reflect import Entity, Kind, component_fields, to_record
from engine.scene import InstanceNode, LocalTransform, Name, Order, Parent, level_registry

TYPES = [t for t in level_registry().types if t not in (Name, InstanceNode)]


@pytest.fixture
def document():
    document = LevelDocument()
    document.new()
    yield document
    document.close()


def another_value(spec, current, other):
    """A value for the field that differs from what it holds."""
    if spec.choices:
        return next(choice for choice in spec.choices if choice != current)
    if spec.quaternion:
        return (0.5, 0.5, 0.5, 0.5)
    return {
        Kind.FLOAT: lambda: float(current) + 0.25,
        Kind.INT: lambda: int(current) + 3,
        Kind.BOOL: lambda: not current,
        Kind.STRING: lambda: f'{current}Zoë "x"\\',
        Kind.ENTITY: lambda: other,
        Kind.FLOATS: lambda: np.asarray(current, np.float32) + np.float32(0.1),
    }[spec.record_kind]()


def text(document):
    return document.app.level_file.to_bytes()


@pytest.mark.parametrize("type_", TYPES, ids=lambda t: t.scene_name())
def test_every_field_is_edited_undone_and_redone(document, type_, tmp_path):
    other = document.spawn(Name("other"), LocalTransform())
    entity = document.spawn(Name("entity"))
    states = [text(document)]
    document.add_component(entity, type_)
    states.append(text(document))
    for spec in component_fields(type_):
        current = getattr(document.world.get(entity, type_), spec.name)
        value = another_value(spec, current, other)
        document.set_fields(entity, type_, **{spec.name: value})
        document.settle()
        states.append(text(document))
        assert states[-1] != states[-2], f"{spec.name} is not in the file"
    for state in states[-2::-1]:
        document.undo()
        document.settle()
        assert text(document) == state
    for state in states[1:]:
        document.redo()
        document.settle()
        assert text(document) == state
    held = to_record(document.world.get(entity, type_))
    document.save(tmp_path / "a.scene")
    document.open(tmp_path / "a.scene")
    [again] = [e for e in document.world.entities() if document.label(e) == "entity"]
    assert [f.name for f in to_record(document.world.get(again, type_))] == [f.name for f in held]
    assert text(document) == states[-1]
    for spec in component_fields(type_):
        document.reset_field(again, type_, spec.name)
    assert document.world.get(again, type_) == type_()


# Parent and Order say where an entity stands; a copy stands beside it.
@pytest.mark.parametrize("type_", [t for t in TYPES if t not in (Order, Parent)])
def test_it_is_copied_with_the_entity(document, type_):
    entity = document.spawn(Name("entity"), type_())
    document.select([entity])
    [pasted] = document.paste(document.copy())
    [copied] = document.duplicate([entity])
    held = document.world.get(entity, type_)
    assert document.world.get(pasted, type_) == held
    assert document.world.get(copied, type_) == held


def test_a_reference_to_what_is_deleted_is_null_in_the_file_and_comes_back(document):
    other = document.spawn(Name("other"))
    entity = document.spawn(Name("entity"), Parent(other))
    document.reparent(entity, None)
    document.add_component(entity, Parent(Entity.null()))
    before = text(document)
    document.set_fields(entity, Parent, entity=other)
    document.undo()
    assert text(document) == before

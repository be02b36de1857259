"""What a component is made of: entities, field kinds, records, and the `@component` declaration."""

from engine.errors import ComponentError, SceneError
from engine.reflect.codec import (
    FieldReader,
    FieldWriter,
    HandleReader,
    HandleWriter,
    from_record,
    to_record,
)
from engine.reflect.component import (
    FieldSpec,
    SceneComponent,
    component,
    component_fields,
    has_derived_codec,
    is_object_stored,
)
from engine.reflect.entity import Entity
from engine.reflect.kinds import FieldKind, FloatList, Floats, Mat4, Quat, Vec2, Vec3, Vec4
from engine.reflect.metadata import Angle, AssetPath, Choice, Color, Doc, Hidden, Range, Unit, Unset
from engine.reflect.record import (
    KIND_BOOL,
    KIND_ENTITY,
    KIND_FLOAT,
    KIND_FLOATS,
    KIND_INT,
    KIND_STRING,
    ComponentRecord,
    Field,
    Kind,
)

__all__ = [
    "KIND_BOOL",
    "KIND_ENTITY",
    "KIND_FLOAT",
    "KIND_FLOATS",
    "KIND_INT",
    "KIND_STRING",
    "Angle",
    "AssetPath",
    "Choice",
    "Color",
    "ComponentError",
    "ComponentRecord",
    "Doc",
    "Entity",
    "Field",
    "FieldKind",
    "FieldReader",
    "FieldSpec",
    "FieldWriter",
    "FloatList",
    "Floats",
    "HandleReader",
    "HandleWriter",
    "Hidden",
    "Kind",
    "Mat4",
    "Quat",
    "Range",
    "SceneComponent",
    "SceneError",
    "Unit",
    "Unset",
    "Vec2",
    "Vec3",
    "Vec4",
    "component",
    "component_fields",
    "from_record",
    "has_derived_codec",
    "is_object_stored",
    "to_record",
]

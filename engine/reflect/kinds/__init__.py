"""The field kinds, and which annotation means which.

`Vec3` and its like are annotations: ``offset: Vec3 = (0, 0, 0)``. Values are float32 arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from engine.reflect.entity import Entity
from engine.reflect.kinds.base import FieldKind
from engine.reflect.kinds.boolean import BooleanKind
from engine.reflect.kinds.entity_ref import EntityKind
from engine.reflect.kinds.float_array import FloatArrayKind
from engine.reflect.kinds.float_list import FloatListKind
from engine.reflect.kinds.integer import IntegerKind
from engine.reflect.kinds.matrix import MatrixKind
from engine.reflect.kinds.number import NumberKind
from engine.reflect.kinds.text import TextKind

Vec2 = Annotated[Any, FloatArrayKind(2)]
Vec3 = Annotated[Any, FloatArrayKind(3)]
Vec4 = Annotated[Any, FloatArrayKind(4)]
Quat = Annotated[Any, FloatArrayKind(4, is_quaternion=True)]
Mat4 = Annotated[Any, MatrixKind()]
FloatList = Annotated[Any, FloatListKind()]

if TYPE_CHECKING:
    Floats = Annotated[Any, FloatListKind()]
else:

    class Floats:
        """``Floats[n]``: a fixed number of floats."""

        def __class_getitem__(cls, count: int) -> Any:
            return Annotated[Any, FloatArrayKind(count)]


# What a plain annotation means; the annotations above carry their kind with them.
FIELD_KINDS: dict[type, FieldKind] = {
    bool: BooleanKind(),
    Entity: EntityKind(),
    float: NumberKind(),
    int: IntegerKind(),
    str: TextKind(),
}

__all__ = [
    "FIELD_KINDS",
    "BooleanKind",
    "EntityKind",
    "FieldKind",
    "FloatArrayKind",
    "FloatList",
    "FloatListKind",
    "Floats",
    "IntegerKind",
    "Mat4",
    "MatrixKind",
    "NumberKind",
    "Quat",
    "TextKind",
    "Vec2",
    "Vec3",
    "Vec4",
]

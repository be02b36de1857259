"""FLOATS that are a quaternion: Euler angles in degrees.

The angles that were typed are kept: a quaternion has many spellings, and (0, 270, 0) must not turn
into (180, -90, 180) under the artist's eyes. They are remembered by the quaternion they made, so
they also come back after another selection or an undo.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from PySide6.QtCore import Qt

from editor.panels.inspector.field_editors.axes import edited_axes, shared_axes
from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
)
from editor.qt.expression import NumberEdit
from editor.qt.widgets.vector_row import VectorRow
from engine.math import euler_deg_from_quat, quat_from_euler_deg
from engine.reflect import Kind

__all__ = ["RotationEditor", "TypedAngles"]

_REMEMBERED: Final = 4096
Degrees = np.ndarray[tuple[int], np.dtype[np.float64]]


class TypedAngles:
    """Euler angles in degrees by the quaternion that they made; the oldest are forgotten."""

    def __init__(self) -> None:
        self._angles: OrderedDict[bytes, Degrees] = OrderedDict()

    def quaternion(self, degrees: Degrees) -> Any:
        """Return the quaternion (xyzw, float32) of some angles and remember them."""
        quaternion = np.asarray(quat_from_euler_deg(degrees), np.float32)
        key = quaternion.tobytes()
        self._angles[key] = degrees
        self._angles.move_to_end(key)
        while len(self._angles) > _REMEMBERED:
            self._angles.popitem(last=False)
        return quaternion

    def degrees(self, quaternion: Any) -> Degrees:
        """Return the angles that were typed for a quaternion, else computed ones."""
        value = np.asarray(quaternion, np.float32).reshape(-1)
        typed = self._angles.get(value.tobytes())
        if typed is not None:
            return typed.copy()
        return _plainest(np.asarray(euler_deg_from_quat(value), np.float64).reshape(-1))


def _plainest(angles: Degrees) -> Degrees:
    """Return the spelling that turns least about x and z: (0, 130, 0), not (180, 50, 180)."""
    x, y, z = angles
    other = np.array([x - np.copysign(180, x), np.copysign(180, y) - y, z - np.copysign(180, z)])
    plain = other if abs(other[0]) + abs(other[2]) < abs(x) + abs(z) - 1e-3 else angles
    rounded: Degrees = np.round(plain, 4) + 0.0
    return rounded


class RotationEditor(FieldEditor):
    """A rotation about x, then y, then z, in degrees."""

    scrubs = True
    angles: Final = TypedAngles()

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._vector = VectorRow(3, unit="°")
        for field in self._vector.fields:
            field.step = 0.5
            field.decimals = 2
        self.adopt_scrubbed(self._vector, self._field_edit)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.FLOATS and info.spec is not None and info.spec.quaternion

    def _field_edit(self, axis: int, edit: NumberEdit) -> FieldEdit:
        def apply(old: Any, index: int, count: int) -> Any:
            degrees = edited_axes(self.angles.degrees(old), axis, edit, index, count)
            return self.angles.quaternion(degrees)

        return FieldEdit(apply)

    def set_values(self, values: Sequence[Any]) -> None:
        self._vector.set_values(shared_axes([self.angles.degrees(v) for v in values], 3))

    def scrub(self, pixels: float, modifiers: Qt.KeyboardModifier) -> FieldEdit:
        return self._field_edit(1, self._vector.scrub_all(pixels, modifiers))

"""Instances and lights of a picture as columns, with a sequence face for people.

The bridge sizes the columns and copies slices into them; the renderer asks which rows changed
since it last looked, so that a frame costs what moved. Nothing here knows entities' meaning,
files or the GPU.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import EngineError
from engine.render.growable import GrowableArray

Rows = NDArray[np.int64]


class LightKind(StrEnum):
    """What a light is; the position in `LIGHT_KINDS` is its code in `LightColumns`."""

    DIRECTIONAL = "directional"
    POINT = "point"
    SPOT = "spot"


LIGHT_KINDS: tuple[LightKind, ...] = tuple(LightKind)


def _identity() -> NDArray[np.float32]:
    return np.eye(4, dtype=np.float32)


@dataclass(eq=False)
class RenderInstance:
    """One mesh drawn once with one material.

    Parameters
    ----------
    mesh, material
        Ids that the renderer gave; -1 draws nothing.
    world_from_local
        (4, 4) float32, multiplies column vectors.
    cast_shadows
        Whether it throws shadows.
    joint_offset
        Index of its first matrix in `RenderScene.joints`, -1 when it isn't skinned.
    morph_weights
        Weights of its mesh's morph targets.
    entity
        What picking answers; 0 is not pickable.
    """

    mesh: int
    material: int
    world_from_local: ArrayLike = field(default_factory=_identity)
    cast_shadows: bool = True
    joint_offset: int = -1
    morph_weights: Sequence[float] = ()
    entity: int = 0


@dataclass(eq=False)
class RenderLight:
    """One light.

    Parameters
    ----------
    kind
        "directional", "point" or "spot".
    color
        Linear RGB.
    intensity
        Lux for a directional light, candela for the others.
    range
        Metres; 0 is unlimited.
    inner_angle, outer_angle
        Half angles of a spot's cone, radians.
    cast_shadows
        Whether it throws shadows.
    position, direction
        World space; the light travels along `direction` (unit length).
    entity
        The entity it came from.
    """

    kind: LightKind | str = LightKind.DIRECTIONAL
    color: ArrayLike = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    range: float = 0.0
    inner_angle: float = 0.0
    outer_angle: float = float(np.pi / 4)
    cast_shadows: bool = True
    position: ArrayLike = (0.0, 0.0, 0.0)
    direction: ArrayLike = (0.0, 0.0, -1.0)
    entity: int = 0


class InstanceArrays(NamedTuple):
    """The raw columns of the instances, each with one row per instance."""

    mesh: NDArray[np.int32]
    material: NDArray[np.int32]
    world_from_local: NDArray[np.float32]
    cast_shadows: NDArray[np.bool_]
    joint_offset: NDArray[np.int32]
    morph_offset: NDArray[np.int32]
    morph_count: NDArray[np.int32]
    entity: NDArray[np.int64]


class LightArrays(NamedTuple):
    """The raw columns of the lights; `kind` holds positions in `LIGHT_KINDS`."""

    kind: NDArray[np.int32]
    color: NDArray[np.float32]
    intensity: NDArray[np.float32]
    range: NDArray[np.float32]
    inner_angle: NDArray[np.float32]
    outer_angle: NDArray[np.float32]
    cast_shadows: NDArray[np.bool_]
    position: NDArray[np.float32]
    direction: NDArray[np.float32]
    entity: NDArray[np.int64]


@dataclass(frozen=True)
class InstanceChanges:
    """What changed since a serial: everything, or the transforms of some rows."""

    serial: int
    everything: bool
    moved: tuple[Rows, ...] = ()


class _ColumnSet:
    """Columns of equal length in one growable store."""

    def __init__(self, layout: Sequence[tuple[str, tuple[int, ...], Any]]) -> None:
        self._columns = {name: GrowableArray(shape, dtype) for name, shape, dtype in layout}
        self._count = 0
        self.version = 0

    def resize(self, count: int) -> None:
        """Set the number of rows; kept rows keep their values, new ones hold anything."""
        for column in self._columns.values():
            column.resize(count)
        self._count = count
        self.touch()

    def touch(self) -> None:
        """Note that rows were written through the raw columns."""
        self.version += 1

    def clear(self) -> None:
        """Remove every row."""
        self.resize(0)

    def __len__(self) -> int:
        return self._count

    def __delitem__(self, index: int | slice) -> None:
        if isinstance(index, int):
            index = self._row(index)
        for column in self._columns.values():
            del column[index]
            self._count = len(column)
        self.touch()

    def _row(self, index: int) -> int:
        if not -self._count <= index < self._count:
            raise IndexError(f"row {index} of {self._count}")
        return index % self._count


class InstanceColumns(_ColumnSet):
    """The instances of a scene.

    `version` grows with every edit but transforms, which `moved` notes row by row;
    `changes_since` is how a renderer follows both.
    """

    _LOG_LENGTH = 64

    def __init__(self) -> None:
        super().__init__(
            (
                ("mesh", (), np.int32),
                ("material", (), np.int32),
                ("world_from_local", (4, 4), np.float32),
                ("cast_shadows", (), np.bool_),
                ("joint_offset", (), np.int32),
                ("morph_offset", (), np.int32),
                ("morph_count", (), np.int32),
                ("entity", (), np.int64),
            )
        )
        self.morph_weights = GrowableArray((), np.float32)
        self._serial = 0
        self._complete_since = 0
        self._log: list[tuple[int, Rows]] = []

    def columns(self) -> InstanceArrays:
        """The raw columns as writable views; call `moved` or `touch` after writing."""
        return InstanceArrays(**{name: column.array for name, column in self._columns.items()})

    def touch(self) -> None:
        super().touch()
        self._serial += 1
        self._complete_since = self._serial
        self._log.clear()

    def moved(self, rows: ArrayLike) -> None:
        """Note that `world_from_local` of these rows was written.

        Parameters
        ----------
        rows
            (k,) integer row numbers; not copied, so leave the array alone afterwards.
        """
        self._serial += 1
        self._log.append((self._serial, np.asarray(rows, np.int64)))
        if len(self._log) > self._LOG_LENGTH:
            merged = np.unique(np.concatenate([rows for _, rows in self._log]))
            self._log = [(self._serial, merged)]

    @property
    def serial(self) -> int:
        """Grows with every change of any kind."""
        return self._serial

    def changes_since(self, serial: int) -> InstanceChanges:
        """What changed after `serial` (-1: everything); pass the answer's `serial` next time."""
        if serial < self._complete_since:
            return InstanceChanges(self._serial, everything=True)
        moved = tuple(rows for at, rows in self._log if at > serial)
        return InstanceChanges(self._serial, everything=False, moved=moved)

    def append(self, instance: RenderInstance) -> None:
        """Add an instance; its morph weights go to `morph_weights`."""
        matrix = np.asarray(instance.world_from_local, np.float32)
        if matrix.shape != (4, 4):
            raise EngineError(
                f"RenderInstance.world_from_local: found shape {matrix.shape}, expected (4, 4)"
            )
        weights = np.asarray(instance.morph_weights, np.float32)
        offset = self.morph_weights.extend(weights) if weights.size else -1
        self.resize(self._count + 1)
        arrays = self.columns()
        arrays.mesh[-1] = instance.mesh
        arrays.material[-1] = instance.material
        arrays.world_from_local[-1] = matrix
        arrays.cast_shadows[-1] = instance.cast_shadows
        arrays.joint_offset[-1] = instance.joint_offset
        arrays.morph_offset[-1] = offset
        arrays.morph_count[-1] = weights.size
        arrays.entity[-1] = instance.entity

    def clear(self) -> None:
        """Remove every instance and all morph weights."""
        self.morph_weights.clear()
        super().clear()

    def __getitem__(self, index: int) -> "InstanceView":
        return InstanceView(self, self._row(index))

    def __iter__(self) -> Iterator["InstanceView"]:
        return (InstanceView(self, row) for row in range(self._count))


class LightColumns(_ColumnSet):
    """The lights of a scene; `version` grows with every edit."""

    def __init__(self) -> None:
        super().__init__(
            (
                ("kind", (), np.int32),
                ("color", (3,), np.float32),
                ("intensity", (), np.float32),
                ("range", (), np.float32),
                ("inner_angle", (), np.float32),
                ("outer_angle", (), np.float32),
                ("cast_shadows", (), np.bool_),
                ("position", (3,), np.float32),
                ("direction", (3,), np.float32),
                ("entity", (), np.int64),
            )
        )

    def columns(self) -> LightArrays:
        """The raw columns as writable views; call `touch` after writing."""
        return LightArrays(**{name: column.array for name, column in self._columns.items()})

    def append(self, light: RenderLight) -> None:
        """Add a light."""
        self.resize(self._count + 1)
        arrays = self.columns()
        arrays.kind[-1] = LIGHT_KINDS.index(LightKind(light.kind))
        for item in fields(light)[1:]:
            getattr(arrays, item.name)[-1] = getattr(light, item.name)

    def __getitem__(self, index: int) -> "LightView":
        return LightView(self, self._row(index))

    def __iter__(self) -> Iterator["LightView"]:
        return (LightView(self, row) for row in range(self._count))


class _RowView:
    """One row of columns; attributes read copies and write through."""

    __slots__ = ("_owner", "_row")
    _owner: Any
    _row: int

    def __init__(self, owner: Any, row: int) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_row", row)

    def __getattr__(self, name: str) -> Any:
        arrays = self._owner.columns()
        if name not in arrays._fields:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        value = getattr(arrays, name)[self._row]
        return value.copy() if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            return
        arrays = self._owner.columns()
        if name not in arrays._fields:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r} to set")
        getattr(arrays, name)[self._row] = value
        self._owner.touch()


class InstanceView(_RowView):
    """An instance in its scene, with the attributes of `RenderInstance`."""

    __slots__ = ()

    @property
    def morph_weights(self) -> NDArray[np.float32]:
        """(k,) weights of its mesh's morph targets, a copy."""
        offset, count = self.morph_offset, self.morph_count
        weights: NDArray[np.float32] = self._owner.morph_weights.array[
            offset : offset + count
        ].copy()
        return weights if count else np.zeros(0, np.float32)


class LightView(_RowView):
    """A light in its scene, with the attributes of `RenderLight`."""

    __slots__ = ()

    @property
    def kind(self) -> LightKind:
        """What it is."""
        return LIGHT_KINDS[int(self._owner.columns().kind[self._row])]

    @kind.setter
    def kind(self, value: LightKind | str) -> None:
        self._owner.columns().kind[self._row] = LIGHT_KINDS.index(LightKind(value))
        self._owner.touch()

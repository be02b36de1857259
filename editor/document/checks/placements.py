"""Props that stand where or as large as nobody would put them: copies in one place, props that
hover a little, sizes that look like another unit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from editor.document.checks.base import LevelCheck
from editor.document.checks.placed import Moved, PlacedProps
from editor.model.messages import Issue
from engine.reflect import Entity
from engine.scene import GltfInstance, LocalMatrix, LocalTransform, Realised
from engine.scene.hierarchy import children, parent_of, world_matrix

if TYPE_CHECKING:
    from editor.document.issues import LevelIssues

_GRID_M = 1e-3
_LEAST_GAP_M = 0.01
_MOST_GAP_M = 0.5
_TOO_LARGE_M = 1000.0
_TOO_SMALL_M = 0.002
_ODD_RATIO = 300.0
_FEWEST_FOR_RATIO = 8
_PER_CLOCK = 16
Flags = NDArray[np.bool_]


class PlacementCheck(LevelCheck):
    """A check of where props stand; those of one level share what they know of it.

    Parameters
    ----------
    level : LevelIssues
    props : PlacedProps
        Somebody else notes what steps do to it.
    """

    def __init__(self, level: LevelIssues, props: PlacedProps) -> None:
        super().__init__(level)
        self.props = props

    def moved(self, moved: Moved) -> None:
        """Take in which props moved, came or went."""


class DuplicateCheck(PlacementCheck):
    """The same asset twice in exactly the same place."""

    id = "duplicates"

    def __init__(self, level: LevelIssues, props: PlacedProps) -> None:
        super().__init__(level, props)
        self._key_of: dict[Entity, bytes] = {}
        self._groups: dict[bytes, dict[Entity, None]] = {}
        self._stacked: set[bytes] = set()

    def start_over(self) -> None:
        self._key_of.clear()
        self._groups.clear()
        self._stacked.clear()

    def moved(self, moved: Moved) -> None:
        entities = moved.entities
        for entity in entities & self._key_of.keys():
            key = self._key_of.pop(entity)
            self._groups[key].pop(entity)
            self._sort(key)
        here = [e for e in entities if e in self.props.slots]
        rows = [self.props.slots[e] for e in here]
        with np.errstate(invalid="ignore"):
            cells = np.round(self.props.matrices[rows, :3] / _GRID_M).astype(np.int64)
        for entity, look, cell in zip(here, self.props.looks[rows].tolist(), cells, strict=True):
            key = b"%d:" % look + cell.tobytes()
            self._key_of[entity] = key
            self._groups.setdefault(key, {})[entity] = None
            self._sort(key)

    def _sort(self, key: bytes) -> None:
        count = len(self._groups[key])
        if count > 1:
            self._stacked.add(key)
        else:
            self._stacked.discard(key)
            if not count:
                del self._groups[key]

    def issues(self) -> Iterable[Issue]:
        world, label = self.level.world, self.level.label
        for key in self._stacked:
            first, *copies = sorted(self._groups[key], key=world.serial)
            bare = [e for e in copies if not self._has_own_children(e)]
            count = len(copies)
            if count == 1:
                text = f"{label(copies[0])} stands exactly where {label(first)} does"
            else:
                text = f"{count} copies stand exactly where {label(first)} does"
            what = "Delete the copy" if len(bare) == 1 else f"Delete {len(bare)} copies"
            yield Issue(
                copies[0], text, what if bare else None, self.id, tuple(copies), is_hint=True
            )

    def _has_own_children(self, entity: Entity) -> bool:
        world = self.level.world
        return any(not world.has(child, Realised) for child in children(world, entity))

    def fix(self, issue: Issue) -> None:
        self.level.delete([e for e in issue.entities if not self._has_own_children(e)])


class FloorCheck(PlacementCheck):
    """Props that hover a little above what is below them.

    Boxes are compared, not triangles: a prop whose foot is inside of another box may stand on
    anything in there and is left alone, and so is what hangs higher than half a metre.
    """

    id = "floor"

    def __init__(self, level: LevelIssues, props: PlacedProps) -> None:
        super().__init__(level, props)
        self._gaps: dict[Entity, float] = {}
        self._pending: dict[Entity, None] = {}

    def start_over(self) -> None:
        self._gaps.clear()
        self._pending.clear()

    def moved(self, moved: Moved) -> None:
        slots, world = self.props.slots, self.level.world
        for entity in moved.entities:
            if entity in slots and world.has(entity, GltfInstance):
                self._pending[entity] = None
            else:
                self._gaps.pop(entity, None)
                self._pending.pop(entity, None)
        if moved.is_first:
            return
        rows = [slots[entity] for entity in moved.entities if entity in slots]
        for ground in (*moved.old_ground, *self._ground(rows)):
            near = map(Entity, self.props.entities[self._over(ground)].tolist())
            self._pending.update((e, None) for e in near if world.has(e, GltfInstance))

    def _ground(self, rows: list[int]) -> NDArray[np.float64]:
        """Return what props stand over, (n, 4): (x, z, x, z)."""
        return np.concatenate([self.props.low[rows, ::2], self.props.high[rows, ::2]], axis=1)

    def _over(self, span: NDArray[np.float64]) -> Flags:
        """Return which props stand over or under an (x, z, x, z) span of ground."""
        low, high = self.props.low, self.props.high
        with np.errstate(invalid="ignore"):
            found: Flags = (low[:, 0] < span[2]) & (high[:, 0] > span[0])
            found &= (low[:, 2] < span[3]) & (high[:, 2] > span[1])
        return found

    def look(self, until: float) -> bool:
        count = 0
        while self._pending:
            count += 1
            if count % _PER_CLOCK == 0 and time.perf_counter() > until:
                return False
            entity, _ = self._pending.popitem()
            gap = self._gap(entity) if entity in self.props.slots else 0.0
            if gap:
                self._gaps[entity] = gap
            else:
                self._gaps.pop(entity, None)
        return True

    def _gap(self, entity: Entity) -> float:
        """Return how far a prop hovers, metres; 0 where it stands or hangs."""
        row, props = self.props.slots[entity], self.props
        (span,) = self._ground([row])
        if not np.isfinite(span).all() or not self._stands_alone(entity):
            return 0.0
        foot, height = float(props.low[row, 1]), float(props.high[row, 1] - props.low[row, 1])
        under = self._over(span)
        under[row] = False
        low, high = props.low[under, 1], props.high[under, 1]
        if ((low < foot - _LEAST_GAP_M) & (high > foot + _LEAST_GAP_M)).any():
            return 0.0
        ground = 0.0 if foot >= 0 else -np.inf
        floor = max([ground, *high[high <= foot + _LEAST_GAP_M].tolist()])
        gap = foot - floor
        limit = min(_MOST_GAP_M, max(0.5 * height, _LEAST_GAP_M))
        return gap if _LEAST_GAP_M < gap <= limit else 0.0

    def _stands_alone(self, entity: Entity) -> bool:
        """Whether it is a prop that is no part of another one."""
        world = self.level.world
        above = parent_of(world, entity)
        is_part = bool(above) and (world.has(above, GltfInstance) or world.has(above, Realised))
        return world.has(entity, GltfInstance) and not is_part

    def issues(self) -> Iterable[Issue]:
        for entity, gap in self._gaps.items():
            size = f"{gap * 100:.0f} cm" if gap >= 0.02 else f"{gap * 1000:.0f} mm"
            text = f"{self.level.label(entity)} hovers {size} above what is below it"
            yield Issue(entity, text, "Set it down", self.id, is_hint=True)

    def fix(self, issue: Issue) -> None:
        world, entity = self.level.world, issue.entity
        matrix = np.array(world_matrix(world, entity), np.float64)
        matrix[1, 3] -= self._gap(entity)
        place_in_world(self.level, entity, matrix)


class UnitCheck(PlacementCheck):
    """Props a thousand times as large or small as things are: another unit was meant."""

    id = "units"

    def issues(self) -> Iterable[Issue]:
        props = self.props
        if not len(props.entities):
            return
        size = props.size
        for row in np.flatnonzero(_is_odd(size, props.is_flat)).tolist():
            entity = Entity(props.entities[row])
            factor = _factor(float(size[row]))
            fix = None
            if factor:
                fix = f"Scale by {factor:g}" if factor > 1 else f"Scale by 1/{1 / factor:g}"
            text = f"{self.level.label(entity)} is {_length(float(size[row]))} large"
            yield Issue(entity, f"{text}: was another unit meant?", fix, self.id, is_hint=True)

    def fix(self, issue: Issue) -> None:
        world, entity = self.level.world, issue.entity
        row = self.props.slots[entity]
        factor = _factor(float(self.props.size[row]))
        scale = world.get(entity, LocalTransform).scale * factor
        self.level.set_fields([entity], LocalTransform, scale=scale)


def _is_odd(size: NDArray[np.float64], is_flat: Flags) -> Flags:
    """Return which sizes can't be meant: absurd ones, and those far from all others.

    What is flat may well be large: it is ground.
    """
    with np.errstate(invalid="ignore"):
        odd: Flags = ((size > _TOO_LARGE_M) & ~is_flat) | (size < _TOO_SMALL_M)
        known = size[np.isfinite(size)]
        if len(known) >= _FEWEST_FOR_RATIO:
            usual = float(np.median(known))
            odd |= (size > max(_ODD_RATIO * usual, 100.0)) & ~is_flat
            odd |= size < min(usual / _ODD_RATIO, 0.01)
        return odd & (size > 0)


def _factor(size: float) -> float:
    """Return the power of ten that makes a size one of a thing; 0 where none does."""
    for factor in (1e-3, 1e-2) if size > 1 else (1e3, 1e2):
        if 0.05 <= size * factor <= 50:
            return factor
    return 0.0


def _length(metres: float) -> str:
    return f"{metres:,.0f} m" if metres >= 1 else f"{metres * 1000:.2g} mm"


def place_in_world(level: LevelIssues, entity: Entity, matrix: NDArray[np.float64]) -> None:
    """Put an entity at a world matrix as one step."""
    values = level.placement(matrix, parent_of(level.world, entity) or None)
    placed = next(value for value in values if isinstance(value, LocalTransform))
    exact = next((value for value in values if isinstance(value, LocalMatrix)), None)
    with level.gesture(f"Set down {level.label(entity)}"):
        level.set_fields([entity], LocalTransform, translation=placed.translation)
        if exact is not None and level.world.has(entity, LocalMatrix):
            level.set_fields([entity], LocalMatrix, matrix=exact.matrix)

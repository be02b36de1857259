"""Props on their way into the level: a live preview follows the surface under the cursor.

The preview is the props themselves, placed inside a gesture that a drop commits as one undo step
and that leaving the viewport takes back. Each rests on its own bounding box, turns to a wall only
when asked to, and snaps in the surface's tangent plane only. Several stand side by side along the
camera's right, so that none overlaps another. What was dropped before its file was read is put in
its place as soon as its size is known, still within that one step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from editor.commands.naming import asset_title
from editor.tools.base import EditedLevel, OpenGesture, ToolContext
from editor.tools.projection import Ray, Vector
from editor.tools.surface import (
    SurfacePoint,
    align_to_normal,
    resting_position,
    row_axis,
    side_by_side,
    surface_under,
)
from editor.tools.targets import Edit, Target, aimed, moved, targets_of
from editor.tools.transform import write_edits
from engine.errors import EngineError
from engine.reflect import Entity
from engine.scene.hierarchy import world_matrix

_UNTURNED = 1e-9
_LEAST_LIFT = 0.05
_SNAPPED_GAP = 1.5
"""Steps between props that snap: each may move by half the diagonal of one towards the other."""


class PlacingLevel(EditedLevel, Protocol):
    """The part of ``LevelDocument`` that placing uses."""

    def place(
        self, asset_path: str, transform: Any = None, parent: Any = None, *, wait: bool = True
    ) -> Entity: ...
    def is_arriving(self, entity: Entity, /) -> bool: ...


class PlacingContext(ToolContext, Protocol):
    """A context whose document can place assets."""

    @property
    def document(self) -> PlacingLevel: ...

    def extent(self, asset: str) -> tuple[Vector, Vector] | None:
        """Return the least and greatest corner of an asset, None while it was not read."""
        ...


@dataclass(frozen=True)
class _Spot:
    """Where the cursor was last, and what was held."""

    x: float
    y: float
    snap: bool = False
    align: bool = False


@dataclass(frozen=True)
class _Prop:
    """One prop with its bounds around its own origin, before it is turned."""

    target: Target
    lo: Vector
    hi: Vector

    def span(self, axis: Vector) -> tuple[float, float]:
        """Return how far it reaches along a unit axis, from its origin."""
        reach = np.where(axis > 0, self.hi, self.lo), np.where(axis > 0, self.lo, self.hi)
        return float(reach[1] @ axis), float(reach[0] @ axis)


class Placement:
    """Props from entering the viewport to the drop, or put under an entity at once.

    Parameters
    ----------
    context : PlacingContext
    paths : sequence of str
        What is placed, in the order of the row.
    parent : Entity, optional
        Stand under it, from its origin on along its own X axis, instead of under the cursor.
    """

    def __init__(
        self, context: PlacingContext, paths: Sequence[str], parent: Entity | None = None
    ) -> None:
        self._context = context
        self._document = context.document
        self._paths = list(paths)
        self._parent = parent
        self._gesture: OpenGesture | None = None
        self._entities: list[Entity] = []
        self._spot: _Spot | None = None
        self._is_dropped = False

    @property
    def entities(self) -> list[Entity]:
        """The previewed props."""
        return list(self._entities)

    @property
    def is_arriving(self) -> bool:
        """Whether the size of one of them is not known yet."""
        return any(map(self._document.is_arriving, self._entities))

    def hover(self, x: float, y: float, snap: bool = False, align: bool = False) -> None:
        """Show the props at the surface under a pixel.

        Raises
        ------
        EngineError
            None of the assets can be placed; the level is as it was.
        """
        self._spot = _Spot(x, y, snap, align)
        if not self._entities:
            self._start(self._context.surface(x, y).point)
        self._rest()

    def stand_under_parent(self) -> None:
        """Show the props below their parent.

        Raises
        ------
        EngineError
            None of the assets can be placed; the level is as it was.
        """
        self._start(np.zeros(3))
        self._rest()

    def settle(self) -> None:
        """Put the props in their places anew, now that their bounds may be known.

        After the drop that still belongs to its step, unless anything happened since.
        """
        if not self._is_dropped:
            self._rest()
        elif self._gesture is not None and self._gesture.reopen():
            self._rest()
            self._gesture.commit()

    def drop(self) -> list[Entity]:
        """Keep the props where they are: one undo step, and they are selected."""
        if self._gesture is None:
            return []
        self._gesture.commit()
        self._is_dropped = True
        return self.entities

    def cancel(self) -> None:
        """Take the props back."""
        gesture, self._gesture, self._entities = self._gesture, None, []
        if gesture is not None:
            gesture.cancel()

    # -- placing -----------------------------------------------------------------------------

    def _start(self, point: Vector) -> None:
        matrix = np.eye(4, dtype=np.float32)
        matrix[:3, 3] = point
        if self._parent is not None:
            matrix = np.asarray(world_matrix(self._document.world, self._parent), np.float32)
        count = len(self._paths)
        what = asset_title(self._paths[0]) if count == 1 else f"{count} assets"
        gesture = self._document.begin_gesture(f"Place {what}")
        try:
            self._place_all(matrix)
            self._document.select(self._entities)
        except BaseException:
            gesture.cancel()
            raise
        self._gesture = gesture

    def _place_all(self, matrix: Any) -> None:
        """Place what can be placed; the document tells of what can't."""
        problem: EngineError | None = None
        for path in self._paths:
            try:
                placed = self._document.place(path, matrix, self._parent, wait=False)
            except EngineError as error:
                problem = error
            else:
                self._entities.append(placed)
        if problem is not None and not self._entities:
            raise problem

    # -- where they stand --------------------------------------------------------------------

    def _rest(self) -> None:
        props = [self._measured(t) for t in targets_of(self._document.world, self._entities)]
        if not props:
            return
        if self._parent is not None:
            edits = self._along_parent(props)
        elif self._spot is not None:
            edits = self._on_surface(props, self._spot)
        else:
            return
        write_edits(self._document, edits)

    def _measured(self, target: Target) -> _Prop:
        corners = self._context.raycaster().box_corners(self._context.subtree([target.entity]))
        if not len(corners):
            return _Prop(target, np.zeros(3), np.zeros(3))
        own = (corners - target.origin) @ target.axes
        return _Prop(target, own.min(axis=0), own.max(axis=0))

    def _along_parent(self, props: list[_Prop]) -> list[Edit]:
        axes = props[0].target.axes
        spans = [prop.span(np.array([1.0, 0.0, 0.0])) for prop in props]
        offsets = side_by_side(spans)
        parent = props[0].target.world_from_parent[:3, 3]
        goals = [parent + axes[:, 0] * (offset - offsets[0]) for offset in offsets]
        pairs = zip(props, goals, strict=True)
        return [e for prop, goal in pairs for e in moved([prop.target], goal - prop.target.origin)]

    def _on_surface(self, props: list[_Prop], spot: _Spot) -> list[Edit]:
        ignore = self._context.subtree(self._entities)
        seat = self._context.surface(spot.x, spot.y, ignore)
        step = self._context.state.move_step if spot.snap else None
        turn = align_to_normal(seat.normal) if spot.align else np.eye(3)
        across = row_axis(seat.normal, self._context.frame().right)
        offsets = [0.0]
        if len(props) > 1:
            spans = [prop.span(turn.T @ across) for prop in props]
            offsets = side_by_side(spans, _SNAPPED_GAP * step if step else 0.0, is_centred=True)
        edits = []
        for prop, offset in zip(props, offsets, strict=True):
            surface = self._surface_beside(seat, across * offset, props, ignore)
            goal = resting_position(surface, prop.lo, prop.hi, turn, step)
            edits += _stood(prop.target, turn, goal)
        return edits

    def _surface_beside(
        self, seat: SurfacePoint, offset: Vector, props: list[_Prop], ignore: set[int]
    ) -> SurfacePoint:
        """Return what lies under a place in the row.

        It is looked for from half the height of the tallest, which is above a step in the ground
        and below a ceiling.
        """
        if not offset.any():
            return seat
        heights = (np.ptp(prop.span(seat.normal)) for prop in props)
        lift = max(0.5 * float(max(heights)), _LEAST_LIFT)
        above = Ray(seat.point + offset + seat.normal * lift, -seat.normal)
        found = surface_under(self._context.raycaster(), above, ignore, fallback=lift)
        return SurfacePoint(found.point, seat.normal, found.entity)


class ArrivingPlacements:
    """What was dropped before its size was known, looked after until it is."""

    def __init__(self) -> None:
        self._waiting: list[Placement] = []

    def keep(self, placement: Placement) -> list[Entity]:
        """Drop what is placed, and look after it if need be; return it."""
        placed = placement.drop()
        if placement.is_arriving:
            self._waiting.append(placement)
        return placed

    def settle(self) -> None:
        """Put in its place what has arrived since."""
        waiting, self._waiting = self._waiting, []
        for placement in waiting:
            if placement.is_arriving:
                self._waiting.append(placement)
            else:
                placement.settle()


def _stood(target: Target, turn: Vector, goal: Vector) -> list[Edit]:
    """Put a prop in its place; its rotation is written only where it becomes another one."""
    if np.allclose(target.axes, turn, atol=_UNTURNED):
        return moved([target], goal - target.origin)
    return [aimed(target, turn, goal)]

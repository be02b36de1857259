"""The move, rotate and scale tools: one drag on a handle is one undo step.

The three differ in their handles, in how a drag reads an amount, and in what that amount does to
the targets; everything else (hover, snapping, precise drags, typed numbers, cancel, copies with
Alt) is :class:`TransformTool`. A press beside the handles goes to a :class:`SelectTool`.

The cursor of a drag is a virtual one: Shift lets it follow at a tenth of the speed, so precision
can come and go within one drag without a jump.
"""

from abc import ABC, abstractmethod

import numpy as np

from editor.tools.base import EditedLevel, OpenGesture, ToolContext
from editor.tools.drags import MoveDrag, RotateDrag, ScaleDrag
from editor.tools.gizmo import GizmoFrame, Handle, axis_line, handle_under, paint_handles, sweep
from editor.tools.gizmo_handles import (
    AXES,
    RING,
    SCREEN_RING,
    move_handles,
    rotate_handles,
    scale_handles,
)
from editor.tools.numeric import NumericEntry
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.projection import Vector
from editor.tools.select import SelectTool, is_locked
from editor.tools.shapes import Shape, Text
from editor.tools.targets import Edit, Target, moved, rotated, scaled, targets_of
from engine.reflect import SceneComponent

PRECISE = 0.1
# Pixels that a press may wander and still be a click.
DRAG_SLACK = 3.0
_DRAG_HINT = "Type a number  ·  Ctrl snaps  ·  Shift is precise  ·  Esc restores"


def write_edits(document: EditedLevel, edits: list[Edit]) -> None:
    """Set each field of each component once for all entities that share it."""
    groups: dict[tuple[type[SceneComponent], str], list[Edit]] = {}
    for edit in edits:
        for name in edit.fields:
            groups.setdefault((edit.component, name), []).append(edit)
    for (component, name), members in groups.items():
        document.set_field_each(
            [e.entity for e in members], component, name, [e.fields[name] for e in members]
        )


class TransformTool(ABC):
    """What the three gizmo tools share."""

    id: str
    label: str
    idle_hint: str

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._select = SelectTool(context)
        self._hot: str | None = None
        self._active: str | None = None
        self._copying = False
        self._gesture: OpenGesture | None = None
        self._targets: list[Target] = []
        self._gizmo: GizmoFrame | None = None
        self._mouse = self._cursor = np.zeros(2)
        self._entry = NumericEntry()
        self._snapping = False
        self._readout = ""
        self._known: tuple[object, list[Target]] | None = None

    @property
    def hint(self) -> str:
        """What can be done now; while dragging, what else there is to a drag."""
        return _DRAG_HINT if self._active is not None else self.idle_hint

    @property
    def busy(self) -> bool:
        return self._active is not None or self._select.busy

    def grabs(self, x: float, y: float) -> bool:
        return self._handle_at(x, y) is not None

    def pointer(self, event: PointerEvent) -> bool:
        if self._active is not None:
            return self._during_drag(event)
        if self._select.busy:
            return self._select.pointer(event)
        if event.kind in (PointerKind.PRESS, PointerKind.DOUBLE) and event.button is Button.LEFT:
            handle = self._handle_at(event.x, event.y)
            if handle is not None:
                self._grab(handle, event)
                return True
            return self._select.pointer(event)
        if event.kind in (PointerKind.MOVE, PointerKind.LEAVE):
            leaving = event.kind is PointerKind.LEAVE
            hot = None if leaving else self._handle_at(event.x, event.y)
            changed, self._hot = hot != self._hot, hot
            return changed
        return self._select.pointer(event)

    def key(self, event: KeyEvent) -> bool:
        if self._active is None:
            return self._select.key(event)
        if event.key == "escape":
            self.cancel()
        elif event.key == "return":
            self._finish()
        elif self._entry.key(event.key):
            self._apply()
        return True

    def cancel(self) -> None:
        """Restore what the drag changed."""
        gesture, self._gesture = self._gesture, None
        self._end()
        self._select.cancel()
        if gesture is not None:
            gesture.cancel()

    def shapes(self) -> list[Shape]:
        gizmo = self._placed_gizmo()
        if gizmo is None or not self._context.state.gizmos:
            return self._select.shapes()
        handles = self._handles(gizmo)
        if self._active is None:
            return [*paint_handles(handles, self._hot), *self._select.shapes()]
        shapes = self._guides(gizmo)
        shapes += paint_handles(handles, self._active, only=self._active)
        if self._readout:
            shapes.append(
                Text(float(self._mouse[0]) + 18, float(self._mouse[1]) + 22, self._readout)
            )
        return shapes

    def _placed_gizmo(self) -> GizmoFrame | None:
        """Where the gizmo stands now: with the selection, but with the axes a drag began with."""
        targets = self._current_targets()
        if not targets:
            return None
        axes = self._gizmo.axes if self._gizmo is not None else self._axes(targets)
        gizmo = GizmoFrame(self._pivot(targets), axes, self._context.frame())
        return gizmo if gizmo.in_front else None

    def forget(self) -> None:
        self._known = None

    def _current_targets(self) -> list[Target]:
        document = self._context.document
        state = (document.world, tuple(document.selection), document.world.tick)
        if self._known is None or self._known[0] != state:
            chosen = [e for e in document.selection if not is_locked(document, e)]
            self._known = (state, targets_of(document.world, chosen))
        return self._known[1]

    def _pivot(self, targets: list[Target]) -> Vector:
        if self._context.state.pivot == "active":
            return targets[-1].origin
        return np.asarray(np.mean([t.origin for t in targets], axis=0))

    def _axes(self, targets: list[Target]) -> Vector:
        return targets[-1].axes if self._context.state.space == "local" else np.eye(3)

    def _pivots(self) -> list[Vector]:
        """Return what each target turns or scales around."""
        if self._context.state.pivot == "individual":
            return [t.origin for t in self._targets]
        pivot = self._pivot(self._targets)
        return [t.origin if len(self._targets) == 1 else pivot for t in self._targets]

    def _handle_at(self, x: float, y: float) -> str | None:
        gizmo = self._placed_gizmo() if self._context.state.gizmos else None
        return handle_under(self._handles(gizmo), x, y) if gizmo is not None else None

    def _grab(self, handle: str, event: PointerEvent) -> None:
        self._gizmo = self._placed_gizmo()
        if self._gizmo is None:
            return
        self._active = self._hot = handle
        self._copying = event.alt
        self._targets = self._current_targets()
        self._mouse = self._cursor = np.array([event.x, event.y])
        self._entry.clear()
        self._begin(self._gizmo, handle, event.x, event.y)

    def _during_drag(self, event: PointerEvent) -> bool:
        if event.kind is PointerKind.PRESS and event.button is Button.RIGHT:
            self.cancel()
            return True
        if event.kind is PointerKind.RELEASE and event.button is Button.LEFT:
            self._follow(event)
            self._finish()
            return True
        if event.kind is PointerKind.MOVE:
            self._follow(event)
            return True
        return False

    def _follow(self, event: PointerEvent) -> None:
        here = np.array([event.x, event.y])
        is_click = float(np.hypot(*(here - self._mouse))) < DRAG_SLACK
        if is_click and self._gesture is None:
            return
        self._cursor = self._cursor + (here - self._mouse) * (PRECISE if event.shift else 1.0)
        self._mouse = here
        self._snapping = self._context.state.snap != event.ctrl
        self._apply()

    def _apply(self) -> None:
        if self._gesture is None:
            self._start_gesture()
        x, y = (float(v) for v in self._cursor)
        edits = self._edits(x, y, self._entry.value)
        write_edits(self._context.document, edits)

    def _start_gesture(self) -> None:
        document = self._context.document
        label = f"{self.label} a copy" if self._copying else self.label
        self._gesture = document.begin_gesture(label)
        if self._copying:
            document.duplicate(wait=False)
            self._targets = self._current_targets()

    def _finish(self) -> None:
        gesture, self._gesture = self._gesture, None
        self._end()
        if gesture is not None:
            gesture.commit()

    def _end(self) -> None:
        self._active = None
        self._gizmo = None
        self._targets = []
        self._copying = False
        self._readout = ""
        self._entry.clear()

    def _show(self, text: str) -> None:
        typed = self._entry.text
        self._readout = f"{text}  [{typed}]" if typed else text

    @abstractmethod
    def _handles(self, gizmo: GizmoFrame) -> list[Handle]: ...

    @abstractmethod
    def _begin(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None: ...

    @abstractmethod
    def _edits(self, x: float, y: float, typed: float | None) -> list[Edit]: ...

    @abstractmethod
    def _guides(self, gizmo: GizmoFrame) -> list[Shape]: ...


class MoveTool(TransformTool):
    """Moves the selection along axes, in planes, or in the plane of the screen."""

    id = "move"
    label = "Move"
    idle_hint = "Drag an arrow to move  ·  Ctrl snaps  ·  Shift is precise  ·  Alt drags a copy"

    def _handles(self, gizmo: GizmoFrame) -> list[Handle]:
        return move_handles(gizmo)

    def _begin(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None:
        self._drag = MoveDrag(gizmo, handle, x, y)

    def _edits(self, x: float, y: float, typed: float | None) -> list[Edit]:
        step = self._context.state.move_step if self._snapping else None
        offset = self._drag.offset(x, y, step, typed)
        self._show(self._words(offset))
        return moved(self._targets, offset)

    def _words(self, offset: Vector) -> str:
        handle = self._drag.handle
        if handle in AXES and self._gizmo is not None:
            along = float(offset @ self._gizmo.axes[:, AXES.index(handle)])
            return f"{handle.upper()} {along:+.3f} m"
        return "  ".join(f"{v:+.3f}" for v in offset) + " m"

    def _guides(self, gizmo: GizmoFrame) -> list[Shape]:
        axes = [AXES.index(letter) for letter in self._active or "" if letter in AXES]
        if self._active not in (*AXES, "yz", "zx", "xy"):
            return []
        return [shape for axis in axes for shape in axis_line(gizmo, axis)]


class RotateTool(TransformTool):
    """Turns the selection around axes or around the line of sight."""

    id = "rotate"
    label = "Rotate"
    idle_hint = "Drag a ring to rotate  ·  Ctrl snaps  ·  Shift is precise  ·  Alt turns a copy"

    def _handles(self, gizmo: GizmoFrame) -> list[Handle]:
        return rotate_handles(gizmo)

    def _begin(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None:
        self._drag = RotateDrag(gizmo, handle, x, y)
        self._angle = 0.0

    def _edits(self, x: float, y: float, typed: float | None) -> list[Edit]:
        step = self._context.state.angle_step if self._snapping else None
        self._angle = self._drag.angle(x, y, step, typed)
        self._show(f"{np.degrees(self._angle):+.1f}°")
        return rotated(self._targets, self._turn_axes(), self._angle, self._pivots())

    def _turn_axes(self) -> list[Vector]:
        state = self._context.state
        handle = self._drag.handle
        if handle in AXES and state.space == "local" and state.pivot == "individual":
            return [t.axes[:, AXES.index(handle)] for t in self._targets]
        return [self._drag.axis] * len(self._targets)

    def _guides(self, gizmo: GizmoFrame) -> list[Shape]:
        radius = RING if self._drag.handle in AXES else SCREEN_RING
        return sweep(gizmo, self._drag.axis, self._drag.start, self._angle, radius)


class ScaleTool(TransformTool):
    """Scales the selection along its own axes or all around.

    Scaling along world axes would shear whatever is turned, so the axes are always local.
    """

    id = "scale"
    label = "Scale"
    idle_hint = "Drag a box to scale, the middle for all axes  ·  Ctrl snaps  ·  Alt scales a copy"

    def _axes(self, targets: list[Target]) -> Vector:
        return targets[-1].axes

    def _handles(self, gizmo: GizmoFrame) -> list[Handle]:
        return scale_handles(gizmo)

    def _begin(self, gizmo: GizmoFrame, handle: str, x: float, y: float) -> None:
        self._drag = ScaleDrag(gizmo, handle, x, y)

    def _edits(self, x: float, y: float, typed: float | None) -> list[Edit]:
        step = self._context.state.scale_step if self._snapping else None
        factors = self._drag.factors(x, y, step, typed)
        self._show("  ".join(f"×{v:.3f}" for v in factors))
        axes = self._gizmo.axes if self._gizmo is not None else np.eye(3)
        return scaled(self._targets, axes, factors, self._pivots())

    def _guides(self, gizmo: GizmoFrame) -> list[Shape]:
        return axis_line(gizmo, AXES.index(self._active)) if self._active in AXES else []

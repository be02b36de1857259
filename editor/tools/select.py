"""Selecting: click, click again to drill, box.

A click takes the instance that a visible surface belongs to. Clicking the same place again steps
on: through instances inside it to the node itself, then to whatever lies behind, and round again;
Ctrl with the wheel steps both ways. A box drawn to the right takes what lies wholly inside, one
drawn to the left everything it touches. Shift adds, Ctrl toggles.
"""

from collections.abc import Iterable

import numpy as np

from editor.tools.base import EditedLevel, ToolContext
from editor.tools.pointer import Button, KeyEvent, PointerEvent, PointerKind
from editor.tools.shapes import Polygon, Shape, Stroke
from engine.reflect import Entity
from engine.scene.hierarchy import ancestors

CLICK_SLACK = 4.0
ICON_RADIUS = 13.0
_BAND = (76, 141, 255, 255)


def is_locked(document: EditedLevel, entity: Entity) -> bool:
    """Tell whether an entity, or something that it hangs under, was locked."""
    return any(map(document.locked, (entity, *ancestors(document.world, entity))))


class SelectTool:
    """Clicks and boxes; the transform tools use one for presses beside their handles."""

    id = "select"
    hint = (
        "Click to select  ·  Click again to reach the node  ·  "
        "Drag a box: right inside, left touching  ·  Shift adds, Ctrl toggles"
    )

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._press: PointerEvent | None = None
        self._here: PointerEvent | None = None
        self._boxing = False
        self._last_click: tuple[float, float] | None = None

    @property
    def busy(self) -> bool:
        return self._press is not None

    def grabs(self, x: float, y: float) -> bool:
        return False

    def pointer(self, event: PointerEvent) -> bool:
        if event.kind in (PointerKind.PRESS, PointerKind.DOUBLE) and event.button is Button.LEFT:
            self._press = self._here = event
            self._boxing = False
            return False
        if event.kind is PointerKind.MOVE and self._press is not None:
            self._here = event
            far = max(abs(event.x - self._press.x), abs(event.y - self._press.y)) > CLICK_SLACK
            self._boxing = self._boxing or far
            return self._boxing
        if event.kind is PointerKind.RELEASE and event.button is Button.LEFT and self._press:
            press, self._press = self._press, None
            if self._boxing:
                self._select_box(press, event)
            else:
                self._click(event)
            self._boxing = False
            return True
        if event.kind is PointerKind.WHEEL and event.ctrl:
            self._drill(event, 1 if event.wheel < 0 else -1)
            return True
        return False

    def key(self, event: KeyEvent) -> bool:
        if event.key == "escape" and self.busy:
            self.cancel()
            return True
        return False

    def cancel(self) -> None:
        self._press = None
        self._boxing = False

    def forget(self) -> None:
        self._last_click = None

    def shapes(self) -> list[Shape]:
        if not self._boxing or self._press is None or self._here is None:
            return []
        x0, y0, x1, y1 = self._press.x, self._press.y, self._here.x, self._here.y
        band = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
        touching = x1 < x0
        return [
            Polygon(band, (*_BAND[:3], 34)),
            Stroke(band, _BAND, 1.2, closed=True, dashed=touching),
        ]

    def candidates(self, x: float, y: float) -> list[Entity]:
        """Return what a click there can mean, best first: icons, then instances and nodes."""
        found: list[Entity] = []
        icons = [
            (float(np.hypot(icon.x - x, icon.y - y)), icon.depth, icon.entity)
            for icon in self._context.icons()
        ]
        for _, _, entity in sorted(i for i in icons if i[0] <= ICON_RADIUS):
            found.append(Entity(entity))
        document = self._context.document
        for value in self._context.picker.pick_all(x, y):
            node = Entity(value)
            # What is locked is looked through, be it only a part of an instance.
            if document.world.alive(node) and not is_locked(document, node):
                found.extend((*document.roots_of(node), node))
        return [e for e in dict.fromkeys(found) if not is_locked(document, e)]

    def _click(self, event: PointerEvent) -> None:
        candidates = self.candidates(event.x, event.y)
        again = self._last_click is not None and (
            np.hypot(event.x - self._last_click[0], event.y - self._last_click[1]) <= CLICK_SLACK
        )
        self._last_click = (event.x, event.y)
        if not candidates:
            if not (event.shift or event.ctrl):
                self._choose([])
            return
        if event.shift or event.ctrl:
            self._combine(candidates[:1], event)
            return
        chosen = tuple(self._context.document.selection)
        if len(chosen) == 1 and chosen[0] in candidates and (again or chosen[0] == candidates[0]):
            self._choose([candidates[(candidates.index(chosen[0]) + 1) % len(candidates)]])
        else:
            self._choose(candidates[:1])

    def _drill(self, event: PointerEvent, step: int) -> None:
        candidates = self.candidates(event.x, event.y)
        if not candidates:
            return
        chosen = tuple(self._context.document.selection)
        at = candidates.index(chosen[-1]) + step if chosen and chosen[-1] in candidates else 0
        self._choose([candidates[at % len(candidates)]])

    def _select_box(self, press: PointerEvent, release: PointerEvent) -> None:
        x0, x1 = sorted((press.x, release.x))
        y0, y1 = sorted((press.y, release.y))
        if release.x >= press.x:
            found = self._inside(x0, y0, x1, y1)
        else:
            found = self._touching(x0, y0, x1, y1)
        document = self._context.document
        self._combine([e for e in found if not is_locked(document, e)], release)

    def _touching(self, x0: float, y0: float, x1: float, y1: float) -> list[Entity]:
        document = self._context.document
        found = map(Entity, sorted(self._context.picker.pick_rect(x0, y0, x1, y1)))
        nodes = [n for n in found if document.world.alive(n) and not is_locked(document, n)]
        roots = map(document.root_of, nodes)
        return list(dict.fromkeys([*roots, *self._icons_in(x0, y0, x1, y1)]))

    def _inside(self, x0: float, y0: float, x1: float, y1: float) -> list[Entity]:
        """Everything drawn of it lies inside, also where something hides it."""
        document, scene = self._context.document, self._context.raycaster()
        lo_px, hi_px = scene.screen_bounds(self._context.frame())
        inside = np.all(lo_px >= (x0, y0), axis=1) & np.all(hi_px <= (x1, y1), axis=1)
        whole: dict[Entity, bool] = {}
        for value, is_in in zip(scene.entities.tolist(), inside.tolist(), strict=True):
            node = Entity(value)
            if document.world.alive(node):
                root = document.root_of(node)
                whole[root] = whole.get(root, True) and is_in
        return [*(e for e, is_in in whole.items() if is_in), *self._icons_in(x0, y0, x1, y1)]

    def _icons_in(self, x0: float, y0: float, x1: float, y1: float) -> list[Entity]:
        icons = self._context.icons()
        return [Entity(i.entity) for i in icons if x0 <= i.x <= x1 and y0 <= i.y <= y1]

    def _combine(self, entities: Iterable[Entity], event: PointerEvent) -> None:
        chosen, found = list(self._context.document.selection), list(entities)
        if event.ctrl:
            kept = [e for e in chosen if e not in set(found)]
            self._choose([*kept, *(e for e in found if e not in set(chosen))])
        elif event.shift:
            self._choose([*(e for e in chosen if e not in set(found)), *found])
        else:
            self._choose(found)

    def _choose(self, entities: list[Entity]) -> None:
        if tuple(entities) != tuple(self._context.document.selection):
            self._context.document.select(entities)

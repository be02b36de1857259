"""Cameras that compete for the picture."""

from __future__ import annotations

from collections.abc import Iterable

from editor.document.checks.base import EntityCheck
from editor.model.messages import Issue
from engine.reflect import Entity
from engine.scene import CameraComponent


class ActiveCameraCheck(EntityCheck):
    """More than one active camera: only the first makes the picture."""

    id = "cameras"
    types = (CameraComponent,)

    def find(self, entity: Entity) -> Issue | None:
        world = self.level.world
        is_active = world.has(entity, CameraComponent) and world.get(entity, CameraComponent).active
        return Issue(entity, "", None, self.id) if is_active else None

    def issues(self) -> Iterable[Issue]:
        active = sorted(self._found, key=self._place)
        if len(active) < 2:
            return []
        first, second = map(self.level.label, active[:2])
        others = f" and {len(active) - 2} more" if len(active) > 2 else ""
        text = (
            f"{first}, {second}{others} are all active"
            if others
            else (f"{first} and {second} are both active")
        )
        text += f"; {first} makes the picture"
        return [Issue(active[1], text, f"Keep only {first}", self.id, tuple(active))]

    def _place(self, entity: Entity) -> tuple[bool, int, int]:
        """Return what sorts entities as the picture does: in file order, new ones last."""
        index = self.level.app.level_file.index_of(entity)
        return index < 0, index, self.level.world.serial(entity)

    def fix(self, issue: Issue) -> None:
        self.level.set_fields(issue.entities[1:], CameraComponent, active=False)

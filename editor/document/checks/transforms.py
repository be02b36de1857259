"""Placements that tools and engines choke on: shear, and scales below zero."""

from __future__ import annotations

from collections.abc import Iterable

from editor.document.checks.base import EntityCheck
from editor.model.messages import Issue
from engine.reflect import Entity
from engine.scene import LocalMatrix, LocalTransform, Realised


class ShearCheck(EntityCheck):
    """Entities placed by a matrix that translation, rotation and scale can't express."""

    id = "shear"
    types = (LocalMatrix,)

    def find(self, entity: Entity) -> Issue | None:
        world = self.level.world
        if not world.has(entity, LocalMatrix) or world.has(entity, Realised):
            return None
        return Issue(entity, f"{self.level.label(entity)} is sheared", "Drop the shear", self.id)

    def fix(self, issue: Issue) -> None:
        self.level.remove_component([issue.entity], LocalMatrix)


class NegativeScaleCheck(EntityCheck):
    """Entities that are mirrored by a scale below zero."""

    id = "negative scale"
    types = (LocalTransform,)

    def candidates(self) -> Iterable[Entity]:
        """Return the mirrored entities, found column by column."""
        for table in self.level.world.tables:
            if LocalTransform in table and Realised not in table:
                is_below = (table.view(LocalTransform, "scale") < 0).any(axis=1)
                yield from map(Entity, table.entities[is_below].tolist())

    def find(self, entity: Entity) -> Issue | None:
        world = self.level.world
        if not world.has(entity, LocalTransform) or world.has(entity, Realised):
            return None
        scale = world.get(entity, LocalTransform).scale
        if not (scale < 0).any():
            return None
        text = f"{self.level.label(entity)} has a negative scale"
        return Issue(entity, text, "Make it positive", self.id, is_hint=True)

    def fix(self, issue: Issue) -> None:
        scale = abs(self.level.world.get(issue.entity, LocalTransform).scale)
        self.level.set_fields([issue.entity], LocalTransform, scale=scale)

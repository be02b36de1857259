"""Where an entity hangs in the hierarchy."""

from __future__ import annotations

from typing import Annotated, ClassVar

from engine.reflect import Doc, Entity, SceneComponent, component


@component(id=2)
class Parent(SceneComponent):
    """The entity whose transform this entity's local transform is relative to; null for none."""

    hierarchy_link: ClassVar[str] = "entity"

    entity: Annotated[Entity, Doc("Moves with this entity")] = Entity.null()

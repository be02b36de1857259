"""The link between a record of a level and a node of a placed prop."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Doc, Entity, Hidden, SceneComponent, component


@component(id=13)
class InstanceNode(SceneComponent):
    """Says which node of which instance this entity is; the overrides stand beside it."""

    root: Annotated[Entity, Hidden, Doc("The instance")] = Entity.null()
    path: Annotated[str, Hidden, Doc("Names from the root to the node")] = ""
    removed: Annotated[bool, Doc("The node is left out of this instance")] = False
    removed_components: Annotated[str, Hidden, Doc("Components left out, comma-separated")] = ""

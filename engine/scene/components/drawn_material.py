"""The material that an entity is drawn with while something overrides its own."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Doc, SceneComponent, component


@component(id=1002)
class DrawnMaterial(SceneComponent):
    """Takes the place of `MeshRenderer.material` in the picture; derived, never stored."""

    material: Annotated[int, Doc("Renderer material")] = -1

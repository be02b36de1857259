"""What an entity draws."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Doc, SceneComponent, component


@component(id=4)
class MeshRenderer(SceneComponent):
    """Draws a renderer mesh with a renderer material; -1 means that there is none yet."""

    mesh: Annotated[int, Doc("Renderer mesh")] = -1
    material: Annotated[int, Doc("Renderer material")] = -1
    cast_shadows: bool = True

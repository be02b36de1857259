"""A plain shape."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Choice, Color, Doc, SceneComponent, Vec3, component


@component(id=19)
class Shape(SceneComponent):
    """A shape one metre in size, drawn in one colour."""

    kind: Annotated[str, Choice("box", "sphere", "cylinder", "cone", "plane", "torus")] = "box"
    color: Annotated[Vec3, Color, Doc("Linear colour")] = (0.6, 0.6, 0.6)
    cast_shadows: bool = True

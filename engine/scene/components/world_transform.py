"""The placement in the world, computed by `propagate_transforms`."""

from __future__ import annotations

from engine.reflect import Mat4, SceneComponent, component


@component(id=7)
class WorldTransform(SceneComponent):
    """``world_from_local``; derived, never stored in a level."""

    matrix: Mat4 = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))

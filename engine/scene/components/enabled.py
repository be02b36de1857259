"""Whether an entity and all below it take part."""

from __future__ import annotations

from engine.reflect import SceneComponent, component


@component(id=10)
class Enabled(SceneComponent):
    """An entity that is off switches its whole subtree off; absent means on."""

    on: bool = True

"""The mark of a prop whose asset is missing or broken."""

from __future__ import annotations

from engine.reflect import SceneComponent, component


@component(id=18)
class Placeholder(SceneComponent):
    """The entity is shown as a box until its asset can be loaded; derived, never stored."""

"""The mark of an entity that came out of an instance's asset."""

from __future__ import annotations

from engine.reflect import SceneComponent, component


@component(id=16)
class Realised(SceneComponent):
    """A node of a placed prop: spawned on load, not written to the level."""

"""The place among siblings."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Doc, SceneComponent, component


@component(id=11)
class Order(SceneComponent):
    """Siblings stand by rank, then in the order in which they were made; absent means 0."""

    rank: Annotated[int, Doc("Lower ranks stand first; leave gaps")] = 0

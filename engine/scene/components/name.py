"""What an entity is called."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import Doc, SceneComponent, component


@component(id=1)
class Name(SceneComponent):
    """The name that the hierarchy shows; every entity of a level has one."""

    text: Annotated[str, Doc("Shown in the hierarchy; need not be unique")] = ""

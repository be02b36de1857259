"""A level placed in a level."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import AssetPath, Doc, SceneComponent, component


@component(id=14)
class SceneInstance(SceneComponent):
    """Another level as a part of this one."""

    level: Annotated[str, AssetPath("*.scene *.cscn"), Doc("Path relative to the project")] = ""

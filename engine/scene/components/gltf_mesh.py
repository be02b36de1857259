"""What one node of a glTF file draws, without the instance that it came from."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import AssetPath, Doc, SceneComponent, VariantOf, component


@component(id=1003)
class GltfMesh(SceneComponent):
    """Draws what one node of a glTF file draws; unpacking an instance leaves these behind."""

    asset: Annotated[str, AssetPath("*.gl*"), Doc("Path relative to the project")] = ""
    node: Annotated[str, Doc("Names from the top of the file to the node")] = ""
    cast_shadows: bool = True
    variant: Annotated[str, VariantOf("asset"), Doc("Material variant; empty for the default")] = ""

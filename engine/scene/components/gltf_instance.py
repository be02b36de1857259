"""A placed prop."""

from __future__ import annotations

from typing import Annotated

from engine.reflect import AssetPath, Doc, SceneComponent, Title, VariantOf, component


@component(id=12)
class GltfInstance(SceneComponent):
    """One glTF file placed in the level; its nodes are spawned under the entity on load."""

    asset: Annotated[str, AssetPath("*.gl*"), Doc("Path relative to the project")] = ""
    cast_shadows: bool = True
    lods: Annotated[bool, Doc("Draw simpler meshes far away")] = True
    skinned_meshes: Annotated[
        bool, Title("Skinning"), Doc("Draw meshes that a skeleton deforms")
    ] = True
    variant: Annotated[str, VariantOf("asset"), Doc("Material variant; empty for the default")] = ""

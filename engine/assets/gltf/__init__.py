"""glTF 2.0 import: `load_gltf` and the tree that it returns."""

from engine.assets.gltf.asset import (
    CHANNEL_PATHS,
    INTERPOLATIONS,
    GltfAnimation,
    GltfAsset,
    GltfCamera,
    GltfChannel,
    GltfLight,
    GltfMaterial,
    GltfMesh,
    GltfNode,
    GltfPrimitive,
    GltfScene,
    GltfSkin,
    GltfTexture,
)
from engine.assets.gltf.load import load_gltf

__all__ = [
    "CHANNEL_PATHS",
    "INTERPOLATIONS",
    "GltfAnimation",
    "GltfAsset",
    "GltfCamera",
    "GltfChannel",
    "GltfLight",
    "GltfMaterial",
    "GltfMesh",
    "GltfNode",
    "GltfPrimitive",
    "GltfScene",
    "GltfSkin",
    "GltfTexture",
    "load_gltf",
]

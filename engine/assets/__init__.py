"""Asset data and import: meshes, materials, images and glTF files, with no renderer in sight.

Plain data lives in `mesh`, `material`, `image`; `gltf` reads files; `upload` hands an asset to a
renderer through protocols defined there.
"""

from engine.assets.bounds import SceneBounds
from engine.assets.gltf import (
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
    load_gltf,
)
from engine.assets.image import Image
from engine.assets.lods import MeshLod
from engine.assets.material import Material, Sampler, TextureRef
from engine.assets.mesh import MeshData, MorphTarget, RenderMesh
from engine.assets.upload import (
    AssetInstance,
    InstanceSink,
    MeshStore,
    TextureStore,
    UploadedGltf,
    instantiate,
    upload_gltf,
)
from engine.assets.vertex_order import optimise_order
from engine.errors import AssetError

__all__ = [
    "AssetError",
    "AssetInstance",
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
    "Image",
    "InstanceSink",
    "Material",
    "MeshData",
    "MeshLod",
    "MeshStore",
    "MorphTarget",
    "RenderMesh",
    "Sampler",
    "SceneBounds",
    "TextureRef",
    "TextureStore",
    "UploadedGltf",
    "instantiate",
    "load_gltf",
    "optimise_order",
    "upload_gltf",
]

"""Asset data and import: meshes, materials, images and glTF files, with no renderer in sight.

Plain data lives in `mesh`, `material`, `image`; `gltf` reads files; `upload` hands an asset to a
renderer through the protocols of `stores`. `cook` turns files into the formats of `cooked` and
`ktx2`, `server` loads those by name while the program runs. `library` is what a program holds: the
glTF files of a project, cooked assets beside them, and in `import_cache` what importing gave.
"""

from engine.assets.asset_ids import asset_file_name, asset_id
from engine.assets.asset_records import AssetRecord, AssetState
from engine.assets.bounds import SceneBounds
from engine.assets.cook import CookReport, cook_gltf
from engine.assets.cook_manifest import CookManifest, ManifestEntry
from engine.assets.cooked import (
    Clip,
    ClipChannel,
    CookedMaterial,
    CookedMesh,
    CookedSlot,
    Joint,
    Skeleton,
    clip_from_gltf,
    cook_mesh,
    read_clip,
    read_material,
    read_mesh,
    read_skeleton,
    skeleton_from_gltf,
    write_clip,
    write_material,
    write_mesh,
    write_skeleton,
)
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
from engine.assets.jobs import JobCounter, JobSystem
from engine.assets.ktx2 import LoadedTexture, cook_texture_ktx2, load_ktx2, upload_loaded
from engine.assets.lods import MeshLod
from engine.assets.material import Material, Sampler, TextureRef
from engine.assets.mesh import MeshData, MorphTarget, RenderMesh
from engine.assets.record_uploads import CookedStore
from engine.assets.server import AssetServer
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
    "AssetRecord",
    "AssetServer",
    "AssetState",
    "Clip",
    "ClipChannel",
    "CookManifest",
    "CookReport",
    "CookedMaterial",
    "CookedMesh",
    "CookedSlot",
    "CookedStore",
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
    "JobCounter",
    "JobSystem",
    "Joint",
    "LoadedTexture",
    "ManifestEntry",
    "Material",
    "MeshData",
    "MeshLod",
    "MeshStore",
    "MorphTarget",
    "RenderMesh",
    "Sampler",
    "SceneBounds",
    "Skeleton",
    "TextureRef",
    "TextureStore",
    "UploadedGltf",
    "asset_file_name",
    "asset_id",
    "clip_from_gltf",
    "cook_gltf",
    "cook_mesh",
    "cook_texture_ktx2",
    "instantiate",
    "load_gltf",
    "load_ktx2",
    "optimise_order",
    "read_clip",
    "read_material",
    "read_mesh",
    "read_skeleton",
    "skeleton_from_gltf",
    "upload_gltf",
    "upload_loaded",
    "write_clip",
    "write_material",
    "write_mesh",
    "write_skeleton",
]

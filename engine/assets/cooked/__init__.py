"""The cooked formats: one module per format, all over the bounds-checked reader of `stream`."""

from engine.assets.cooked.clip import Clip, ClipChannel, clip_from_gltf, read_clip, write_clip
from engine.assets.cooked.material import (
    CookedMaterial,
    CookedSlot,
    read_material,
    write_material,
)
from engine.assets.cooked.mesh import CookedMesh, cook_mesh, read_mesh, write_mesh
from engine.assets.cooked.skeleton import (
    Joint,
    Skeleton,
    read_skeleton,
    skeleton_from_gltf,
    write_skeleton,
)

__all__ = [
    "Clip",
    "ClipChannel",
    "CookedMaterial",
    "CookedMesh",
    "CookedSlot",
    "Joint",
    "Skeleton",
    "clip_from_gltf",
    "cook_mesh",
    "read_clip",
    "read_material",
    "read_mesh",
    "read_skeleton",
    "skeleton_from_gltf",
    "write_clip",
    "write_material",
    "write_mesh",
    "write_skeleton",
]

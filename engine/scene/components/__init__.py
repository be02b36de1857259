"""The built-in components, one file each.

A new component is one class in one file and one line in `BUILTIN_COMPONENTS` (and in
`LEVEL_COMPONENTS` when levels store it).
"""

from __future__ import annotations

from engine.reflect import SceneComponent
from engine.scene.components.camera import CameraComponent
from engine.scene.components.drawn_material import DrawnMaterial
from engine.scene.components.enabled import Enabled
from engine.scene.components.environment import Environment
from engine.scene.components.gltf_instance import GltfInstance
from engine.scene.components.gltf_mesh import GltfMesh
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.joint_palette import JointPalette
from engine.scene.components.kept_records import KeptRecords
from engine.scene.components.light_source import LightSource
from engine.scene.components.local_matrix import LocalMatrix
from engine.scene.components.local_transform import LocalTransform
from engine.scene.components.material_override import MaterialOverride
from engine.scene.components.mesh_renderer import MeshRenderer
from engine.scene.components.name import Name
from engine.scene.components.order import Order
from engine.scene.components.parent import Parent
from engine.scene.components.placeholder import Placeholder
from engine.scene.components.realised import Realised
from engine.scene.components.scene_instance import SceneInstance
from engine.scene.components.shape import Shape
from engine.scene.components.world_transform import WorldTransform

# Sorted by name.
BUILTIN_COMPONENTS: tuple[type[SceneComponent], ...] = (
    CameraComponent,
    DrawnMaterial,
    Enabled,
    Environment,
    GltfInstance,
    GltfMesh,
    InstanceNode,
    JointPalette,
    KeptRecords,
    LightSource,
    LocalMatrix,
    LocalTransform,
    MaterialOverride,
    MeshRenderer,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    SceneInstance,
    Shape,
    WorldTransform,
)

# What levels store, in the order in which an entity's components are written.
LEVEL_COMPONENTS: tuple[type[SceneComponent], ...] = (
    Name,
    Parent,
    Order,
    Enabled,
    LocalTransform,
    LocalMatrix,
    GltfInstance,
    SceneInstance,
    InstanceNode,
    GltfMesh,
    Shape,
    MaterialOverride,
    LightSource,
    CameraComponent,
    Environment,
)

# What follows from others and is never stored.
DERIVED_COMPONENTS: tuple[type[SceneComponent], ...] = tuple(
    type_ for type_ in BUILTIN_COMPONENTS if type_ not in LEVEL_COMPONENTS
)

__all__ = [
    "BUILTIN_COMPONENTS",
    "DERIVED_COMPONENTS",
    "LEVEL_COMPONENTS",
    "CameraComponent",
    "DrawnMaterial",
    "Enabled",
    "Environment",
    "GltfInstance",
    "GltfMesh",
    "InstanceNode",
    "JointPalette",
    "KeptRecords",
    "LightSource",
    "LocalMatrix",
    "LocalTransform",
    "MaterialOverride",
    "MeshRenderer",
    "Name",
    "Order",
    "Parent",
    "Placeholder",
    "Realised",
    "SceneInstance",
    "Shape",
    "WorldTransform",
]

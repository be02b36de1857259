"""Level documents, the built-in components, hierarchy, and the bridge from world to picture.

The names are resolved on first use, so that reading a document does not load the importer and
nothing here loads a GPU library.
"""

from __future__ import annotations

from importlib import import_module

# What `typing` says, too: to load it would take several times as long as all of this.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from engine.errors import (
        SceneError,
    )
    from engine.reflect import (
        KIND_BOOL,
        KIND_ENTITY,
        KIND_FLOAT,
        KIND_FLOATS,
        KIND_INT,
        KIND_STRING,
        ComponentRecord,
        Entity,
        Field,
        FieldReader,
        FieldWriter,
        Kind,
        SceneComponent,
        component,
    )
    from engine.scene.components import (
        BUILTIN_COMPONENTS,
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
    from engine.scene.document import (
        MAGIC,
        SCENE_VERSION,
        EntityRecord,
        SceneDoc,
        bitcast_u32_to_f32,
        format_float,
        parse_float,
        read_binary,
        read_text,
        write_binary,
        write_text,
    )
    from engine.scene.gltf_spawn import (
        SpawnedGltf,
        collision_triangles,
        spawn_gltf,
    )
    from engine.scene.hierarchy import (
        children,
        clone_recursive,
        despawn_recursive,
        is_enabled,
        set_parent,
    )
    from engine.scene.instances import (
        InstanceRealiser,
    )
    from engine.scene.levels import (
        LevelFile,
        Scene,
        SceneAssets,
        deserialize_scene_binary,
        level_registry,
        load_scene,
        save_scene,
        serialize_scene_binary,
        spawn_scene,
        world_to_scene,
    )
    from engine.scene.registry import (
        SceneRegistry,
    )
    from engine.scene.render_sync import (
        RenderBridge,
        build_render_scene,
    )
    from engine.scene.transforms import (
        mark_dirty,
        propagate_transforms,
    )

_MODULE_OF: dict[str, str] = {
    **dict.fromkeys(
        ("SceneError",),
        "engine.errors",
    ),
    **dict.fromkeys(
        (
            "KIND_BOOL",
            "KIND_ENTITY",
            "KIND_FLOAT",
            "KIND_FLOATS",
            "KIND_INT",
            "KIND_STRING",
            "ComponentRecord",
            "Entity",
            "Field",
            "FieldReader",
            "FieldWriter",
            "Kind",
            "SceneComponent",
            "component",
        ),
        "engine.reflect",
    ),
    **dict.fromkeys(
        (
            "BUILTIN_COMPONENTS",
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
        ),
        "engine.scene.components",
    ),
    **dict.fromkeys(
        (
            "MAGIC",
            "SCENE_VERSION",
            "EntityRecord",
            "SceneDoc",
            "bitcast_u32_to_f32",
            "format_float",
            "parse_float",
            "read_binary",
            "read_text",
            "write_binary",
            "write_text",
        ),
        "engine.scene.document",
    ),
    **dict.fromkeys(
        (
            "SpawnedGltf",
            "collision_triangles",
            "spawn_gltf",
        ),
        "engine.scene.gltf_spawn",
    ),
    **dict.fromkeys(
        (
            "children",
            "clone_recursive",
            "despawn_recursive",
            "is_enabled",
            "set_parent",
        ),
        "engine.scene.hierarchy",
    ),
    **dict.fromkeys(
        ("InstanceRealiser",),
        "engine.scene.instances",
    ),
    **dict.fromkeys(
        (
            "LevelFile",
            "Scene",
            "SceneAssets",
            "deserialize_scene_binary",
            "level_registry",
            "load_scene",
            "save_scene",
            "serialize_scene_binary",
            "spawn_scene",
            "world_to_scene",
        ),
        "engine.scene.levels",
    ),
    **dict.fromkeys(
        ("SceneRegistry",),
        "engine.scene.registry",
    ),
    **dict.fromkeys(
        (
            "RenderBridge",
            "build_render_scene",
        ),
        "engine.scene.render_sync",
    ),
    **dict.fromkeys(
        (
            "mark_dirty",
            "propagate_transforms",
        ),
        "engine.scene.transforms",
    ),
}


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_MODULE_OF)


__all__ = [
    "BUILTIN_COMPONENTS",
    "KIND_BOOL",
    "KIND_ENTITY",
    "KIND_FLOAT",
    "KIND_FLOATS",
    "KIND_INT",
    "KIND_STRING",
    "MAGIC",
    "SCENE_VERSION",
    "CameraComponent",
    "ComponentRecord",
    "DrawnMaterial",
    "Enabled",
    "Entity",
    "EntityRecord",
    "Environment",
    "Field",
    "FieldReader",
    "FieldWriter",
    "GltfInstance",
    "GltfMesh",
    "InstanceNode",
    "InstanceRealiser",
    "JointPalette",
    "KeptRecords",
    "Kind",
    "LevelFile",
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
    "RenderBridge",
    "Scene",
    "SceneAssets",
    "SceneComponent",
    "SceneDoc",
    "SceneError",
    "SceneInstance",
    "SceneRegistry",
    "Shape",
    "SpawnedGltf",
    "WorldTransform",
    "bitcast_u32_to_f32",
    "build_render_scene",
    "children",
    "clone_recursive",
    "collision_triangles",
    "component",
    "deserialize_scene_binary",
    "despawn_recursive",
    "format_float",
    "is_enabled",
    "level_registry",
    "load_scene",
    "mark_dirty",
    "parse_float",
    "propagate_transforms",
    "read_binary",
    "read_text",
    "save_scene",
    "serialize_scene_binary",
    "set_parent",
    "spawn_gltf",
    "spawn_scene",
    "world_to_scene",
    "write_binary",
    "write_text",
]

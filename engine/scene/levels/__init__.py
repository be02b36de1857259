"""Level files and whole scenes: what is stored of a world, and how it comes back."""

from engine.scene.levels.level_file import LevelFile
from engine.scene.levels.level_registry import level_registry
from engine.scene.levels.scene_file import (
    HierarchyPair,
    Scene,
    SceneAssets,
    deserialize_scene_binary,
    load_scene,
    save_scene,
    serialize_scene_binary,
    spawn_scene,
    world_to_scene,
)

__all__ = [
    "HierarchyPair",
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
]

"""Which component types a document may hold, and the way between documents and worlds."""

from engine.scene.registry.kept import UnknownFields
from engine.scene.registry.scene_registry import SceneRegistry

__all__ = ["SceneRegistry", "UnknownFields"]

"""The registry of level files."""

from __future__ import annotations

from engine.reflect import SceneComponent
from engine.scene.components import LEVEL_COMPONENTS
from engine.scene.levels.migrations import MIGRATIONS
from engine.scene.registry import SceneRegistry


def level_registry(*extra_types: type[SceneComponent]) -> SceneRegistry:
    """Return a registry of what levels store, and of a project's own types.

    It keeps what it does not know. Derived components (WorldTransform, JointPalette,
    MeshRenderer) are not in it.

    Raises
    ------
    SceneError
        Two types have the same name or id.
    """
    registry = SceneRegistry(keep_unknown=True)
    for type_ in (*LEVEL_COMPONENTS, *extra_types):
        registry.register(type_)
    for version, migration in MIGRATIONS.items():
        registry.add_migration(version, migration)
    return registry

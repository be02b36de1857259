"""A level, or a part of it, as one glTF asset: hierarchy, meshes, lights, cameras, animations.

Every entity becomes a node under its own name and in its own place. The nodes of placed props draw
the meshes of their assets; what the level changed about them is as it stands in the world.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from engine.assets.gltf_export import export_glb
from engine.assets.library import AssetLibrary
from engine.assets.texture_files import TextureFiles
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.export_composer import Composer, Export
from engine.scene.levels.atomic_file import write_file

__all__ = ["Export", "LevelExport", "export_level", "write_export", "write_glb"]


def export_level(
    world: World,
    library: AssetLibrary,
    entities: Iterable[Entity] | None = None,
    textures: TextureFiles | None = None,
) -> Export:
    """Collect a level, or some entities with all below them, into one asset.

    Parameters
    ----------
    world : World
        Its instances are realised.
    library : AssetLibrary
        Where their assets are.
    entities : iterable of Entity, optional
        What to export, each where it stands in the world; None means everything.
    textures : TextureFiles, optional
        Where the pictures are that material overrides name.
    """
    export = LevelExport(world, library, entities, textures)
    for _ in export.steps():
        pass
    return export.result


class LevelExport:
    """An `export_level` in small steps, between which the world must not change.

    Attributes
    ----------
    result : Export
        Whole when the steps are over.
    """

    def __init__(
        self,
        world: World,
        library: AssetLibrary,
        entities: Iterable[Entity] | None = None,
        textures: TextureFiles | None = None,
    ) -> None:
        self._entities = entities
        self._composer = Composer(world, library, textures, is_whole=entities is None)
        self.result = self._composer.export

    def steps(self) -> Iterator[None]:
        """Collect the level, a little with every step."""
        return self._composer.compose(self._entities)


def write_glb(
    path: str | os.PathLike[str],
    world: World,
    library: AssetLibrary,
    entities: Iterable[Entity] | None = None,
    textures: TextureFiles | None = None,
) -> list[str]:
    """Write a level, or some of its entities, as a .glb; return what was not exported as it is.

    Raises
    ------
    AssetError
        The file would be too large.
    SceneError
        The file cannot be written.
    """
    return write_export(path, export_level(world, library, entities, textures=textures))


def write_export(
    path: str | os.PathLike[str], export: Export, last_look: Callable[[], None] = lambda: None
) -> list[str]:
    """Write what was collected, on any thread; return what was not exported as it is.

    Parameters
    ----------
    path : path
    export : Export
    last_look : callable
        Called right before the file is replaced; what it raises keeps the old one.

    Raises
    ------
    AssetError
        The file would be too large.
    SceneError
        The file cannot be written.
    """
    written = export_glb(export.asset)
    write_file(path, written.data, last_look)
    return [*export.warnings, *written.warnings]

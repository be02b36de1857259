"""`GltfMeshes`: what entities with a `GltfMesh` draw, kept as their files have it.

The `MeshRenderer`, and the `JointPalette` of a skinned or morphed mesh in its rest pose, are
derived here. A file or node that is not there is a box, with an issue.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.assets.library import AssetEntry
from engine.ecs import QuerySpec, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    GltfInstance,
    GltfMesh,
    JointPalette,
    MeshRenderer,
    Realised,
)
from engine.scene.gltf_blueprint import Blueprint
from engine.scene.node_paths import split_path

Find = Callable[[GltfInstance], tuple[AssetEntry, Blueprint | None]]
_DRAWN = (MeshRenderer, JointPalette)


class GltfMeshes:
    """Keeps what single nodes of files draw in one world.

    Parameters
    ----------
    world : World
    issues : dict of Entity to str
        Where problems are noted.
    find : callable
        The asset and blueprint that the settings of an instance stand for.
    box : callable
        What is drawn where there is nothing else to draw; given whether a file is being read.
    """

    def __init__(
        self,
        world: World,
        issues: dict[Entity, str],
        find: Find,
        box: Callable[[bool], MeshRenderer],
    ) -> None:
        self._world = world
        self._issues = issues
        self._find = find
        self._box = box
        self._query = QuerySpec(GltfMesh)
        self._shown: dict[Entity, tuple[GltfMesh, int, str]] = {}

    def forget(self) -> None:
        """Have everything made anew by the next `sync`."""
        self._shown = {entity: (settings, -1, "") for entity, (settings, *_) in self._shown.items()}

    def sync(self, tick: int, *, is_file_news: bool) -> list[Entity]:
        """Bring what changed up to date, be it the component or its file.

        Parameters
        ----------
        tick : int
            Of the world, when this was last called.
        is_file_news : bool
            Whether some file is another one, or another upload, since then.

        Returns
        -------
        list of Entity
            What draws something else now.
        """
        world = self._world
        is_edited = world.version(GltfMesh) > tick
        if not (is_edited or is_file_news):
            return []
        if is_edited:
            self._look_around()
        changed = []
        for entity, (settings, version, state) in list(self._shown.items()):
            entry, blueprint = self._find(_as_instance(settings))
            if (entry.version, entry.state) != (version, state):
                self._shown[entity] = (settings, entry.version, entry.state)
                self._draw(entity, settings, entry, blueprint)
                changed.append(entity)
        return changed

    def _look_around(self) -> None:
        found = {Entity(e): settings for e, settings in self._query.each(self._world)}
        for gone in self._shown.keys() - found.keys():
            del self._shown[gone]
            self._issues.pop(gone, None)
            # What a node of an instance draws then is its asset's again.
            is_own = self._world.alive(gone) and not self._world.has(gone, Realised)
            for type_ in _DRAWN if is_own else ():
                if self._world.has(gone, type_):
                    self._world.remove(gone, type_)
        for entity, settings in found.items():
            known = self._shown.get(entity)
            if known is None or known[0] != settings or not self._world.has(entity, MeshRenderer):
                self._shown[entity] = (settings, -1, "")

    def _draw(
        self, entity: Entity, settings: GltfMesh, entry: AssetEntry, blueprint: Blueprint | None
    ) -> None:
        values, problem = self._drawing(settings, entry, blueprint)
        for type_ in _DRAWN:
            value = next((v for v in values if isinstance(v, type_)), None)
            if value is not None:
                self._world.add(entity, value.copy())
            elif self._world.has(entity, type_):
                self._world.remove(entity, type_)
        self._issues.pop(entity, None)
        if problem:
            self._issues[entity] = problem

    def _drawing(
        self, settings: GltfMesh, entry: AssetEntry, blueprint: Blueprint | None
    ) -> tuple[list[SceneComponent], str]:
        if blueprint is None:
            is_awaited = entry.state == "loading" and not entry.error
            return [self._box(is_awaited)], entry.error
        at = blueprint.find(settings.node) if settings.node else None
        if at is None and settings.node:
            at = blueprint.find_named(split_path(settings.node)[-1])
        values = blueprint.parts[at].values if at is not None else []
        drawn: list[SceneComponent] = [value for value in values if isinstance(value, _DRAWN)]
        if not drawn:
            what = "has no node" if at is None else "draws nothing at node"
            return [self._box(False)], f"{settings.asset} {what} {settings.node!r}"
        return drawn, entry.error


def _as_instance(settings: GltfMesh) -> GltfInstance:
    return GltfInstance(
        settings.asset, cast_shadows=settings.cast_shadows, variant=settings.variant
    )

"""Which materials a prop is drawn with, and what else is drawn with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editor.document.reads import LevelReads
from engine.assets.gltf.asset import GltfAsset
from engine.assets.gltf.material_colors import SeenColor, seen_colors
from engine.ecs import QuerySpec
from engine.reflect import Entity
from engine.reflect.entity import INDEX_MASK
from engine.scene import (
    DrawnMaterial,
    MaterialOverride,
    MeshRenderer,
    Placeholder,
    Realised,
    Shape,
)
from engine.scene.hierarchy_index import ROOT, HierarchyIndex
from engine.scene.material_looks import chain, look_of

_DRAWN = QuerySpec(MeshRenderer)
_NODES = QuerySpec(Realised)


@dataclass(frozen=True)
class MaterialUse:
    """One material of a prop.

    Attributes
    ----------
    name : str
        As the asset calls it; empty where it has none.
    users : tuple of Entity
        The props and shapes of the level that are drawn with it, in the order of their handles;
        the one that was asked for is among them.
    is_own : bool
        Whether an override makes it this prop's own.
    color : SeenColor or None
        None where the asset is not there yet.
    """

    name: str
    users: tuple[Entity, ...]
    is_own: bool
    color: SeenColor | None = None


class MaterialReads(LevelReads):
    """Questions about materials; nothing here changes the level."""

    _seen: tuple[GltfAsset, list[SeenColor]] | None = None

    def materials_of(self, entity: Entity) -> list[MaterialUse]:
        """Return the materials that an entity and the nodes of its asset are drawn with.

        A box in the place of an asset that is not there has none of its own.
        """
        world = self.world
        # What an edit did to materials would show with the next frame only.
        self.app.overrides.sync()
        parts = [
            part
            for part in self._parts(entity)
            if world.has(part, MeshRenderer) and not world.has(part, Placeholder)
        ]
        drawn: dict[int, Entity] = {}
        for part in parts:
            material = self._drawn_with(part)
            if material >= 0:
                drawn.setdefault(material, part)
        return [self._use(material, part) for material, part in drawn.items()]

    def _parts(self, entity: Entity) -> Iterator[Entity]:
        world, index = self.world, HierarchyIndex.of(self.world)
        pending = [entity]
        while pending:
            yield (part := pending.pop())
            below = index.entities(index.child_slots(index.slot(part))[::-1])
            pending += [node for node in below if world.has(node, Realised)]

    def _drawn_with(self, part: Entity) -> int:
        if self.world.has(part, DrawnMaterial):
            return int(self.world.get(part, DrawnMaterial).material)
        return int(self.world.get(part, MeshRenderer).material)

    def _use(self, material: int, part: Entity) -> MaterialUse:
        overrides = self.app.overrides
        users = self._outermost(self._drawn_by(material))
        is_own = any(self.world.has(e, MaterialOverride) for e in chain(self.world, part))
        name, color = self._source_of(overrides.base_of(material))
        return MaterialUse(
            name, tuple(map(Entity, users.tolist())), is_own, self._color(part, color)
        )

    def _color(self, part: Entity, color: SeenColor | None) -> SeenColor | None:
        """Return the colour of a part, whose material has one by itself."""
        look = look_of(self.world, part)
        if color is None and self.world.has(part, Shape):
            color = SeenColor(tuple(self.world.get(part, Shape).color.tolist()))
        own = color.linear_rgb if color is not None else None
        seen = look.base_color if look.base_color is not None else own
        if seen is None:
            return None
        has_picture = bool(look.base_color_texture) or (color is not None and color.has_picture)
        return SeenColor(seen, has_picture)

    def _outermost(self, drawn: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the props that entities are of, each once; of many at a time."""
        index = HierarchyIndex.of(self.world)
        is_realised = np.zeros(len(index.handle), np.bool_)
        for table in _NODES.tables(self.world):
            is_realised[table.entities & INDEX_MASK] = True
        slots = drawn & INDEX_MASK
        while True:
            above = np.where(is_realised[slots], index.parent[slots], ROOT)
            is_part = above != ROOT
            if not is_part.any():
                return np.unique(index.handle[slots])
            slots = np.where(is_part, above, slots)

    def _drawn_by(self, material: int) -> NDArray[np.int64]:
        found = [np.empty(0, np.int64)]
        for table in _DRAWN.tables(self.world):
            type_ = DrawnMaterial if DrawnMaterial in table else MeshRenderer
            found.append(table.entities[table.view(type_, "material") == material])
        return np.concatenate(found)

    def _source_of(self, material: int) -> tuple[str, SeenColor | None]:
        """Return what the asset calls a material, and its colour."""
        for entry in self.app.assets.entries():
            if entry.uploaded is not None and entry.asset is not None:
                ids = entry.uploaded.material_ids
                if material in ids:
                    index = ids.index(material)
                    return entry.asset.materials[index].name, self._colors_of(entry.asset)[index]
        return "", None

    def _colors_of(self, asset: GltfAsset) -> list[SeenColor]:
        """Return the colours of an asset's materials; those of the last one are kept."""
        if self._seen is None or self._seen[0] is not asset:
            self._seen = asset, seen_colors(asset)
        return self._seen[1]

"""`ShapeMeshes`: what plain shapes draw, made once per renderer and shared.

A `Shape` says what to draw; its `MeshRenderer` is derived here. Each kind is one mesh, each colour
one material, kept while an entity uses it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.assets.material import Material
from engine.assets.shapes import SHAPES, shape_mesh
from engine.assets.upload import MeshStore
from engine.ecs import QuerySpec, Table, World
from engine.reflect import Entity
from engine.scene.components import MeshRenderer, Realised, Shape

Color = tuple[float, float, float]

PLACEHOLDER_COLOR: Color = (0.8, 0.1, 0.6)
WAITING_COLOR: Color = (0.3, 0.32, 0.36)
"""Of the box that stands in while an asset is being read; nothing is wrong with it."""


class ShapeMeshes:
    """Keeps the `MeshRenderer` of every shape in one world as its `Shape` says."""

    def __init__(self, world: World, renderer: MeshStore | None = None) -> None:
        self._world = world
        self._renderer = renderer
        self._query = QuerySpec(Shape)
        self._meshes: dict[str, int] = {}
        self._materials: dict[Color, int] = {}
        self._color_of: dict[int, Color] = {}
        self._tick = -1

    def attach(self, renderer: MeshStore | None) -> None:
        """Use another renderer; the next `sync` gives every shape its ids there."""
        if renderer is self._renderer:
            return
        if self._renderer is not None:
            for mesh in self._meshes.values():
                self._renderer.remove_mesh(mesh)
            for material in self._materials.values():
                self._renderer.remove_material(material)
        self._meshes.clear()
        self._materials.clear()
        self._renderer = renderer
        self._tick = -1

    def mesh(self, kind: str) -> int:
        """Return the id of a shape's mesh, -1 without a renderer; an unknown kind is a box."""
        if self._renderer is None:
            return -1
        kind = kind if kind in SHAPES else "box"
        if kind not in self._meshes:
            self._meshes[kind] = self._renderer.add_mesh(shape_mesh(kind))
        return self._meshes[kind]

    def material(self, color: Color) -> int:
        """Return the id of the material of a linear colour, -1 without a renderer."""
        if self._renderer is None:
            return -1
        if color not in self._materials:
            surface = Material(base_color=(*color, 1.0), metallic=0.0, roughness=0.8)
            self._materials[color] = self._renderer.add_material(surface)
        return self._materials[color]

    def sync(self) -> None:
        """Bring the renderers of shapes that changed up to date."""
        world = self._world
        if world.version(Shape) <= self._tick:
            return
        stale: list[NDArray[np.int64]] = []
        live: set[int] = set()
        for table in self._query.tables(world):
            entities = table.entities
            live.update(entities.tolist())
            is_stale = table.row_ticks(Shape) > self._tick
            if table.loaned(Shape) > self._tick:
                is_stale = np.ones(len(entities), np.bool_)
            # One that went and came back is as old as it was.
            known = map(self._color_of.__contains__, entities.tolist())
            is_stale |= ~np.fromiter(known, np.bool_, len(entities))
            stale.append(entities[is_stale])
        if stale:
            self._draw(np.concatenate(stale))
        for gone in self._color_of.keys() - live:
            self._forget(Entity(gone))
        self._release_unused()
        self._tick = world.tick

    def _draw(self, entities: NDArray[np.int64]) -> None:
        """Let entities draw what their shapes say, all that lie in one table at once."""
        world = self._world
        ids, rows = world.locate(entities)
        # By the tables of now: who gets its first renderer moves to another.
        for table in [world.table(i) for i in np.unique(ids).tolist()]:
            here = ids == table.id
            drawn = self._drawn(entities[here], table, rows[here])
            if MeshRenderer in table:
                for name, column in drawn.items():
                    table.write(MeshRenderer, name, rows[here], column)
            else:
                world.add_many(entities[here], MeshRenderer, drawn)

    def _drawn(
        self, entities: NDArray[np.int64], table: Table, rows: NDArray[np.int32]
    ) -> dict[str, NDArray[np.generic]]:
        """Return the renderers of shapes as columns."""
        kinds = table.view(Shape, "kind")
        found, which = np.unique(
            np.nan_to_num(table.view(Shape, "color")[rows]), axis=0, return_inverse=True
        )
        which = which.ravel()
        colors = [(red, green, blue) for red, green, blue in found.tolist()]
        materials = np.array([self.material(color) for color in colors], np.int64)
        self._color_of.update(zip(entities.tolist(), [colors[i] for i in which], strict=True))
        return {
            "mesh": np.array([self.mesh(kinds[row]) for row in rows.tolist()], np.int64),
            "material": materials[which],
            "cast_shadows": table.view(Shape, "cast_shadows")[rows],
        }

    def _forget(self, entity: Entity) -> None:
        del self._color_of[entity]
        # What a node of an instance draws without the shape is its asset's again.
        if self._world.has(entity, MeshRenderer) and not self._world.has(entity, Realised):
            self._world.remove(entity, MeshRenderer)

    def _release_unused(self) -> None:
        used = {*self._color_of.values(), PLACEHOLDER_COLOR, WAITING_COLOR}
        for color in self._materials.keys() - used:
            material = self._materials.pop(color)
            if self._renderer is not None:
                self._renderer.remove_material(material)

"""The viewport as its tools see it."""

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

import numpy as np

from editor.document import LevelDocument
from editor.tools.markers import marker_icons
from editor.tools.navigation import Navigator
from editor.tools.projection import Vector, ViewFrame
from editor.tools.raycast import RaycastScene
from editor.tools.shapes import Icon
from editor.tools.state import ToolState
from editor.tools.surface import SurfacePoint, surface_under
from editor.viewport.picture import Picture
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.reflect import Entity
from engine.scene.components import Name, Parent
from engine.scene.hierarchy import descendants


class ViewContext:
    """Implements :class:`editor.tools.base.ToolContext` over a document and its picture.

    It is its own picker: pixels of the widget become pixels of the picture here.
    """

    def __init__(self, document: LevelDocument, state: ToolState, picture: Picture) -> None:
        self.document = document
        self.state = state
        self.picker = self
        self.navigator = Navigator(self._mesh_point)
        self.size = (1.0, 1.0)
        self.scale = 1.0
        self._picture = picture
        self._icons: tuple[object, list[Icon]] | None = None
        self._extent: tuple[object, tuple[Vector, Vector]] | None = None
        self._selected: tuple[object, frozenset[int]] | None = None

    def frame(self) -> ViewFrame:
        return self.navigator.pose.frame(*self.size)

    def raycaster(self) -> RaycastScene:
        self._picture.advance(0.0)
        return self._picture.geometry.raycaster(self._picture.scene)

    def surface(self, x: float, y: float, ignore: Collection[int] = ()) -> SurfacePoint:
        ray, pose = self.frame().ray(x, y), self.navigator.pose
        # Over nothing at all it is as deep as what the view turns around.
        depth = float((np.asarray(pose.pivot) - ray.origin) @ ray.direction)
        return surface_under(self.raycaster(), ray, ignore, depth)

    def extent(self, asset: str) -> tuple[Vector, Vector] | None:
        """Return the least and greatest corner of an asset, None while it was not read."""
        if PurePosixPath(asset).suffix.lower() not in GLTF_SUFFIXES:
            return None
        # It is about to be placed, so it may as well be read now.
        read = self.document.app.assets.get(asset).asset
        if read is None:
            return None
        if self._extent is None or self._extent[0] is not read:
            box = read.world_bounds()
            self._extent = (read, (box.min.astype(np.float64), box.max.astype(np.float64)))
        return self._extent[1]

    def icons(self) -> list[Icon]:
        """Return the icons on the screen, kept while level, selection and view stand."""
        if not self.state.gizmos:
            return []
        world = self.document.world
        chosen = tuple(self.document.selection)
        key = (id(world), world.tick, chosen, self.navigator.pose, self.size)
        if self._icons is None or self._icons[0] != key:
            selected = frozenset(int(e) for e in chosen)
            self._icons = (key, marker_icons(world, self.frame(), selected))
        return self._icons[1]

    def subtree(self, entities: Iterable[Entity]) -> set[int]:
        world = self.document.world
        found: set[int] = set()
        for entity in entities:
            if int(entity) not in found and world.alive(entity):
                found.add(int(entity))
                found.update(int(e) for e in descendants(world, entity))
        return found

    def selected_subtree(self) -> frozenset[int]:
        """Return the selection and everything below it, kept while neither changed."""
        world = self.document.world
        chosen = tuple(self.document.selection)
        key = (id(world), chosen, world.version(Parent), world.version(Name))
        if self._selected is None or self._selected[0] != key:
            self._selected = (key, frozenset(self.subtree(chosen)))
        return self._selected[1]

    def pick(self, x: float, y: float) -> int:
        found = self.pick_all(x, y)
        return found[0] if found else 0

    def pick_all(self, x: float, y: float) -> list[int]:
        return self._picture.pick_all(x * self.scale, y * self.scale)

    def pick_rect(self, x0: float, y0: float, x1: float, y1: float) -> set[int]:
        return self._picture.pick_rect(*(v * self.scale for v in (x0, y0, x1, y1)))

    def _mesh_point(self, x: float, y: float) -> Vector | None:
        hit = self.raycaster().cast(self.frame().ray(x, y))
        return hit.point if hit is not None else None

"""In which order blended surfaces are drawn.

From the farthest to the nearest by where they stand, each over what is behind it. Those that run
into each other have no such order: they are drawn together, weighted by depth instead of sorted,
and take the place of their middle in the order of the others. The faces of one mesh are drawn in
the mesh's own order, those of a two-sided one that stands alone back before front.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.render.batches import Batch
from engine.render.camera import Camera
from engine.render.draw_list import DrawList
from engine.render.materials import MaterialTable
from engine.render.overlaps import Boxes, overlap_groups
from engine.render.scene_buffers import SceneBuffers

MOST_WEIGHTED = 4
"""A weighted part of the order costs passes of its own; the nearest ones join before it is more."""

Int = NDArray[np.int64]


class BlendPart(NamedTuple):
    """A part of the order: its draws, and what a weighted one spans in depth (None: sorted)."""

    draws: DrawList
    depths: tuple[float, float] | None = None


class BlendedDraws:
    """The draws of a scene's blended surfaces, back to front.

    Parameters
    ----------
    device
        The wgpu device.
    buffers
        Of the scene.
    materials
        Where its ids lead.
    """

    def __init__(self, device: Any, buffers: SceneBuffers, materials: MaterialTable) -> None:
        self._device = device
        self._buffers = buffers
        self._materials = materials
        self._lists: list[DrawList] = []
        self._stamp = (-1, -1)
        self._looked_at: tuple[Any, ...] | None = None
        self._groups: Int = np.zeros(0, np.int64)
        self._boxes = Boxes(np.zeros((0, 3)), np.zeros((0, 3, 3)))
        self.parts: tuple[BlendPart, ...] = ()

    def order(
        self, world_from_local: NDArray[np.float32], rows: Int, seen: Int, camera: Camera
    ) -> None:
        """Order what a camera sees.

        Parameters
        ----------
        world_from_local
            (n, 4, 4) matrices of all instances.
        rows
            Those that blend.
        seen
            Those of them in view.
        camera
            Where from.
        """
        if not len(seen):
            self.parts = ()
            return
        self._find_groups(world_from_local[rows], rows)
        at = np.searchsorted(rows, seen)
        origins = world_from_local[seen, :3, 3]
        depths = (origins - camera.position) @ camera.forward
        parts = _parts(depths, self._groups[at])
        while len(self._lists) < len(parts):
            self._lists.append(DrawList(self._device, "blended"))
        made = []
        for draws, (chosen, weighted) in zip(self._lists, parts, strict=False):
            if weighted:
                made.append(self._weighted(draws, seen[chosen], at[chosen], camera))
            else:
                draws.set(seen[chosen], self.runs(seen[chosen]))
                made.append(BlendPart(draws))
        self.parts = tuple(made)

    def runs(self, ordered: Int) -> list[Batch]:
        """Runs of equal keys; two-sided ones apart, as each draws its back before its front."""
        batches: list[Batch] = []
        for batch in self._buffers.keys.runs(ordered):
            material = self._materials.get(batch.material)
            if material is not None and material.double_sided:
                singles = range(batch.first, batch.first + batch.instances)
                batches += [batch._replace(first=k, instances=1) for k in singles]
            else:
                batches.append(batch)
        return batches

    def destroy(self) -> None:
        """Give the memory back."""
        for draws in self._lists:
            draws.destroy()

    def _weighted(self, draws: DrawList, rows: Int, at: Int, camera: Camera) -> BlendPart:
        ordered = self._buffers.keys.sorted_rows(np.sort(rows))
        draws.set(ordered, self._buffers.keys.runs(ordered))
        middle = (self._boxes.centers[at] - camera.position) @ camera.forward
        reach = np.abs(self._boxes.halves[at] @ camera.forward).sum(axis=1)
        return BlendPart(draws, (float((middle - reach).min()), float((middle + reach).max())))

    def _find_groups(self, matrices: NDArray[np.float32], rows: Int) -> None:
        """Look again who overlaps whom, if any of them moved."""
        stamp = (self._buffers.content, self._buffers.batching)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        bounds = self._buffers.bounds
        look: tuple[NDArray[Any], ...] = (rows, matrices, bounds.centers[rows], bounds.radii[rows])
        batching = np.array(self._buffers.batching)
        if self._looked_at is not None and all(
            np.array_equal(now, before, equal_nan=True)
            for now, before in zip((*look, batching), self._looked_at, strict=True)
        ):
            return
        self._looked_at = (*look, batching)
        with np.errstate(invalid="ignore"):
            boxes = Boxes.of_meshes(matrices, *self._buffers.local_boxes(rows))
        labels = overlap_groups(boxes)
        crowds = np.bincount(labels, minlength=len(labels)) > 1
        self._groups = np.where(crowds[labels], labels, -1)
        self._boxes = boxes


def _parts(depths: NDArray[np.floating[Any]], groups: Int) -> list[tuple[Int, bool]]:
    """Positions of one part after the other, and whether it is weighted.

    `groups` is -1 where a surface stands alone.
    """
    places = depths.astype(np.float64)
    grouped = groups >= 0
    if not grouped.any():
        return [(np.argsort(-places, kind="stable"), False)]
    sums = np.bincount(groups[grouped], places[grouped])
    counts = np.bincount(groups[grouped])
    places[grouped] = (sums / np.maximum(counts, 1))[groups[grouped]]
    # Members of a group share a place; two groups at one place are told apart by their label.
    ordered = np.lexsort((groups, -places))
    weighted = grouped[ordered]
    cuts = np.flatnonzero(weighted[1:] != weighted[:-1]) + 1
    parts = [(part, bool(grouped[part[0]])) for part in np.split(ordered, cuts)]
    while sum(is_weighted for _, is_weighted in parts) > MOST_WEIGHTED:
        parts = _joined(parts)
    return parts


def _joined(parts: list[tuple[Int, bool]]) -> list[tuple[Int, bool]]:
    """Join the two weighted parts that have the fewest surfaces between them, with these."""
    between = [k for k in range(1, len(parts) - 1) if not parts[k][1]]
    k = min(between, key=lambda number: len(parts[number][0]))
    joined = np.concatenate([parts[k - 1][0], parts[k][0], parts[k + 1][0]])
    return [*parts[: k - 1], (joined, True), *parts[k + 2 :]]

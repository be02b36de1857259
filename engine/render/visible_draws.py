"""The part of a draw list that a view sees, each instance in the level of detail it needs there.

What is drawn with what is recorded once, with counts read from a buffer; a camera that moves only
writes those counts and the order of rows. Without indirect draws that start at an instance (an
adapter's feature) the draws are recorded anew whenever the counts differ.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.batches import Batch
from engine.render.bounds import InstanceBounds
from engine.render.draw_list import DrawEncoder, DrawList
from engine.render.meshes import MeshTable
from engine.render.pipelines import PassStyle
from engine.render.scene_buffers import GrowingBuffer

ARGUMENTS = np.dtype(
    [
        ("index_count", "<u4"),
        ("instances", "<u4"),
        ("first_index", "<u4"),
        ("base_vertex", "<i4"),
        ("first", "<u4"),
    ]
)
LEVEL_SHIFT = 28
"""An entry of the order holds the row, and above it the level, for the view that colours it."""


class View(NamedTuple):
    """What a pass looks through.

    Parameters
    ----------
    clip_from_world
        (4, 4) float.
    eye
        (3,) where it stands; None for a parallel projection.
    pixels
        Height in pixels of one metre at a distance of one metre, or of any metre in parallel.
    tolerance
        Pixels that a simpler level may be off; 0 draws full detail.
    """

    clip_from_world: NDArray[Any]
    eye: NDArray[np.float32] | None
    pixels: float
    tolerance: float = 1.0


class VisibleDraws(DrawList):
    """A draw list that can be narrowed to a view; after `set` it holds everything."""

    def __init__(self, device: Any, label: str, meshes: MeshTable) -> None:
        super().__init__(device, label)
        self._meshes = meshes
        self._indirect = "indirect-first-instance" in device.features
        usage = wgpu.BufferUsage.INDIRECT
        self._arguments_buffer = GrowingBuffer(device, f"{label} draws", usage)
        self._rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._slots: list[tuple[Batch, int, int]] = []
        self._slot_of: NDArray[np.int32] = np.zeros(0, np.int32)
        self._arguments: NDArray[Any] = np.zeros(0, ARGUMENTS)
        # Indices of each slot that make triangles.
        self._corners: NDArray[np.int64] = np.zeros(0, np.int64)
        self._levelled = False
        self._seen: tuple[Any, ...] | None = None
        self._scratch = _Scratch(0)
        self._counts_version = 0
        self.instances = 0

    def set(self, rows: NDArray[np.int64], batches: Sequence[Batch]) -> None:
        """Take rows in draw order and their batches; all of them are seen until `see`."""
        self._seen = None
        self._rows = rows
        if len(rows) != len(self._scratch.kept):
            self._scratch = _Scratch(len(rows))
        self._lay_out(batches)
        # Levels may differ though the batches are equal, so that the draws are recorded anew.
        self.batches = batches
        self.version += 1
        self._write(rows, np.bincount(self._slot_of, minlength=len(self._arguments)))

    def see(self, bounds: InstanceBounds, view: View, stamp: Any) -> None:
        """Keep what a view sees; nothing is done for the stamp and view of the last call."""
        seen = (stamp, view.clip_from_world.tobytes(), view.pixels, view.tolerance)
        if seen == self._seen or not len(self._rows):
            return
        self._seen = seen
        scratch, rows = self._scratch, self._rows
        visible = np.take(bounds.inside(view.clip_from_world), rows, out=scratch.visible)
        count = int(np.count_nonzero(visible))
        kept = np.compress(visible, rows, out=scratch.kept[:count])
        slots = np.compress(visible, self._slot_of, out=scratch.slots[:count])
        if self._levelled and view.tolerance > 0.0:
            levels = self._levels(bounds, kept, view)
            slots = slots + levels
            order = np.argsort(slots, kind="stable")
            kept = kept[order] | (levels[order].astype(np.int64) << LEVEL_SHIFT)
        self._write(kept, np.bincount(slots, minlength=len(self._arguments)))

    def _lay_out(self, batches: Sequence[Batch]) -> None:
        """One slot per batch and level, in the order of the rows."""
        arguments: list[tuple[int, int, int, int, int]] = []
        slots: dict[int, tuple[Batch, int, int]] = {}
        firsts, counts, corners = [], [], []
        self._levelled = False
        for batch in sorted(batches, key=_first):
            mesh = self._meshes.get(batch.mesh)
            assert mesh is not None
            slots[batch.first] = (batch, len(arguments), len(mesh.levels))
            self._levelled = self._levelled or len(mesh.levels) > 1
            firsts.append(len(arguments))
            counts.append(batch.instances)
            start = mesh.first_index
            arguments += [(x.index_count, 0, start + x.first_index, 0, 0) for x in mesh.levels]
            solid = mesh.topology != "lines"
            corners += [x.index_count if solid else 0 for x in mesh.levels]
        self._slots = [slots[batch.first] for batch in batches]
        self._slot_of = np.repeat(np.array(firsts, np.int32), counts)
        self._arguments = np.array(arguments, ARGUMENTS)
        self._corners = np.array(corners, np.int64)

    def _levels(
        self, bounds: InstanceBounds, rows: NDArray[np.int64], view: View
    ) -> NDArray[np.int32]:
        """(n,) simplest level of each row that is off by less than the tolerance."""
        allowed = view.tolerance / (view.pixels * np.maximum(bounds.stretches[rows], 1e-12))
        if view.eye is not None:
            offset = bounds.centers[rows] - view.eye
            distance = np.sqrt(np.einsum("ni,ni->n", offset, offset)) - bounds.radii[rows]
            allowed *= np.maximum(distance, 1e-3)
        mesh = bounds.meshes[rows]
        levels: NDArray[np.int32] = np.zeros(len(rows), np.int32)
        for errors in self._meshes.level_errors.T:
            levels += errors[mesh] <= allowed
        return levels

    def _write(self, rows: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        self.instances = len(rows)
        self.triangles = 0
        if not len(self._arguments):
            return
        scratch = self._scratch.order[: len(rows)]
        np.copyto(scratch, rows, casting="unsafe")
        self.generation += self._order.reserve(4 * len(self._rows))
        self._order.write(scratch)
        arguments = self._arguments
        if np.array_equal(arguments["instances"], counts):
            self.triangles = self._count_triangles()
            return
        arguments["instances"] = counts
        arguments["first"][1:] = np.cumsum(counts)[:-1]
        self._counts_version += 1
        if self._arguments_buffer.store(arguments):
            self.version += 1
        self.triangles = self._count_triangles()

    def _count_triangles(self) -> int:
        return int(self._corners @ self._arguments["instances"]) // 3

    def _stamp(self) -> Any:
        return self.version if self._indirect else (self.version, self._counts_version)

    def _draws(
        self,
        target: Any,
        style: PassStyle,
        encoder: DrawEncoder,
        two_sided: Sequence[bool] | None,
    ) -> None:
        buffer, size = self._arguments_buffer.buffer, ARGUMENTS.itemsize
        for batch, first, levels in self._slots:
            if not encoder.bind(target, style, batch):
                continue
            for slot in range(first, first + levels):
                if self._indirect:
                    target.draw_indexed_indirect(buffer, slot * size)
                elif count := int(self._arguments["instances"][slot]):
                    indices, _, first_index, _, at = self._arguments[slot].tolist()
                    target.draw_indexed(indices, count, first_index, 0, at)

    def destroy(self) -> None:
        super().destroy()
        self._arguments_buffer.destroy()


class _Scratch:
    """Arrays that a view is worked out in, kept so that a moving camera allocates little."""

    def __init__(self, count: int) -> None:
        self.visible: NDArray[np.bool_] = np.empty(count, np.bool_)
        self.kept: NDArray[np.int64] = np.empty(count, np.int64)
        self.slots: NDArray[np.int32] = np.empty(count, np.int32)
        self.order: NDArray[np.uint32] = np.empty(count, np.uint32)


def _first(batch: Batch) -> int:
    return batch.first

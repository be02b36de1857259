"""`LocalBoxes`: how large an asset or a shape is around its own origin.

A box is that of every vertex, posed as at rest, which takes a second for a million of them: a
worker measures what is not small.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf import GltfAsset
from engine.assets.library import AssetLibrary
from engine.assets.shapes import SHAPES, shape_mesh

Box = tuple[NDArray[np.float64], NDArray[np.float64]]

SHAPE, ASSET = "shape:", "asset:"
_SMALL = 4000


class LocalBoxes:
    """Boxes by key: `SHAPE` and a kind, or `ASSET` and a path relative to the project.

    Parameters
    ----------
    library : callable
        Returns the assets of the project.
    """

    def __init__(self, library: Callable[[], AssetLibrary]) -> None:
        self._library = library
        self._known: dict[str, tuple[int, Box | None]] = {}
        self._measuring: dict[str, tuple[int, Future[Box | None]]] = {}
        self._pool: ThreadPoolExecutor | None = None

    @property
    def is_measuring(self) -> bool:
        """Whether a box is on its way."""
        return bool(self._measuring)

    def start_over(self) -> None:
        """Forget all; another project may be open."""
        self._known.clear()
        self._measuring.clear()

    def close(self) -> None:
        """Let the worker go."""
        self._measuring.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def get(self, key: str) -> Box | None:
        """Return a box; None where it isn't known yet or there is none."""
        if key.startswith(SHAPE):
            if key not in self._known:
                self._known[key] = 0, _shape_box(key.removeprefix(SHAPE))
            return self._known[key][1]
        entry = self._library().get(key.removeprefix(ASSET))
        known = self._known.get(key)
        if known is not None and known[0] == entry.version:
            return known[1]
        if entry.asset is None:
            return None
        if _vertex_count(entry.asset) <= _SMALL:
            self._known[key] = entry.version, _asset_box(entry.asset)
            return self._known[key][1]
        if self._measuring.get(key, (-1,))[0] != entry.version:
            self._pool = self._pool or ThreadPoolExecutor(1, thread_name_prefix="boxes")
            self._measuring[key] = entry.version, self._pool.submit(_asset_box, entry.asset)
        return None

    def take(self, *, wait: bool) -> set[str]:
        """Take in what the worker measured; return the keys that are known now."""
        done = {k for k, (_, job) in self._measuring.items() if wait or job.done()}
        for key in done:
            version, job = self._measuring.pop(key)
            self._known[key] = version, job.result()
        return done


def _shape_box(kind: str) -> Box:
    points = shape_mesh(kind if kind in SHAPES else "box").positions.astype(np.float64)
    return points.min(0), points.max(0)


def _asset_box(asset: GltfAsset) -> Box | None:
    bounds = asset.world_bounds(posed=True)
    low, high = np.asarray(bounds.min, np.float64), np.asarray(bounds.max, np.float64)
    return (low, high) if np.isfinite(low).all() and np.isfinite(high).all() else None


def _vertex_count(asset: GltfAsset) -> int:
    return sum(part.mesh.vertex_count for mesh in asset.meshes for part in mesh.primitives)

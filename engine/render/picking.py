"""Which entity is at a pixel, behind it, or in a rectangle: exact, drawn on demand.

Candidates come from bounding spheres; only those are drawn, each with the window of clip space
that the question is about blown up to the whole target. For one pixel every candidate draws into
a texel of its own and the depths are compared on the CPU, which gives everything under the
cursor, nearest first, in one pass.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.render.frame_block import Block, pixel_window
from engine.render.pipelines import DEPTH_FORMAT, ID_FORMAT, PassStyle
from engine.render.scene import RenderScene
from engine.render.scene_state import GpuContext, SceneState
from engine.render.targets import Readback, TargetPool

_STYLE = PassStyle("ids", ID_FORMAT)
_TILE_COLUMNS = 64
_TILE_ROWS = 8192
_SIZE_STEP = 64
_ID_BYTES = 8

Int = NDArray[np.int64]


class Picker:
    """Answers picking questions about one scene at a time.

    Parameters
    ----------
    gpu
        What scenes share.
    """

    def __init__(self, gpu: GpuContext) -> None:
        self._gpu = gpu
        self._targets = TargetPool(gpu.device)
        self._readback = Readback(gpu.device)

    def rows_at(
        self, scene: RenderScene, state: SceneState, block: Block, x: float, y: float
    ) -> Int:
        """Rows of the instances at the centre of a pixel, nearest first."""
        clip = self._aim(state, block, (x, y, x + 1.0, y + 1.0))
        rows = self._candidates(scene, state, clip)[: _TILE_COLUMNS * _TILE_ROWS]
        if not len(rows):
            return rows
        depths = self._depths(state, rows)
        hit = np.flatnonzero(depths > 0.0)
        return rows[hit[np.argsort(-depths[hit], kind="stable")]]

    def rows_in(
        self, scene: RenderScene, state: SceneState, block: Block, area: tuple[int, int, int, int]
    ) -> Int:
        """Rows of the instances that are seen in a rectangle of pixels (x0, y0, x1, y1)."""
        clip = self._aim(state, block, area)
        rows = self._candidates(scene, state, clip)
        if not len(rows):
            return rows
        width, height = area[2] - area[0], area[3] - area[1]
        seen = np.unique(self._ids(state, rows, width, height))
        return seen[seen > 0].astype(np.int64) - 1

    def _aim(self, state: SceneState, block: Block, area: tuple[float, ...]) -> Block:
        """Point the pick pass at a rectangle of the picture; returns its clip matrix."""
        width, height = block["viewport"].tolist()
        x0, y0, x1, y1 = area
        aimed = block.copy()
        window = pixel_window(x0, y0, x1, y1, width, height)
        aimed["clip_from_world"] = window @ block["clip_from_world"].astype(np.float64)
        aimed["viewport"] = x1 - x0, y1 - y0
        state.pick_frame.write(aimed)
        return aimed["clip_from_world"].copy()

    def _candidates(self, scene: RenderScene, state: SceneState, clip: Block) -> Int:
        rows = state.buffers.bounds.touching(clip)
        pickable = scene.instances.columns().entity[rows] != 0
        pickable &= state.buffers.keys.keys[rows] >= 0
        candidates: Int = rows[pickable]
        return candidates

    def _depths(self, state: SceneState, rows: Int) -> NDArray[np.float32]:
        """(n,) depth of each row at the pixel, 0 where it isn't there."""
        width = min(len(rows), _TILE_COLUMNS)
        height = math.ceil(len(rows) / _TILE_COLUMNS)
        keys = state.buffers.keys
        batches = [b._replace(first=k) for k, b in enumerate(_singles(keys.runs(rows)))]
        state.picked.set(rows, batches)
        targets = self._pick_targets(width, height)
        encoder = self._gpu.device.create_command_encoder()
        render_pass = _begin(encoder, targets)
        draws = self._gpu.encoder
        draws.begin(render_pass, state.pick_frame.group(state.buffers, state.picked))
        for k, batch in enumerate(batches):
            render_pass.set_viewport(k % _TILE_COLUMNS, k // _TILE_COLUMNS, 1, 1, 0.0, 1.0)
            draws.draw(render_pass, _STYLE, batch)
        render_pass.end()
        found = self._read(encoder, targets, width, height)[: len(rows)]
        return np.where(found[:, 0] > 0, found[:, 1].view(np.float32), np.float32(0.0))

    def _ids(self, state: SceneState, rows: Int, width: int, height: int) -> NDArray[np.uint32]:
        keys = state.buffers.keys
        ordered = keys.sorted_rows(rows)
        batches = keys.runs(ordered)
        state.picked.set(ordered, batches)
        targets = self._pick_targets(width, height)
        encoder = self._gpu.device.create_command_encoder()
        render_pass = _begin(encoder, targets)
        draws = self._gpu.encoder
        draws.begin(render_pass, state.pick_frame.group(state.buffers, state.picked))
        render_pass.set_viewport(0, 0, width, height, 0.0, 1.0)
        for batch in batches:
            draws.draw(render_pass, _STYLE, batch)
        render_pass.end()
        return self._read(encoder, targets, width, height)[:, 0]

    def _pick_targets(self, width: int, height: int) -> "_PickTargets":
        # Rounded up, so that questions of many sizes share a few textures.
        width, height = width + -width % _SIZE_STEP, height + -height % _SIZE_STEP
        ids = self._targets.get("pick ids", width, height, ID_FORMAT)
        return _PickTargets(*ids, self._targets.get("pick depth", width, height, DEPTH_FORMAT)[1])

    def _read(
        self, encoder: Any, targets: "_PickTargets", width: int, height: int
    ) -> NDArray[np.uint32]:
        """(width * height, 2) row plus one and depth bits of each texel."""
        self._readback.encode(encoder, targets.ids, width, height, _ID_BYTES)
        self._gpu.device.queue.submit([encoder.finish()])
        raw = self._readback.read(width, height, _ID_BYTES)
        return np.frombuffer(raw, np.uint32).reshape(-1, 2)


class _PickTargets(NamedTuple):
    ids: Any
    ids_view: Any
    depth_view: Any


def _singles(batches: list[Any]) -> list[Any]:
    return [b._replace(instances=1) for b in batches for _ in range(b.instances)]


def _begin(encoder: Any, targets: _PickTargets) -> Any:
    return encoder.begin_render_pass(
        color_attachments=[
            {
                "view": targets.ids_view,
                "load_op": "clear",
                "store_op": "store",
                "clear_value": (0, 0, 0, 0),
            }
        ],
        depth_stencil_attachment={
            "view": targets.depth_view,
            "depth_load_op": "clear",
            "depth_store_op": "store",
            "depth_clear_value": 0.0,
        },
    )

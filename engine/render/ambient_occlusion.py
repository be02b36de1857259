"""How much of its surroundings each point of a picture sees, from the distances of the picture.

Light from everywhere reaches corners and contacts less. Surfaces are drawn once more at half the
size, as distances only; how far the horizon around each point is hidden gives its share of light,
which is smoothed along surfaces. Surfaces read it where they are lit by the sky and by the ambient
term; lights have shadows instead.

References
----------
Jimenez et al., Practical Realtime Strategies for Accurate Indirect Occlusion, 2016.
"""

from typing import Any

import numpy as np
import wgpu

from engine.render.frame_block import Block
from engine.render.fullscreen import FullscreenPass
from engine.render.pipelines import DEPTH_FORMAT, PassStyle
from engine.render.scene_state import GpuContext, SceneState
from engine.render.targets import TargetPool, half

# The bits of float32, as OpenGL draws into no such format.
DISTANCE_FORMAT = "r32uint"
OCCLUSION_FORMAT = "rg16float"
DISTANCES = PassStyle("distance", DISTANCE_FORMAT)
_BLOCK = np.dtype(
    [
        ("extent", "<f4", 2),
        ("size", "<f4", 2),
        ("radius", "<f4"),
        ("strength", "<f4"),
        ("parallel", "<f4"),
        ("pad", "<f4"),
    ]
)


class OcclusionPainter:
    """Records the passes that find ambient occlusion."""

    def __init__(self, gpu: GpuContext, targets: TargetPool) -> None:
        self._gpu = gpu
        self._targets = targets
        device, use = gpu.device, wgpu.BufferUsage
        self._uniform = device.create_buffer(
            size=_BLOCK.itemsize, usage=use.UNIFORM | use.COPY_DST, label="ambient occlusion"
        )
        store = gpu.pipelines.store
        self._horizon = FullscreenPass(device, store, "horizon.wgsl", OCCLUSION_FORMAT, ("uint",))
        self._smooth = FullscreenPass(
            device, store, "horizon_smooth.wgsl", OCCLUSION_FORMAT, ("unfilterable-float",)
        )
        self._written = b""
        self._groups: tuple[tuple[Any, ...], tuple[Any, ...]] = ((), ())

    def target(self, size: tuple[int, int]) -> Any:
        """View that holds what is found for a picture of a size."""
        return self._targets.get("occlusion", *half(size), OCCLUSION_FORMAT)[1]

    def paint(
        self,
        encoder: Any,
        state: SceneState,
        block: Block,
        look: tuple[float, float],
        size: tuple[int, int],
        opaque_group: Any,
    ) -> None:
        """Write the passes' commands.

        Parameters
        ----------
        look
            Strength, 0 to 1, and reach in metres.
        size
            Of the picture.
        opaque_group
            Frame group of what hides the surroundings.
        """
        small = half(size)
        distances = self._targets.get("distances", *small, DISTANCE_FORMAT)[1]
        self._paint_distances(encoder, state, small, distances, opaque_group)
        self._write(block, look, small)
        found = self.target(size)
        rough = self._targets.get("rough occlusion", *small, OCCLUSION_FORMAT)[1]
        horizon, across, along = self._bound(distances, found, rough)
        self._horizon.fill(encoder, found, horizon)
        for switches, view, group in (
            (frozenset({"ACROSS"}), rough, across),
            (frozenset({"ALONG"}), found, along),
        ):
            color = {"view": view, "load_op": "clear", "store_op": "store"}
            target = encoder.begin_render_pass(color_attachments=[color])
            self._smooth.draw(target, group, switches)
            target.end()

    def _paint_distances(
        self, encoder: Any, state: SceneState, size: tuple[int, int], view: Any, group: Any
    ) -> None:
        target = encoder.begin_render_pass(
            color_attachments=[{"view": view, "load_op": "clear", "store_op": "store"}],
            depth_stencil_attachment={
                "view": self._targets.get("depth", *size, DEPTH_FORMAT)[1],
                "depth_load_op": "clear",
                "depth_store_op": "discard",
                "depth_clear_value": 0.0,
            },
        )
        if state.opaque.batches:
            draw, stamp = self._gpu.encoder, state.buffers.batching
            target.execute_bundles([state.opaque.bundle(DISTANCES, draw, group, stamp=stamp)])
        target.end()

    def _write(self, block: Block, look: tuple[float, float], size: tuple[int, int]) -> None:
        values = np.zeros((), _BLOCK)
        values["extent"], values["size"] = block["view_extent"], size
        values["strength"], values["radius"] = look
        values["parallel"] = block["towards_viewer"].any()
        written = values.tobytes()
        if written != self._written:
            self._written = written
            self._gpu.device.queue.write_buffer(self._uniform, 0, written)

    def _bound(self, distances: Any, found: Any, rough: Any) -> tuple[Any, ...]:
        views = (distances, found, rough)
        if self._groups[0] != views:
            sampler = self._gpu.linear_sampler
            made = (
                self._horizon.group(self._uniform, sampler, distances),
                self._smooth.group(self._uniform, sampler, found),
                self._smooth.group(self._uniform, sampler, rough),
            )
            self._groups = (views, made)
        return self._groups[1]

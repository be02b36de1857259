"""Draws the maps of a `ShadowPlan` into the layers of one depth texture, when they changed.

A layer is drawn anew when a map in it looks from elsewhere, or when a caster that moved was or is
within one: moving a prop at one end of a level leaves the lamps at the other end alone.
"""

from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.bounds import spheres_touch
from engine.render.device import array_layers
from engine.render.frame_block import Block
from engine.render.pipelines import DEPTH_FORMAT, PassStyle
from engine.render.scene_state import GpuContext, SceneState
from engine.render.shadow import SHADOW_SIZE, ShadowPlan, ShadowView, casters_clip
from engine.render.visible_draws import View

VIEW_FLOATS = 24
DEPTHS = PassStyle("depth", None)


class ShadowPainter:
    """Keeps the texture and redraws layers whose contents or views changed."""

    def __init__(self, gpu: GpuContext) -> None:
        self._gpu = gpu
        self._texture: Any = None
        self._layers = 0
        self._views: list[Any] = []
        self._stamps: list[Any] = []
        # Serials of the bounds that layers were last checked against.
        self._serials: list[int] = []
        self.view: Any = None
        self.batches = 0
        self.layers = 0

    def paint(self, encoder: Any, state: SceneState, plan: ShadowPlan, block: Block) -> None:
        """Bring the maps up to date; `view` is the whole texture's from now on."""
        self._reserve(plan.layers)
        self.batches = self.layers = 0
        bounds, drawn = state.buffers.bounds, (state, state.buffers.batching)
        for layer in range(plan.layers):
            numbered = [
                (number, view)
                for number, view in enumerate(plan.views)
                if view is not None and view.layer == layer
            ]
            stamp = (*drawn, tuple(numbered))
            is_current = self._stamps[layer] == stamp
            if is_current and self._serials[layer] != bounds.serial:
                is_current = not self._is_touched(state, self._serials[layer], numbered)
            self._stamps[layer], self._serials[layer] = stamp, bounds.serial
            if not is_current:
                self.layers += 1
                self._paint_layer(encoder, state, layer, numbered, block)

    def _is_touched(
        self, state: SceneState, serial: int, numbered: list[tuple[int, ShadowView]]
    ) -> bool:
        """Whether a caster that moved since a serial was or is within one of the maps."""
        trail = state.buffers.bounds.trail_since(serial)
        if trail is None:
            return True
        casts = state.casts[trail.rows]
        centers, radii = trail.centers[casts], trail.radii[casts]
        return len(radii) > 0 and any(
            spheres_touch(centers, radii, np.array(view.fit.clip_from_world))
            for _, view in numbered
        )

    def destroy(self) -> None:
        """Give the memory back."""
        if self._texture is not None:
            self._texture.destroy()

    def _reserve(self, layers: int) -> None:
        if layers <= self._layers < layers + 4:
            return
        self.destroy()
        use = wgpu.TextureUsage
        self._texture = self._gpu.device.create_texture(
            label="shadows",
            size=(SHADOW_SIZE, SHADOW_SIZE, array_layers(self._gpu.device, layers)),
            format=DEPTH_FORMAT,
            usage=use.TEXTURE_BINDING | use.RENDER_ATTACHMENT,
        )
        self.view = self._texture.create_view(dimension="2d-array")
        self._views = [
            self._texture.create_view(dimension="2d", base_array_layer=k, array_layer_count=1)
            for k in range(layers)
        ]
        self._stamps = [None] * layers
        self._serials = [-1] * layers
        self._layers = layers

    def _paint_layer(
        self,
        encoder: Any,
        state: SceneState,
        layer: int,
        numbered: list[tuple[int, ShadowView]],
        block: Block,
    ) -> None:
        depth = {
            "view": self._views[layer],
            "depth_load_op": "clear",
            "depth_store_op": "store",
            "depth_clear_value": 0.0,
        }
        bundles = [self._bundle(state, number, view, block) for number, view in numbered]
        shadow_pass = encoder.begin_render_pass(
            color_attachments=[], depth_stencil_attachment=depth
        )
        for (_, view), bundle in zip(numbered, bundles, strict=True):
            shadow_pass.set_viewport(view.x, view.y, view.size, view.size, 0.0, 1.0)
            shadow_pass.set_scissor_rect(view.x, view.y, view.size, view.size)
            shadow_pass.execute_bundles([bundle])
        shadow_pass.end()

    def _bundle(self, state: SceneState, number: int, view: ShadowView, block: Block) -> Any:
        lit = block.copy()
        lit["clip_from_world"] = view.fit.clip_from_world
        lit["viewport"] = view.size, view.size
        frame, casters = state.shadow_draws(number)
        frame.write(lit)
        stamp = (state.buffers.content, state.buffers.batching)
        seen = View(casters_clip(view.fit), None, 1.0, 0.0)
        casters.see(state.buffers.bounds, seen, stamp)
        self.batches += len(casters.batches)
        group = frame.group(state.buffers, casters)
        return casters.bundle(DEPTHS, self._gpu.encoder, group, stamp=state.buffers.batching)


def pack_views(plan: ShadowPlan) -> NDArray[np.float32]:
    """(n, 24) float32 rows in the layout of `ShadowView` in `shaders/shadow_lookup.wgsl`."""
    packed = np.zeros((len(plan.views), VIEW_FLOATS), np.float32)
    for row, view in zip(packed, plan.views, strict=True):
        if view is None:
            continue
        row[:16] = np.asarray(view.fit.clip_from_world).ravel()
        row[16:20] = np.array([view.x, view.y, view.size, 0]) / SHADOW_SIZE
        row[19] = view.layer
        row[20:22] = 1.5 * view.fit.texel, float(view.fit.perspective)
    return packed

"""The picture of what lies behind transmitting surfaces, which they read blurred by roughness.

Opaque surfaces and the background in scene-linear light, without exposure and tone mapping, with
mip levels; then the back faces of two-sided glass over it, so that a shell shows its far side.
Drawn only where a scene has such surfaces.
"""

from typing import Any

import numpy as np

from engine.render.backdrop import Backdrop
from engine.render.batches import Batch
from engine.render.mipmaps import MipChain
from engine.render.pipelines import DEPTH_FORMAT, PassStyle
from engine.render.scene import RenderScene
from engine.render.scene_state import FrameReads, GpuContext, SceneState
from engine.render.targets import TargetPool

BEHIND_FORMAT = "rgba16float"


class BehindPainter:
    """Records the passes that make the picture behind."""

    def __init__(self, gpu: GpuContext, targets: TargetPool, backdrop: Backdrop) -> None:
        self._gpu = gpu
        self._targets = targets
        self._backdrop = backdrop
        self._chain: MipChain | None = None

    def paint(
        self,
        encoder: Any,
        scene: RenderScene,
        state: SceneState,
        style: PassStyle,
        size: tuple[int, int],
        reads: FrameReads,
        opaque_group: Any,
    ) -> Any:
        """Write the passes' commands; returns the picture's view."""
        linear = linear_style(style)
        levels = max(size).bit_length()
        texture, view = self._targets.get("behind", *size, BEHIND_FORMAT, levels=levels)
        chain = self._levels(texture, levels)
        main = self._begin(encoder, scene, chain.views[0], size, style.samples, True)
        draw, stamp = self._gpu.encoder, state.buffers.batching
        if state.opaque.batches:
            main.execute_bundles([state.opaque.bundle(linear, draw, opaque_group, stamp=stamp)])
        self._backdrop.draw(main, scene, opaque_group, linear)
        main.end()
        self._gpu.textures.mipmaps.encode(encoder, chain)
        backs = far_sides(self._gpu, state)
        if backs:
            # The far sides read the picture without them, so it is copied first.
            before = reads._replace(behind=self._copy(encoder, texture, size, levels))
            group = state.main_frame.group(state.buffers, state.transmitting, before)
            over = self._begin(encoder, scene, chain.views[0], size, style.samples, False)
            draw.begin(over, group)
            for batch in backs:
                draw.draw(over, linear, batch, "front")
            over.end()
            self._gpu.textures.mipmaps.encode(encoder, chain)
        return view

    def _copy(self, encoder: Any, texture: Any, size: tuple[int, int], levels: int) -> Any:
        """Write the commands that copy all levels of a picture; returns the copy's view."""
        copy, view = self._targets.get("behind backs", *size, BEHIND_FORMAT, levels=levels)
        for level in range(levels):
            extent = (max(size[0] >> level, 1), max(size[1] >> level, 1), 1)
            source = {"texture": texture, "mip_level": level}
            encoder.copy_texture_to_texture(source, {"texture": copy, "mip_level": level}, extent)
        return view

    def _levels(self, texture: Any, levels: int) -> MipChain:
        mipmaps, kept = self._gpu.textures.mipmaps, self._chain
        if kept is None or kept.texture is not texture or not mipmaps.is_current(kept):
            kept = self._chain = mipmaps.chain(texture, levels)
        return kept

    def _begin(
        self,
        encoder: Any,
        scene: RenderScene,
        view: Any,
        size: tuple[int, int],
        samples: int,
        first: bool,
    ) -> Any:
        """A pass into the top level; `first` clears, and the samples stay for a second one."""
        load = "clear" if first else "load"
        color: dict[str, Any] = {
            "view": view,
            "load_op": load,
            "store_op": "store",
            "clear_value": (*(float(c) for c in np.asarray(scene.background)[:3]), 1.0),
        }
        if samples > 1:
            color["resolve_target"] = color["view"]
            color["view"] = self._targets.get("behind", *size, BEHIND_FORMAT, samples)[1]
        depth = {
            "view": self._targets.get("behind depth", *size, DEPTH_FORMAT, samples)[1],
            "depth_load_op": load,
            "depth_store_op": "store",
            "depth_clear_value": 0.0,
        }
        return encoder.begin_render_pass(color_attachments=[color], depth_stencil_attachment=depth)


def far_sides(gpu: GpuContext, state: SceneState) -> list[Batch]:
    """What is seen through itself: glass with two sides."""
    found = ((batch, gpu.materials.get(batch.material)) for batch in state.transmitting.batches)
    return [batch for batch, material in found if material is not None and material.double_sided]


def linear_style(style: PassStyle) -> PassStyle:
    """The style of surfaces in the picture behind: as they are lit, not as they are shown."""
    switches = {s for s in style.switches if not s.startswith("TONEMAP_")} - {"COMPRESSED"}
    return PassStyle(
        "surface",
        BEHIND_FORMAT,
        style.samples,
        frozenset(switches | {"TONEMAP_NONE", "SCENE_LINEAR"}),
    )

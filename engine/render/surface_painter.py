"""Draws the surfaces of a picture and what is drawn between them.

In order: what is seen through glass, where there is any; opaque surfaces, the background, glass,
the grid, blended surfaces, overlays. Blended surfaces that have no order among each other are
summed up beside the picture and laid over it as one.
"""

from typing import Any, NamedTuple

import numpy as np

from engine.render.ambient_occlusion import OcclusionPainter
from engine.render.backdrop import Backdrop
from engine.render.behind import BehindPainter
from engine.render.blended_draws import BlendPart
from engine.render.bloom import BloomPainter, light_style
from engine.render.canvas import CLEAR, Canvas
from engine.render.frame_block import Block
from engine.render.pipelines import LAYER_FORMATS, OVERDRAW, WEIGHTED, PassStyle
from engine.render.scene import RenderScene
from engine.render.scene_state import FrameReads, GpuContext, SceneState
from engine.render.screen_passes import OverlayBuffers, ScreenPasses
from engine.render.targets import TargetPool

# What layers are summed up in: its name, its format, and what it starts from.
_LAYERS = (
    ("layers", LAYER_FORMATS[0], (0.0, 0.0, 0.0, 1.0)),
    ("weights", LAYER_FORMATS[1], CLEAR),
)


class Shot(NamedTuple):
    """One picture on its way: what it shows, how, and how large.

    `occlusion` is strength and reach of ambient occlusion, None without; `bloom` is its strength.
    """

    scene: RenderScene
    state: SceneState
    style: PassStyle
    size: tuple[int, int]
    block: Block
    reads: FrameReads
    occlusion: tuple[float, float] | None = None
    bloom: float = 0.0


class SurfacePainter:
    """Records the passes that draw surfaces.

    Parameters
    ----------
    gpu
        What scenes share.
    targets
        Where intermediate textures come from.
    screen, backdrop
        Draw what has no mesh.
    """

    def __init__(
        self, gpu: GpuContext, targets: TargetPool, screen: ScreenPasses, backdrop: Backdrop
    ) -> None:
        self._gpu = gpu
        self._targets = targets
        self._screen = screen
        self._backdrop = backdrop
        self._behind = BehindPainter(gpu, targets, backdrop)
        self._occlusion = OcclusionPainter(gpu, targets)
        self._bloom = BloomPainter(gpu, targets)
        self._overlay = OverlayBuffers(gpu.device)

    def paint(self, encoder: Any, shot: Shot, view: Any) -> None:
        """Write the passes' commands."""
        scene, state, style, size = shot.scene, shot.state, shot.style, shot.size
        self._overlay.update(scene.overlay)
        group = self._opaque_group(shot)
        if shot.occlusion is not None:
            self._occlusion.paint(encoder, state, shot.block, shot.occlusion, size, group)
        keep_depth = len(state.selected_rows) > 0
        background = (*(float(c) for c in np.asarray(scene.background)[:3]), 1.0)
        if OVERDRAW in style.switches:
            background = (0.0, 0.0, 0.0, 1.0)
        assert style.color_format is not None
        canvas = Canvas(self._targets, view, style.color_format, size, style.samples, background)
        if shot.bloom > 0.0:
            self._paint_light(encoder, shot, group)
            canvas.has_depth = True
            target = canvas.begin(encoder, True, keep_depth)
            self._backdrop.draw_under_light(target, scene, group, style)
            self._bloom.show(target, style)
        else:
            target = self._paint_surfaces(encoder, shot, canvas, group, keep_depth)
        self._draw_overlays(target, shot, group)
        target.end()

    def _paint_light(self, encoder: Any, shot: Shot, group: Any) -> None:
        """Draw the surfaces as light, and let what is bright spread."""
        style = light_style(shot.style)
        assert style.color_format is not None
        light = self._bloom.light(shot.size)
        canvas = Canvas(self._targets, light, style.color_format, shot.size, style.samples)
        self._paint_surfaces(encoder, shot._replace(style=style), canvas, group, True).end()
        self._bloom.spread(encoder, shot.size, shot.bloom, shot.style)

    def _paint_surfaces(
        self, encoder: Any, shot: Shot, canvas: Canvas, group: Any, keep_depth: bool
    ) -> Any:
        """Draw the surfaces; the pass of the last of them is still under way."""
        state, style = shot.state, shot.style
        weighted = sum(is_weighted(part, style) for part in state.blended.parts)
        behind = self._paint_behind(encoder, shot, group)
        target = canvas.begin(encoder, not weighted, keep_depth)
        self._draw_solid(target, shot, group, behind)
        for number, part in enumerate(state.blended.parts):
            if is_weighted(part, style):
                target.end()
                self._sum_up(encoder, shot, part, number, canvas)
                weighted -= 1
                target = canvas.begin(encoder, not weighted, keep_depth)
                self._lay_over(target, shot)
            else:
                self._draw_sorted(target, shot, part)
        return target

    def _opaque_group(self, shot: Shot) -> Any:
        state, reads = shot.state, shot.reads
        if shot.occlusion is not None:
            reads = reads._replace(occlusion=self._occlusion.target(shot.size))
        return state.main_frame.group(state.buffers, state.opaque, reads)

    def _paint_behind(self, encoder: Any, shot: Shot, group: Any) -> Any:
        scene, state, style, size, _, reads, *_ = shot
        if not state.transmitting.batches or style.kind != "surface":
            return None
        return self._behind.paint(encoder, scene, state, style, size, reads, group)

    def _draw_solid(self, target: Any, shot: Shot, group: Any, behind: Any) -> None:
        """Opaque surfaces, the background, glass, the grid."""
        scene, state, style = shot.scene, shot.state, shot.style
        draw, stamp = self._gpu.encoder, state.buffers.batching
        if state.opaque.batches:
            target.execute_bundles([state.opaque.bundle(style, draw, group, stamp=stamp)])
        is_counting = OVERDRAW in style.switches
        if not is_counting:
            self._backdrop.draw(target, scene, group, style)
        if state.transmitting.batches:
            reads = shot.reads._replace(behind=behind)
            glass = state.main_frame.group(state.buffers, state.transmitting, reads)
            sides = state.two_sided(state.transmitting)
            target.execute_bundles([state.transmitting.bundle(style, draw, glass, sides, stamp)])
        if scene.grid and not is_counting:
            self._screen.draw_grid(target, group, style)

    def _draw_sorted(self, target: Any, shot: Shot, part: BlendPart) -> None:
        state, draws = shot.state, part.draws
        group = state.main_frame.group(state.buffers, draws, shot.reads)
        target.execute_bundles(
            [
                draws.bundle(
                    shot.style,
                    self._gpu.encoder,
                    group,
                    state.two_sided(draws),
                    state.buffers.batching,
                )
            ]
        )

    def _sum_up(
        self, encoder: Any, shot: Shot, part: BlendPart, number: int, canvas: Canvas
    ) -> None:
        """Sum up the layers of a weighted part, as far as nothing solid hides them."""
        state, style = shot.state, shot.style
        assert part.depths is not None
        nearest, farthest = part.depths
        block = shot.block.copy()
        block["layers_near"] = nearest
        block["layers_depth"] = max(farthest - nearest, 1e-6)
        frame = state.part_frame(number)
        frame.write(block)
        # Stored again though nothing writes it: recorded draws don't suit a depth to be read only.
        depth = {"view": canvas.depth_view, "depth_load_op": "load", "depth_store_op": "store"}
        target = encoder.begin_render_pass(
            color_attachments=self._layer_attachments(shot), depth_stencil_attachment=depth
        )
        summing = style._replace(switches=style.switches | {WEIGHTED})
        group = frame.group(state.buffers, part.draws, shot.reads)
        stamp = state.buffers.batching
        target.execute_bundles([part.draws.bundle(summing, self._gpu.encoder, group, stamp=stamp)])
        target.end()

    def _layer_attachments(self, shot: Shot) -> list[dict[str, Any]]:
        colors = []
        samples = shot.style.samples
        for target, view in zip(_LAYERS, self._layer_views(shot.size), strict=True):
            name, texture_format, clear = target
            color = {"view": view, "load_op": "clear", "store_op": "store", "clear_value": clear}
            if samples > 1:
                many = self._targets.get(name, *shot.size, texture_format, samples)[1]
                color |= {"view": many, "resolve_target": view, "store_op": "discard"}
            colors.append(color)
        return colors

    def _layer_views(self, size: tuple[int, int]) -> list[Any]:
        return [self._targets.get(name, *size, kind)[1] for name, kind, _ in _LAYERS]

    def _lay_over(self, target: Any, shot: Shot) -> None:
        color_format, samples = shot.style.color_format, shot.style.samples
        assert color_format is not None
        layers, weights = self._layer_views(shot.size)
        self._screen.draw_layers(target, layers, weights, color_format, samples)

    def _draw_overlays(self, target: Any, shot: Shot, group: Any) -> None:
        if shot.scene.overlay is None:
            return
        color_format, samples = shot.style.color_format, shot.style.samples
        assert color_format is not None
        for on_top in (False, True):
            self._screen.draw_overlay(target, group, self._overlay, on_top, color_format, samples)


def is_weighted(part: BlendPart, style: PassStyle) -> bool:
    """Whether layers are summed up; what shows how things are made keeps them apart."""
    shows_light = style.kind == "surface" and "VIEW_NORMALS" not in style.switches
    return part.depths is not None and shows_light and not style.wireframe

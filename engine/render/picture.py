"""Draws one scene into one target.

The passes in order: shadow maps, surfaces and what is drawn between them, the outline.
"""

from time import perf_counter
from typing import Any

import numpy as np

from engine.render.backdrop import Backdrop
from engine.render.bloom import light_style
from engine.render.camera import Camera
from engine.render.columns import LightArrays
from engine.render.device import is_opengl
from engine.render.frame_block import Block, frame_block
from engine.render.pipelines import DEPTH_FORMAT, SILHOUETTE_FORMAT, PassStyle
from engine.render.pipelines_ahead import PictureStyles, draws_stamp, make_pipelines
from engine.render.residency import Residency
from engine.render.scene import RenderScene, SkyGradient
from engine.render.scene_state import FrameReads, GpuContext, SceneState
from engine.render.screen_passes import ScreenPasses
from engine.render.settings import INSPECTED, RenderSettings
from engine.render.shadow import CASCADES, DIRECTIONAL, ShadowPlan, plan_shadows
from engine.render.shadow_painter import ShadowPainter, pack_views
from engine.render.stats import RenderStats
from engine.render.surface_painter import Shot, SurfacePainter
from engine.render.targets import TargetPool
from engine.render.visible_draws import View

_OUTLINE_WIDTH = 2.0
"""Logical pixels."""


class PicturePainter:
    """Records the passes of a picture.

    Parameters
    ----------
    gpu
        What scenes share.
    targets
        Where intermediate textures come from.
    depth_layouts
        Bind group layouts of the scene's depth by sample count.
    """

    def __init__(self, gpu: GpuContext, targets: TargetPool, depth_layouts: dict[int, Any]) -> None:
        self._gpu = gpu
        self._targets = targets
        self._depth_layouts = depth_layouts
        self._screen = ScreenPasses(gpu.device, gpu.frame_layout, gpu.pipelines.store)
        self._backdrop = Backdrop(gpu, self._screen)
        self._surfaces = SurfacePainter(gpu, targets, self._screen, self._backdrop)
        # OpenGL has no way to read single depths; there the outline doesn't dim where it is hidden.
        self._opengl = is_opengl(gpu.device)
        self._depth_switch: frozenset[str] = frozenset(() if self._opengl else {"SCENE_DEPTH"})
        self._depth_group: tuple[Any, Any] | None = None
        self._shadows = ShadowPainter(gpu)
        self._complete: tuple[Any, ...] = ()
        self._residency = Residency(gpu.textures, gpu.materials, gpu.meshes)
        self.stats = RenderStats()

    @property
    def is_unfinished(self) -> bool:
        """Whether another picture of a streaming view would show more."""
        return self._residency.pending or self._backdrop.pending

    # A file may hold infinite or missing numbers: such things are not seen, and no warning.
    @np.errstate(all="ignore")
    def paint(
        self,
        encoder: Any,
        scene: RenderScene,
        state: SceneState,
        settings: RenderSettings,
        view: Any,
        color_format: str,
        size: tuple[int, int],
    ) -> Block:
        """Write a picture's commands; returns the frame block it was drawn with."""
        started = perf_counter()
        self._targets.begin_picture()
        block, seen = self._follow(scene, state, settings, size)
        self._residency.follow(scene, state.buffers, seen, settings)
        updated = perf_counter()
        _set_grid(block, scene)
        plan = self._shadow_plan(scene, state, settings)
        reads = self._paint_shadows(encoder, state, plan, block)
        reads = reads._replace(
            reflections=self._backdrop.prepare(scene, block, not settings.streaming)
        )
        state.main_frame.write(block)
        occlusion = _occlusion_look(scene, settings)
        style = _surface_style(scene, settings, plan, occlusion, color_format)
        shot = Shot(
            scene, state, style, size, block, reads, occlusion, _bloom_strength(scene, settings)
        )
        self._surfaces.paint(encoder, shot, view)
        if len(state.selected_rows):
            self._paint_outline(encoder, state, style, settings, view, size, block)
        self._note(state, updated - started, perf_counter() - updated)
        return block

    @np.errstate(all="ignore")
    def make_pipeline(
        self,
        scene: RenderScene,
        state: SceneState,
        settings: RenderSettings,
        color_format: str,
        size: tuple[int, int],
    ) -> bool:
        """Make one pipeline that a picture needs; returns whether there was one to make."""
        self._follow(scene, state, settings, size)
        plan = self._shadow_plan(scene, state, settings)
        occlusion = _occlusion_look(scene, settings)
        style = _surface_style(scene, settings, plan, occlusion, color_format)
        marks = self._mark_style(style) if len(state.selected_rows) else None
        surfaces = light_style(style) if _bloom_strength(scene, settings) else style
        styles = PictureStyles(surfaces, plan is not None, occlusion is not None, marks)
        stamp = self._gpu.encoder.rebinds, settings.pixel_ratio, draws_stamp(state, styles)
        if stamp == self._complete:
            return False
        store = self._gpu.pipelines.store
        known = len(store)
        if marks is not None:
            self._screen.outline_pipeline(color_format, _outline_width(settings))
            if len(store) > known:
                return True
        for _ in make_pipelines(self._gpu, state, styles):
            if len(store) > known:
                return True
        self._complete = stamp
        return False

    def _follow(
        self,
        scene: RenderScene,
        state: SceneState,
        settings: RenderSettings,
        size: tuple[int, int],
    ) -> tuple[Block, View]:
        """Bring a scene's state up to date; returns its frame block and what its camera sees."""
        state.update(scene)
        block = frame_block(scene, *size)
        block["line_scale"] = max(settings.pixel_ratio, 1.0)
        seen = camera_view(scene.camera, block, settings.lod_pixels)
        state.see(seen)
        state.sort_blended(scene)
        return block, seen

    def _note(self, state: SceneState, update: float, encode: float) -> None:
        stats = self.stats
        sorted_lists = (*(part.draws for part in state.blended.parts), state.transmitting)
        sorted_batches = [batch for draws in sorted_lists for batch in draws.batches]
        stats.batches = len(state.opaque.batches) + len(sorted_batches)
        stats.instances = state.opaque.instances + sum(b.instances for b in sorted_batches)
        stats.triangles = state.opaque.triangles + sum(draws.triangles for draws in sorted_lists)
        stats.update_ms, stats.encode_ms = update * 1e3, encode * 1e3
        stats.uploaded_bytes = state.buffers.uploaded_bytes
        stats.pipelines = len(self._gpu.pipelines.store)
        stats.mesh_bytes = self._gpu.meshes.used_bytes
        stats.texture_bytes = self._gpu.textures.used_bytes
        stats.whole_texture_bytes = self._gpu.textures.whole_bytes

    def _shadow_plan(
        self, scene: RenderScene, state: SceneState, settings: RenderSettings
    ) -> ShadowPlan | None:
        if not settings.shadows or settings.mode != "lit" or not len(state.caster_rows):
            return None
        lights: LightArrays = scene.lights.columns()
        return plan_shadows(lights, *state.buffers.drawn_sphere(), scene.camera)

    def _paint_shadows(
        self, encoder: Any, state: SceneState, plan: ShadowPlan | None, block: Block
    ) -> FrameReads:
        self.stats.shadow_batches = 0
        if plan is None:
            return FrameReads()
        block["cascades"] = plan.cascades
        self._shadows.paint(encoder, state, plan, block)
        self.stats.shadow_batches = self._shadows.batches
        state.shadow_views.store(pack_views(plan))
        return FrameReads(self._shadows.view, state.shadow_views.buffer)

    def _paint_outline(
        self,
        encoder: Any,
        state: SceneState,
        style: PassStyle,
        settings: RenderSettings,
        view: Any,
        size: tuple[int, int],
        block: Block,
    ) -> None:
        width = _outline_width(settings)
        scissor = _outline_area(state, block, size, width + 2.0)
        if scissor is None:
            return
        samples = self._depth_samples(style)
        depth_view = self._targets.get("depth", *size, DEPTH_FORMAT, samples)[1]
        marks = self._targets.get("silhouette", *size, SILHOUETTE_FORMAT)[1]
        group = state.main_frame.group(state.buffers, state.selected)
        mark_style = self._mark_style(style)
        color = {"view": marks, "load_op": "clear", "store_op": "store", "clear_value": (0,) * 4}
        mark = encoder.begin_render_pass(color_attachments=[color])
        mark.set_scissor_rect(*scissor)
        mark.set_bind_group(3, self._depth_binding(depth_view, samples))
        draw = self._gpu.encoder
        draw.begin(mark, group)
        for batch in state.selected.batches:
            draw.draw(mark, mark_style, batch)
        mark.end()
        over = {"view": view, "load_op": "load", "store_op": "store"}
        outline = encoder.begin_render_pass(color_attachments=[over])
        outline.set_scissor_rect(*scissor)
        assert style.color_format is not None
        self._screen.draw_outline(outline, marks, style.color_format, width)
        outline.end()

    def _depth_samples(self, style: PassStyle) -> int:
        """Of the depth that silhouettes read; bound, though not read, where single ones can't be.

        There the samples of a picture can't be bound.
        """
        return 1 if self._opengl else style.samples

    def _mark_style(self, style: PassStyle) -> PassStyle:
        many = frozenset({"MULTISAMPLED"} if self._depth_samples(style) > 1 else ())
        return PassStyle("silhouette", SILHOUETTE_FORMAT, 1, many | self._depth_switch)

    def _depth_binding(self, view: Any, samples: int) -> Any:
        if self._depth_group is None or self._depth_group[0] is not view:
            made = self._gpu.device.create_bind_group(
                layout=self._depth_layouts[samples], entries=[{"binding": 0, "resource": view}]
            )
            self._depth_group = (view, made)
        return self._depth_group[1]

    def present(self, encoder: Any, picture_view: Any, view: Any, color_format: str) -> None:
        """Copy a finished picture into a target that doesn't encode sRGB."""
        color = {"view": view, "load_op": "clear", "store_op": "store"}
        present = encoder.begin_render_pass(color_attachments=[color])
        self._screen.draw_present(present, picture_view, color_format)
        present.end()


def camera_view(camera: Camera, block: Block, tolerance: float) -> View:
    """What a camera's pass looks through."""
    height = float(block["viewport"][1])
    focal = float(camera.clip_from_view(1.0)[1, 1])
    eye = None if camera.ortho_height else camera.position
    return View(block["clip_from_world"], eye, 0.5 * height * focal, tolerance)


def _surface_style(
    scene: RenderScene,
    settings: RenderSettings,
    plan: ShadowPlan | None,
    occlusion: tuple[float, float] | None,
    color_format: str,
) -> PassStyle:
    if settings.mode in INSPECTED:
        switch = f"VIEW_{settings.mode.upper()}"
        return PassStyle("inspect", color_format, settings.msaa, frozenset({switch}))
    switches = {f"TONEMAP_{(settings.tonemap or scene.tonemap).upper()}"}
    if plan is not None:
        switches |= _shadow_switches(plan)
    has_image = not isinstance(scene.environment, SkyGradient | None)
    if settings.ibl and (has_image or scene.sky == "gradient"):
        switches |= {"SKY_LIGHT", "ENVIRONMENT"} if has_image else {"SKY_LIGHT"}
    # Told apart because software adapters pay dearly for loops and branches.
    sun = bool((scene.lights.columns().kind == DIRECTIONAL).any())
    if sun:
        switches.add("SUN")
    if len(scene.lights) > sun:
        switches.add("MORE_LIGHTS")
    if settings.mode == "normals":
        switches.add("VIEW_NORMALS")
    elif settings.mode in ("unlit", "wireframe"):
        switches.add("UNLIT")
    if occlusion is not None:
        switches.add("OCCLUDED")
    wireframe = settings.mode == "wireframe"
    return PassStyle("surface", color_format, settings.msaa, frozenset(switches), wireframe)


def _occlusion_look(scene: RenderScene, settings: RenderSettings) -> tuple[float, float] | None:
    """Strength and reach of ambient occlusion, None where there is none."""
    strength = scene.occlusion if settings.occlusion is None else settings.occlusion
    if settings.mode != "lit" or not strength > 0.0 or not scene.occlusion_radius > 0.0:
        return None
    return min(strength, 1.0), scene.occlusion_radius


def _bloom_strength(scene: RenderScene, settings: RenderSettings) -> float:
    """How much of bright light spreads, 0 where none does."""
    strength = scene.bloom if settings.bloom is None else settings.bloom
    return min(strength, 1.0) if settings.mode == "lit" and strength > 0.0 else 0.0


def _shadow_switches(plan: ShadowPlan) -> set[str]:
    """Shadows of the sun, of several maps of it, of other lights: who has none pays nothing."""
    switches = {"SHADOW_MAPS"}
    if plan.cascades:
        switches.add("SHADOWS")
    if plan.cascades > 1:
        switches.add("CASCADES")
    if len(plan.views) > CASCADES:
        switches.add("LOCAL_SHADOWS")
    return switches


def _set_grid(block: Block, scene: RenderScene) -> None:
    """Lines a metre apart near the ground, and ten times wider with every tenfold height."""
    camera = scene.camera
    height = camera.ortho_height or 2.0 * abs(float(camera.position[1]))
    step = 10.0 ** max(np.floor(np.log10(max(height, 1e-3) / 6.0)), -2.0)
    block["grid_step"] = step
    block["grid_extent"] = 1e9 if camera.ortho_height else max(60.0 * step, 30.0 * height)


def _outline_width(settings: RenderSettings) -> float:
    """Pixels."""
    return _OUTLINE_WIDTH * max(settings.pixel_ratio, 1.0)


def _outline_area(
    state: SceneState, block: Block, size: tuple[int, int], margin: float
) -> tuple[int, int, int, int] | None:
    """Rectangle of pixels (x, y, width, height) around what is selected, None when off screen."""
    width, height = size
    bounds = state.buffers.bounds
    centers = bounds.centers[state.selected_rows].astype(np.float64)
    radii = bounds.radii[state.selected_rows].astype(np.float64)
    if not np.isfinite(radii).all() or not np.isfinite(centers).all():
        return 0, 0, width, height
    corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    points = (centers[:, None] + corners * radii[:, None, None]).reshape(-1, 3)
    clip = np.column_stack([points, np.ones(len(points))]) @ block["clip_from_world"].T
    if (clip[:, 3] <= 1e-6).any():
        return 0, 0, width, height
    ndc = clip[:, :2] / clip[:, 3:]
    lo, hi = ndc.min(axis=0), ndc.max(axis=0)
    x0, x1 = (np.array([lo[0], hi[0]]) * 0.5 + 0.5) * width
    y0, y1 = (0.5 - np.array([hi[1], lo[1]]) * 0.5) * height
    left = int(np.clip(x0 - margin, 0, width))
    top = int(np.clip(y0 - margin, 0, height))
    right = int(np.clip(x1 + margin + 1, 0, width))
    bottom = int(np.clip(y1 + margin + 1, 0, height))
    if right <= left or bottom <= top:
        return None
    return left, top, right - left, bottom - top

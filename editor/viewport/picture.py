"""The level as an image: one renderer, opened on first use, and the scene that the app fills.

A picture is drawn to an array and shown by Qt like any image: the same way on a software adapter,
under a remote display and without one, and no window system can lose its surface. Drawing happens
only when asked to.
"""

import logging
import pathlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editor.tools.projection import ViewFrame
from editor.viewport.geometry import GeometryStore
from engine.app import App, FrameStats
from engine.assets.library import AssetEntry
from engine.errors import DeviceLostError, EngineError
from engine.render.device import NoAdapterError, adapter_names, request_device
from engine.render.framing import NEAR
from engine.render.mesh_streams import Levels, MeshStreams
from engine.render.renderer import Renderer
from engine.render.scene import Camera, OverlayBatch, RenderScene
from engine.render.settings import DisplayMode, RenderSettings
from engine.render.stats import RenderStats

log = logging.getLogger(__name__)
Pixels = NDArray[np.uint8]


class RememberingRenderer(Renderer):
    """A renderer whose meshes can be asked for their triangles."""

    def __init__(self, device: Any = None, shaders: pathlib.Path | None = None) -> None:
        super().__init__(device, shaders)
        self.geometry = GeometryStore()

    def add_mesh(
        self, mesh: Any, lods: Levels | None = None, prepared: MeshStreams | None = None
    ) -> int:
        found = super().add_mesh(mesh, lods, prepared)
        self.geometry.add(found, mesh)
        return found

    def replace_mesh(
        self,
        mesh: int,
        data: Any,
        lods: Levels | None = None,
        prepared: MeshStreams | None = None,
    ) -> None:
        super().replace_mesh(mesh, data, lods, prepared)
        self.geometry.add(mesh, data)

    def remove_mesh(self, mesh: int) -> None:
        super().remove_mesh(mesh)
        self.geometry.remove(mesh)


@dataclass(frozen=True)
class PictureReport:
    """What the last picture showed, and the time of the last one that compiled no shaders.

    The parts of the time: following the scene, recording commands, waiting for the pixels; and what
    the GPU says it took, 0 where it has no clock or was not asked.
    """

    triangles: int = 0
    draws: int = 0
    milliseconds: float = 0.0
    update_ms: float = 0.0
    encode_ms: float = 0.0
    wait_ms: float = 0.0
    gpu_ms: float = 0.0
    instances: int = 0
    texture_bytes: int = 0
    whole_texture_bytes: int = 0
    app_phases: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(
        cls, stats: RenderStats, milliseconds: float, app_phases: tuple[tuple[str, float], ...]
    ) -> "PictureReport":
        """Return what a renderer's figures say of a picture that took so long."""
        return cls(
            triangles=stats.triangles,
            draws=stats.batches,
            milliseconds=milliseconds,
            update_ms=stats.update_ms,
            encode_ms=stats.encode_ms,
            wait_ms=stats.wait_ms,
            gpu_ms=stats.gpu_ms,
            instances=stats.instances,
            texture_bytes=stats.texture_bytes,
            whole_texture_bytes=stats.whole_texture_bytes,
            app_phases=app_phases,
        )

    def phases(self) -> dict[str, float]:
        """Return the parts of the frame in their order, milliseconds."""
        drawing = {"Upload": self.update_ms, "Record": self.encode_ms, "Wait": self.wait_ms}
        return {**dict(self.app_phases), **drawing}


class Picture:
    """Draws the open level.

    Parameters
    ----------
    app : App
    renderer : RememberingRenderer, optional
        One to share; without it one is opened at the first request.

    Attributes
    ----------
    error : str
        Why there is no picture; empty while there is one.
    details : str
        What the system says of it, for a report.
    adapter : str
        Name of the adapter to open a renderer on; empty takes the best.
    losses : int
        How often the graphics device was lost and made anew.
    timing : bool
        Ask the GPU for its time.
    texture_budget : int
        Bytes that textures should stay within.
    app_phases : tuple of (str, float)
        What the app did before the next picture, for its report.
    report : PictureReport
    """

    def __init__(self, app: App, renderer: RememberingRenderer | None = None) -> None:
        self._app = app
        self.error = ""
        self.details = ""
        self.adapter = ""
        self.losses = 0
        self.timing = False
        self.texture_budget = RenderSettings.texture_budget
        self.app_phases: tuple[tuple[str, float], ...] = ()
        self.report = PictureReport()
        self._renderer = renderer
        if renderer is not None:
            app.attach(renderer)
        self._drawn: tuple[ViewFrame, int, int] | None = None
        self._is_last = False

    @property
    def scene(self) -> RenderScene:
        return self._app.scene

    def entry_of(self, path: pathlib.Path) -> AssetEntry | None:
        """Return the entry of a file that the level uses or used, None for others."""
        return self._app.assets.entry_of(path)

    @property
    def renderer(self) -> RememberingRenderer | None:
        """The renderer, opened at the first request; None when there is no adapter."""
        if self._renderer is None and not self.error:
            try:
                self._renderer = RememberingRenderer(request_device(self.adapter))
            except EngineError as problem:
                self.error = str(problem)
                self.details = problem.details if isinstance(problem, NoAdapterError) else ""
                log.warning("%s\n%s", self.error, self.details)
                return None
            self._app.attach(self._renderer)
        return self._renderer

    def use_adapter(self, name: str) -> None:
        """Draw with another adapter from now on; the present one stays if that cannot be.

        Raises
        ------
        EngineError
            The adapter gives no device.
        """
        self.adapter = name
        if self._renderer is None and not self.error:
            return
        renderer = RememberingRenderer(request_device(name))
        self.error = self.details = ""
        self._renderer = renderer
        self._app.attach(renderer)
        self._drawn = None

    @staticmethod
    def adapters() -> list[str]:
        """Return the names that `adapter` can take; none where wgpu finds no driver."""
        try:
            return adapter_names()
        except (RuntimeError, OSError) as problem:
            log.warning("cannot list adapters: %s", problem)
            return []

    @property
    def is_unfinished(self) -> bool:
        """Whether drawing again would show more, as levels of textures come in."""
        return self._renderer is not None and self._is_last and self._renderer.is_unfinished

    @property
    def is_open(self) -> bool:
        """Whether a renderer is there already."""
        return self._renderer is not None

    @property
    def geometry(self) -> GeometryStore:
        renderer = self.renderer
        return renderer.geometry if renderer is not None else GeometryStore()

    def draw(
        self,
        view: ViewFrame,
        width: int,
        height: int,
        mode: DisplayMode = "lit",
        overlay: OverlayBatch | None = None,
        grid: bool = True,
        selected: NDArray[np.int64] | None = None,
        pixel_ratio: float = 1.0,
    ) -> Pixels | None:
        """Draw the scene as the app's last frame left it.

        Parameters
        ----------
        view : ViewFrame
        width, height : int
            Physical pixels.
        mode : DisplayMode
            How surfaces are drawn.
        overlay, grid, selected
            What is drawn besides the level.
        pixel_ratio : float
            Physical pixels per logical one, for the width of lines.

        Returns
        -------
        (height, width, 4) uint8 or None
            None when there is no adapter.
        """
        try:
            return self._draw(view, width, height, mode, overlay, grid, selected, pixel_ratio)
        except DeviceLostError as problem:
            log.warning("%s; making another renderer", problem)
            self._recover()
        # A device that is lost again at once is told, as any other failure.
        return self._draw(view, width, height, mode, overlay, grid, selected, pixel_ratio)

    def advance(self, seconds: float) -> FrameStats:
        """Have the app take its next frame; a device that is lost meanwhile is made anew."""
        try:
            return self._app.frame(seconds)
        except DeviceLostError as problem:
            log.warning("%s; making another renderer", problem)
            self._recover()
        return self._app.frame(0.0)

    def _recover(self) -> None:
        """Open another renderer and upload everything to it; without one, do without."""
        self.losses += 1
        self._renderer = None
        if self.renderer is None:
            self._app.attach(None)
        else:
            self._app.frame(0.0)

    def _draw(
        self,
        view: ViewFrame,
        width: int,
        height: int,
        mode: DisplayMode,
        overlay: OverlayBatch | None,
        grid: bool,
        selected: NDArray[np.int64] | None,
        pixel_ratio: float,
    ) -> Pixels | None:
        renderer = self.renderer
        if renderer is None:
            return None
        started, pipelines = time.perf_counter(), renderer.stats.pipelines
        scene = self._set_up(renderer, view, mode, selected, pixel_ratio)
        scene.grid, scene.overlay = grid, overlay
        pixels = renderer.snapshot(scene, width, height)
        spent = (time.perf_counter() - started) * 1000
        if renderer.stats.pipelines != pipelines:
            # Making pipelines says nothing of the pictures to come.
            spent = self.report.milliseconds
        self.report = PictureReport.of(renderer.stats, spent, self.app_phases)
        self._drawn = (view, width, height)
        self._is_last = True
        return pixels

    def prepare(
        self,
        view: ViewFrame,
        width: int,
        height: int,
        mode: DisplayMode = "lit",
        selected: NDArray[np.int64] | None = None,
        pixel_ratio: float = 1.0,
    ) -> bool:
        """Do a part of what `draw` would have to do first; returns whether there was any.

        Raises
        ------
        EngineError
            A shader is broken, or the device is lost; `draw` tells of it as well.
        """
        if self._renderer is None:
            return False
        scene = self._set_up(self._renderer, view, mode, selected, pixel_ratio)
        return self._renderer.prepare_snapshot(scene, width, height)

    def _set_up(
        self,
        renderer: RememberingRenderer,
        view: ViewFrame,
        mode: DisplayMode,
        selected: NDArray[np.int64] | None,
        pixel_ratio: float,
    ) -> RenderScene:
        scene = self._app.scene
        scene.camera = render_camera(view)
        scene.selected = selected if selected is not None else ()
        renderer.settings = replace(
            renderer.settings,
            mode=mode,
            timing=self.timing,
            pixel_ratio=pixel_ratio,
            # On the CPU it takes twice the time of a whole picture.
            anisotropy=1 if renderer.software else None,
            texture_budget=self.texture_budget,
            streaming=True,
        )
        return scene

    def draw_still(self, view: ViewFrame, width: int, height: int) -> Pixels | None:
        """Draw the level alone, lit, for a picture to keep; picking stays with the last `draw`."""
        scene = self._app.scene
        scene.camera = render_camera(view)
        scene.grid, scene.overlay, scene.selected = False, None, ()
        return self.draw_other(scene, width, height)

    def glimpse(self, camera: Camera, width: int, height: int) -> Pixels | None:
        """Draw the level from another camera, lit; picking stays with the last `draw`."""
        renderer = self.renderer
        if renderer is None:
            return None
        before = renderer.settings
        renderer.settings = replace(before, mode="lit", timing=False, streaming=False)
        try:
            return renderer.glimpse(self._app.scene, camera, width, height)
        finally:
            renderer.settings = before

    def draw_other(self, scene: RenderScene, width: int, height: int) -> Pixels | None:
        """Draw another scene with the same renderer, as thumbnails do."""
        renderer = self.renderer
        if renderer is None:
            return None
        self._is_last = False
        with _settings_of_others(renderer):
            return renderer.snapshot(scene, width, height)

    def prepare_other(self, scene: RenderScene, width: int, height: int) -> bool:
        """Do a part of what `draw_other` would have to do; returns whether there was any."""
        if self._renderer is None:
            return False
        with _settings_of_others(self._renderer):
            return self._renderer.prepare_snapshot(scene, width, height)

    def pick_all(self, x: float, y: float) -> list[int]:
        """Return the entities at a physical pixel of the last picture, nearest first."""
        renderer = self._ready_to_pick()
        try:
            return renderer.pick_all(x, y) if renderer is not None else []
        except DeviceLostError:
            # The next frame makes another renderer.
            return []

    def pick_rect(self, x0: float, y0: float, x1: float, y1: float) -> set[int]:
        """Return the entities seen in a rectangle of the last picture, physical pixels."""
        renderer = self._ready_to_pick()
        try:
            return renderer.pick_rect(x0, y0, x1, y1) if renderer is not None else set()
        except DeviceLostError:
            return set()

    def close(self) -> None:
        """Take the renderer from the app; nothing is drawn any more."""
        if self._renderer is not None:
            if self._app.renderer is self._renderer:
                self._app.attach(None)
            self._renderer = None
        self.error = self.error or "The viewport is closed."

    def _ready_to_pick(self) -> RememberingRenderer | None:
        """Picking asks about the last picture; make it ours again if another one came between."""
        if self._renderer is None or self._drawn is None:
            return None
        if not self._is_last:
            view, width, height = self._drawn
            self._app.scene.camera = render_camera(view)
            self._renderer.snapshot(self._app.scene, width, height)
            self._is_last = True
        return self._renderer


@contextmanager
def _settings_of_others(renderer: Renderer) -> Iterator[None]:
    """Draw another scene than the level's, with what holds for all of them."""
    before = renderer.settings
    renderer.settings = RenderSettings(
        anisotropy=before.anisotropy, texture_budget=before.texture_budget
    )
    try:
        yield
    finally:
        renderer.settings = before


def render_camera(view: ViewFrame) -> Camera:
    """Return the renderer's camera for a view."""
    placement = np.eye(4, dtype=np.float32)
    placement[:3, 0], placement[:3, 1] = view.right, view.up
    placement[:3, 2], placement[:3, 3] = -view.forward, view.eye
    return Camera(
        placement,
        fov_y=2 * float(np.arctan(view.tan_half_y)),
        near=NEAR,
        ortho_height=None if view.half_height is None else 2 * view.half_height,
    )

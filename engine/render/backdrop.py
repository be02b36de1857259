"""What surrounds a scene: its environment image or its gradient sky, as light and as background."""

from typing import Any

import numpy as np

from engine.render.environment import EnvironmentTable, GpuEnvironment
from engine.render.frame_block import Block
from engine.render.pipelines import PassStyle
from engine.render.scene import RenderScene, SkyGradient
from engine.render.scene_state import GpuContext
from engine.render.screen_passes import ScreenPasses


class Backdrop:
    """Keeps environments and draws what is seen of them."""

    def __init__(self, gpu: GpuContext, screen: ScreenPasses) -> None:
        self._screen = screen
        self._environments = EnvironmentTable(gpu.device, gpu.pipelines.store)
        self._current: GpuEnvironment | None = None

    @property
    def pending(self) -> bool:
        """Whether another environment is being made for a view that streams."""
        return self._environments.pending

    def prepare(self, scene: RenderScene, block: Block, patient: bool = True) -> Any:
        """Take a scene's surroundings; returns the view of their reflections, None without.

        Unless `patient`, the surroundings before stay until the new ones are made.
        """
        image = scene.environment
        if image is None or isinstance(image, SkyGradient):
            self._current = None
            return None
        self._current = self._environments.get(image, patient)
        tint = np.asarray(scene.environment_tint, np.float32)
        shown = image if self._current is None else self._current.image
        block["irradiance"] = shown.irradiance
        block["irradiance"][:, :3] *= tint
        block["reflection_tint"] = tint
        return None if self._current is None else self._current.cube_view

    def draw(self, target: Any, scene: RenderScene, frame_group: Any, style: PassStyle) -> None:
        """Fill what is still empty, unless the sky is plain or what light is laid over later."""
        if scene.sky != "gradient":
            return
        assert style.color_format is not None
        if self._current is not None and scene.backdrop is None:
            panorama = self._environments.panorama(self._current)
            self._screen.draw_backdrop(target, frame_group, panorama, style)
        elif "COMPRESSED" not in style.switches:
            self._screen.draw_sky(target, frame_group, style.color_format, style.samples)

    def draw_under_light(
        self, target: Any, scene: RenderScene, frame_group: Any, style: PassStyle
    ) -> None:
        """Fill everything with what is shown as it is, over which light is laid."""
        if scene.sky == "gradient" and (self._current is None or scene.backdrop is not None):
            assert style.color_format is not None
            self._screen.draw_sky(target, frame_group, style.color_format, style.samples, True)

"""What surrounds a scene: its environment image or its gradient sky, as light and as background."""

from typing import Any

from engine.render.environment import EnvironmentTable, GpuEnvironment
from engine.render.frame_block import Block
from engine.render.pipelines import PassStyle
from engine.render.scene import EnvironmentMap, RenderScene
from engine.render.scene_state import GpuContext
from engine.render.screen_passes import ScreenPasses


class Backdrop:
    """Keeps environments and draws what is seen of them."""

    def __init__(self, gpu: GpuContext, screen: ScreenPasses) -> None:
        self._screen = screen
        self._environments = EnvironmentTable(gpu.device, gpu.textures.mipmaps, gpu.pipelines.store)
        self._current: GpuEnvironment | None = None

    def prepare(self, scene: RenderScene, block: Block) -> Any:
        """Take a scene's surroundings; returns the view of their reflections, None without."""
        if not isinstance(scene.environment, EnvironmentMap):
            self._current = None
            return None
        self._current = self._environments.get(scene.environment)
        block["irradiance"] = self._current.irradiance
        return self._current.cube_view

    def draw(self, target: Any, scene: RenderScene, frame_group: Any, style: PassStyle) -> None:
        """Fill what is still empty, unless the sky is plain."""
        if scene.sky != "gradient":
            return
        assert style.color_format is not None
        if self._current is None:
            self._screen.draw_sky(target, frame_group, style.color_format, style.samples)
            return
        panorama = (self._current.panorama_view, self._environments.sampler)
        self._screen.draw_backdrop(target, frame_group, panorama, style)

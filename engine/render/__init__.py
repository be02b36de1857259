"""The renderer's front door: plain-array scenes, and a `Renderer` that loads wgpu on first use.

Code inside `engine` imports `engine.render.scene` and never this package, so that describing a
picture needs no GPU library; `Renderer` is resolved by PEP 562 when somebody asks for it.
"""

from typing import TYPE_CHECKING, Any

from engine.render.camera import Camera
from engine.render.columns import LightKind, RenderInstance, RenderLight
from engine.render.scene import OverlayBatch, RenderScene
from engine.render.settings import RenderSettings

if TYPE_CHECKING:
    from engine.render.renderer import Renderer

__all__ = [
    "Camera",
    "LightKind",
    "OverlayBatch",
    "RenderInstance",
    "RenderLight",
    "RenderScene",
    "RenderSettings",
    "Renderer",
]


def __getattr__(name: str) -> Any:
    if name == "Renderer":
        from engine.render.renderer import Renderer

        return Renderer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

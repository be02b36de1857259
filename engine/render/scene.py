"""What a picture shows, as plain arrays: no entities, no files, no GPU.

A `RenderScene` is filled by a bridge or by hand and drawn by any number of renderers; each
follows its changes by version numbers, so drawing never marks the scene.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.render.camera import Camera
from engine.render.columns import (
    LIGHT_KINDS,
    InstanceArrays,
    InstanceColumns,
    InstanceView,
    LightArrays,
    LightColumns,
    LightKind,
    LightView,
    RenderInstance,
    RenderLight,
)
from engine.render.environment_map import EnvironmentMap, PrefilteredMap
from engine.render.growable import GrowableArray
from engine.render.settings import RenderSettings, Tonemap

__all__ = [
    "LIGHT_KINDS",
    "Camera",
    "EnvironmentMap",
    "GrowableArray",
    "InstanceArrays",
    "InstanceColumns",
    "InstanceView",
    "LightArrays",
    "LightColumns",
    "LightKind",
    "LightView",
    "OverlayBatch",
    "PrefilteredMap",
    "RenderInstance",
    "RenderLight",
    "RenderScene",
    "RenderSettings",
    "SkyGradient",
]

LinearRgb = tuple[float, float, float]


@dataclass(frozen=True)
class SkyGradient:
    """Radiance of a sky that depends on height only, linear RGB.

    `backdrop` is the share of it that is shown behind the scene: a picture reads better before a
    calm, dark ground than before the bright dome that lights it.
    """

    zenith: LinearRgb = (0.22, 0.25, 0.30)
    horizon: LinearRgb = (0.38, 0.39, 0.40)
    ground: LinearRgb = (0.12, 0.115, 0.11)
    backdrop: LinearRgb = (0.040, 0.047, 0.066)


class OverlayBatch:
    """Coloured lines and triangles that are drawn over the scene: gizmos, light and camera shapes.

    Colours are linear RGBA in 0..1, not tone mapped. Each addition is either hidden by nearer
    surfaces (`on_top` False) or drawn over everything.
    """

    def __init__(self) -> None:
        self._parts: dict[
            tuple[str, bool], list[tuple[NDArray[np.float32], NDArray[np.float32]]]
        ] = {}
        self.version = 0

    def lines(
        self, points: ArrayLike, colors: ArrayLike, on_top: bool = False, width: float = 1.0
    ) -> None:
        """Add line segments.

        Parameters
        ----------
        points
            (2 n, 3) world positions, two per segment.
        colors
            (4,), or (2 n, 4) one per point.
        on_top
            Draw over everything.
        width
            Pixels.
        """
        self._add("lines", points, colors, on_top, width)

    def triangles(self, points: ArrayLike, colors: ArrayLike, on_top: bool = False) -> None:
        """Add triangles: (3 n, 3) world positions, colours (4,) or (3 n, 4)."""
        self._add("triangles", points, colors, on_top, 1.0)

    def clear(self) -> None:
        """Remove everything."""
        self._parts.clear()
        self.version += 1

    def vertices(self, topology: str, on_top: bool) -> NDArray[np.float32]:
        """(n, 8) float32: position, width in pixels, colour, in the order added."""
        parts = self._parts.get((topology, on_top), [])
        return (
            np.concatenate([np.hstack(part) for part in parts])
            if parts
            else np.zeros((0, 8), np.float32)
        )

    def _add(
        self, topology: str, points: ArrayLike, colors: ArrayLike, on_top: bool, width: float
    ) -> None:
        positions = np.asarray(points, np.float32).reshape(-1, 3)
        with_width = np.column_stack([positions, np.full(len(positions), width, np.float32)])
        rgba = np.broadcast_to(np.asarray(colors, np.float32), (len(positions), 4))
        self._parts.setdefault((topology, on_top), []).append((with_width, rgba))
        self.version += 1


@dataclass(eq=False)
class RenderScene:
    """Instances, lights and the look of one picture.

    Parameters
    ----------
    camera
        Where it is taken from.
    ambient
        Linear RGB irradiance, the same from everywhere.
    background
        Linear RGB behind everything when `sky` is "plain"; shown as it is, without exposure or
        tone mapping.
    environment
        The gradient that a "gradient" sky shows, None is a neutral one; or an image, which lights
        the scene under any sky.
    environment_tint
        Linear RGB factor on the light of an environment image.
    backdrop
        Shown by a "gradient" sky in place of an environment image; None shows the image.
    exposure
        Factor on the light before tone mapping.
    tonemap
        "none", "neutral" or "agx".
    sky
        "plain" shows `background`; "gradient" shows `environment` and lights the scene by it, where
        the renderer's `ibl` is on.
    occlusion, occlusion_radius
        How much corners and contacts lose of the light from everywhere, 0 to 1, and how far what
        is there reaches, metres.
    bloom
        How much of bright light spreads around it, 0 to 1.
    selected
        Entities to outline.
    grid
        Draw a fading ground grid with coloured axes.
    overlay
        Lines and triangles over the picture.
    """

    camera: Camera
    ambient: ArrayLike = (0.0, 0.0, 0.0)
    background: ArrayLike = (0.18, 0.18, 0.20)
    environment: SkyGradient | EnvironmentMap | PrefilteredMap | None = None
    environment_tint: LinearRgb = (1.0, 1.0, 1.0)
    backdrop: SkyGradient | None = None
    exposure: float = 1.0
    tonemap: Tonemap = "agx"
    sky: str = "plain"
    occlusion: float = 0.0
    occlusion_radius: float = 0.5
    bloom: float = 0.0
    selected: Collection[int] | NDArray[np.int64] = ()
    grid: bool = False
    overlay: OverlayBatch | None = None
    instances: InstanceColumns = field(default_factory=InstanceColumns, init=False)
    lights: LightColumns = field(default_factory=LightColumns, init=False)
    joints: GrowableArray = field(default_factory=lambda: GrowableArray((4, 4)), init=False)

    @property
    def morph_weights(self) -> GrowableArray:
        """Flat float32 weights; instances hold an offset and a count into it."""
        return self.instances.morph_weights

    def clear(self) -> None:
        """Remove instances, lights, joints and morph weights; the look stays."""
        self.instances.clear()
        self.lights.clear()
        self.joints.clear()

    def add(self, instances: Iterable[RenderInstance]) -> None:
        """Append several instances."""
        for instance in instances:
            self.instances.append(instance)

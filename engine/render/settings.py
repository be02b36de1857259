"""How a renderer draws, apart from what it draws: quality switches that belong to the viewer."""

from dataclasses import dataclass
from typing import Literal, get_args

from engine.errors import EngineError

Tonemap = Literal["none", "neutral", "agx"]
DisplayMode = Literal["lit", "unlit", "wireframe", "normals", "tangents", "uv", "overdraw", "lod"]

TONEMAPS: tuple[Tonemap, ...] = ("none", "neutral", "agx")
DISPLAY_MODES: tuple[DisplayMode, ...] = get_args(DisplayMode)
INSPECTED: frozenset[DisplayMode] = frozenset({"tangents", "uv", "overdraw", "lod"})
"""Modes that show what a surface is made of, in colours of their own."""


@dataclass(frozen=True)
class RenderSettings:
    """Quality switches of a `Renderer`.

    Parameters
    ----------
    tonemap
        Overrides the scene's tone mapping; None takes the scene's.
    msaa
        Samples per pixel, 1 or 4.
    shadows
        Draw shadows of directional lights that ask for them.
    ibl
        Light the scene by its sky, beside its lights and its ambient term.
    mode
        "lit", or a view for inspection: "unlit" (base colour), "wireframe", "normals", "tangents"
        (black where a mesh has none), "uv" (a checker of eighths), "overdraw" (brighter the more
        often a pixel is drawn), "lod" (a colour per level of detail).
    lod_pixels
        How far a simpler level of a mesh may be off on the screen; 0 draws full detail.
    anisotropy
        How many texels of a mipmapped texture a pixel may average along the direction in which it
        is foreshortened, 1 to 16; textures that are sampled with "nearest" anywhere are left alone.
        None is 16, and 1 where `ibl` is off: the plain look that is held against other renderers.
    occlusion, bloom
        Override the strengths of the scene's ambient occlusion and bloom, 0 to 1; None takes them,
        0 draws without and costs nothing.
    texture_budget
        Bytes of GPU memory that textures should stay within: beyond it the levels that are least
        needed are left out, and come back when they are.
    pixel_ratio
        Pixels per logical pixel of the screen: outline and grid are so many times as wide.
    streaming
        Spread what takes long over several pictures, each drawn with what is there; while
        `Renderer.is_unfinished` another one shows more. Else every picture waits.
    timing
        Ask the GPU how long it worked on each snapshot.
    """

    tonemap: Tonemap | None = None
    msaa: int = 4
    shadows: bool = True
    ibl: bool = True
    mode: DisplayMode = "lit"
    lod_pixels: float = 1.0
    anisotropy: int | None = None
    occlusion: float | None = None
    bloom: float | None = None
    texture_budget: int = 2 << 30
    pixel_ratio: float = 1.0
    streaming: bool = False
    timing: bool = False

    def __post_init__(self) -> None:
        if self.msaa not in (1, 4):
            raise EngineError(f"RenderSettings.msaa: found {self.msaa}, expected 1 or 4")
        if self.anisotropy is not None and not 1 <= self.anisotropy <= 16:
            raise EngineError(
                f"RenderSettings.anisotropy: found {self.anisotropy}, expected 1 to 16"
            )
        if not 0.0 < self.pixel_ratio <= 16.0:
            raise EngineError(
                f"RenderSettings.pixel_ratio: found {self.pixel_ratio}, expected 0 to 16"
            )
        for name in ("occlusion", "bloom"):
            strength = getattr(self, name)
            if strength is not None and not 0.0 <= strength <= 1.0:
                raise EngineError(f"RenderSettings.{name}: found {strength}, expected 0 to 1")
        if self.texture_budget <= 0:
            raise EngineError(
                f"RenderSettings.texture_budget: found {self.texture_budget}, expected bytes"
            )
        if self.tonemap is not None and self.tonemap not in TONEMAPS:
            raise EngineError(
                f"RenderSettings.tonemap: found {self.tonemap!r}, expected {TONEMAPS}"
            )
        if self.mode not in DISPLAY_MODES:
            raise EngineError(f"RenderSettings.mode: found {self.mode!r}, expected {DISPLAY_MODES}")

    @property
    def texture_anisotropy(self) -> int:
        """What `anisotropy` comes to."""
        if self.anisotropy is not None:
            return self.anisotropy
        return 16 if self.ibl else 1

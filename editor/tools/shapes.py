"""What tools want painted over the picture: flat shapes in logical pixels.

A shape is data. The viewport paints them in order with an anti-aliased painter, so gizmos are
crisp at every scale factor and a hover costs no rendering. Colours are sRGB with alpha, 0..255.
"""

from dataclasses import dataclass
from typing import Final

from editor.tools.projection import Vector

Rgba = tuple[int, int, int, int]

AXIS_COLORS: Final[tuple[Rgba, Rgba, Rgba]] = (
    (242, 84, 91, 255),
    (95, 191, 95, 255),
    (76, 141, 255, 255),
)
WHITE: Final[Rgba] = (235, 238, 242, 255)
HOT: Final[Rgba] = (255, 209, 92, 255)


@dataclass(frozen=True)
class Polygon:
    """A filled polygon, (n, 2) pixels."""

    points: Vector
    color: Rgba


@dataclass(frozen=True)
class Stroke:
    """A line through (n, 2) pixels; a halo keeps it readable on its own colour."""

    points: Vector
    color: Rgba
    width: float = 2.0
    closed: bool = False
    dashed: bool = False
    halo: bool = False


@dataclass(frozen=True)
class Text:
    """Words on a small translucent plate, at the right of a pixel."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Icon:
    """A marker of an entity that has no surface of its own."""

    x: float
    y: float
    name: str
    color: Rgba
    entity: int
    depth: float
    selected: bool = False


Shape = Polygon | Stroke | Text | Icon


def with_alpha(color: Rgba, alpha: float) -> Rgba:
    """Return `color` with its alpha multiplied by `alpha`."""
    return (color[0], color[1], color[2], round(color[3] * alpha))


def shaded(color: Rgba, factor: float) -> Rgba:
    """Return `color` darker (factor below 1) or nearer to white (above 1)."""
    red, green, blue, alpha = color
    if factor <= 1:
        return (round(red * factor), round(green * factor), round(blue * factor), alpha)
    mix = min(factor - 1, 1.0)
    return (
        round(red + (255 - red) * mix),
        round(green + (255 - green) * mix),
        round(blue + (255 - blue) * mix),
        alpha,
    )

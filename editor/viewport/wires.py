"""The shapes of chosen lights and cameras, as lines that the renderer hides behind surfaces."""

import numpy as np
from numpy.typing import NDArray

from editor.document import LevelDocument
from editor.qt.color_space import linear_from_srgb
from editor.tools.markers import marker_wires
from editor.tools.projection import ViewFrame
from editor.tools.shapes import Rgba
from engine.render.scene import OverlayBatch

MAX_SHAPES = 32
WIDTH = 1.3


def marker_overlay(document: LevelDocument, view: ViewFrame, scale: float) -> OverlayBatch | None:
    """Return the lines for the selection, None when it holds neither light nor camera.

    Parameters
    ----------
    document : LevelDocument
    view : ViewFrame
    scale : float
        Physical pixels per logical one.
    """
    chosen = tuple(document.selection)[-MAX_SHAPES:]
    wires = marker_wires(document.world, chosen, view)
    if not wires:
        return None
    batch = OverlayBatch()
    for wire in wires:
        segments = np.repeat(wire.points, 2, axis=0)[1:-1]
        batch.lines(segments, linear(wire.color), width=WIDTH * scale)
    return batch


def linear(color: Rgba) -> NDArray[np.float64]:
    """Return linear RGBA of an sRGB colour with alpha."""
    rgba = np.array(color, np.float64) / 255
    rgba[:3] = linear_from_srgb(rgba[:3])
    return rgba

"""What the surfaces of a picture are drawn into: samples, their depth, and where they end up."""

from typing import Any

from engine.render.pipelines import DEPTH_FORMAT
from engine.render.targets import TargetPool

CLEAR = (0.0, 0.0, 0.0, 0.0)


class Canvas:
    """Colour and depth that several passes draw into, one after the other.

    Parameters
    ----------
    targets
        Where samples and depth come from.
    view
        Gets the picture with the last pass.
    color_format, size, samples
        Of the picture: its format, width and height, samples per pixel.
    background
        Linear RGBA that the first pass starts from.

    Attributes
    ----------
    has_depth
        Whether depth is there already, as of another canvas of this size and these samples.
    """

    def __init__(
        self,
        targets: TargetPool,
        view: Any,
        color_format: str,
        size: tuple[int, int],
        samples: int,
        background: tuple[float, ...] = CLEAR,
    ) -> None:
        self.depth_view = targets.get("depth", *size, DEPTH_FORMAT, samples)[1]
        self._view = view
        self._samples: Any = None
        if samples > 1:
            self._samples = targets.get("samples", *size, color_format, samples)[1]
        self._background = background
        self.has_depth = False
        self._has_color = False

    def begin(self, encoder: Any, last: bool = True, keep_depth: bool = False) -> Any:
        """Begin a pass; what the last one leaves is the picture, and the depth if it is kept."""
        color: dict[str, Any] = {
            "view": self._view if self._samples is None else self._samples,
            "load_op": "load" if self._has_color else "clear",
            "store_op": "store" if self._samples is None or not last else "discard",
            "clear_value": self._background,
        }
        if self._samples is not None and last:
            color["resolve_target"] = self._view
        depth = {
            "view": self.depth_view,
            "depth_load_op": "load" if self.has_depth else "clear",
            "depth_store_op": "store" if keep_depth or not last else "discard",
            "depth_clear_value": 0.0,
        }
        self._has_color = self.has_depth = True
        return encoder.begin_render_pass(color_attachments=[color], depth_stencil_attachment=depth)

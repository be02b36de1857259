"""Makes the renderer for a program: the one place above the renderer where a GPU is asked for."""

from engine.render.device import request_device
from engine.render.renderer import Renderer


def open_renderer(adapter: str = "") -> Renderer:
    """A renderer on an adapter by its name, or on the best one.

    Raises
    ------
    EngineError
        There is no adapter; the message says what to install.
    """
    return Renderer(request_device(adapter))

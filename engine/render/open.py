"""Makes the renderer for a program: the one place above the renderer where a GPU is asked for."""

from engine.render.renderer import Renderer


def open_renderer() -> Renderer:
    """A renderer on the best adapter.

    Raises
    ------
    EngineError
        There is no adapter; the message says what to install.
    """
    return Renderer()

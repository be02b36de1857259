"""Errors at the door: expected ones become a message, unexpected ones a report.

`guarded` wraps a slot: an `EngineError` (something that a file or the artist caused) is told to the
window through the widget's panel context; anything else goes on to `sys.excepthook`, where the
window shows a report and the editor lives on.
"""

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from PySide6.QtCore import QCoreApplication

from engine.errors import EngineError

__all__ = ["guarded", "set_error_sink"]

P = ParamSpec("P")
S = TypeVar("S")
_SINK = "cinder.error_sink"
ErrorSink = Callable[[Exception], None]


def set_error_sink(sink: ErrorSink | None) -> None:
    """Say who is told of expected errors."""
    app = QCoreApplication.instance()
    if app is not None:
        app.setProperty(_SINK, sink)


def guarded(slot: Callable[Concatenate[S, P], Any]) -> Callable[Concatenate[S, P], None]:
    """Wrap a slot so that an error of the artist's making is shown, not raised."""

    @functools.wraps(slot)
    def call(self: S, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            slot(self, *args, **kwargs)
        except (EngineError, OSError) as error:
            app = QCoreApplication.instance()
            sink = app.property(_SINK) if app is not None else None
            if sink is None:
                raise
            sink(error)

    return cast("Callable[Concatenate[S, P], None]", call)

"""What an artist does in a window, in a word."""

from PySide6.QtGui import QAction

from editor.main_window import MainWindow
from engine.reflect import Entity
from engine.scene import LocalTransform


def trigger(window: MainWindow, name: str) -> None:
    action = window.findChild(QAction, f"action.{name}")
    assert action is not None, name
    action.trigger()


def named(window: MainWindow, name: str) -> Entity:
    return next(e for e in window.document.world.entities() if window.document.label(e) == name)


def move(window: MainWindow) -> None:
    window.document.set_fields([named(window, "Crate")], LocalTransform, translation=(5, 0, 0))

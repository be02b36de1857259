"""Menus that underline their keys only while Alt is held, so that they are words else."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QMenu, QMenuBar, QStyleOptionMenuItem, QToolTip, QWidget

__all__ = ["PlainMenu", "PlainMenuBar"]


class PlainMenuBar(QMenuBar):
    """A menu bar; Alt and the letter of a menu opens it, as ever."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shows_keys = False

    def note_key(self, event: QKeyEvent, *, pressed: bool) -> None:
        """Underline the letters, or no more, when the key is Alt."""
        if event.key() == Qt.Key.Key_Alt:
            self.show_keys(pressed)

    def show_keys(self, on: bool) -> None:
        """Underline the letters, or not."""
        if self.shows_keys is not on:
            self.shows_keys = on
            self.update()

    def initStyleOption(self, option: QStyleOptionMenuItem, action: QAction) -> None:
        super().initStyleOption(option, action)
        if not self.shows_keys:
            option.text = plain(option.text)


class PlainMenu(QMenu):
    """A menu whose submenus are called by their names alone; it tells why an entry is off."""

    def event(self, event: QEvent) -> bool:
        """Show the tooltip of what can't be done; what can be says enough by its name."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            action = self.actionAt(event.pos())
            tip = action.toolTip() if action is not None and not action.isEnabled() else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def initStyleOption(self, option: QStyleOptionMenuItem, action: QAction) -> None:
        super().initStyleOption(option, action)
        # What stands behind the tab is the shortcut, which may be "&" itself.
        words, tab, keys = option.text.partition("\t")
        option.text = f"{plain(words)}{tab}{keys}"


def plain(text: str) -> str:
    """Return a menu's text without the marks of its keys; "&&" stays one "&"."""
    return "&&".join(part.replace("&", "") for part in text.split("&&"))

"""Icon buttons: every one has a tooltip and an accessible name."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from editor.qt.icons import icon
from editor.qt.theme import Sizes

__all__ = ["action_button", "icon_button"]


def icon_button(
    name: str, tip: str, parent: QWidget | None = None, *, role: str = "quiet", size: int = 14
) -> QToolButton:
    """Return a flat button with one icon."""
    button = QToolButton(parent)
    button.setIcon(icon(name, role))
    button.setIconSize(QSize(size, size))
    button.setFixedSize(size + 8, size + 8)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setCursor(Qt.CursorShape.ArrowCursor)
    return button


def action_button(action: QAction, parent: QWidget | None = None) -> QToolButton:
    """Return a toolbar button for an action."""
    button = QToolButton(parent)
    button.setDefaultAction(action)
    button.setProperty("role", "tool")
    button.setIconSize(QSize(Sizes.ICON_TOOL, Sizes.ICON_TOOL))
    button.setFixedSize(Sizes.TOOL_BUTTON, Sizes.TOOL_BUTTON)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setAccessibleName(action.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button

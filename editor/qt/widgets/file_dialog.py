"""Qt's own file dialog, where the desktop has none, with the buttons of the editor."""

from typing import Final

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractButton, QDialogButtonBox, QFileDialog

from editor.qt.icons import icon

__all__ = ["dress_file_dialog"]

_BUTTONS: Final = {
    "backButton": "arrow-left",
    "forwardButton": "arrow-right",
    "toParentButton": "arrow-up",
    "newFolderButton": "folder-plus",
    "listModeButton": "squares-four",
    "detailModeButton": "list",
}


def dress_file_dialog(dialog: QFileDialog) -> None:
    """Give a file dialog the icons of the editor; one of the desktop stays as it is."""
    for name, glyph in _BUTTONS.items():
        button = dialog.findChild(QAbstractButton, name)
        if isinstance(button, QAbstractButton):
            button.setIcon(icon(glyph, "quiet"))
    for box in dialog.findChildren(QDialogButtonBox):
        for button in box.buttons():
            button.setIcon(QIcon())

"""Qt's own file dialog, where the desktop has none, with the icons of the editor."""

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, QUrl
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QFileSystemModel,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from editor.qt.icons import icon
from editor.qt.theme import Sizes

__all__ = ["dress_file_dialog"]

_BUTTONS: Final = {
    "backButton": "arrow-left",
    "forwardButton": "arrow-right",
    "toParentButton": "arrow-up",
    "newFolderButton": "folder-plus",
    "listModeButton": "squares-four",
    "detailModeButton": "list",
}
_VIEWS: Final = ("treeView", "listView", "sidebar")
_KINDS: Final = {
    "glb": ("package", "accent"),
    "gltf": ("package", "accent"),
    "scene": ("stack", "accent"),
    "cscn": ("stack", "accent"),
    **dict.fromkeys(("png", "jpg", "jpeg", "webp", "hdr", "exr", "ktx2"), ("image", "quiet")),
}
_URL: Final = 0x0100 + 1
_SIZE: Final = QSize(820, 540)


class _Icons(QStyledItemDelegate):
    """Shows files and places with the icons that the assets panel has for them.

    An icon provider would be asked by a thread of Qt's, which must not wait for Python.
    """

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        if index.column() == 0:
            option.icon = icon(*_glyph(index))

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(super().sizeHint(option, index).width(), Sizes.ROW)


def _glyph(index: QModelIndex | QPersistentModelIndex) -> tuple[str, str]:
    model = index.model()
    if isinstance(model, QFileSystemModel):
        if model.isDir(index):
            return "folder", "folder"
        suffix = model.fileName(index).rpartition(".")[2].lower()
        return _KINDS.get(suffix, ("file", "quiet"))
    url = index.data(_URL)
    is_computer = isinstance(url, QUrl) and not url.path()
    return ("desktop-tower", "quiet") if is_computer else ("folder", "folder")


def dress_file_dialog(dialog: QFileDialog) -> None:
    """Give a file dialog the icons of the editor; one of the desktop stays as it is."""
    for name in _VIEWS:
        view = dialog.findChild(QAbstractItemView, name)
        if isinstance(view, QAbstractItemView):
            view.setItemDelegate(_Icons(view))
            view.setIconSize(QSize(14, 14))
    tree = dialog.findChild(QTreeView, "treeView")
    if isinstance(tree, QTreeView):
        for column in range(1, tree.header().count()):
            tree.header().setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        dialog.resize(_SIZE)
    for combo in dialog.findChildren(QComboBox, "lookInCombo"):
        combo.setIconSize(QSize(0, 0))
    for name, glyph in _BUTTONS.items():
        button = dialog.findChild(QAbstractButton, name)
        if isinstance(button, QAbstractButton):
            button.setIcon(icon(glyph, "quiet"))
    for box in dialog.findChildren(QDialogButtonBox):
        for button in box.buttons():
            button.setIcon(QIcon())

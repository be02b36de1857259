"""The first lines of the inspector: what is selected, its name, whether it is on."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor.qt.widgets.check_box import CheckBox
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.text_line import TextLine

__all__ = ["SelectionHeader"]

_OWNER_PX: Final = 200


class SelectionHeader(QWidget):
    """Icon, name and the enabled mark of the selection.

    Signals
    -------
    renamed(str), enabled_changed(bool)
    owner_requested()
        The artist wants the instance that the shown node is a part of.
    """

    renamed = Signal(str)
    enabled_changed = Signal(bool)
    owner_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._glyph = Glyph("cube", self, size=16)
        self._name = TextLine(self)
        self._name.setObjectName("inspector.name")
        self._name.setAccessibleName("Name")
        self._name.editingFinished.connect(self._on_finished)
        self._name.returnPressed.connect(self._name.clearFocus)
        self._enabled = CheckBox(parent=self)
        self._enabled.setToolTip("Enabled: off hides it and everything below it, also in pictures")
        self._enabled.setAccessibleName("Enabled")
        self._enabled.edited.connect(self.enabled_changed)
        self._owner = QPushButton(self)
        self._owner.setObjectName("inspector.owner")
        self._owner.setProperty("role", "link")
        self._owner.setCursor(Qt.CursorShape.PointingHandCursor)
        self._owner.clicked.connect(lambda checked=False: self.owner_requested.emit())
        self._owner.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(2, 0, 2, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self._owner, 0, Qt.AlignmentFlag.AlignLeft)
        row.addWidget(self._glyph)
        row.addWidget(self._name, 1)
        row.addWidget(self._enabled)

    def show_selection(
        self,
        shared: str,
        count: int,
        glyph: tuple[str, str],
        enabled: bool | None,
        *,
        can_rename: bool = True,
        owner: str = "",
    ) -> None:
        """Show the name that is shared, or the number of entities.

        Parameters
        ----------
        owner
            The instance that they are parts of.
        """
        self._glyph.set_icon(*glyph)
        self._name.setPlaceholderText(f"{count:,} entities" if count > 1 else "")
        tip = "" if can_rename else "Named by the asset"
        if self._name.hasFocus() and self._name.isModified():
            shared = self._name.shown
        self._name.show_text(shared, read_only=not can_rename, tip=tip)
        self._enabled.set_state(enabled)
        self._owner.setVisible(bool(owner))
        if owner:
            room = self.fontMetrics().elidedText(owner, Qt.TextElideMode.ElideMiddle, _OWNER_PX)
            self._owner.setText(f"Part of {room}")
            self._owner.setToolTip(f"Select {owner}")

    def _on_finished(self) -> None:
        shown = self._name.shown
        text = (self._name.take_edited() or "").strip()
        if text and text != shown:
            self.renamed.emit(text)
        else:
            self._name.show_text(shown, read_only=self._name.isReadOnly())

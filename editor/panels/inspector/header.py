"""The first lines of the inspector: what is selected, its name, whether it is on."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from editor.qt.widgets.check_box import CheckBox
from editor.qt.widgets.glyph import Glyph

__all__ = ["SelectionHeader"]


class _NameLine(QLineEdit):
    shown = ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.setText(self.shown)
            self.setModified(False)
            self.clearFocus()
            return
        super().keyPressEvent(event)


class SelectionHeader(QWidget):
    """Icon, name and the enabled mark of the selection.

    Signals
    -------
    renamed(str), enabled_changed(bool)
    """

    renamed = Signal(str)
    enabled_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._glyph = Glyph("cube", self, size=16)
        self._name = _NameLine(self)
        self._name.setObjectName("inspector.name")
        self._name.setAccessibleName("Name")
        self._name.editingFinished.connect(self._on_finished)
        self._name.returnPressed.connect(self._name.clearFocus)
        self._enabled = CheckBox(parent=self)
        self._enabled.setToolTip("Enabled: off hides it and everything below it, also in pictures")
        self._enabled.setAccessibleName("Enabled")
        self._enabled.edited.connect(self.enabled_changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 0, 2, 0)
        row.setSpacing(8)
        row.addWidget(self._glyph)
        row.addWidget(self._name, 1)
        row.addWidget(self._enabled)

    def show_selection(
        self,
        names: Sequence[str],
        glyph: tuple[str, str],
        enabled: bool | None,
        *,
        can_rename: bool = True,
    ) -> None:
        """Show one entity, or the number of several."""
        shared = names[0] if len(set(names)) == 1 else ""
        self._glyph.set_icon(*glyph)
        self._name.setPlaceholderText(f"{len(names)} entities" if not shared else "")
        if not (self._name.hasFocus() and self._name.isModified()):
            self._name.shown = shared
            if self._name.text() != shared:
                self._name.setText(shared)
                self._name.setCursorPosition(0)
            self._name.setModified(False)
        self._name.setReadOnly(not can_rename)
        self._name.setToolTip("" if can_rename else "Named by the asset")
        self._enabled.set_state(enabled)

    def _on_finished(self) -> None:
        text = self._name.text().strip()
        if self._name.isModified() and text and text != self._name.shown:
            self._name.setModified(False)
            self._name.shown = text
            self.renamed.emit(text)
        elif not text:
            self._name.setText(self._name.shown)

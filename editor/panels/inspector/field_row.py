"""One row of a card: the field's name, its editor, and a button that puts it back."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from editor.panels.inspector.field_editors import (
    EditorContext,
    FieldEditor,
    FieldInfo,
    make_editor,
)
from editor.qt.icons import icon
from editor.qt.theme import Sizes
from editor.qt.widgets.label_column import ColumnGrip
from editor.qt.widgets.labels import FieldLabel
from editor.qt.widgets.tool_button import icon_button

__all__ = ["FieldRow"]


class FieldRow(QWidget):
    """A labelled field editor.

    Signals
    -------
    edited(str, FieldEdit), previewed(str, FieldEdit)
        The field's name and what happened to it.
    preview_started(str), preview_finished(bool)
    reset_requested(str), revert_requested(str)
        Back to the default; back to what the asset says.
    """

    edited = Signal(str, object)
    preview_started = Signal(str)
    previewed = Signal(str, object)
    preview_finished = Signal(bool)
    reset_requested = Signal(str)
    revert_requested = Signal(str)

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__()
        self.info = info
        self._overridden = False
        self._can_reset = False
        self.editor: FieldEditor = make_editor(info, context)
        self.label = FieldLabel(info.title, self, scrubs=self.editor.scrubs and not info.read_only)
        column = context.label_column
        column.make_room(self.label.whole_width())
        self.label.setFixedWidth(column.width)
        column.changed.connect(self.label.setFixedWidth)
        self.label.setToolTip(self._help())
        self._reset = icon_button("arrow-counter-clockwise", "Reset", self, size=12)
        self._reset.setFixedSize(16, 20)
        self._reset.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._reset.setAutoFillBackground(True)
        self._reset.hide()
        self._reset.clicked.connect(self._on_reset)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.label, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(ColumnGrip(column, self))
        row.addWidget(self.editor, 1)
        self.label.setFixedHeight(Sizes.FIELD)
        self._connect()

    def _connect(self) -> None:
        name, editor = self.info.name, self.editor
        editor.edited.connect(lambda edit: self.edited.emit(name, edit))
        editor.preview_started.connect(lambda: self.preview_started.emit(name))
        editor.previewed.connect(lambda edit: self.previewed.emit(name, edit))
        editor.preview_finished.connect(self.preview_finished)
        self.label.scrub_started.connect(lambda: self.preview_started.emit(name))
        self.label.scrub_moved.connect(self._on_label_moved)
        self.label.scrub_finished.connect(self.preview_finished)

    def _help(self) -> str:
        spec = self.info.spec
        lines = [self.info.title]
        if spec is not None and spec.doc:
            lines.append(spec.doc)
        if self.label.scrubs:
            lines.append("Drag to change · Shift is precise · Esc restores")
        return "\n".join(lines)

    def set_values(self, values: Sequence[Any], *, overridden: bool, can_reset: bool) -> None:
        """Show the selection's values."""
        self._overridden, self._can_reset = overridden, can_reset
        self.label.set_overridden(overridden)
        self.editor.set_values(values)
        self._reset.setToolTip(self._reset_text())
        self._show_reset(self.underMouse())

    def _reset_text(self) -> str:
        return "Revert to the asset's value" if self._overridden else "Reset to the default"

    def _show_reset(self, hovered: bool) -> None:
        possible = (self._overridden or self._can_reset) and not self.info.read_only
        if possible and hovered:
            # Over the end of the label: the field under the pointer must not move.
            self._reset.move(self.label.geometry().right() - self._reset.width() + 1, 1)
            self._reset.raise_()
        self._reset.setVisible(possible and hovered)

    def _on_label_moved(self, pixels: float, modifiers: Qt.KeyboardModifier) -> None:
        edit = self.editor.scrub(pixels, modifiers)
        if edit is not None:
            self.previewed.emit(self.info.name, edit)

    def _on_reset(self) -> None:
        signal = self.revert_requested if self._overridden else self.reset_requested
        signal.emit(self.info.name)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._show_reset(True)

    def leaveEvent(self, event: QEvent) -> None:
        self._show_reset(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        glyph = icon("arrow-counter-clockwise", "quiet")
        revert = menu.addAction(glyph, "Revert to the asset's value")
        revert.setEnabled(self._overridden and not self.info.read_only)
        revert.triggered.connect(lambda: self.revert_requested.emit(self.info.name))
        reset = menu.addAction("Reset to the default")
        reset.setEnabled(self._can_reset and not self.info.read_only)
        reset.triggered.connect(lambda: self.reset_requested.emit(self.info.name))
        menu.popup(event.globalPos())
        event.accept()

"""Labels: one that elides, and the name of a field that scrubs it."""

from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from editor.qt.fonts import BODY, TITLE, heading_font, with_weight
from editor.qt.theme import color
from editor.qt.widgets.scrub import Scrub

__all__ = ["ElidedLabel", "FieldLabel", "heading", "plain_label"]

_ROOM: Final = 2


def heading(text: str, parent: QWidget | None = None) -> QLabel:
    """Return the first line of a dialog."""
    label = QLabel(text, parent)
    label.setFont(heading_font())
    return label


def plain_label(text: str, role: str, parent: QWidget | None = None) -> QLabel:
    """Return text that wraps and, where it has no role of its own, can be selected and copied."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    else:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


class ElidedLabel(QWidget):
    """One line of text that ends in an ellipsis where there is no room, with a colour role."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        role: str = "text",
        weight: int = BODY,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self._text = text
        self._role = role
        self._weight = weight
        self._mode = mode
        self.alignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """Return the whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            self._text = text
            self.updateGeometry()
            self.update()

    def set_style(self, role: str, weight: int = BODY) -> None:
        """Choose the colour token and the weight."""
        if (role, weight) != (self._role, self._weight):
            self._role, self._weight = role, weight
            self.update()

    def _styled_font(self) -> QFont:
        return with_weight(self.font(), self._weight)

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 6, max(18, metrics.height() + 2))

    def minimumSizeHint(self) -> QSize:
        return QSize(16, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Tell the whole text under the pointer where it is cut and nothing else is told."""
        if event.type() == QEvent.Type.ToolTip and not self.toolTip() and self.is_cut():
            if isinstance(event, QHelpEvent):
                QToolTip.showText(event.globalPos(), self._text, self)
            return True
        return super().event(event)

    def is_cut(self) -> bool:
        """Whether there is no room for the whole text."""
        metrics = QFontMetrics(self._styled_font())
        return metrics.horizontalAdvance(self._text) > self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._styled_font())
        painter.setPen(color(self._role if self.isEnabled() else "faint"))
        text = painter.fontMetrics().elidedText(self._text, self._mode, self.width())
        painter.drawText(self.rect(), int(self.alignment), text)
        painter.end()


class FieldLabel(ElidedLabel):
    """The name of a field; dragging it scrubs the field when `scrubs` is on.

    Signals
    -------
    scrub_started(), scrub_moved(float, modifiers), scrub_finished(bool)
    """

    scrub_started = Signal()
    scrub_moved = Signal(float, object)
    scrub_finished = Signal(bool)

    def __init__(self, text: str, parent: QWidget | None = None, *, scrubs: bool = False) -> None:
        super().__init__(text, parent, role="quiet")
        self.scrubs = scrubs
        self._scrub = Scrub(self)
        self._scrub.started.connect(self.scrub_started)
        self._scrub.moved.connect(self.scrub_moved)
        self._scrub.finished.connect(self.scrub_finished)
        if scrubs:
            self.setCursor(Qt.CursorShape.SizeHorCursor)

    def whole_width(self) -> int:
        """Return how many pixels all of the name takes, also where it is an override."""
        self.ensurePolished()
        metrics = QFontMetrics(with_weight(self.font(), TITLE))
        return metrics.horizontalAdvance(self.text()) + _ROOM

    def set_overridden(self, on: bool) -> None:
        """Show an override: its colour and a heavier weight."""
        self.set_style("override" if on else "quiet", TITLE if on else BODY)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.scrubs and event.button() == Qt.MouseButton.LeftButton:
            self._scrub.begin(event)
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._scrub.active:
            self._scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._scrub.active:
            self._scrub.end()

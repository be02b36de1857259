"""A notice with buttons that stays over the window until it is answered, and blocks nothing."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from editor.qt.theme import color
from editor.qt.widgets.glyph import Glyph

__all__ = ["NoticeBars"]

Answers = Sequence[tuple[str, str, Callable[[], object]]]
_MARGIN = 46


class _NoticeBar(QWidget):
    def __init__(self, glyph: str, text: str, answers: Answers, parent: QWidget) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 8, 8)
        row.setSpacing(10)
        row.addWidget(Glyph(glyph, self, role="accent", size=18))
        label = QLabel(text, self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setMaximumWidth(460)
        label.setWordWrap(len(text) > 70)
        if label.wordWrap():
            label.setMinimumWidth(380)
        row.addWidget(label, 1)
        row.addSpacing(6)
        for name, title, _ in answers:
            button = QPushButton(title, self)
            button.setObjectName(f"notice.{name}")
            button.setAutoDefault(False)
            row.addWidget(button)
        self.setAccessibleName(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(color("raised"))
        painter.setPen(QPen(color("accent"), 1))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()


class NoticeBars(QWidget):
    """The open notices, at the top of the part of a window that is named.

    Parameters
    ----------
    window : QWidget
    anchor : QWidget
        Over whose upper edge they stand.
    """

    def __init__(self, window: QWidget, anchor: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("notices")
        self._anchor = anchor
        self._bars: dict[str, QWidget] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        anchor.installEventFilter(self)
        self.hide()

    def keys(self) -> list[str]:
        """Return the notices that are open."""
        return list(self._bars)

    def show_notice(self, key: str, glyph: str, text: str, answers: Answers) -> None:
        """Show a notice in the place of the one of that key.

        Parameters
        ----------
        key, glyph, text : str
        answers : sequence of (name, title, callable)
            Its buttons; each closes it, then calls.
        """
        self.close_notice(key)
        bar = _NoticeBar(glyph, text, answers, self)
        for name, _, action in answers:
            button = bar.findChild(QPushButton, f"notice.{name}")
            if button is not None:
                button.clicked.connect(
                    lambda checked=False, action=action: self._answer(key, action)
                )
        self._bars[key] = bar
        self._layout.addWidget(bar, 0, Qt.AlignmentFlag.AlignHCenter)
        self.show()
        bar.show()
        self.raise_()
        self._place()

    def close_notice(self, key: str) -> None:
        """Take a notice away, if it is open."""
        bar = self._bars.pop(key, None)
        if bar is not None:
            self._layout.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
            self.setVisible(bool(self._bars))
            self._place()

    def _answer(self, key: str, action: Callable[[], object]) -> None:
        self.close_notice(key)
        action()

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None:
            return
        self._layout.activate()
        self.resize(self._layout.sizeHint())
        corner = self._anchor.mapTo(window, QPoint(0, 0))
        x = corner.x() + (self._anchor.width() - self.width()) // 2
        self.move(QPoint(max(x, 0), corner.y() + _MARGIN))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self._bars:
            self._place()
        return super().eventFilter(watched, event)

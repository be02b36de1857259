"""The ground of asset and entity fields: icon, name, buttons, and something to drop on it."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from editor.qt.icons import draw_icon
from editor.qt.theme import Sizes, color
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.tool_button import icon_button

__all__ = ["ReferenceField"]


class _Picture(QWidget):
    """A thumbnail, or an icon where there is none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.glyph = ("cube", "quiet")
        self.pixmap: QPixmap | None = None
        self.setFixedSize(18, 18)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if self.pixmap is not None:
            painter.drawPixmap(self.rect(), self.pixmap)
        else:
            draw_icon(
                painter, self.rect().adjusted(2, 2, -2, -2), self.glyph[0], color(self.glyph[1])
            )
        painter.end()


class ReferenceField(QWidget):
    """A field that names something else; subclasses say what may be dropped.

    Signals
    -------
    followed()
        The artist clicked the name.
    """

    followed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(Sizes.FIELD)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAcceptDrops(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._dropping = False
        self._failed = False
        self.picture = _Picture(self)
        self.name = ElidedLabel("", self, mode=Qt.TextElideMode.ElideLeft)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(6, 0, 2, 0)
        self._row.setSpacing(5)
        self._row.addWidget(self.picture)
        self._row.addWidget(self.name, 1)

    def add_button(self, glyph: str, tip: str) -> QToolButton:
        """Append a button at the right."""
        button = icon_button(glyph, tip, self, size=13)
        button.setFixedSize(20, 20)
        self._row.addWidget(button)
        return button

    def show_name(self, text: str, *, role: str = "text", failed: bool = False) -> None:
        """Show the name, quiet for "none" and "mixed", or as an error."""
        self.name.set_text(text)
        self.name.set_style("error" if failed else role)
        if failed != self._failed:
            self._failed = failed
            self.update()

    def set_dropping(self, on: bool) -> None:
        """Highlight the field while something that fits is over it."""
        self._dropping = on
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled():
            self.followed.emit()

    def sizeHint(self) -> QSize:
        return QSize(140, Sizes.FIELD)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        border = "line"
        if self._dropping:
            border = "accent"
        elif self._failed:
            border = "error"
        elif self.hasFocus():
            border = "accent"
        elif self.underMouse():
            border = "line_strong"
        painter.setPen(QPen(color(border), 1))
        painter.setBrush(color("selection" if self._dropping else "sunken"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

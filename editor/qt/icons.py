"""Icons: Phosphor glyphs drawn in the colour of the active theme.

An icon remembers a glyph and a colour *role*, never a colour; it is painted when Qt asks, at the
device's resolution, so one `QIcon` serves both themes and every scale. Icons are cached by name and
roles.
"""

from functools import cache

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap

from editor.qt.glyph_font import glyph, glyph_font
from editor.qt.theme import color

__all__ = ["draw_icon", "icon"]


def draw_icon(painter: QPainter, rect: QRect, name: str, tint: QColor) -> None:
    """Paint one glyph centred in a rectangle.

    Parameters
    ----------
    name
        Phosphor name, such as ``"cube"`` or ``"eye-fill"``.
    tint
        The colour to paint with.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.setFont(glyph_font(max(1, min(rect.width(), rect.height()))))
    painter.setPen(tint)
    painter.drawText(QRectF(rect), int(Qt.AlignmentFlag.AlignCenter), glyph(name))
    painter.restore()


class _GlyphEngine(QIconEngine):
    """Paints a glyph in the colour of its role, of a checked button, or of a disabled one."""

    def __init__(self, name: str, role: str, checked_role: str, scale: float) -> None:
        super().__init__()
        self._scale = scale
        self._name = name
        self._role = role
        self._checked_role = checked_role

    def clone(self) -> QIconEngine:
        return _GlyphEngine(self._name, self._role, self._checked_role, self._scale)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        role = self._role
        if mode == QIcon.Mode.Disabled:
            role = "faint"
        elif state == QIcon.State.On and self._checked_role:
            role = self._checked_role
        elif mode == QIcon.Mode.Selected and self._role in {"text", "quiet"}:
            role = "selection_text"
        side = round(min(rect.width(), rect.height()) * self._scale)
        box = QRect(0, 0, side, side)
        box.moveCenter(rect.center())
        draw_icon(painter, box, self._name, color(role))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        result = QPixmap(size)
        result.fill(Qt.GlobalColor.transparent)
        painter = QPainter(result)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return result


@cache
def icon(name: str, role: str = "text", checked_role: str = "", scale: float = 1.0) -> QIcon:
    """Return a themed icon.

    Parameters
    ----------
    name
        Phosphor name.
    role
        Token that colours it: quiet unless the icon carries meaning.
    checked_role
        Token used while a checkable button is on, the same one when empty.
    scale
        Part of the given space that the glyph takes.
    """
    return QIcon(_GlyphEngine(name, role, checked_role, scale))

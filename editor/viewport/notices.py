"""What the viewport says when there is nothing to see: what is wrong, or what to do first."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from editor.qt.icons import draw_icon
from editor.qt.theme import tokens

ICON = 30
BANNER_ICON = 14


BANNER_MARGIN = 44
"""Below the chips of the upper corners."""


def paint_banner(painter: QPainter, area: QRect, glyph: str, text: str) -> None:
    """Paint words that stay over the picture until their cause is gone, at its upper edge."""
    theme = tokens()
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
    width = max(min(area.width() - 32, 640) - BANNER_ICON - 28, 40)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    words = painter.fontMetrics().boundingRect(QRect(0, 0, width, 200), flags, text)
    whole = words.width() + BANNER_ICON + 28
    left, top = area.center().x() - whole // 2, area.top() + BANNER_MARGIN
    _paint_plate(painter, QRectF(left, top, whole, words.height() + 14), 5)
    icon = QRect(left + 9, top + 7, BANNER_ICON, BANNER_ICON)
    ink = theme.warning if glyph == "warning" else theme.accent
    draw_icon(painter, icon, glyph, QColor(ink))
    painter.setPen(QColor(theme.chip_text))
    painter.drawText(QRect(left + BANNER_ICON + 17, top + 7, width, words.height()), flags, text)
    painter.restore()


def paint_notice(
    painter: QPainter, area: QRect, glyph: str, title: str, hint: str = "", plate: bool = False
) -> None:
    """Paint an icon, a title and a hint in the middle of an area.

    Parameters
    ----------
    painter : QPainter
    area : QRect
        Logical pixels.
    glyph, title, hint : str
    plate : bool
        Put a translucent plate behind, for words over a picture.
    """
    theme = tokens()
    width = max(min(area.width() - 32, 460), 40)
    bold = QFont(painter.font())
    bold.setWeight(QFont.Weight.DemiBold)
    flags = int(
        Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    )
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    left = area.center().x() - width // 2
    hint_box = painter.boundingRect(QRect(left, 0, width, 400), flags, hint)
    height = ICON + 10 + 20 + (6 + hint_box.height() if hint else 0)
    top = area.center().y() - height // 2
    if plate:
        words = max(hint_box.width(), painter.boundingRect(QRect(), flags, title).width(), 120)
        left_edge = area.center().x() - words / 2 - 24
        _paint_plate(painter, QRectF(left_edge, top - 16, words + 48, height + 32), 8)
    icon = QRect(area.center().x() - ICON // 2, top, ICON, ICON)
    draw_icon(painter, icon, glyph, QColor(theme.quiet))
    painter.setFont(bold)
    painter.setPen(QColor(theme.text))
    painter.drawText(QRect(left, top + ICON + 10, width, 20), flags, title)
    bold.setWeight(QFont.Weight.Normal)
    painter.setFont(bold)
    painter.setPen(QColor(theme.quiet))
    painter.drawText(QRect(left, top + ICON + 36, width, 400), flags, hint)
    painter.restore()


def _paint_plate(painter: QPainter, area: QRectF, radius: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens().chip))
    painter.drawRoundedRect(area, radius, radius)

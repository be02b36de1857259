"""A small patch of a colour that can't be changed where it is shown."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from editor.qt.color_space import hex_from_linear
from editor.qt.icons import draw_icon
from editor.qt.theme import color
from engine.assets.gltf.material_colors import SeenColor

__all__ = ["ColorChip"]

_SIDE = 12


class ColorChip(QWidget):
    """Shows the colour of a material, or that a picture colours it; its code is the tooltip."""

    def __init__(self, seen: SeenColor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.code = hex_from_linear(seen.linear_rgb)
        self.has_picture = seen.has_picture
        self.setFixedSize(_SIDE, _SIDE)
        times = "A picture times " if seen.has_picture else "Base colour "
        self.setToolTip(f"{times}{self.code}")
        self.setAccessibleName(self.toolTip())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.has_picture:
            draw_icon(painter, self.rect(), "image", color("quiet"))
            painter.end()
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color("line_strong"), 1))
        painter.setBrush(QColor(self.code))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.end()

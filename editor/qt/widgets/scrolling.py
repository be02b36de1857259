"""Areas that scroll up and down."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

__all__ = ["plain_scroll_area"]


def plain_scroll_area(body: QWidget, parent: QWidget) -> QScrollArea:
    """Return a frameless area in which `body` takes the whole width and scrolls in height."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(body)
    return area

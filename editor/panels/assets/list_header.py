"""The columns of the list: their names, widths and order; those without room are left out."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QWidget

from editor.panels.assets.order import COLUMNS, Order

__all__ = ["PAD", "ListHeader"]

PAD: Final = 6
_WIDTHS: Final = {"kind": 62, "size": 76, "triangles": 84, "modified": 132}
_LEAST_NAME_PX: Final = 150
_LEFT_OUT: Final = ("modified", "kind", "triangles", "size")
"""Which columns go first in a narrow panel."""
_NUMBERS: Final = ("size", "triangles", "modified")
_FROM_THE_END: Final = _NUMBERS
"""A first click shows what is largest or newest."""
_NAMES: Final = tuple(COLUMNS)


class ListHeader(QHeaderView):
    """Stands above the list; a click on a column orders by it, another turns the order round.

    Signals
    -------
    order_chosen(Order)
    """

    order_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("assets.columns")
        self.setAccessibleName("Columns")
        self._titles = QStandardItemModel(0, len(COLUMNS), self)
        self.setModel(self._titles)
        for name in _NAMES:
            side = self.side_of(name) | Qt.AlignmentFlag.AlignVCenter
            self._say(name, side, Qt.ItemDataRole.TextAlignmentRole)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(40)
        self.setFixedHeight(24)
        for name, width in _WIDTHS.items():
            self.resizeSection(_NAMES.index(name), width)
        self.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.sectionClicked.connect(self._on_clicked)
        self.show_order(Order())

    def _say(self, column: str, value: object, role: Qt.ItemDataRole) -> None:
        self._titles.setHeaderData(_NAMES.index(column), self.orientation(), value, role)

    def titles(self) -> list[str]:
        """Return what stands above the columns that are not left out."""
        shown = (at for at in range(len(_NAMES)) if not self.isSectionHidden(at))
        return [str(self._titles.headerData(at, self.orientation())) for at in shown]

    @staticmethod
    def side_of(column: str) -> Qt.AlignmentFlag:
        """Return on which side of a column its texts stand."""
        is_number = column in _NUMBERS
        return Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft

    def place_of(self, column: str) -> tuple[int, int]:
        """Return where a column begins and how wide it is; 0 where it is left out."""
        at = _NAMES.index(column)
        return self.sectionViewportPosition(at), self.sectionSize(at)

    def show_order(self, order: Order) -> None:
        """Mark the column by which files stand in order."""
        self._order = order
        # Qt's own mark would lie over a title that stands at the right.
        mark = "↓" if order.is_descending else "↑"
        for column, title in COLUMNS.items():
            text = f"{title} {mark}" if column == order.column else title
            self._say(column, text, Qt.ItemDataRole.DisplayRole)

    def _on_clicked(self, section: int) -> None:
        column = _NAMES[section]
        if column == self._order.column:
            chosen = Order(column, not self._order.is_descending)
        else:
            chosen = Order(column, column in _FROM_THE_END)
        self.order_chosen.emit(chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._leave_out(event.size().width())
        super().resizeEvent(event)

    def _leave_out(self, width: int) -> None:
        """Hide the columns that would leave the names no room."""
        needed = _LEAST_NAME_PX + sum(_WIDTHS.values())
        for name in _LEFT_OUT:
            is_hidden = needed > width
            self.setSectionHidden(_NAMES.index(name), is_hidden)
            needed -= _WIDTHS[name] if is_hidden else 0

"""The first rows of a list, and a line that brings more of them."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

__all__ = ["MoreRows"]

_STEP: Final = 100
"""How many more a click brings: thousands of widgets at once would be felt."""


class MoreRows(QWidget):
    """Rows that are made when they are shown.

    Parameters
    ----------
    count
        How many there are.
    make
        Makes the row of an index.
    most
        How many are shown at first.
    shown
        How many are shown now, where more were asked for before.
    what
        What there are more of.

    Signals
    -------
    shown_changed(int)
        So many rows are shown now.
    """

    shown_changed = Signal(int)

    def __init__(
        self,
        count: int,
        make: Callable[[int], QWidget],
        most: int,
        parent: QWidget | None = None,
        *,
        shown: int = 0,
        what: str = "",
        spacing: int = 1,
    ) -> None:
        super().__init__(parent)
        self._count, self._make, self._what = count, make, what
        # A line that says "and 1 more" takes the room of that one.
        self._most = count if count == most + 1 else min(count, most)
        self._rows: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(spacing)
        self.more = QPushButton("", self)
        self.more.setProperty("role", "link")
        self.more.setCursor(Qt.CursorShape.PointingHandCursor)
        self.more.clicked.connect(self._on_more_clicked)
        self._column.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._show(max(self._most, min(shown, count)))

    def _on_more_clicked(self) -> None:
        shown = len(self._rows)
        self._show(min(shown + _STEP, self._count) if shown < self._count else self._most)
        self.shown_changed.emit(len(self._rows))

    def _show(self, count: int) -> None:
        for index in range(len(self._rows), count):
            row = self._make(index)
            self._column.insertWidget(index, row)
            self._rows.append(row)
        for row in self._rows[count:]:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        del self._rows[count:]
        rest = f"{self._count - count:,} more {self._what}".rstrip()
        self.more.setText(f"and {rest}" if count < self._count else "Show fewer")
        self.more.setAccessibleName(f"Show {rest}" if count < self._count else "Show fewer")
        self.more.setVisible(self._most < self._count)

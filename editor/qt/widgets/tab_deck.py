"""Tabs at the bottom of the window, with the controls of the current panel on the same line.

A double click on a tab (or its menu) takes the panel out into a dock of its own. Where the line is
too short, only the current tab keeps its title; the others are their icons.
"""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor.qt.icons import icon

__all__ = ["TabDeck"]

_MARGINS: Final = 24
_LEAST_CORNER: Final = 0.8
"""Controls may be shortened so far before titles are."""


class _Tab(QToolButton):
    detach_requested = Signal()

    def __init__(self, title: str, glyph: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._title = title
        self._count = 0
        self._is_short = False
        self.setIcon(icon(glyph, "quiet", "text"))
        self.setCheckable(True)
        self.setProperty("role", "tab")
        self.setToolTip(f"{title} — double click takes it out of the tabs")
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_count(0)

    def show_count(self, count: int) -> None:
        """Show a number behind the title, none for zero."""
        self._count = count
        self.shorten(self._is_short)

    def shorten(self, on: bool) -> None:
        """Show the icon in place of the title, or the title."""
        self._is_short = on
        style = Qt.ToolButtonStyle
        number = str(self._count) if self._count else ""
        self.setText(number if on else f"{self._title}  {number}".rstrip())
        beside = style.ToolButtonTextBesideIcon if number else style.ToolButtonIconOnly
        self.setToolButtonStyle(beside if on else style.ToolButtonTextOnly)
        if bool(self.property("short")) != on:
            self.setProperty("short", on)
            self.style().unpolish(self)
            self.style().polish(self)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.detach_requested.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        take_out = menu.addAction(icon("arrow-square-out", "quiet"), "Take out of the tabs")
        take_out.triggered.connect(self.detach_requested)
        menu.popup(event.globalPos())


class TabDeck(QWidget):
    """Several pages under a line of tabs.

    Signals
    -------
    detach_requested(str)
        The id of a page that should get a dock of its own.
    """

    detach_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._is_fitting = False
        self._order: list[str] = []
        self._pages: dict[str, tuple[QWidget, QWidget | None]] = {}
        self._tabs: dict[str, _Tab] = {}
        self._group = QButtonGroup(self)
        self._stack = QStackedWidget(self)
        self._corners = QStackedWidget(self)
        self._no_corner = QWidget()
        self._corners.addWidget(self._no_corner)
        self._tab_row = QHBoxLayout()
        self._tab_row.setSpacing(2)
        line = QHBoxLayout()
        line.setContentsMargins(6, 6, 8, 0)
        line.addLayout(self._tab_row)
        line.addStretch(1)
        line.addWidget(self._corners)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(line)
        column.addWidget(self._stack, 1)

    def add_page(
        self, page_id: str, title: str, glyph: str, page: QWidget, corner: QWidget | None
    ) -> None:
        """Append a page and its tab."""
        if page_id not in self._order:
            self._order.append(page_id)
        self._pages[page_id] = (page, corner)
        tab = _Tab(title, glyph, self)
        tab.setObjectName(f"tab.{page_id}")
        tab.clicked.connect(lambda: self.show_page(page_id))
        tab.detach_requested.connect(lambda: self.detach_requested.emit(page_id))
        self._tabs[page_id] = tab
        self._group.addButton(tab)
        place = [p for p in self._order if p in self._pages].index(page_id)
        self._tab_row.insertWidget(place, tab)
        self._stack.addWidget(page)
        if corner is not None:
            self._corners.addWidget(corner)
        self.setVisible(True)
        if len(self._pages) == 1:
            self.show_page(page_id)
        self._fit()

    def take_page(self, page_id: str) -> tuple[QWidget, QWidget | None]:
        """Remove a page and return it with its corner."""
        page, corner = self._pages.pop(page_id)
        tab = self._tabs.pop(page_id)
        self._group.removeButton(tab)
        self._tab_row.removeWidget(tab)
        tab.hide()
        tab.deleteLater()
        self._stack.removeWidget(page)
        if corner is not None:
            self._corners.removeWidget(corner)
        if self._pages:
            self.show_page(next(iter(self._pages)))
        return page, corner

    def has_page(self, page_id: str) -> bool:
        """Whether a page is among the tabs."""
        return page_id in self._pages

    def page_ids(self) -> list[str]:
        """Return the pages among the tabs."""
        return list(self._pages)

    @property
    def current(self) -> str:
        """The id of the page shown, empty if there is none."""
        shown = self._stack.currentWidget()
        return next((i for i, (page, _) in self._pages.items() if page is shown), "")

    def show_page(self, page_id: str) -> None:
        """Bring a page to the front."""
        if page_id not in self._pages:
            return
        page, corner = self._pages[page_id]
        self._stack.setCurrentWidget(page)
        self._corners.setCurrentWidget(corner or self._no_corner)
        self._tabs[page_id].setChecked(True)
        self._fit()

    def set_count(self, page_id: str, count: int) -> None:
        """Show a number behind the title of a tab, none for zero."""
        if page_id in self._tabs:
            self._tabs[page_id].show_count(count)
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Shorten the tabs where the line is too short, and let it become as short as that."""
        if self._is_fitting:
            return
        self._is_fitting = True
        corner = self._corners.currentWidget() or self._no_corner
        for short in (True, False):
            for tab in self._tabs.values():
                tab.shorten(short and not tab.isChecked())
            tabs = sum(
                tab.sizeHint().width() + self._tab_row.spacing() for tab in self._tabs.values()
            )
            if short:
                self.setMinimumWidth(tabs + corner.minimumSizeHint().width() + _MARGINS)
        if tabs + _LEAST_CORNER * corner.sizeHint().width() + _MARGINS > self.width():
            for tab in self._tabs.values():
                tab.shorten(not tab.isChecked())
        self._is_fitting = False

"""The controls of the assets panel, beside the tabs: where one is, search, filters, order."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from editor.panels.assets.order import BY_NAME, ORDERS, Order
from editor.panels.assets.project_listing import AssetQuery
from editor.qt.icons import icon
from editor.qt.widgets.search_field import SearchField
from editor.qt.widgets.tool_button import icon_button

__all__ = ["AssetBar"]

_SEARCH_MS: Final = 150
_MOST_CRUMBS: Final = 3


class AssetBar(QWidget):
    """Says what is shown.

    Signals
    -------
    query_changed()
        Search or filters are others now.
    order_chosen(Order)
    rows_toggled(bool)
        Files are to be shown as rows, or as tiles.
    folder_chosen(Path)
    folders_toggled(), details_toggled(), import_requested()
    """

    query_changed = Signal()
    order_chosen = Signal(object)
    rows_toggled = Signal(bool)
    folder_chosen = Signal(object)
    folders_toggled = Signal()
    details_toggled = Signal()
    import_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._order_now = BY_NAME
        self._crumbs_for = Path()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_MS)
        self._timer.timeout.connect(self.query_changed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self._crumbs = QWidget(self)
        self._crumb_row = QHBoxLayout(self._crumbs)
        self._lay_out_crumbs()
        row.addWidget(self._crumbs)
        self.search = self._search_field()
        row.addWidget(self.search)
        self.favourites = self._toggle("star", "Show favourites only", "assets.favourites")
        self.unused = self._toggle("link-break", "Show what nothing uses", "assets.unused")
        self.rows = self._toggle("list-bullets", "Show as a list", "assets.rows")
        for button in (self.favourites, self.unused):
            button.toggled.connect(lambda on: self.query_changed.emit())
        self.rows.toggled.connect(self.rows_toggled)
        self._order = icon_button("sort-ascending", "Order of the files", self)
        self._order.setObjectName("assets.order")
        self._order.clicked.connect(self._on_order_clicked)
        row.addWidget(self.favourites)
        row.addWidget(self.unused)
        row.addWidget(self.rows)
        row.addWidget(self._order)
        for glyph, tip, signal in (
            ("columns", "Show or hide the folders", self.folders_toggled),
            ("info", "Show or hide what an asset brought", self.details_toggled),
            ("plus", "Import assets into the project", self.import_requested),
        ):
            button = icon_button(glyph, tip, self)
            button.clicked.connect(signal)
            row.addWidget(button)

    def _lay_out_crumbs(self) -> None:
        self._crumb_row.setContentsMargins(0, 0, 0, 0)
        self._crumb_row.setSpacing(0)
        self._crumbs.setMinimumWidth(24)
        self._crumb_row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        self._crumbs.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def _search_field(self) -> SearchField:
        field = SearchField("Search assets", self)
        field.setObjectName("assets.search")
        field.setToolTip(
            "Words of the path; t:model, t:level, t:image or t:folder; is:unused; is:favourite"
        )
        field.setMinimumWidth(80)
        field.setMaximumWidth(190)
        # Where there is little room, the search goes on and the way to the folder is cut.
        field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        field.textChanged.connect(lambda text: self._timer.start())
        return field

    def _toggle(self, glyph: str, tip: str, name: str) -> QToolButton:
        button = icon_button(glyph, tip, self)
        button.setObjectName(name)
        button.setIcon(icon(glyph, "quiet", "accent"))
        button.setCheckable(True)
        return button

    @property
    def query(self) -> AssetQuery:
        """What is asked for at present."""
        return AssetQuery.of(
            self.search.text(),
            unused=self.unused.isChecked(),
            favourite=self.favourites.isChecked(),
        )

    def clear(self) -> None:
        """Ask for nothing in particular, without telling."""
        for widget in (self.search, self.unused, self.favourites):
            widget.blockSignals(True)
        self.search.clear()
        self.search.set_clearable(False)
        self.unused.setChecked(False)
        self.favourites.setChecked(False)
        for widget in (self.search, self.unused, self.favourites):
            widget.blockSignals(False)

    def _on_order_clicked(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        group = QActionGroup(menu)
        for order, title in ORDERS.items():
            action = QAction(title, menu, checkable=True, checked=order == self._order_now)
            action.triggered.connect(lambda _=False, order=order: self.order_chosen.emit(order))
            group.addAction(action)
            menu.addAction(action)
        menu.popup(self._order.mapToGlobal(QPoint(0, self._order.height())))

    def show_view(self, order: Order, *, as_rows: bool) -> None:
        """Show the order of the files and how they are shown."""
        self._order_now = order
        glyph = "sort-descending" if order.is_descending else "sort-ascending"
        self._order.setIcon(icon(glyph, "quiet" if order == BY_NAME else "accent"))
        self.rows.blockSignals(True)
        self.rows.setChecked(as_rows)
        self.rows.blockSignals(False)

    def show_crumbs(self, root: Path, folder: Path) -> None:
        """Show the way to a folder, each part a button."""
        if self._crumbs_for == folder:
            return
        self._crumbs_for = folder
        while (item := self._crumb_row.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        parts = folder.relative_to(root).parts
        paths = [root, *(root.joinpath(*parts[: i + 1]) for i in range(len(parts)))]
        titles = ["Project", *parts]
        for i, (path, title) in enumerate(
            zip(paths[-_MOST_CRUMBS:], titles[-_MOST_CRUMBS:], strict=True)
        ):
            if i:
                mark = QLabel("›", self._crumbs)
                mark.setProperty("role", "quiet")
                self._crumb_row.addWidget(mark)
                mark.show()
            button = QToolButton(self._crumbs)
            button.setProperty("role", "crumb")
            button.setText(title)
            button.setToolTip(str(path))
            button.clicked.connect(lambda checked=False, path=path: self.folder_chosen.emit(path))
            self._crumb_row.addWidget(button)
            button.show()

    def dispose(self) -> None:
        """Stop the timer."""
        self._timer.stop()

"""The issues panel.

Issues are looked for a moment after the last change, in short spells between frames, not with
every step of a drag.
"""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from editor.model.messages import Issue
from editor.qt.icons import icon
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.theme import Sizes
from editor.qt.widgets.empty_state import EmptyState
from editor.qt.widgets.gutter_scroll_bar import GutterScrollBar
from editor.qt.widgets.tool_button import icon_button

__all__ = ["IssuesPanel"]

_WAIT_MS: Final = 300
_SPELL_S: Final = 0.006
_REST_MS: Final = 25
_MOST_ROWS: Final = 400
_GLYPH_PX: Final = 14
_GAPS_PX: Final = 26
"""What stands free beside the glyph, and between a text and the buttons after it."""


class _RowText(QStyledItemDelegate):
    """Ends the text of a row before the buttons that stand at the row's end."""

    def __init__(self, rows: QListWidget) -> None:
        super().__init__(rows)
        self._rows = rows

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        buttons = self._rows.indexWidget(index)
        if buttons is not None:
            taken = _GLYPH_PX + _GAPS_PX + buttons.sizeHint().width()
            room = max(0, option.rect.width() - taken)
            right = Qt.TextElideMode.ElideRight
            option.text = option.fontMetrics.elidedText(option.text, right, room)


class IssuesPanel(Panel):
    """A list of issues; a click selects what they are about, a double click frames it.

    Signals
    -------
    count_changed(int)
    found(list[Issue])
        The issues there are now, after every look that found others than before.
    """

    count_changed = Signal(int)
    found = Signal(object)

    def __init__(self, context: PanelContext) -> None:
        super().__init__("issues", context)
        self._issues: list[Issue] = []
        self._shown: list[Issue] | None = None
        self.list = QListWidget(self)
        self.list.setObjectName("issues.list")
        self.list.setAccessibleName("Issues")
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(_GLYPH_PX, _GLYPH_PX))
        self.list.setItemDelegate(_RowText(self.list))
        self.list.itemClicked.connect(self._on_clicked)
        self.list.itemDoubleClicked.connect(self._on_activated)
        enter = QShortcut(QKeySequence(Qt.Key.Key_Return), self.list)
        enter.setContext(Qt.ShortcutContext.WidgetShortcut)
        enter.activated.connect(lambda: self._on_activated(self.list.currentItem()))
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._on_menu_requested)
        self._empty = EmptyState("check-circle", "No issues", "Everything is in its place.", self)
        self.column.addWidget(self.list, 1)
        self._bar = GutterScrollBar(self.list, self)
        self.column.addWidget(self._empty, 1)
        self._corner = self._make_corner()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._look)
        self.observe(self.document.changed.connect(lambda changes: self._timer.start(_WAIT_MS)))
        self.observe(self.document.replaced.connect(lambda nothing: self._timer.start(0)))
        self.observe(self.document.contents_changed.connect(lambda nothing: self._timer.start(0)))
        self.observe(self.document.assets_changed.connect(lambda news: self._timer.start(_WAIT_MS)))
        self.refresh()

    def _make_corner(self) -> QWidget:
        corner = QWidget()
        row = QHBoxLayout(corner)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        self._hints = icon_button("lightbulb", "Show hints, which may well be meant so", corner)
        self._hints.setObjectName("issues.hints")
        self._hints.setIcon(icon("lightbulb", "quiet", "accent"))
        self._hints.setCheckable(True)
        self._hints.setChecked(True)
        self._hints.toggled.connect(lambda on: self._show())
        self._fixes = icon_button("wrench", "Fix all of one kind", corner)
        self._fixes.setObjectName("issues.fixes")
        self._fixes.clicked.connect(self._on_fixes_clicked)
        row.addWidget(self._fixes)
        row.addWidget(self._hints)
        return corner

    def corner_widget(self) -> QWidget | None:
        return self._corner

    @property
    def issues(self) -> list[Issue]:
        """The issues that there are."""
        return list(self._issues)

    def refresh(self) -> None:
        """Look for all issues now."""
        self._timer.stop()
        self._take(self.document.issues())

    @guarded
    def _look(self) -> None:
        """Look for a short while; go on after a rest when that was not enough."""
        found = self.document.look_for_issues(_SPELL_S)
        if found is None:
            self._timer.start(_REST_MS)
        else:
            self._take(found)

    def _take(self, found: list[Issue]) -> None:
        is_news = found != self._issues
        self._issues = found
        self._show()
        if is_news:
            self.count_changed.emit(len(found))
            self.found.emit(list(found))

    # -- rows --------------------------------------------------------------------------------

    def _show(self) -> None:
        shown = [i for i in self._issues if self._hints.isChecked() or not i.is_hint]
        if shown != self._shown:
            self._shown = shown
            self._fill(shown)
        self.list.setVisible(bool(shown))
        self._fixes.setVisible(bool(self._kinds()))
        self._empty.setVisible(not shown)
        hidden = len(self._issues) - len(shown)
        hint = f"{hidden:,} hints are not shown." if hidden else "Everything is in its place."
        self._empty.set_texts("No issues", hint)

    def _fill(self, shown: list[Issue]) -> None:
        self.list.clear()
        for issue in shown[:_MOST_ROWS]:
            glyph = icon("lightbulb", "quiet") if issue.is_hint else icon("warning", "warning")
            item = QListWidgetItem(glyph, issue.text)
            item.setSizeHint(QSize(100, Sizes.ROW))
            item.setToolTip(issue.text)
            self.list.addItem(item)
            self._offer_remedies(item, issue)
        if len(shown) > _MOST_ROWS:
            item = QListWidgetItem(f"and {len(shown) - _MOST_ROWS:,} more")
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(item)

    def _offer_remedies(self, item: QListWidgetItem, issue: Issue) -> None:
        """Put buttons at the end of a row whose issue a click can settle."""
        if issue.fix is None and not issue.asset:
            return
        line = QWidget()
        line.setProperty("role", "plain")
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 1, 2, 1)
        row.setSpacing(4)
        row.addStretch(1)
        if issue.fix is not None:
            row.addWidget(self._button(line, issue.fix, issue, lambda: self._fix(issue)))
        if issue.asset and len(issue.options) > 1:
            others = self._button(line, "Others…", issue, lambda: self._offer_others(others, issue))
            row.addWidget(others)
        if issue.asset:
            text = "Choose another file…"
            row.addWidget(self._button(line, text, issue, lambda: self._choose(issue)))
        self.list.setItemWidget(item, line)

    def _button(
        self, line: QWidget, text: str, issue: Issue, act: Callable[[], None]
    ) -> QPushButton:
        button = QPushButton(text, line)
        button.setProperty("role", "link")
        button.setAccessibleName(f"{text}: {issue.text}")
        button.clicked.connect(act)
        return button

    def _issue_of(self, item: QListWidgetItem | None) -> Issue | None:
        row = self.list.row(item) if item is not None else -1
        shown = self._shown or []
        return shown[row] if 0 <= row < min(len(shown), _MOST_ROWS) else None

    # -- what the artist does ----------------------------------------------------------------

    @guarded
    def _fix(self, issue: Issue) -> None:
        self.document.fix(issue)
        self._timer.start(0)

    def _offer_others(self, button: QPushButton, issue: Issue) -> None:
        """Show everything that may stand for a missing file."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for option in issue.options:
            menu.addAction(icon("package", "quiet"), option).triggered.connect(
                lambda checked=False, option=option: self._use(issue.asset, option)
            )
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    @guarded
    def _choose(self, issue: Issue) -> None:
        """Ask for a file and let everything that names the lost one name it."""
        suffix = issue.asset.rpartition(".")[2].lower()
        pattern = "*.gl*" if suffix in ("glb", "gltf") else f"*.{suffix}"
        self.context.services.choose_asset(pattern, lambda chosen: self._use(issue.asset, chosen))

    @guarded
    def _use(self, asset: str, chosen: str) -> None:
        levels = self.document.relink(asset, chosen, wait=False)
        if levels:
            count = "1 other level follows" if len(levels) == 1 else f"{len(levels)} others follow"
            self.context.services.notify("good", f"Relinked to {chosen}; {count}")
        self._timer.start(0)

    def _kinds(self) -> dict[str, list[Issue]]:
        """Return the shown issues that a click can settle, by what finds them."""
        kinds: dict[str, list[Issue]] = {}
        for issue in self._shown or ():
            if issue.fix is not None:
                kinds.setdefault(issue.check, []).append(issue)
        return kinds

    def _on_fixes_clicked(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for check, alike in self._kinds().items():
            action = menu.addAction(f"{alike[0].fix}: all {len(alike):,}")
            action.setToolTip(alike[0].text)
            action.triggered.connect(lambda checked=False, check=check: self._fix_all(check))
        menu.popup(self._fixes.mapToGlobal(QPoint(0, self._fixes.height())))

    @guarded
    def _fix_all(self, check: str) -> None:
        issues = [issue for issue in self._issues if issue.check == check and issue.fix]
        self.document.fix_all(issues, f"Fix {len(issues)} issues")
        self._timer.start(0)

    @guarded
    def _on_clicked(self, item: QListWidgetItem) -> None:
        issue = self._issue_of(item)
        living = [e for e in issue.entities if self.document.world.alive(e)] if issue else []
        if living:
            self.document.select(living)

    def _on_activated(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._on_clicked(item)
            self.context.services.frame_selection()

    def _on_menu_requested(self, at: QPoint) -> None:
        issue = self._issue_of(self.list.itemAt(at))
        if issue is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if issue.fix is not None:
            fix = menu.addAction(icon("wrench", "quiet"), issue.fix)
            fix.triggered.connect(lambda: self._fix(issue))
            alike = [i for i in self._issues if i.check == issue.check and i.fix]
            if len(alike) > 1:
                every = menu.addAction(f"Fix all {len(alike):,} of this kind")
                every.triggered.connect(lambda: self._fix_all(issue.check))
        if issue.asset:
            show = menu.addAction(icon("package", "quiet"), "Choose another file…")
            show.triggered.connect(lambda: self._choose(issue))
        menu.addSeparator()
        copy = menu.addAction(icon("copy", "quiet"), "Copy text")
        copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(issue.text))
        menu.popup(self.list.viewport().mapToGlobal(at))

    def dispose(self) -> None:
        """Stop the timer and the subscriptions."""
        self._timer.stop()
        super().dispose()

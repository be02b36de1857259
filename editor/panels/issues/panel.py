"""The issues panel.

Issues are looked for a moment after the last change, not with every step of a drag.
"""

from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from editor.model.messages import Issue
from editor.qt.icons import icon
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.theme import Sizes
from editor.qt.widgets.empty_state import EmptyState
from editor.qt.widgets.gutter_scroll_bar import GutterScrollBar
from engine.ecs import QuerySpec
from engine.scene import GltfInstance

__all__ = ["IssuesPanel"]

_WAIT_MS: Final = 300
_INSTANCES: Final = QuerySpec(GltfInstance)


class IssuesPanel(Panel):
    """A list of issues; a click selects the entity, a double click frames it, a button mends it.

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
        self.list = QListWidget(self)
        self.list.setObjectName("issues.list")
        self.list.setAccessibleName("Issues")
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(14, 14))
        self.list.itemClicked.connect(self._on_clicked)
        self.list.itemDoubleClicked.connect(lambda item: context.services.frame_selection())
        self._empty = EmptyState("check-circle", "No issues", "Everything is in its place.", self)
        self.column.addWidget(self.list, 1)
        self._bar = GutterScrollBar(self.list, self)
        self.column.addWidget(self._empty, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WAIT_MS)
        self._timer.timeout.connect(self.refresh)
        self.observe(self.document.changed.connect(lambda changes: self._timer.start()))
        self.observe(self.document.replaced.connect(lambda nothing: self.refresh()))
        self.refresh()

    @property
    def issues(self) -> list[Issue]:
        """The issues listed."""
        return list(self._issues)

    def refresh(self) -> None:
        """Look for issues now."""
        found = self.document.issues()
        if found != self._issues or self.list.count() != len(found):
            self._issues = found
            self.list.clear()
            for issue in found:
                item = QListWidgetItem(icon("warning", "warning"), issue.text)
                item.setSizeHint(QSize(100, Sizes.ROW))
                item.setToolTip(issue.text)
                item.setData(Qt.ItemDataRole.UserRole, str(int(issue.entity)))
                self.list.addItem(item)
                self._offer_remedy(item, issue)
            self.count_changed.emit(len(found))
            self.found.emit(list(found))
        self.list.setVisible(bool(found))
        self._empty.setVisible(not found)

    def _offer_remedy(self, item: QListWidgetItem, issue: Issue) -> None:
        """Put a button at the end of a row whose issue a click can settle."""
        asset = self._broken_asset(issue)
        if issue.fix is None and not asset:
            return
        line = QWidget()
        line.setProperty("role", "plain")
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 1, 2, 1)
        button = QPushButton(issue.fix or "Choose another file…", line)
        button.setProperty("role", "link")
        button.setAccessibleName(f"{button.text()}: {issue.text}")
        if issue.fix is None:
            button.clicked.connect(lambda: self._relink(asset))
        else:
            button.clicked.connect(lambda: self._fix(issue))
        row.addStretch(1)
        row.addWidget(button)
        self.list.setItemWidget(item, line)

    def _broken_asset(self, issue: Issue) -> str:
        """Return the asset that could not be read, empty when the issue is another."""
        world = self.document.world
        if not (world.alive(issue.entity) and world.has(issue.entity, GltfInstance)):
            return ""
        asset = str(world.get(issue.entity, GltfInstance).asset)
        return asset if self.context.services.asset_problem(asset) == issue.text else ""

    @guarded
    def _fix(self, issue: Issue) -> None:
        self.document.fix(issue)
        self._timer.start(0)

    @guarded
    def _relink(self, asset: str) -> None:
        """Ask for a file and let every instance of the broken asset show it, as one step."""
        self.context.services.choose_asset("*.gl*", lambda chosen: self._use(asset, chosen))

    @guarded
    def _use(self, asset: str, chosen: str) -> None:
        world = self.document.world
        users = [e for e, instance in _INSTANCES.each(world) if str(instance.asset) == asset]
        self.document.set_fields(users, GltfInstance, asset=chosen)

    @guarded
    def _on_clicked(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        if 0 <= row < len(self._issues) and self.document.world.alive(self._issues[row].entity):
            self.document.select([self._issues[row].entity])

    def dispose(self) -> None:
        """Stop the timer and the subscriptions."""
        self._timer.stop()
        super().dispose()

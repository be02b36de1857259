"""The issues panel.

Issues are looked for a moment after the last change, not with every step of a drag.
"""

from typing import Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from editor.model.messages import Issue
from editor.qt.icons import icon
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.theme import Sizes
from editor.qt.widgets.empty_state import EmptyState

__all__ = ["IssuesPanel"]

_WAIT_MS: Final = 300


class IssuesPanel(Panel):
    """A list of issues; a click selects the entity, a double click frames it.

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
            self.count_changed.emit(len(found))
            self.found.emit(list(found))
        self.list.setVisible(bool(found))
        self._empty.setVisible(not found)

    @guarded
    def _on_clicked(self, item: QListWidgetItem) -> None:
        row = self.list.row(item)
        if 0 <= row < len(self._issues) and self.document.world.alive(self._issues[row].entity):
            self.document.select([self._issues[row].entity])

    def dispose(self) -> None:
        """Stop the timer and the subscriptions."""
        self._timer.stop()
        super().dispose()

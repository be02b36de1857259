"""All that a level changes on an instance, in one place: which node, how much, and the way back.

Of a placed level also what was hung under it, since applying takes it along.

Changes whose node the asset lacks at present are listed too: they can be applied to another node,
or given up.
"""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from editor.document import LevelDocument
from editor.model.change_set import ChangeSet
from editor.qt.fonts import TITLE
from editor.qt.hierarchy.document_source import entity_glyph
from editor.qt.report import guarded
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.more_rows import MoreRows
from editor.qt.widgets.search_menu import SearchEntry, SearchMenu
from editor.qt.widgets.section_card import SectionCard
from editor.qt.widgets.wrapping_line import WrappingLine
from engine.reflect import Entity
from engine.scene import SceneInstance

__all__ = ["OverridesCard"]

_MOST = 50
Buttons = tuple[tuple[str, str, Callable[[], object]], ...]


class OverridesCard(SectionCard):
    """Lists what a level changes on the nodes of an instance; hidden when that is nothing."""

    def __init__(self, document: LevelDocument, parent: QWidget) -> None:
        super().__init__("git-diff", "Overrides", parent)
        self.setObjectName("card.overrides")
        self._document = document
        self._root = Entity.null()
        self._shown: object = None
        self._shown_rows: dict[str, int] = {}
        self._added: frozenset[Entity] = frozenset()
        self.menu_button.hide()
        self.hide()

    def show_instance(self, root: Entity | None) -> None:
        """List the overrides of an instance; None hides the card."""
        document = self._document
        found = document.overridden(root) if root is not None else []
        parked = document.parked_overrides(root) if root is not None else {}
        is_level = root is not None and document.world.has(root, SceneInstance)
        added = document.added_under(root) if root is not None and is_level else []
        self._added = frozenset(added)
        self.setVisible(bool(found or parked or added))
        labels = [document.label(entity) for entity, _ in found]
        labels += [document.label(entity) for entity in added]
        shown = (root, found, labels, parked, added)
        if root is None or shown == self._shown:
            return
        if root != self._root:
            self._shown_rows.clear()
        self._root, self._shown = root, shown
        self._clear()
        count = sum(n for _, n in found) + len(added)
        self.title.set_text(f"Overrides · {count}" if count else "Overrides")
        changed = [(entity, n) for entity, n in found if entity not in parked]
        missing = list(parked.items())
        self._add_lines("nodes", len(changed), lambda i: self._node_line(*changed[i]))
        self._add_lines("not in the file", len(missing), lambda i: self._parked_line(*missing[i]))
        self._add_lines("added", len(added), lambda i: self._added_line(added[i]))
        self.add_row(self._footer(is_level, can_revert=bool(found or parked)))
        self.set_open(self.is_open)

    def _add_lines(self, what: str, count: int, make: Callable[[int], QWidget]) -> None:
        if count:
            shown, spacing = self._shown_rows.get(what, 0), self.rows.spacing()
            rows = MoreRows(count, make, _MOST, self.body, shown=shown, what=what, spacing=spacing)
            rows.shown_changed.connect(lambda now: self._shown_rows.update({what: now}))
            self.add_row(rows)

    def is_touched(self, changes: ChangeSet) -> bool:
        """Whether what is hung under instances may be something else after a step."""
        is_moved = bool(changes.spawned or changes.reparented or changes.despawned)
        return is_moved or not self._added.isdisjoint(changes.components)

    def _clear(self) -> None:
        while (item := self.rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _node_line(self, entity: Entity, count: int) -> QWidget:
        fields = "1 change" if count == 1 else f"{count} changes"
        name = self._document.label(entity)
        buttons: Buttons = (
            ("Select", f"Select {name}", lambda: self._select(entity)),
            ("Revert", f"Revert all changes of {name}", lambda: self._revert(entity)),
        )
        label = ElidedLabel(name, role="override", weight=TITLE)
        return self._line([label], fields, buttons)

    def _added_line(self, entity: Entity) -> QWidget:
        name = self._document.label(entity)
        where = self._document.label(self._document.parent(entity) or self._root)
        select = ("Select", f"Select {name}", lambda: self._select(entity))
        line = self._line([ElidedLabel(name, role="override", weight=TITLE)], "added", (select,))
        line.setToolTip(f"This level hung {name} under {where}; applying takes it along")
        return line

    def _parked_line(self, entity: Entity, path: str) -> QWidget:
        line_button: list[QPushButton] = []
        buttons: Buttons = (
            ("Apply to…", f"Apply the changes of {path} to another node",
             lambda: self._choose_node(entity, line_button[0])),
            ("Remove", f"Give up the changes of {path}", lambda: self._revert(entity)),
        )  # fmt: skip
        glyph = Glyph("warning", role="warning", size=13)
        label = ElidedLabel(path.rpartition("/")[2], role="override", weight=TITLE)
        line = self._line([glyph, label], "not in the file", buttons)
        line.setToolTip(f"The file has no node {path} at present; the changes are kept")
        line_button.extend(line.findChildren(QPushButton))
        return line

    def _footer(self, is_level: bool, *, can_revert: bool) -> QWidget:
        buttons: Buttons = ()
        if can_revert:
            text = "Revert all changes of the instance"
            buttons = (("Revert all", text, self._revert_all),)
        if is_level:
            level = self._document.asset_of(self._root)
            text = f"Write the changes, and what was added, into {level}"
            buttons = (*buttons, ("Apply to level", text, self._apply))
        footer = self._line([], "", buttons)
        refusal = self._document.why_not_apply(self._root) if is_level else ""
        if refusal:
            apply = footer.findChildren(QPushButton)[-1]
            apply.setEnabled(False)
            apply.setToolTip(refusal)
        return footer

    def _line(self, lead: list[QWidget], hint: str, buttons: Buttons) -> QWidget:
        """Return what is changed, how much, and what can be done: that below in a narrow panel."""
        left = QWidget(self.body)
        row = QHBoxLayout(left)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in lead:
            row.addWidget(widget, 1 if isinstance(widget, ElidedLabel) else 0)
        if not lead:
            row.addStretch(1)
        if hint:
            told = ElidedLabel(hint, left, role="quiet")
            told.setMinimumWidth(told.sizeHint().width())
            row.addWidget(told)
        return WrappingLine(left, self._links(buttons), self.body)

    def _links(self, buttons: Buttons) -> QWidget:
        links = QWidget(self.body)
        row = QHBoxLayout(links)
        row.setContentsMargins(0, 0, 0, 0)
        for text, what, act in buttons:
            button = QPushButton(text, links)
            button.setProperty("role", "link")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.setToolTip(what)
            button.setAccessibleName(what)
            button.clicked.connect(lambda checked=False, act=act: act())
            row.addWidget(button)
        return links

    @guarded
    def _select(self, entity: Entity) -> None:
        self._document.select([entity])

    @guarded
    def _revert(self, entity: Entity) -> None:
        self._document.revert_override(entity)

    @guarded
    def _revert_all(self) -> None:
        self._document.revert_instance(self._root)

    @guarded
    def _apply(self) -> None:
        self._document.apply_overrides(self._root)

    def _choose_node(self, parked: Entity, button: QPushButton) -> None:
        """Ask for the node that gets the changes of one that is gone."""
        document = self._document
        entries = [
            SearchEntry(path, entity_glyph(document, node)[0], "", node)
            for node, path in document.nodes_of(self._root)
        ]
        menu = SearchMenu(entries, "Search nodes", self)
        menu.chosen.connect(lambda node: self._move(parked, node))
        menu.open_at(button.mapToGlobal(QPoint(0, button.height() + 2)), max(self.width(), 240))

    @guarded
    def _move(self, parked: Entity, node: Entity) -> None:
        self._document.move_overrides(parked, node)

"""The hierarchy panel."""

from dataclasses import replace
from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QPushButton, QToolButton

from editor.model.change_set import ChangeSet
from editor.model.messages import Issue
from editor.panels.hierarchy.tree import HierarchyTree
from editor.qt.hierarchy.document_source import DocumentSource
from editor.qt.hierarchy.model import HierarchyModel, TreeDrop
from editor.qt.hierarchy.rows import EYE_COLUMN
from editor.qt.hierarchy.search import DEEPEST, SearchQuery, find_matches, with_ancestors
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.widgets.empty_state import EmptyState
from editor.qt.widgets.gutter_scroll_bar import GutterScrollBar
from editor.qt.widgets.panel_header import PanelHeader
from editor.qt.widgets.search_field import SearchField
from engine.reflect import Entity
from engine.scene.instance_nodes import InstanceLinks

__all__ = ["HierarchyPanel"]

_SEARCH_MS: Final = 120
_MOST_OPENED: Final = 400


class HierarchyPanel(Panel):
    """The tree of the level."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__("hierarchy", context)
        self._source = DocumentSource(self.document)
        self.model = HierarchyModel(self._source, self)
        self.model.dropped.connect(self._on_dropped)
        self.model.renamed.connect(self._on_renamed)
        self._expanded: set[Entity] = set()
        self._build()
        document = self.document
        self.observe(document.changed.connect(self._on_changed))
        self.observe(document.issues_changed.connect(self._on_issues))
        self.observe(document.replaced.connect(lambda nothing: self._on_replaced()))
        self.observe(document.selection_changed.connect(lambda chosen: self._show_selection()))
        self._update_empty()
        self._show_selection()

    def _build(self) -> None:
        fold = self._build_header()
        self._build_search()
        self.tree = HierarchyTree(self.model)
        fold.clicked.connect(self.tree.collapseAll)
        self._connect_tree()
        self._build_link()
        self.column.addWidget(self.tree, 1)
        self._bar = GutterScrollBar(self.tree, self)
        self._empty = EmptyState("tree-structure", "", "", self)
        self.column.addWidget(self._empty, 1)

    def _build_header(self) -> QToolButton:
        """Add the header; return the button that folds the tree."""
        self.header = header = PanelHeader("tree-structure", "Hierarchy", self)
        add = header.add_button("plus", "Add an entity (Shift+A)")
        add.clicked.connect(
            lambda: self.context.services.show_menu("add", add.mapToGlobal(QPoint(0, add.height())))
        )
        fold = header.add_button("arrows-in-line-vertical", "Fold everything")
        self.column.addWidget(header)
        return fold

    def _build_search(self) -> None:
        self.search = SearchField("Search  t:Light  a:crate", self)
        self.search.setObjectName("hierarchy.search")
        self.search.setToolTip(
            "Words of the name; t:Light for components; a:crate for assets  (Ctrl+F)"
        )
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SEARCH_MS)
        self._timer.timeout.connect(self._apply_search)
        self.search.textChanged.connect(lambda text: self._timer.start())
        self.column.addWidget(self.search)

    def _connect_tree(self) -> None:
        self.tree.selected.connect(self._on_selected)
        self.tree.mark_clicked.connect(self._on_mark_clicked)
        self.tree.activated_entity.connect(lambda entity: self.context.services.frame_selection())
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._on_menu_requested)
        self.tree.expanded.connect(self._on_expanded)
        self.tree.collapsed.connect(lambda i: self._note_expanded(self.model.entity_at(i), False))

    def _build_link(self) -> None:
        """Add what leads out of a branch that stands for the whole level."""
        self._whole = QPushButton("Part of a deep branch · show the whole level", self)
        self._whole.setObjectName("hierarchy.whole")
        self._whole.setProperty("role", "link")
        self._whole.setToolTip(
            f"The tree shows {DEEPEST} levels at once; these rows begin further down"
        )
        self._whole.clicked.connect(lambda: self._begin_at(Entity.null()))
        self._whole.hide()
        self.column.addWidget(self._whole, 0, Qt.AlignmentFlag.AlignLeft)

    def _update_empty(self) -> None:
        empty = self.model.rowCount() == 0
        if SearchQuery.parse(self.search.text()):
            self._empty.set_texts("Nothing found", "No entity fits the search. Esc clears it.")
        else:
            self._empty.set_texts("The level is empty", "Drop a .glb here, or press Shift+A.")
        self.tree.setVisible(not empty)
        self._empty.setVisible(empty)
        self.setAcceptDrops(empty)

    def _note_expanded(self, entity: Entity, on: bool) -> None:
        if not self.search.text():
            (self._expanded.add if on else self._expanded.discard)(entity)

    def _on_expanded(self, index: QModelIndex) -> None:
        """Note it; a row too deep to be opened in its place becomes the topmost one."""
        entity = self.model.entity_at(index)
        if self.model.is_cut(index):
            QTimer.singleShot(0, self, lambda: self._begin_at(entity))
        else:
            self._note_expanded(entity, True)

    def _begin_at(self, top: Entity) -> None:
        """Show the branch of one entity, or the whole level."""
        if top and not self.document.world.alive(top):
            return
        self.model.reset_rows(top=top)
        self._restore_expanded()
        if top:
            self.tree.expand(self.model.index(0, 0))
        self._whole.setVisible(bool(top))
        self.tree.show_selection(list(self.document.selection))

    def _reach(self, entity: Entity) -> None:
        """Begin further down or up where an entity is in no row as they are now."""
        if not self.search.text() and not self.model.index_of(entity).isValid():
            top = self.model.reach(entity)
            if top != self.model.top:
                self._begin_at(top)

    def _apply_search(self) -> None:
        query = SearchQuery.parse(self.search.text())
        if not query:
            self.model.reset_rows()
            self._restore_expanded()
        else:
            matches = find_matches(self._source, query)
            self.model.reset_rows(*with_ancestors(self._source, matches))
            if len(matches) <= _MOST_OPENED:
                for entity in matches:
                    self._reveal(entity)
        self._whole.hide()
        self._update_empty()
        self._show_selection()

    def _restore_expanded(self) -> None:
        for entity in sorted(self._expanded):
            if self.document.world.alive(entity):
                self.tree.expand(self.model.index_of(entity))

    def _reveal(self, entity: Entity) -> None:
        index = self.model.index_of(entity).parent()
        while index.isValid():
            self.tree.expand(index)
            index = index.parent()

    def _show_selection(self) -> None:
        chosen = list(self.document.selection)
        if chosen:
            self._reach(chosen[-1])
        self.tree.show_selection(chosen)

    def _on_replaced(self) -> None:
        self._expanded.clear()
        self.search.clear()
        self._timer.stop()
        self._source.set_issues({})
        self.model.reset_rows()
        self._whole.hide()
        for row in range(min(60, self.model.rowCount())):
            index = self.model.index(row, 0)
            entity = self.model.entity_at(index)
            children = self.document.children(entity)
            if children and not any(self.document.is_realised(e) for e in children[:1]):
                self.tree.expand(index)
        self._update_empty()
        self._show_selection()

    def _on_changed(self, changes: ChangeSet) -> None:
        top = self.model.top
        with self.tree.following():
            self.model.apply(self._with_links(changes))
        self.model.touch(self._roots_of(changes))
        if top and not self.model.top:
            self._begin_at(Entity.null())
        self._update_empty()
        if changes.spawned or changes.despawned or changes.realised or changes.reparented:
            self._show_selection()

    def _with_links(self, changes: ChangeSet) -> ChangeSet:
        """Count what changes a node as moved to its place, which it has since its root arrived."""
        links = InstanceLinks.of(self.document.world)
        moved = [entity for root in changes.realised for entity in links.under(root).values()]
        return replace(changes, reparented=(*changes.reparented, *moved)) if moved else changes

    def _roots_of(self, changes: ChangeSet) -> set[Entity]:
        """Return the instances whose nodes changed: their rows say how much of them is changed."""
        alive = filter(self.document.world.alive, changes.components)
        return {self.document.root_of(e) for e in alive if self.document.is_realised(e)}

    def _on_issues(self, issues: list[Issue]) -> None:
        marked = [issue for issue in issues if not issue.is_hint]
        self._source.set_issues({e: issue.text for issue in marked for e in issue.entities})
        self.tree.viewport().update()

    @guarded
    def _on_selected(self, entities: list[Entity]) -> None:
        self.document.select(entities)

    @guarded
    def _on_mark_clicked(self, entity: Entity, column: int) -> None:
        chosen = list(self.document.selection)
        entities = chosen if entity in chosen else [entity]
        if column == EYE_COLUMN:
            self.document.set_hidden(entities, not self.document.hidden(entity))
        else:
            self.document.set_locked(entities, not self.document.locked(entity))

    @guarded
    def _on_renamed(self, entity: Entity, text: str) -> None:
        self.document.rename(entity, text)

    @guarded
    def _on_dropped(self, drop: TreeDrop) -> None:
        alt = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.AltModifier)
        parent = drop.parent or None
        if drop.entities:
            self.document.order(list(drop.entities), parent, drop.before, keep_world=not alt)
            return
        self.context.services.place_under(drop.assets, parent)
        if parent is not None:
            self.tree.expand(self.model.index_of(parent))
            self._show_selection()

    def _on_menu_requested(self, at: QPoint) -> None:
        self.context.services.show_menu("entity", self.tree.viewport().mapToGlobal(at))

    def rename_current(self) -> None:
        """Edit the name of the active entity in its row."""
        chosen = self.document.selection
        if not chosen:
            return
        self._reach(chosen[-1])
        index = self.model.index_of(chosen[-1])
        if self.model.can_rename(index):
            self._reveal(chosen[-1])
            self.tree.scrollTo(index)
            self.tree.setFocus()
            self.tree.edit(index)

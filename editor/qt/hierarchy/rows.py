"""The rows of the tree of entities, without what they show.

Rows are fetched when a view opens their parent and are patched from the document's change sets;
the model resets only when another level is opened or the search changes. Views identify rows by the
entity's value, so no Python object travels through Qt.

Views need time and stack for every level above a row, so rows end `DEEPEST` levels down. What is
deeper is shown by beginning further down: the model then has one topmost row, `top`.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex

from editor.model.change_set import ChangeSet
from editor.qt.hierarchy.nodes import Node, NodeTable
from editor.qt.hierarchy.patch import insertion_runs, next_move, removal_runs
from editor.qt.hierarchy.search import DEEPEST
from editor.qt.hierarchy.source import HierarchySource
from engine.reflect import Entity

__all__ = ["EYE_COLUMN", "LOCK_COLUMN", "NAME_COLUMN", "HierarchyRows", "Index"]

NAME_COLUMN, EYE_COLUMN, LOCK_COLUMN = range(3)
N_COLUMNS: Final = 3

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX: Final = QModelIndex()
_NOTHING: Final = Entity.null()
_ABOVE: Final = 6


class HierarchyRows(QAbstractItemModel):
    """Lazy rows over a `HierarchySource`; a subclass says what they show.

    Attributes
    ----------
    top : Entity
        The topmost row where the rows begin further down; null for the whole level.
    """

    def __init__(self, source: HierarchySource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._nodes = NodeTable()
        self._shown: set[Entity] | None = None
        self._tops: list[Entity] = []
        self.top = Entity.null()
        self.reset_rows()

    def reset_rows(
        self,
        shown: set[Entity] | None = None,
        tops: Iterable[Entity] = (),
        *,
        top: Entity = _NOTHING,
    ) -> None:
        """Start over: another level, another search, or another branch of a deep level.

        Parameters
        ----------
        shown
            Entities to show, with those above them; None for all.
        tops
            Those of `shown` that stand beside the topmost, since what is above them is left out.
        top
            The entity to begin at; null for the whole level.
        """
        self.beginResetModel()
        self.top = top
        self._shown, self._tops = shown, list(tops)
        self._nodes.clear()
        self._nodes.root.children = []
        self._fill(self._nodes.root, self._wanted(self._nodes.root))
        self.endResetModel()

    def reach(self, entity: Entity) -> Entity:
        """Return where the rows have to begin so that an entity is among them; mostly null."""
        path = []
        while entity:
            path.append(entity)
            entity = self._source.parent(entity)
            if len(path) > DEEPEST:
                return path[_ABOVE]
        return Entity.null()

    def level_of(self, index: Index) -> int:
        """Return how many rows stand above a row."""
        node = self._node(index)
        return node.level if node is not None else -1

    def is_cut(self, index: Index) -> bool:
        """Whether there is more below a row than is shown, since it is too deep."""
        node = self._node(index)
        return node is not None and self._is_deepest(node) and bool(self._wanted(node))

    def _is_deepest(self, node: Node) -> bool:
        return node.level >= DEEPEST - 1

    def entity_at(self, index: Index) -> Entity:
        """Return the entity of a row; the null entity for an invalid index."""
        return Entity(index.internalId()) if index.isValid() else Entity.null()

    def index_of(self, entity: Entity, column: int = 0, *, fetch: bool = True) -> QModelIndex:
        """Return the index of an entity, fetching the rows above it when asked to."""
        if not self._nodes.find(entity) and fetch:
            self._fetch_path(entity)
        node = self._nodes.find(entity)
        if node is None or node.parent is None:
            return QModelIndex()
        return self.createIndex(node.parent.row_of(node.entity), column, int(entity))

    def runs_of(self, entities: Iterable[Entity]) -> list[tuple[QModelIndex, QModelIndex]]:
        """Return the rows of entities as first and last row of each run, fetching those above."""
        rows: dict[Node, list[int]] = {}
        for entity in entities:
            if self._nodes.find(entity) is None:
                self._fetch_path(entity)
            node = self._nodes.find(entity)
            if node is not None and node.parent is not None:
                rows.setdefault(node.parent, []).append(node.parent.row_of(entity))
        runs = []
        for above, found in rows.items():
            starts = np.unique(found)
            for run in np.split(starts, np.flatnonzero(np.diff(starts) > 1) + 1):
                children = above.children or []
                first, last = int(run[0]), int(run[-1])
                runs.append(
                    (
                        self.createIndex(first, 0, int(children[first])),
                        self.createIndex(last, N_COLUMNS - 1, int(children[last])),
                    )
                )
        return runs

    def entities_of(self, above: Index, first: int, last: int) -> list[Entity]:
        """Return the entities of the rows from `first` to `last` below a row."""
        node = self._node(above)
        return list((node.children or [])[first : last + 1]) if node is not None else []

    def _fetch_path(self, entity: Entity) -> None:
        path = [entity]
        walk = self._source.parent(entity)
        while self._nodes.find(walk) is None:
            path.append(walk)
            walk = self._source.parent(walk)
            if len(path) > DEEPEST:
                return
        for step in reversed(path):
            above = self._nodes.find(self._source.parent(step))
            if above is None:
                return
            self._fetch(above)

    def _wanted(self, node: Node) -> list[Entity]:
        if self.top and node is self._nodes.root:
            return [self.top]
        children = self._source.children(node.entity)
        if self._shown is None:
            return list(children)
        found = [child for child in children if child in self._shown]
        return found + self._tops if node is self._nodes.root else found

    def _fill(self, node: Node, children: Iterable[Entity]) -> None:
        node.children = [*(node.children or ()), *children]
        node.rows_changed()
        for child in node.children:
            self._nodes.add(child, node)

    def _index(self, node: Node, column: int = 0) -> QModelIndex:
        if node.parent is None:
            return QModelIndex()
        return self.createIndex(node.parent.row_of(node.entity), column, int(node.entity))

    def _fetch(self, node: Node) -> None:
        if node.children is not None or self._is_deepest(node):
            return
        wanted = self._wanted(node)
        node.children = []
        if wanted:
            self.beginInsertRows(self._index(node), 0, len(wanted) - 1)
            self._fill(node, wanted)
            self.endInsertRows()

    def _node(self, index: Index) -> Node | None:
        return self._nodes.find(index.internalId()) if index.isValid() else self._nodes.root

    def index(self, row: int, column: int, parent: Index = _NO_INDEX) -> QModelIndex:
        node = self._node(parent)
        if node is None or not 0 <= column < N_COLUMNS or parent.column() > 0:
            return QModelIndex()
        if not 0 <= row < len(node.children or ()):
            return QModelIndex()
        return self.createIndex(row, column, int((node.children or [])[row]))

    def parent(self, index: Index = _NO_INDEX) -> QModelIndex:  # type: ignore[override]
        node = self._nodes.find(index.internalId()) if index.isValid() else None
        if node is None or node.parent is None:
            return QModelIndex()
        return self._index(node.parent)

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        node = self._node(parent)
        return 0 if node is None or parent.column() > 0 else len(node.children or ())

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return N_COLUMNS

    def hasChildren(self, parent: Index = _NO_INDEX) -> bool:
        node = self._node(parent)
        if node is None or parent.column() > 0:
            return False
        if node.children is None and not self._wanted(node):
            node.children = []
        return node.children is None or bool(node.children)

    def canFetchMore(self, parent: Index) -> bool:
        node = self._node(parent)
        if node is None or node.children is not None or parent.column() > 0:
            return False
        return not self._is_deepest(node)

    def fetchMore(self, parent: Index) -> None:
        node = self._node(parent)
        if node is not None:
            self._fetch(node)

    def apply(self, changes: ChangeSet) -> None:
        """Patch the rows that a change set names."""
        if self.top in changes.despawned:
            self.reset_rows()
            return
        self._tops = [e for e in self._tops if e not in changes.despawned]
        parents: dict[int, None] = {}
        for entity in (*changes.despawned, *changes.reparented):
            node = self._nodes.find(entity)
            if node is not None and node.parent is not None:
                parents[int(node.parent.entity)] = None
        if self._shown is not None:
            self._shown.update(changes.spawned)
        for entity in (*changes.spawned, *changes.reparented):
            parents[int(self._source.parent(entity))] = None
        parents.update((int(root), None) for root in changes.realised)
        for entity in changes.reparented:
            self._move_across(entity)
        for value in parents:
            node = self._nodes.find(value)
            if node is not None and node.children is not None:
                self._sync(node)
        touched = {*changes.components, *changes.marks, *changes.realised, *map(Entity, parents)}
        for entity in touched:
            self._touch(entity)

    def touch(self, entities: Iterable[Entity]) -> None:
        """Have the rows of some entities painted anew."""
        for entity in entities:
            self._touch(entity)

    def _touch(self, entity: Entity) -> None:
        node = self._nodes.find(entity)
        if node is not None and node.parent is not None:
            self.dataChanged.emit(self._index(node), self._index(node, N_COLUMNS - 1))

    def _move_across(self, entity: Entity) -> None:
        """Move a known row to another fetched parent, so that its subtree stays open."""
        node, target = self._nodes.find(entity), self._nodes.find(self._source.parent(entity))
        if node is None or target is None or node.parent in {None, target}:
            return
        old = node.parent
        if target.children is None or old is None or self._is_below(target, node):
            return
        wanted = self._wanted(target)
        if entity not in wanted:
            return
        after = wanted[wanted.index(entity) + 1 :]
        present = set(target.children)
        following = next((e for e in after if e in present), None)
        row = target.row_of(following) if following is not None else len(target.children)
        source_row = old.row_of(entity)
        if not self.beginMoveRows(
            self._index(old), source_row, source_row, self._index(target), row
        ):
            return
        (old.children or []).pop(source_row)
        target.children.insert(row, entity)
        node.parent = target
        old.rows_changed()
        target.rows_changed()
        self.endMoveRows()

    def _is_below(self, node: Node, ancestor: Node) -> bool:
        walk: Node | None = node
        while walk is not None:
            if walk is ancestor:
                return True
            walk = walk.parent
        return False

    def _sync(self, node: Node) -> None:
        """Bring the rows under a node to what the source says."""
        wanted = self._wanted(node)
        if wanted == node.children:
            return
        self._remove_rows(node, wanted)
        present = set(node.children or ())
        kept = [e for e in wanted if e in present]
        self._reorder_rows(node, kept)
        rows = node.children if node.children is not None else []
        for row, entities in insertion_runs(rows, wanted):
            self.beginInsertRows(self._index(node), row, row + len(entities) - 1)
            rows[row:row] = entities
            node.rows_changed()
            for entity in entities:
                self._nodes.add(entity, node)
            self.endInsertRows()

    def _remove_rows(self, node: Node, wanted: list[Entity]) -> None:
        rows = node.children or []
        for first, last in removal_runs(rows, wanted):
            self.beginRemoveRows(self._index(node), first, last)
            gone = rows[first : last + 1]
            del rows[first : last + 1]
            node.rows_changed()
            for entity in gone:
                found = self._nodes.find(entity)
                if found is not None and found.parent is node:
                    self._nodes.drop(entity)
            self.endRemoveRows()

    def _reorder_rows(self, node: Node, wanted: list[Entity]) -> None:
        rows = node.children or []
        index = self._index(node)
        while (move := next_move(rows, wanted)) is not None:
            source, target = move
            after = target + 1 if target > source else target
            if not self.beginMoveRows(index, source, source, index, after):
                return
            rows.insert(target, rows.pop(source))
            node.rows_changed()
            self.endMoveRows()

"""The tree of entities for Qt views.

The model never edits: a rename, a drop or a click on a mark leaves as a signal, and the row changes
when the document says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from PySide6.QtCore import QMimeData, QModelIndex, Qt, Signal

from editor.qt.hierarchy.rows import EYE_COLUMN, LOCK_COLUMN, NAME_COLUMN, HierarchyRows, Index
from editor.qt.mime import ASSET_MIME, ENTITY_MIME, entity_mime, read_assets, read_entities
from editor.qt.widgets.text_line import MOST_EDITED
from engine.reflect import Entity

__all__ = ["ENTITY_ROLE", "LOOK_ROLE", "HierarchyModel", "TreeDrop"]

ENTITY_ROLE: Final = int(Qt.ItemDataRole.UserRole)
LOOK_ROLE: Final = ENTITY_ROLE + 1
_FILE_URLS: Final = "text/uri-list"

_ROOT_FLAGS: Final = Qt.ItemFlag.ItemIsDropEnabled
_MARK_FLAGS: Final = (
    Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsDragEnabled
    | Qt.ItemFlag.ItemIsDropEnabled
)
_NAME_FLAGS: Final = _MARK_FLAGS | Qt.ItemFlag.ItemIsEditable


@dataclass(frozen=True)
class TreeDrop:
    """Something dropped on the tree.

    Attributes
    ----------
    entities, assets
        What was dragged; one of them is empty.
    parent
        The row dropped on or into; the null entity for the top level.
    before
        The sibling to come before, None for the end.
    """

    entities: tuple[Entity, ...]
    assets: tuple[str, ...]
    parent: Entity
    before: Entity | None


class HierarchyModel(HierarchyRows):
    """What the rows show, and what the artist asks of them.

    Signals
    -------
    dropped(TreeDrop), renamed(Entity, str)
        What the artist asked for.
    """

    dropped = Signal(object)
    renamed = Signal(object, str)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return the same flags for all rows: views ask for each row they lay out."""
        if not index.isValid():
            return _ROOT_FLAGS
        return _NAME_FLAGS if index.column() == NAME_COLUMN else _MARK_FLAGS

    def can_rename(self, index: Index) -> bool:
        """Whether the name of a row can be edited."""
        entity = self.entity_at(index)
        is_short = len(self._source.full_name(entity)) <= MOST_EDITED if entity else False
        return is_short and self._source.can_rename(entity)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        node = self._nodes.find(index.internalId()) if index.isValid() else None
        if node is None:
            return None
        if role == ENTITY_ROLE:
            return int(node.entity)
        if role == LOOK_ROLE:
            return self._source.look(node.entity)
        if role == int(Qt.ItemDataRole.ToolTipRole):
            return self._tool_tip(node.entity, index.column())
        if index.column() == NAME_COLUMN and role == int(Qt.ItemDataRole.DisplayRole):
            return self._source.label(node.entity)
        if index.column() == NAME_COLUMN and role == int(Qt.ItemDataRole.EditRole):
            return self._source.full_name(node.entity)
        return None

    def _tool_tip(self, entity: Entity, column: int) -> str:
        look = self._source.look(entity)
        if column == EYE_COLUMN:
            return "Show in the viewport  (H)" if look.hidden else "Hide in the viewport  (H)"
        if column == LOCK_COLUMN:
            return "Unlock" if look.locked else "Lock: not selectable in the viewport"
        changes = "1 change" if look.changes == 1 else f"{look.changes} changes"
        lines = [look.issue or self._source.label(entity)]
        if look.changes:
            lines.append(f"{changes} to what its file says")
        return "\n".join(lines)

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        entity = self.entity_at(index)
        text = str(value).strip()
        if not entity or role != int(Qt.ItemDataRole.EditRole) or not text:
            return False
        if not self._source.can_rename(entity):
            return False
        if text != self._source.full_name(entity):
            self.renamed.emit(entity, text)
        return True

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction | Qt.DropAction.CopyAction | Qt.DropAction.LinkAction

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction | Qt.DropAction.LinkAction

    def mimeTypes(self) -> list[str]:
        return [ENTITY_MIME, ASSET_MIME, _FILE_URLS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        return entity_mime([self.entity_at(i) for i in indexes if i.column() == NAME_COLUMN])

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        dragged = set(read_entities(data))
        walk = self.entity_at(parent)
        while dragged and walk:
            if walk in dragged:
                return False
            walk = self._source.parent(walk)
        return bool(dragged or read_assets(data))

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        target = self.entity_at(parent)
        node = self._nodes.find(target)
        siblings = (node.children or []) if node is not None else []
        before = siblings[row] if 0 <= row < len(siblings) else None
        entities, assets = tuple(read_entities(data)), tuple(read_assets(data))
        if entities or assets:
            self.dropped.emit(TreeDrop(entities, assets, target, before))
        return False

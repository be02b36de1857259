"""All overrides of an instance in one place: which node, how many fields, revert."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from editor.document import LevelDocument
from editor.qt.fonts import TITLE
from editor.qt.report import guarded
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.section_card import SectionCard
from engine.ecs import QuerySpec
from engine.reflect import Entity
from engine.scene import InstanceNode

__all__ = ["OverridesCard", "overridden_nodes"]

_NODES = QuerySpec(InstanceNode)
_MOST = 50


def overridden_nodes(document: LevelDocument, root: Entity) -> list[tuple[Entity, int]]:
    """Return the nodes of an instance that carry overrides, with the number of fields."""
    found: list[tuple[Entity, int]] = []
    for table in _NODES.tables(document.world):
        roots = table.view(InstanceNode, "root")
        for entity in table.entities[roots == int(root)].tolist()[:_MOST]:
            views = document.components(Entity(entity))
            count = sum(len(view.overridden) for view in views)
            if count:
                found.append((Entity(entity), count))
    return found


class OverridesCard(SectionCard):
    """Lists what a level changes on the nodes of an instance; hidden when that is nothing."""

    def __init__(self, document: LevelDocument, parent: QWidget) -> None:
        super().__init__("git-diff", "Overrides", parent)
        self.setObjectName("card.overrides")
        self._document = document
        self._shown: list[tuple[Entity, int]] = []
        self.menu_button.hide()
        self.hide()

    def show_instance(self, root: Entity | None) -> None:
        """List the overrides of an instance; None hides the card."""
        found = overridden_nodes(self._document, root) if root is not None else []
        self.setVisible(bool(found))
        if found == self._shown:
            return
        self._shown = found
        while (item := self.rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for entity, count in found:
            self.add_row(self._line(entity, count))

    def _line(self, entity: Entity, count: int) -> QWidget:
        line = QWidget(self.body)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        name = ElidedLabel(self._document.label(entity), line, role="override", weight=TITLE)
        fields = "1 field" if count == 1 else f"{count} fields"
        row.addWidget(name, 1)
        row.addWidget(ElidedLabel(fields, line, role="quiet"))
        for text, slot in (("Select", self._select), ("Revert", self._revert)):
            button = QPushButton(text, line)
            button.setProperty("role", "link")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda checked=False, slot=slot: slot(entity))
            row.addWidget(button)
        return line

    @guarded
    def _select(self, entity: Entity) -> None:
        self._document.select([entity])

    @guarded
    def _revert(self, entity: Entity) -> None:
        self._document.revert_override(entity)

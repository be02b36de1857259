"""The materials of what is selected: shared with whom, made its own, or changed for all."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from editor.document import LevelDocument, MaterialUse
from editor.qt.fonts import TITLE
from editor.qt.report import guarded
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.section_card import SectionCard
from engine.reflect import Entity
from engine.scene import MaterialOverride

__all__ = ["MaterialCard"]

_MOST = 6
_NAME_PX = 56
"""In a narrow panel, how many share a material is cut before what it is called."""


class MaterialCard(SectionCard):
    """Says of each material how many props share it; hidden for what draws nothing."""

    def __init__(self, document: LevelDocument, parent: QWidget) -> None:
        super().__init__("palette", "Materials", parent)
        self.setObjectName("card.materials")
        self._document = document
        self._shown: tuple[Entity, list[MaterialUse]] | None = None
        self.menu_button.hide()
        self.hide()

    def show_entity(self, entity: Entity | None) -> None:
        """List the materials of an entity; None hides the card."""
        found = self._document.materials_of(entity) if entity is not None else []
        self.setVisible(bool(found))
        shown = (entity, found) if entity is not None else None
        if shown == self._shown:
            return
        self._shown = shown
        while (item := self.rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if entity is None:
            return
        for use in found[:_MOST]:
            self.add_row(self._line(entity, use))
        if len(found) > _MOST:
            self.add_row(ElidedLabel(f"and {len(found) - _MOST} more", self.body, role="quiet"))

    def _line(self, entity: Entity, use: MaterialUse) -> QWidget:
        line = QWidget(self.body)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        name = ElidedLabel(use.name or "Plain colour", line, weight=TITLE)
        name.setMinimumWidth(_NAME_PX)
        row.addWidget(name, 1)
        others = len(use.users) - 1
        state = ElidedLabel(f"used by {others + 1:,}" if others else "unique", line, role="quiet")
        state.setToolTip(_explained(use))
        row.addWidget(state)
        if others:
            every = self._button(
                line, "Change all", "Select all that share it, to edit them as one"
            )
            every.clicked.connect(lambda: self._change_all(use))
            row.addWidget(every)
        if not use.is_own:
            tip = "Add a material override to this one" if others else "Add a material override"
            own = self._button(line, "Make unique" if others else "Change", tip)
            own.clicked.connect(lambda: self._make_own(entity))
            row.addWidget(own)
        return line

    def _button(self, line: QWidget, text: str, tip: str) -> QPushButton:
        button = QPushButton(text, line)
        button.setProperty("role", "link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setToolTip(tip)
        return button

    @guarded
    def _make_own(self, entity: Entity) -> None:
        self._document.add_component([entity], MaterialOverride())

    @guarded
    def _change_all(self, use: MaterialUse) -> None:
        document = self._document
        with document.gesture("Change a material everywhere"):
            lacking = [e for e in use.users if not document.world.has(e, MaterialOverride)]
            document.select(use.users)
            if lacking:
                document.add_component(lacking, MaterialOverride())


def _explained(use: MaterialUse) -> str:
    if use.is_own:
        return "Changed here by a material override"
    if len(use.users) > 1:
        return f"{len(use.users)} props and shapes of this level are drawn with this material"
    return "Nothing else in this level is drawn with this material"

"""The materials of what is selected: shared with whom, made its own, or changed for all."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from editor.document import LevelDocument, MaterialUse
from editor.qt.fonts import TITLE
from editor.qt.report import guarded
from editor.qt.widgets.color_chip import ColorChip
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.more_rows import MoreRows
from editor.qt.widgets.section_card import SectionCard
from editor.qt.widgets.wrapping_line import WrappingLine
from engine.reflect import Entity
from engine.scene import MaterialOverride

__all__ = ["MaterialCard"]

_MOST = 6


class MaterialCard(SectionCard):
    """Says of each material how many props share it; hidden for what draws nothing."""

    def __init__(self, document: LevelDocument, parent: QWidget) -> None:
        super().__init__("palette", "Materials", parent)
        self.setObjectName("card.materials")
        self._document = document
        self._shown: tuple[Entity, list[MaterialUse]] | None = None
        self._shown_rows = 0
        self.menu_button.hide()
        self.hide()

    def show_entity(self, entity: Entity | None) -> None:
        """List the materials of an entity; None hides the card."""
        found = self._document.materials_of(entity) if entity is not None else []
        self.setVisible(bool(found))
        shown = (entity, found) if entity is not None else None
        if shown == self._shown:
            return
        if self._shown is None or entity != self._shown[0]:
            self._shown_rows = 0
        self._shown = shown
        while (item := self.rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if entity is None:
            return
        rows = MoreRows(
            len(found),
            lambda index: self._line(entity, found[index]),
            _MOST,
            self.body,
            shown=self._shown_rows,
            spacing=self.rows.spacing(),
        )
        rows.shown_changed.connect(self._on_more_shown)
        self.add_row(rows)

    def _on_more_shown(self, count: int) -> None:
        self._shown_rows = count

    def _line(self, entity: Entity, use: MaterialUse) -> QWidget:
        line = WrappingLine(self._lead(use), self._links(entity, use), self.body)
        line.setAccessibleName(use.name or "Plain colour")
        return line

    def _lead(self, use: MaterialUse) -> QWidget:
        """Return what it is called, its colour, and how many share it."""
        lead = QWidget(self.body)
        row = QHBoxLayout(lead)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(7)
        if use.color is not None:
            row.addWidget(ColorChip(use.color, lead))
        row.addWidget(ElidedLabel(use.name or "Plain colour", lead, weight=TITLE), 1)
        count = len(use.users)
        state = ElidedLabel(f"used by {count:,}" if count > 1 else "unique", lead, role="quiet")
        state.setToolTip(_explained(use))
        state.setMinimumWidth(state.sizeHint().width())
        row.addWidget(state)
        return lead

    def _links(self, entity: Entity, use: MaterialUse) -> QWidget:
        """Return what can be done to it."""
        links = QWidget(self.body)
        row = QHBoxLayout(links)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        others = len(use.users) - 1
        if others:
            tip = "Select all that share it, to edit them as one"
            self._add(row, links, "Change all", tip, lambda: self._change_all(use))
        if not use.is_own:
            tip = "Add a material override to this one" if others else "Add a material override"
            text = "Make unique" if others else "Change"
            self._add(row, links, text, tip, lambda: self._make_own(entity))
        return links

    def _add(
        self, row: QHBoxLayout, links: QWidget, text: str, tip: str, act: Callable[[], object]
    ) -> None:
        button = QPushButton(text, links)
        button.setProperty("role", "link")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setToolTip(tip)
        button.clicked.connect(lambda: act())
        row.addWidget(button)

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
        return f"{len(use.users):,} props and shapes of this level are drawn with this material"
    return "Nothing else in this level is drawn with this material"

"""A field for a reference to an entity: drop, eyedropper, follow, clear."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from editor.qt.mime import read_entities
from editor.qt.widgets.reference_field import ReferenceField
from engine.reflect import Entity

__all__ = ["EntityField"]


class EntityField(ReferenceField):
    """One entity, none, or None for a mixed selection.

    Signals
    -------
    edited(Entity)
        Another entity was dropped, or the field was cleared (the null entity).
    pick_requested()
        The eyedropper was clicked.
    """

    edited = Signal(object)
    pick_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clear = self.add_button("x", "Clear the reference")
        self._clear.clicked.connect(lambda: self.edited.emit(Entity.null()))
        self._pick = self.add_button("eyedropper", "Pick in the viewport")
        self._pick.clicked.connect(self.pick_requested)

    def set_entity(
        self, entity: Entity | None, label: str = "", glyph: tuple[str, str] = ("cube", "quiet")
    ) -> None:
        """Show an entity by its name; None is mixed, a name of "" means it is gone."""
        self.picture.glyph = glyph
        if entity is None:
            self.show_name("mixed", role="quiet")
        elif not entity:
            self.show_name("none", role="quiet")
            self.picture.glyph = ("link-simple", "faint")
        else:
            self.show_name(label or f"gone ({entity})", failed=not label)
        self.setToolTip("Click to select it" if label else "Drop an entity here")
        self._clear.setVisible(bool(entity) or entity is None)
        self.picture.update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(read_entities(event.mimeData())) == 1:
            event.acceptProposedAction()
            self.set_dropping(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.set_dropping(False)

    def dropEvent(self, event: QDropEvent) -> None:
        entities = read_entities(event.mimeData())
        self.set_dropping(False)
        if len(entities) == 1:
            event.acceptProposedAction()
            self.edited.emit(entities[0])

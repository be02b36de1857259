"""The menu of a component's card, and what field editors may ask of the inspector."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPixmap

from editor.document import LevelDocument
from editor.panels.inspector.component_card import ComponentCard
from editor.panels.inspector.field_editors import EditorContext
from editor.panels.inspector.raw_text import record_lines
from editor.qt.hierarchy.document_source import entity_glyph
from editor.qt.icons import icon
from editor.qt.panel import Panel
from editor.qt.report import guarded
from editor.qt.widgets.label_column import LabelColumn
from editor.qt.widgets.menu_bar import PlainMenu
from engine.reflect import Entity

__all__ = ["ComponentMenu"]

_PICTURE_PX = 192
_MOST_PICTURES = 200
_REQUIRED = frozenset({"Name", "LocalTransform"})
_INSTANCES = frozenset({"GltfInstance", "SceneInstance"})
_ON_INSTANCES = ("unpack", "apply_overrides", "revert_instance")


class ComponentMenu:
    """Builds the menu of a card and carries out its entries."""

    def __init__(
        self,
        panel: Panel,
        document: LevelDocument,
        on_pictures: Callable[[], None],
        shown: Callable[[], Sequence[Entity]],
    ) -> None:
        self._panel = panel
        self._document = document
        self._context = _InspectorContext(panel, document, on_pictures, shown)

    def editor_context(self) -> EditorContext:
        """Return what field editors are given."""
        return self._context

    def open(self, card: ComponentCard, at: QPoint, entities: tuple[Entity, ...]) -> None:
        """Show the menu of a card."""
        menu = PlainMenu("", self._panel)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(icon("copy", "quiet"), "Copy as text")
        copy.triggered.connect(lambda: self._copy(card))
        if card.view.overridden:
            revert = menu.addAction(
                icon("arrow-counter-clockwise", "quiet"), "Revert to the asset's values"
            )
            revert.triggered.connect(lambda: self._revert(card, entities))
        menu.addSeparator()
        if card.key.name in _INSTANCES and entities == tuple(self._document.selection):
            known = self._panel.context.actions
            menu.addActions([known[name] for name in _ON_INSTANCES if name in known])
            menu.addSeparator()
        remove = menu.addAction(icon("trash", "quiet"), "Remove component")
        remove.setEnabled(not card.view.derived and card.key.name not in _REQUIRED)
        remove.triggered.connect(lambda: self._remove(card, entities))
        menu.popup(at)

    def _copy(self, card: ComponentCard) -> None:
        lines = [card.key.name, *(f"  {line}" for line in record_lines(card.view.record))]
        QGuiApplication.clipboard().setText("\n".join(lines))

    @guarded
    def _revert(self, card: ComponentCard, entities: tuple[Entity, ...]) -> None:
        self._document.revert_override(entities, card.key.name)

    @guarded
    def _remove(self, card: ComponentCard, entities: tuple[Entity, ...]) -> None:
        self._document.remove_component(entities, card.view.type_ or card.key.name)


class _InspectorContext:
    """Answers field editors from the document and the window."""

    def __init__(
        self,
        panel: Panel,
        document: LevelDocument,
        on_pictures: Callable[[], None],
        shown: Callable[[], Sequence[Entity]],
    ) -> None:
        self._panel = panel
        self._document = document
        self._shown = shown
        self._on_pictures = on_pictures
        self._pictures: dict[str, QPixmap] = {}
        self.label_column = LabelColumn(panel)
        panel.context.services.on_thumbnail_ready(self._on_picture_ready)

    def entity_label(self, entity: Entity) -> str:
        return self._document.label(entity) if self._document.world.alive(entity) else ""

    def entity_glyph(self, entity: Entity) -> tuple[str, str]:
        return entity_glyph(self._document, entity)

    def select_entity(self, entity: Entity) -> None:
        self._document.select([entity])

    def pick_entity(self, on_picked: Callable[[Entity], None]) -> None:
        self._panel.context.services.pick_entity(on_picked)

    def choose_asset(self, pattern: str, on_chosen: Callable[[str], None]) -> None:
        self._panel.context.services.choose_asset(pattern, on_chosen)

    def reveal_asset(self, path: str) -> None:
        self._panel.context.services.reveal_asset(path)

    def asset_path(self, dropped: str) -> str:
        return self._panel.context.services.asset_path(dropped)

    def asset_picture(self, path: str) -> QPixmap | None:
        file = str(Path(self._document.root) / path)
        if file not in self._pictures:
            image = self._panel.context.services.thumbnail(Path(file), _PICTURE_PX)
            if image is None or image.isNull():
                return None
            while len(self._pictures) >= _MOST_PICTURES:
                del self._pictures[next(iter(self._pictures))]
            self._pictures[file] = QPixmap.fromImage(image)
        return self._pictures[file]

    def _on_picture_ready(self, path: str) -> None:
        self._pictures.pop(path, None)
        self._on_pictures()

    def asset_variants(self, path: str) -> tuple[str, ...]:
        return self._document.variants(path)

    def asset_problem(self, path: str) -> str:
        return self._panel.context.services.asset_problem(path)

    def asset_user_count(self, path: str) -> int:
        return self._document.asset_user_count(path)

    @guarded
    def select_asset_users(self, path: str) -> None:
        self._document.select(self._document.asset_users(path))

    @guarded
    def make_asset_unique(self, path: str) -> None:
        shown = set(self._shown())
        users = [entity for entity in self._document.asset_users(path) if entity in shown]
        copy = self._document.make_unique(users, path, wait=False)
        self._panel.context.services.notify("good", f"{copy} is used here only")

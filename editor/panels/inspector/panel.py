"""The inspector panel.

It shows one card per component that all selected entities carry. Cards are built from records and
kept for reuse: selecting another entity with the same components only writes new values into the
rows, and an edit refreshes the cards that the change set names.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from editor.document import ComponentView
from editor.model.change_set import ChangeSet
from editor.panels.inspector.component_card import CardKey, ComponentCard
from editor.panels.inspector.component_menu import ComponentMenu
from editor.panels.inspector.edits import FieldEdits
from editor.panels.inspector.field_editors import FieldEdit
from editor.panels.inspector.header import SelectionHeader
from editor.panels.inspector.material_card import MaterialCard
from editor.panels.inspector.overrides_card import OverridesCard
from editor.qt.hierarchy.document_source import entity_glyph
from editor.qt.hierarchy.entity_icon import component_icon
from editor.qt.icons import icon
from editor.qt.names import component_title
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import guarded
from editor.qt.widgets.empty_state import EmptyState
from editor.qt.widgets.panel_header import PanelHeader
from editor.qt.widgets.scrolling import plain_scroll_area
from editor.qt.widgets.search_menu import SearchEntry, SearchMenu
from engine.app import AssetNews
from engine.ecs import QuerySpec, World
from engine.reflect import Entity, SceneComponent
from engine.scene import (
    Enabled,
    GltfInstance,
    LocalTransform,
    MaterialOverride,
    Shape,
    WorldTransform,
)

__all__ = ["InspectorPanel"]

_TOLD_OTHERWISE: Final = frozenset(
    {"Name", "Enabled", "Parent", "Order", "Realised", "KeptRecords", "InstanceNode"}
)
"""What the header, the tree and the overrides say in better words."""
_SHARING: Final = frozenset({GltfInstance, MaterialOverride, Shape})
"""What decides who else uses a file or a material."""
_USUAL: Final = (LocalTransform, GltfInstance, WorldTransform)
"""What every prop has."""
_AHEAD_MS: Final = 300
_MOST_SHOWN: Final = 500
_POOL: Final = 64
_SWITCHED: Final = QuerySpec(Enabled)


class InspectorPanel(Panel):
    """Shows and edits the components of the selection."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__("inspector", context)
        self._edits = FieldEdits(self.document)
        self._cards: list[ComponentCard] = []
        self._pool: dict[CardKey, ComponentCard] = {}
        self._folded: set[str] = set()
        self._locked: tuple[Entity, ...] | None = None
        self._arrival = QTimer(self)
        self._arrival.setSingleShot(True)
        self._arrival.timeout.connect(self.refresh)
        self._ahead = QTimer(self, singleShot=True, interval=_AHEAD_MS)
        self._ahead.timeout.connect(self._make_card_ahead)
        self._menu = ComponentMenu(self, self.document, self.refresh, lambda: self.entities)
        self._build()
        document = self.document
        self.observe(document.selection_changed.connect(lambda selection: self.refresh()))
        self.observe(document.changed.connect(self._on_changed))
        self.observe(document.replaced.connect(lambda nothing: self._on_replaced()))
        self.observe(document.assets_changed.connect(self._on_assets_changed))
        self.observe(document.contents_changed.connect(lambda nothing: self._look_again()))
        self.refresh()

    def _build(self) -> None:
        header = PanelHeader("sliders-horizontal", "Inspector", self)
        self._lock = header.add_button("lock-simple-open", "Keep showing this selection")
        self._lock.setCheckable(True)
        self._lock.toggled.connect(self._on_lock_toggled)
        self.column.addWidget(header)
        self.header = header
        self._header = SelectionHeader(self)
        self._header.renamed.connect(self._on_renamed)
        self._header.enabled_changed.connect(self._on_enabled_changed)
        self._header.owner_requested.connect(self._on_owner_requested)
        self.column.addWidget(self._header)
        self._build_list()
        self._scroll = plain_scroll_area(self._body, self)
        self._empty = EmptyState(
            "cursor",
            "Nothing selected",
            "Click something in the viewport or in the hierarchy.",
            self,
        )
        self.column.addWidget(self._scroll, 1)
        self.column.addWidget(self._empty, 1)

    def _build_list(self) -> None:
        self._body = QWidget()
        self._body.setProperty("role", "plain")
        self._list = QVBoxLayout(self._body)
        self._list.setContentsMargins(0, 2, 0, 8)
        self._list.setSpacing(7)
        self._add = QPushButton(icon("plus", "text"), "Add component", self._body)
        self._add.setObjectName("inspector.add_component")
        self._add.setProperty("role", "wide")
        self._add.clicked.connect(self.open_add_menu)
        self._overrides = OverridesCard(self.document, self._body)
        self._list.addWidget(self._overrides)
        self._materials = MaterialCard(self.document, self._body)
        self._list.addWidget(self._materials)
        self._unlike = QLabel("These have nothing in common to change.", self._body)
        self._unlike.setProperty("role", "quiet")
        self._unlike.setContentsMargins(4, 2, 4, 2)
        self._unlike.hide()
        self._list.addWidget(self._unlike)
        self._list.addWidget(self._add)
        self._list.addStretch(1)

    @property
    def entities(self) -> tuple[Entity, ...]:
        """What is shown: the selection, or what the inspector is locked to."""
        shown = self._locked if self._locked is not None else tuple(self.document.selection)
        return tuple(e for e in shown if self.document.world.alive(e))

    @property
    def cards(self) -> list[ComponentCard]:
        """The cards on screen, in order."""
        return list(self._cards)

    def card(self, name: str) -> ComponentCard | None:
        """Return the card of a component by its name in files."""
        return next((card for card in self._cards if card.key.name == name), None)

    def _shared_views(self, entities: Sequence[Entity]) -> list[list[ComponentView]]:
        """Return, per component that all shown entities have, its view on each of them."""
        tables = [{v.name: v for v in self.document.components(e)} for e in entities]
        if not tables:
            return []
        shared: list[list[ComponentView]] = []
        for name, first in tables[-1].items():
            if name in _TOLD_OTHERWISE or not all(name in table for table in tables):
                continue
            views = [table[name] for table in tables]
            if all(CardKey.of(view) == CardKey.of(first) for view in views):
                shared.append(views)
        return sorted(shared, key=lambda views: (views[0].derived, views[0].unknown))

    def refresh(self) -> None:
        """Show the selection anew, reusing cards."""
        self._arrival.stop()
        entities = self.entities
        shown = bool(entities)
        for widget in (self._header, self._scroll):
            widget.setVisible(shown)
        self._empty.setVisible(not shown)
        if not shown:
            self._place_cards([])
            return
        self._show_header(entities)
        shared = self._shared_views(entities[-_MOST_SHOWN:])
        self._place_cards([self._card_for(views[0]) for views in shared])
        for card, views in zip(self._cards, shared, strict=True):
            card.set_views(views)
        self._unlike.setVisible(not shared and len(entities) > 1)
        self._overrides.show_instance(self._only())
        self._materials.show_entity(self._only())

    def _only(self) -> Entity | None:
        entities = self.entities
        return entities[-1] if len(entities) == 1 else None

    def _show_header(self, entities: Sequence[Entity]) -> None:
        document = self.document
        shown = entities[-_MOST_SHOWN:]
        names = {document.full_name(e) for e in shown}
        off = _count_off(document.world, entities)
        self._header.show_selection(
            names.pop() if len(names) == 1 and len(shown) == len(entities) else "",
            len(entities),
            entity_glyph(document, entities[-1]),
            None if 0 < off < len(entities) else not off,
            can_rename=not any(document.is_realised(e) for e in shown),
            owner=self._owner_of(shown),
        )

    def _owner_of(self, entities: Sequence[Entity]) -> str:
        """Return the name of the instance that all are parts of, empty for none."""
        document = self.document
        if not all(document.is_realised(e) for e in entities):
            return ""
        roots = {document.root_of(e) for e in entities}
        return document.label(roots.pop()) if len(roots) == 1 else ""

    def _on_owner_requested(self) -> None:
        self.document.select([self.document.root_of(self.entities[-1])])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ahead.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._ahead.stop()
        super().hideEvent(event)

    def _make_card_ahead(self) -> None:
        """Make a card of those that props have while nothing happens, as each takes 10 ms."""
        views = map(self.document.blank_view, _USUAL)
        missing = [view for view in views if CardKey.of(view) not in self._pool]
        if missing:
            self._card_for(missing[0])
            self._ahead.start()

    def _card_for(self, view: ComponentView) -> ComponentCard:
        key = CardKey.of(view)
        card = self._pool.get(key)
        if card is None:
            card = ComponentCard(key, view, self._menu.editor_context(), self._body)
            card.hide()  # else a card made ahead would show with the body, though nothing has it
            card.edited.connect(self._on_edited)
            card.previewed.connect(self._on_previewed)
            card.preview_started.connect(self._on_preview_started)
            card.preview_finished.connect(self._on_preview_finished)
            card.reset_requested.connect(self._on_reset_requested)
            card.revert_requested.connect(self._on_revert_requested)
            card.menu_requested.connect(
                lambda at, card=card: self._menu.open(card, at, self.entities)
            )
            card.folded.connect(lambda on, card=card: self._on_folded(card, on))
            self._pool[key] = card
            if view.derived and key.name not in self._folded:
                self._folded.add(key.name)
        card.set_open(key.name not in self._folded)
        return card

    def _place_cards(self, cards: list[ComponentCard]) -> None:
        if cards == self._cards:
            return
        for card in self._cards:
            self._list.removeWidget(card)
            if card not in cards:
                card.hide()
        # What is derived can't be changed, and stands below what can.
        own = [card for card in cards if not card.key.read_only]
        for row, card in enumerate(own):
            self._list.insertWidget(row, card)
        below = self._list.indexOf(self._add) + 1
        for row, card in enumerate((card for card in cards if card.key.read_only), below):
            self._list.insertWidget(row, card)
        for card in cards:
            card.show()
        self._cards = cards
        self._trim_pool()

    def _trim_pool(self) -> None:
        for key in list(self._pool)[: max(0, len(self._pool) - _POOL)]:
            if self._pool[key] not in self._cards:
                self._pool.pop(key).deleteLater()

    def _on_changed(self, changes: ChangeSet) -> None:
        shown = set(self.entities)
        changed = {*changes.components, *changes.marks, *changes.spawned}
        roots = {self.document.root_of(e) for e in changes.components if self._is_alive(e)}
        if shown & (changed | roots) or changes.despawned:
            self.refresh()
        elif shown.intersection(changes.realised):
            # A large prop takes long enough to arrive; its cards can wait for the next event.
            self._overrides.show_instance(self._only())
            self._arrival.start()
        else:
            if self._overrides.is_touched(changes):
                self._overrides.show_instance(self._only())
            if shown and _shares_otherwise(changes):
                self._arrival.start()

    def _on_assets_changed(self, news: AssetNews) -> None:
        if news.changed:
            self._look_again()

    def _look_again(self) -> None:
        """Show what fields say of their files: broken or gone, or there again."""
        if self.isVisible() and self.entities:
            self._arrival.start()

    def dispose(self) -> None:
        """Stop listening; the window calls this when it closes."""
        super().dispose()
        self._arrival.stop()
        self._ahead.stop()

    def _is_alive(self, entity: Entity) -> bool:
        return self.document.world.alive(entity)

    def _on_replaced(self) -> None:
        self._edits.finish(False)
        self._lock.setChecked(False)
        self.refresh()

    def _on_lock_toggled(self, on: bool) -> None:
        self._locked = tuple(self.document.selection) if on else None
        self._lock.setIcon(icon("lock-simple" if on else "lock-simple-open", "quiet", "accent"))
        self.refresh()

    def _on_folded(self, card: ComponentCard, on: bool) -> None:
        (self._folded.add if on else self._folded.discard)(card.key.name)

    @guarded
    def _on_renamed(self, text: str) -> None:
        with self.document.gesture(f"Rename to {text}"):
            for entity in self.entities:
                self.document.rename(entity, text)

    @guarded
    def _on_enabled_changed(self, on: bool) -> None:
        document = self.document
        with document.gesture("Enable" if on else "Disable"):
            for entity in self.entities:
                if document.world.has(entity, Enabled):
                    document.set_fields([entity], Enabled, on=on)
                elif not on:
                    document.add_component([entity], Enabled(on=False))

    @guarded
    def _on_edited(self, card: ComponentCard, field: str, edit: FieldEdit) -> None:
        if card.view.type_ is not None:
            self._edits.apply(self.entities, card.view.type_, field, edit)

    @guarded
    def _on_preview_started(self, card: ComponentCard, field: str) -> None:
        if card.view.type_ is not None:
            label = f"Change {component_title(card.key.name)} {field.replace('_', ' ')}"
            self._edits.begin(self.entities, card.view.type_, field, label)

    @guarded
    def _on_previewed(self, card: ComponentCard, field: str, edit: FieldEdit) -> None:
        if card.view.type_ is not None:
            self._edits.preview(card.view.type_, field, edit)

    @guarded
    def _on_preview_finished(self, keep: bool) -> None:
        self._edits.finish(keep)

    @guarded
    def _on_reset_requested(self, card: ComponentCard, field: str) -> None:
        if card.view.type_ is not None:
            self.document.reset_field(self.entities, card.view.type_, field)

    @guarded
    def _on_revert_requested(self, card: ComponentCard, field: str) -> None:
        self.document.revert_override(self.entities, card.key.name, field)

    def open_add_menu(self) -> None:
        """Open the searchable list of components below the button."""
        menu = SearchMenu(self._addable(), "Search components", self)
        menu.chosen.connect(self._on_component_chosen)
        menu.open_at(self._add.mapToGlobal(QPoint(0, self._add.height() + 2)), self._add.width())

    def _addable(self) -> list[SearchEntry]:
        entities = self.entities
        entries = []
        for type_ in self.document.addable_components():
            if all(self.document.world.has(e, type_) for e in entities):
                continue
            name = type_.scene_name()
            doc = (type_.__doc__ or "").strip().split("\n")[0]
            entries.append(SearchEntry(component_title(name), component_icon(name), doc, type_))
        return sorted(entries, key=lambda entry: entry.title)

    @guarded
    def _on_component_chosen(self, type_: type[SceneComponent]) -> None:
        missing = [e for e in self.entities if not self.document.world.has(e, type_)]
        self.document.add_component(missing, type_())


def _shares_otherwise(changes: ChangeSet) -> bool:
    """Whether files and materials of what is shown may have other users after a step."""
    edited = (types for types in changes.components.values())
    if changes.spawned or changes.realised:
        return True
    return any(not _SHARING.isdisjoint(types) for types in edited)


def _count_off(world: World, entities: Sequence[Entity]) -> int:
    """Return how many of some entities are off by themselves."""
    off = [t.entities[~t.view(Enabled, "on").astype(bool)] for t in _SWITCHED.tables(world)]
    if not off:
        return 0
    return int(np.isin(np.array(entities, np.int64), np.concatenate(off)).sum())

"""Cards of the inspector: which there are, and what their menus and headers do."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from editor.document import LevelDocument
from editor.panels.inspector import InspectorPanel
from editor.panels.inspector.component_card import ComponentCard
from editor.qt.widgets.search_menu import SearchMenu
from engine.scene import (
    CameraComponent,
    Enabled,
    Environment,
    GltfInstance,
    LightSource,
    LocalTransform,
    Name,
    Shape,
    read_text,
)
from tests.editor.panels.inspector.conftest import numbers, type_into


def test_nothing_selected_says_what_to_do(panel: InspectorPanel) -> None:
    assert panel.cards == []
    assert panel._empty.isVisible()


def test_cards_follow_the_selection(panel: InspectorPanel, document: LevelDocument) -> None:
    lamp = document.add_light("point")
    box = document.add_shape("box")
    document.select([lamp])
    assert [c.key.name for c in panel.cards][:2] == ["LocalTransform", "LightSource"]
    document.select([box])
    assert "Shape" in [c.key.name for c in panel.cards]
    document.select([lamp, box])
    assert "Shape" not in [c.key.name for c in panel.cards]


def test_rename_and_enable_in_the_header(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    type_into(panel.findChild(QLineEdit, "inspector.name"), "Chest")
    assert document.label(box) == "Chest"
    enabled = panel._header._enabled
    enabled.click()
    assert document.world.get(box, Enabled).on is False
    enabled.click()
    assert document.world.get(box, Enabled).on is True


def test_add_component_by_search(panel: InspectorPanel, document: LevelDocument, qtbot) -> None:
    box = document.add_empty()
    panel.open_add_menu()
    menu = panel.findChild(SearchMenu)
    QTest.keyClicks(menu.search, "cam")
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert document.world.has(box, CameraComponent)
    assert panel.card("CameraComponent") is not None
    document.undo()
    assert panel.card("CameraComponent") is None


def test_components_that_all_have_are_not_offered(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    document.add_shape("box")
    offered = [entry.value for entry in panel._addable()]
    assert Shape not in offered
    assert LightSource in offered


def test_remove_component_from_the_menu(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    card = panel.card("Shape")
    panel._menu._remove(card, panel.entities)
    assert not document.world.has(box, Shape)
    assert panel.card("Shape") is None


def test_reset_puts_the_default_back(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    document.set_fields([box], LocalTransform, scale=(2, 2, 2))
    card = panel.card("LocalTransform")
    card.reset_requested.emit(card, "scale")
    assert document.world.get(box, LocalTransform).scale.tolist() == [1, 1, 1]


def test_unknown_component_is_shown_as_text_and_can_be_removed(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    text = 'cinder-scene 2\nentity 0\n  Name text="x"\n  Loot table="gold" count=3\n'
    read_text(text)
    entity = document.paste(text)[0]
    document.select([entity])
    card = panel.card("Loot")
    assert card is not None
    assert 'table = "gold"' in card._raw.text()
    panel._menu._remove(card, panel.entities)
    assert panel.card("Loot") is None
    document.undo()
    assert panel.card("Loot") is not None


def test_locked_inspector_keeps_its_entities(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    a, b = document.add_empty(), document.add_empty()
    document.select([a])
    panel._lock.setChecked(True)
    document.select([b])
    assert panel.entities == (a,)
    panel._lock.setChecked(False)
    assert panel.entities == (b,)


def test_overrides_are_listed_and_reverted(
    panel: InspectorPanel, document: LevelDocument, shared
) -> None:
    prop = document.place(min((shared / "assets" / "props").rglob("*.glb")))
    node = document.children(prop)[0]
    assert panel._overrides.isHidden()
    document.set_fields([node], LocalTransform, translation=(0, 1, 0))
    assert panel._overrides.isVisible()
    document.select([node])
    assert panel.card("InstanceNode") is None, "an artist has no use for how a change is kept"
    owner = panel.findChild(QPushButton, "inspector.owner")
    assert owner.text() == f"Part of {document.label(prop)}"
    owner.click()
    assert list(document.selection) == [prop]
    assert owner.isHidden()
    document.select([node])
    label = next(
        row.label for row in panel.card("LocalTransform")._rows if row.info.name == "translation"
    )
    assert label._role == "override"
    document.select([prop])
    panel._overrides._revert(node)
    assert panel._overrides.isHidden()


def test_refused_edit_is_told_and_changes_nothing(
    panel: InspectorPanel, document: LevelDocument, errors: list[Exception]
) -> None:
    document.add_shape("box")
    card = panel.card("Shape")
    document.remove_component(list(document.selection), Shape)
    from editor.panels.inspector.field_editors import FieldEdit

    panel._on_edited(card, "kind", FieldEdit.to("box"))
    assert len(errors) == 1


def test_what_has_nothing_in_common_says_so(panel: InspectorPanel, document: LevelDocument) -> None:
    look, box = document.spawn(Name("Look"), Environment()), document.add_shape("box")
    document.select([look, box])
    assert panel.cards == []
    assert panel._unlike.isVisible()
    document.select([box])
    assert not panel._unlike.isVisible()


def test_what_is_derived_stands_below_what_can_be_changed(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    document.select([document.add_shape("box")])
    add = panel.findChild(QPushButton, "inspector.add_component")
    QApplication.processEvents()
    for card in panel.cards:
        assert (card.y() > add.y()) is card.key.read_only, card.key.name


def test_the_header_of_several_says_how_many_and_whether_all_are_on(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    one, two = document.add_shape("box"), document.add_shape("cone")
    document.select([one, two])
    name, mark = panel.findChild(QLineEdit, "inspector.name"), panel._header._enabled
    assert (name.text(), name.placeholderText()) == ("", "2 entities")
    assert (mark.isChecked(), mark.mixed) == (True, False)
    document.add_component([one], Enabled(on=False))
    document.select([two, one])
    assert mark.mixed
    document.select([one])
    assert (mark.isChecked(), mark.mixed) == (False, False)
    assert name.text() == document.label(one)


def test_the_cards_of_a_prop_are_there_before_the_first_is_placed(
    panel, document, qtbot, monkeypatch
):
    usual = {"LocalTransform", "GltfInstance", "WorldTransform"}

    def are_made():
        return {key.name for key in panel._pool} >= usual

    qtbot.waitUntil(lambda: are_made() and not panel._ahead.isActive())
    assert panel.cards == []
    assert not any(card.isVisible() for card in panel.findChildren(ComponentCard))
    built = []
    real = ComponentCard._add_rows
    monkeypatch.setattr(
        ComponentCard, "_add_rows", lambda self, *a: built.append(self.key.name) or real(self, *a)
    )
    transform = LocalTransform(translation=(1, 2, 3))
    document.spawn(transform, GltfInstance(asset="well.glb"), select=True)
    assert {card.key.name for card in panel.cards} >= {"LocalTransform", "GltfInstance"}
    assert built == []
    assert [field.value for field in numbers(panel, "LocalTransform")[:3]] == [1, 2, 3]


def test_a_card_made_ahead_stays_away_from_what_lacks_its_component(panel, document, qtbot):
    usual = {"LocalTransform", "GltfInstance", "WorldTransform"}
    qtbot.waitUntil(lambda: {key.name for key in panel._pool} >= usual)
    document.spawn(LocalTransform(), select=True)
    shown = {c.key.name for c in panel.findChildren(ComponentCard) if c.isVisible()}
    assert "GltfInstance" not in shown
    assert shown == {card.key.name for card in panel.cards}


def test_the_picture_of_an_asset_that_is_drawn_anew_is_taken_anew(
    panel, context, document, monkeypatch
):
    drawn = [QImage(8, 8, QImage.Format.Format_RGB32)]
    drawn[0].fill(Qt.GlobalColor.red)
    monkeypatch.setattr(context.services, "thumbnail", lambda *which: drawn[-1])
    document.spawn(LocalTransform(), GltfInstance(asset="well.glb"), select=True)
    shown = panel._menu.editor_context()
    assert shown.asset_picture("well.glb").toImage().pixelColor(4, 4) == Qt.GlobalColor.red
    drawn.append(drawn[0].copy())
    drawn[-1].fill(Qt.GlobalColor.green)
    context.services.ready(str(Path(document.root) / "well.glb"))
    assert shown.asset_picture("well.glb").toImage().pixelColor(4, 4) == Qt.GlobalColor.green

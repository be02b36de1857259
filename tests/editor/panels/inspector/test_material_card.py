"""Materials in the inspector: shared or unique, changed for one or for all, unset fields."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from editor.document import LevelDocument
from editor.model.change_set import ChangeSet
from editor.qt.widgets.asset_field import AssetField
from editor.qt.widgets.color_chip import ColorChip
from editor.qt.widgets.color_swatch import ColorSwatch
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.number_field import NumberField
from editor.qt.widgets.wrapping_line import WrappingLine
from engine.app import App
from engine.scene import GltfInstance, LocalTransform, MaterialOverride, Shape
from engine.scene.instances import find_node
from tests.engine.scene.instance_stage import ARM, write_asset
from tests.engine.scene.material_overrides.conftest import Store


@pytest.fixture
def document(tmp_path):
    write_asset(
        tmp_path / "arm.gltf",
        ARM,
        materials=[{"name": "Oak"}],
        meshes=[{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
    )
    app = App(tmp_path, Store())
    made = LevelDocument(app)
    yield made
    app.close()


def card(panel):
    QApplication.processEvents()
    return panel.findChild(object, "card.materials")


def texts(panel):
    labels = card(panel).body.findChildren(ElidedLabel)
    return [label.text() for label in labels if label.isVisible()]


def offered(panel):
    buttons = card(panel).body.findChildren(QPushButton)
    return [button.text() for button in buttons if button.isVisible()]


def press(panel, text):
    buttons = card(panel).body.findChildren(QPushButton)
    button = next(b for b in buttons if b.text() == text and b.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def look_again(panel):
    panel.document.app.frame(0.0)
    panel.refresh()


def test_a_material_says_how_many_props_share_it(document, panel):
    props = [document.place("arm.gltf") for _ in range(3)]
    document.select([props[0]])
    assert texts(panel) == ["Oak", "used by 3"]
    document.select([document.spawn(Shape("box", (0.1, 0.2, 0.3)), LocalTransform())])
    look_again(panel)
    assert texts(panel) == ["Plain colour", "unique"]
    document.select([document.spawn(LocalTransform())])
    assert not card(panel).isVisible()


def test_make_unique_changes_one(document, panel):
    props = [document.place("arm.gltf") for _ in range(3)]
    document.select([props[1]])
    press(panel, "Make unique")
    assert [document.world.has(p, MaterialOverride) for p in props] == [False, True, False]
    document.set_fields(props[1], MaterialOverride, roughness=0.25)
    look_again(panel)
    assert texts(panel) == ["Oak", "unique"]
    assert "Make unique" not in offered(panel)
    document.select([props[0]])
    look_again(panel)
    assert "Make unique" in offered(panel)
    assert texts(panel) == ["Oak", "used by 2"]


def test_the_card_follows_an_edit_without_waiting_for_a_frame(document, panel):
    props = [document.place("arm.gltf") for _ in range(3)]
    document.select([props[1]])
    press(panel, "Make unique")
    document.set_fields(props[1], MaterialOverride, roughness=0.25)
    assert texts(panel) == ["Oak", "unique"]
    document.undo()
    assert texts(panel) == ["Oak", "used by 3"]


def test_a_locked_card_follows_what_others_share(document, panel, qtbot):
    props = [document.place("arm.gltf") for _ in range(3)]
    document.select([props[0]])
    panel._lock.click()
    document.add_component([props[1]], MaterialOverride(roughness=0.25))
    qtbot.waitUntil(lambda: texts(panel) == ["Oak", "used by 2"])
    document.place("arm.gltf")
    qtbot.waitUntil(lambda: texts(panel) == ["Oak", "used by 3"])


def test_change_all_is_one_step_that_selects_them(document, panel):
    props = [document.place("arm.gltf") for _ in range(3)]
    document.select([props[0]])
    index = document.history.index
    press(panel, "Change all")
    assert document.history.index == index + 1
    assert set(document.selection) == set(props)
    assert all(document.world.has(p, MaterialOverride) for p in props)
    document.history.undo()
    assert not any(document.world.has(p, MaterialOverride) for p in props)


def test_a_narrow_panel_cuts_neither_the_name_nor_how_many_share_it(document, panel, qtbot):
    props = [document.place("arm.gltf") for _ in range(3)]
    document.select([props[0]])
    panel.resize(700, 600)
    line = card(panel).body.findChild(WrappingLine)
    qtbot.waitUntil(lambda: not line.is_wrapped)
    panel.resize(220, 600)
    qtbot.waitUntil(lambda: line.is_wrapped)
    labels = line.findChildren(ElidedLabel)
    qtbot.waitUntil(lambda: not any(label.is_cut() for label in labels))
    assert texts(panel) == ["Oak", "used by 3"]
    assert {"Change all", "Make unique"} <= set(offered(panel))


def test_a_material_shows_the_colour_it_is_drawn_in(document, panel):
    prop = document.place("arm.gltf")
    document.select([prop])
    assert card(panel).body.findChild(ColorChip).code == "#FFFFFF"
    document.add_component([prop], MaterialOverride(base_color=(0, 1, 0)))
    look_again(panel)
    assert card(panel).body.findChildren(ColorChip)[-1].code == "#00FF00"
    document.select([document.spawn(Shape("box", (0.0, 0.0, 1.0)), LocalTransform())])
    look_again(panel)
    assert card(panel).body.findChildren(ColorChip)[-1].code == "#0000FF"


def test_a_part_of_a_prop_keeps_its_override_through_save_undo_and_reload(
    document, panel, tmp_path
):
    prop = document.place("arm.gltf")
    arm = find_node(document.world, prop, "Body/Arm")
    document.select([arm])
    press(panel, "Change")
    document.set_fields(arm, MaterialOverride, base_color=(0.0, 1.0, 0.0))
    document.save(tmp_path / "a.scene")
    text = (tmp_path / "a.scene").read_text()
    assert "  MaterialOverride" in text
    document.history.undo()
    assert (document.world.get(arm, MaterialOverride).base_color == -1).all()
    document.open(tmp_path / "a.scene")
    prop = next(e for e in document.children() if document.world.has(e, LocalTransform))
    arm = find_node(document.world, prop, "Body/Arm")
    assert document.world.get(arm, MaterialOverride).base_color.tolist() == [0.0, 1.0, 0.0]


def test_an_added_component_is_one_change_and_its_fields_are_ordinary(document, panel, tmp_path):
    prop = document.place("arm.gltf")
    arm = find_node(document.world, prop, "Body/Arm")
    document.select([arm])
    press(panel, "Change")
    assert document.change_count(arm) == 1
    document.set_fields(arm, MaterialOverride, roughness=0.25)
    assert document.change_count(arm) == 1
    document.set_fields(arm, LocalTransform, translation=(1, 2, 3), scale=(2, 2, 2))
    assert document.change_count(arm) == 3
    views = {view.name: view for view in document.components(arm)}
    assert (views["MaterialOverride"].overridden, views["MaterialOverride"].is_added) == (
        set(),
        True,
    )
    assert views["LocalTransform"].overridden == {"translation", "scale"}
    assert not views["LocalTransform"].is_added
    assert panel.card("MaterialOverride").title.toolTip().startswith("Added by this level")
    assert panel.card("LocalTransform").title.toolTip() == ""
    assert panel.card("WorldTransform").title.toolTip().startswith("Derived")
    write_asset(tmp_path / "arm.gltf", [{"name": "Body", "mesh": 0}])
    document.reload_assets(force=True)
    document.settle()
    assert document.parked_overrides(prop) == {arm: "Body/Arm"}
    assert document.change_count(arm) == 3, "also while the file lacks the part"
    document.select([document.spawn(Shape(), LocalTransform(), MaterialOverride())])
    assert panel.card("MaterialOverride").title.toolTip() == "", "an entity's own is no addition"


def test_a_box_for_a_file_that_is_missing_has_no_materials(document, panel):
    box = document.place("arm.gltf")
    document.set_fields([box], GltfInstance, asset="gone.gltf")
    document.settle()
    document.select([box])
    assert document.missing_assets()
    assert card(panel).isHidden()


def test_what_is_not_set_says_so_and_an_edit_starts_from_something_sensible(document, panel):
    prop = document.place("arm.gltf")
    document.add_component([prop], MaterialOverride())
    document.select([prop])
    overrides = panel.card("MaterialOverride")
    fields = {f.accessibleName(): f for f in overrides.findChildren(NumberField)}
    roughness = fields["Roughness"]
    assert (roughness.text(), roughness.placeholderText()) == ("", "as the material")
    code = overrides.findChildren(ColorSwatch)[0].findChild(QLineEdit)
    assert (code.text(), code.placeholderText()) == ("", "as the material")
    pictures = [field.name.text() for field in overrides.findChildren(AssetField)]
    assert pictures == ["as the material"] * 5
    roughness.setFocus()
    roughness.selectAll()
    QTest.keyClicks(roughness, "+=0.1")
    QTest.keyClick(roughness, Qt.Key.Key_Return)
    assert document.world.get(prop, MaterialOverride).roughness == pytest.approx(0.6)
    document.reset_field([prop], MaterialOverride, "roughness")
    assert roughness.placeholderText() == "as the material"
    assert np.allclose(document.world.get(prop, MaterialOverride).base_color, -1)


def test_what_arrives_is_shown_by_an_event_of_its_own(document, panel, monkeypatch):
    """The frame in which a large prop comes in has enough to do."""
    prop = document.place("arm.gltf")
    QApplication.processEvents()
    shown = []
    monkeypatch.setattr(panel._materials, "show_entity", shown.append)
    document.changed.emit(ChangeSet(realised=(prop,)))
    assert shown == []
    QApplication.processEvents()
    assert shown == [prop]
    document.changed.emit(ChangeSet(components={prop: frozenset({LocalTransform})}))
    assert shown == [prop, prop]

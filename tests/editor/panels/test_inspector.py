"""The inspector: rows from records, edits as steps, drags as one step, mixed selections."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from editor.document import LevelDocument
from editor.panels.inspector import InspectorPanel
from editor.panels.inspector.field_editors.rotation import TypedAngles
from editor.panels.inspector.field_row import FieldRow
from editor.qt.panel import PanelContext
from editor.qt.widgets.asset_field import AssetField
from editor.qt.widgets.check_box import CheckBox
from editor.qt.widgets.choice_combo import ChoiceCombo
from editor.qt.widgets.color_swatch import ColorSwatch
from editor.qt.widgets.entity_field import EntityField
from editor.qt.widgets.number_field import NumberField
from editor.qt.widgets.search_menu import SearchMenu
from editor.qt.widgets.text_line import MOST_EDITED, TextLine
from engine.math import quat_from_euler_deg
from engine.reflect import Entity, FloatList, SceneComponent, component
from engine.scene import (
    CameraComponent,
    Enabled,
    LightSource,
    LocalMatrix,
    LocalTransform,
    Name,
    Shape,
    read_text,
)
from engine.scene.components import LEVEL_COMPONENTS


@component(id=901)
class Curve(SceneComponent):
    samples: FloatList = ()


@component(id=900)
class Link(SceneComponent):
    target: Entity = Entity.null()
    count: int = 3


@pytest.fixture
def panel(qtbot, context: PanelContext) -> InspectorPanel:
    panel = InspectorPanel(context)
    panel.resize(320, 700)
    qtbot.addWidget(panel)
    panel.show()
    yield panel
    panel.dispose()


def numbers(panel: InspectorPanel, component: str) -> list[NumberField]:
    card = panel.card(component)
    assert card is not None
    return card.findChildren(NumberField)


def type_into(field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


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


def test_typing_sets_one_axis_as_one_step(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    steps = document.history.index
    type_into(numbers(panel, "LocalTransform")[1], "2*3")
    assert document.world.get(box, LocalTransform).translation.tolist() == [0, 6, 0]
    assert document.history.index == steps + 1
    document.undo()
    assert document.world.get(box, LocalTransform).translation.tolist() == [0, 0, 0]
    assert numbers(panel, "LocalTransform")[1].value == 0


def test_focus_alone_writes_nothing(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    document.set_fields([box], LocalTransform, translation=(1 / 3, 1e-5, 7))
    before = document.world.get(box, LocalTransform).translation.tobytes()
    steps = document.history.index
    for field in numbers(panel, "LocalTransform"):
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_Return)
        field.clearFocus()
    assert document.history.index == steps
    assert document.world.get(box, LocalTransform).translation.tobytes() == before


def test_relative_edit_keeps_differences_of_a_mixed_selection(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    a, b = document.add_empty(), document.add_empty()
    document.set_fields([a], LocalTransform, translation=(1, 0, 0))
    document.set_fields([b], LocalTransform, translation=(5, 0, 0))
    document.select([a, b])
    x = numbers(panel, "LocalTransform")[0]
    assert x.value is None
    assert x.placeholderText() == "mixed"
    steps = document.history.index
    type_into(x, "+=2")
    got = [document.world.get(e, LocalTransform).translation[0] for e in (a, b)]
    assert got == [3, 7]
    assert document.history.index == steps + 1
    type_into(x, "9")
    got = [document.world.get(e, LocalTransform).translation[0] for e in (a, b)]
    assert got == [9, 9]


def test_ramp_over_a_selection(panel: InspectorPanel, document: LevelDocument) -> None:
    entities = [document.add_empty() for _ in range(3)]
    document.select(entities)
    type_into(numbers(panel, "LocalTransform")[2], "L(0, 10)")
    got = [document.world.get(e, LocalTransform).translation[2] for e in entities]
    assert got == [0, 5, 10]


def test_wrong_text_is_marked_and_writes_nothing(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    document.add_shape("box")
    steps = document.history.index
    field = numbers(panel, "LocalTransform")[0]
    type_into(field, "two")
    assert field.property("invalid")
    assert document.history.index == steps
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.property("invalid")


def send(field: NumberField, kind: QEvent.Type, at: QPoint, held: Qt.MouseButton) -> None:
    left = Qt.MouseButton.LeftButton
    button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else left
    there = QPointF(field.mapToGlobal(at))
    event = QMouseEvent(kind, QPointF(at), there, button, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(field, event)


def drag(field: NumberField, pixels: int) -> None:
    left = Qt.MouseButton.LeftButton
    middle = field.rect().center()
    send(field, QEvent.Type.MouseButtonPress, middle, left)
    for step in range(1, 6):
        at = middle + QPoint(pixels * step // 5, 0)
        send(field, QEvent.Type.MouseMove, at, left)


def release(field: NumberField) -> None:
    none = Qt.MouseButton.NoButton
    send(field, QEvent.Type.MouseButtonRelease, field.rect().center(), none)


def test_scrubbing_is_one_step(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    steps = document.history.index
    field = numbers(panel, "LocalTransform")[0]
    drag(field, 50)
    assert document.world.get(box, LocalTransform).translation[0] > 0
    release(field)
    assert document.history.index == steps + 1
    document.undo()
    assert document.world.get(box, LocalTransform).translation[0] == 0


def test_escape_takes_a_scrub_back(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.add_shape("box")
    steps = document.history.index
    field = numbers(panel, "LocalTransform")[0]
    drag(field, 50)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    release(field)
    assert document.world.get(box, LocalTransform).translation[0] == 0
    assert document.history.index == steps


def test_rotation_is_shown_in_degrees_and_keeps_what_was_typed(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    box = document.add_shape("box")
    other = document.add_shape("box")
    document.select([box])
    type_into(numbers(panel, "LocalTransform")[4], "270")
    rotation = document.world.get(box, LocalTransform).rotation
    assert np.allclose(rotation, quat_from_euler_deg((0, 270, 0)), atol=1e-6)
    document.select([other])
    document.select([box])
    shown = [field.value for field in numbers(panel, "LocalTransform")[3:6]]
    assert shown == [0, 270, 0]


def test_unknown_rotation_takes_the_plainest_spelling() -> None:
    shown = TypedAngles().degrees(quat_from_euler_deg((0, 130, 0)))
    assert shown.tolist() == pytest.approx([0, 130, 0], abs=1e-3)


def test_angle_in_radians_is_edited_in_degrees(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    lamp = document.add_light("spot")
    field = [f for f in numbers(panel, "LightSource") if f.unit == "°"][1]
    type_into(field, "30")
    assert document.world.get(lamp, LightSource).outer_angle == pytest.approx(np.radians(30))
    type_into(field, "500")
    assert document.world.get(lamp, LightSource).outer_angle == pytest.approx(np.pi / 2)


def test_boolean_choice_and_colour(panel: InspectorPanel, document: LevelDocument) -> None:
    lamp = document.add_light("point")
    card = panel.card("LightSource")
    assert card is not None
    box = card.findChild(CheckBox)
    before = document.world.get(lamp, LightSource).cast_shadows
    box.click()
    assert document.world.get(lamp, LightSource).cast_shadows is not before
    combo = card.findChild(ChoiceCombo)
    combo.edited.emit("spot")
    assert document.world.get(lamp, LightSource).kind == "spot"
    swatch = card.findChild(ColorSwatch)
    line = swatch.findChild(QLineEdit)
    type_into(line, "#ff0000")
    assert document.world.get(lamp, LightSource).color.tolist() == [1, 0, 0]


def test_a_word_that_a_file_made_up_is_shown_as_it_is(
    panel: InspectorPanel, document: LevelDocument, tmp_path
) -> None:
    level = tmp_path / "a.scene"
    level.write_text(
        'cinder-scene 2\nentity 0\n  Name text="odd"\n  LightSource kind="laser"\n'
        'entity 1\n  Name text="plain"\n  LightSource kind="spot"\n'
    )
    document.open(level)
    for entity, shown, count in zip(document.children(), ("laser", "Spot"), (4, 3), strict=True):
        document.select(entity)
        card = panel.card("LightSource")
        assert card is not None
        combo = card.findChild(ChoiceCombo)
        assert (combo.currentText(), combo.count()) == (shown, count)
    before = level.read_bytes()
    document.save()
    assert level.read_bytes() == before


def test_colour_preview_is_one_step(panel: InspectorPanel, document: LevelDocument) -> None:
    lamp = document.add_light("point")
    card = panel.card("LightSource")
    assert card is not None
    swatch = card.findChild(ColorSwatch)
    steps = document.history.index
    swatch.preview_started.emit()
    for red in (0.1, 0.5, 0.9):
        swatch.previewed.emit((red, 0.0, 0.0))
    swatch.preview_finished.emit(True)
    assert document.history.index == steps + 1
    assert document.world.get(lamp, LightSource).color[0] == np.float32(0.9)


def test_entity_field_drops_picks_follows_and_clears(
    panel: InspectorPanel, document: LevelDocument, window
) -> None:
    document.registry.register(Link)
    target = document.add_empty()
    owner = document.spawn(Name("owner"), Link(), select=True)
    card = panel.card("Link")
    assert card is not None
    field = card.findChild(EntityField)
    field.edited.emit(target)
    assert document.world.get(owner, Link).target == target
    assert field.name.text() == document.label(target)
    field.edited.emit(Entity.null())
    assert not document.world.get(owner, Link).target
    field.pick_requested.emit()
    window.picked(target)
    assert document.world.get(owner, Link).target == target
    field.followed.emit()
    assert list(document.selection) == [target]


def test_asset_field_shows_a_problem_and_takes_a_file(
    panel: InspectorPanel, document: LevelDocument, window
) -> None:
    from engine.scene import GltfInstance

    window.problems["props/gone.glb"] = "there is no such file"
    prop = document.spawn(Name("p"), LocalTransform(), GltfInstance(asset="props/gone.glb"))
    document.select([prop])
    card = panel.card("GltfInstance")
    assert card is not None
    field = card.findChild(AssetField)
    assert field.toolTip() == "there is no such file"
    field.browse_requested.emit()
    assert document.world.get(prop, GltfInstance).asset == "props/chosen.glb"


def test_matrix_is_edited_by_cell(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.spawn(Name("m"), LocalTransform(), LocalMatrix(np.eye(4)), select=True)
    cells = numbers(panel, "LocalMatrix")
    type_into(cells[12], "4")
    assert document.world.get(box, LocalMatrix).matrix[0, 3] == 4


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
    prop = document.place(next((shared / "assets" / "props").rglob("*.glb")))
    node = document.children(prop)[0]
    assert panel._overrides.isHidden()
    document.set_fields([node], LocalTransform, translation=(0, 1, 0))
    assert panel._overrides.isVisible()
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


@pytest.mark.parametrize("type_", LEVEL_COMPONENTS, ids=lambda t: t.__name__)
def test_every_level_component_has_an_editor_for_every_field(
    panel: InspectorPanel, document: LevelDocument, type_: type[SceneComponent]
) -> None:
    """A card for each component, its values shown, whatever its fields are."""
    entity = document.spawn(Name("all"), LocalTransform())
    if not document.world.has(entity, type_):
        document.world.add(entity, type_())
    document.select([entity])
    panel.refresh()
    shown = panel.card(type_.scene_name())
    hidden = type_.scene_name() in {"Name", "Enabled", "Parent", "Order"}
    assert (shown is None) == hidden


# -- values too large to be shown -------------------------------------------------------------


def open_one(document: LevelDocument, folder, component: str) -> Entity:
    """Open a level of one entity with this line."""
    level = folder / "large.scene"
    level.write_text(f"cinder-scene 2\nentity 0\n  {component}\n")
    document.open(level)
    [entity] = document.children()
    document.select(entity)
    return entity


def leave(line: QLineEdit) -> None:
    line.setFocus()
    QTest.keyClicks(line, "x")
    line.clearFocus()


@pytest.mark.parametrize("count", [MOST_EDITED + 2, 50_000])
def test_a_long_text_is_never_cut(
    panel: InspectorPanel, document: LevelDocument, tmp_path, count: int
) -> None:
    open_one(document, tmp_path, f'GltfMesh node="{"ab" * (count // 2)}"')
    card = panel.card("GltfMesh")
    assert card is not None
    [line] = [found for found in card.findChildren(TextLine) if found.shown]
    assert len(line.text()) == MOST_EDITED + 1
    assert "kept whole" in line.toolTip()
    before = document.history.count
    leave(line)
    assert document.history.count == before


def test_a_long_name_is_never_cut(panel: InspectorPanel, document: LevelDocument, tmp_path) -> None:
    entity = open_one(document, tmp_path, f'Name text="{"ab" * 500_000}"')
    line = panel.findChild(TextLine, "inspector.name")
    leave(line)
    assert len(document.full_name(entity)) == 1_000_000
    assert len(document.label(entity)) == 200
    assert len(document.history.labels[-1]) < 300
    document.rename(entity, "short")
    assert (line.text(), line.isReadOnly()) == ("short", False)


def test_a_long_list_of_numbers_is_never_cut(
    panel: InspectorPanel, document: LevelDocument, tmp_path
) -> None:
    entity = document.spawn(Curve(samples=np.linspace(0, 1, 20_000)))
    document.select(entity)
    card = panel.card("Curve")
    assert card is not None
    line = card.findChild(TextLine)
    before = document.history.count
    line.setFocus()
    line.clearFocus()
    leave(line)
    assert document.history.count == before
    assert len(document.world.get(entity, Curve).samples) == 20_000
    document.set_fields(entity, Curve, samples=(1, 2))
    type_into(panel.card("Curve").findChild(TextLine), "3 4 5")
    assert document.world.get(entity, Curve).samples.tolist() == [3, 4, 5]


def test_of_thousands_of_fields_the_first_are_shown(
    panel: InspectorPanel, document: LevelDocument, tmp_path
) -> None:
    fields = " ".join(f"f{i}={i}" for i in range(5_000))
    open_one(document, tmp_path, f"Unheard {fields}")
    card = panel.card("Unheard")
    assert card is not None
    texts = [label.text() for label in card.findChildren(QLabel)]
    assert any("f0 = 0\n" in text and "and 4,900 more" in text for text in texts)
    entity = open_one(document, tmp_path, f'Shape kind="torus" {fields}')
    card = panel.card("Shape")
    assert card is not None
    assert len(card.findChildren(FieldRow)) <= 100
    assert any("more fields" in label.text() for label in card.findChildren(QLabel))
    card.findChild(ChoiceCombo).edited.emit("cone")
    assert document.world.get(entity, Shape).kind == "cone"
    document.save()
    assert fields in document.path.read_text()

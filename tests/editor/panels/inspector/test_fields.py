"""Fields of the other kinds, and values of any length."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton

from editor.document import LevelDocument
from editor.panels.inspector import InspectorPanel
from editor.panels.inspector.field_row import FieldRow
from editor.qt.theme import Sizes
from editor.qt.widgets.asset_field import AssetField
from editor.qt.widgets.check_box import CheckBox
from editor.qt.widgets.choice_combo import ChoiceCombo
from editor.qt.widgets.color_swatch import ColorSwatch
from editor.qt.widgets.entity_field import EntityField
from editor.qt.widgets.label_column import ColumnGrip
from editor.qt.widgets.labels import ElidedLabel
from editor.qt.widgets.text_line import MOST_EDITED, TextLine
from engine.reflect import Entity, FloatList, SceneComponent, component, component_fields
from engine.scene import (
    Environment,
    GltfInstance,
    LightSource,
    LocalTransform,
    MaterialOverride,
    Name,
    Shape,
)
from engine.scene.components import LEVEL_COMPONENTS
from tests.editor.panels.inspector.conftest import numbers, type_into


@component(id=901)
class Curve(SceneComponent):
    samples: FloatList = ()


@component(id=902)
class Lantern(SceneComponent):
    warm_glow_strength: float = 1.0


@component(id=900)
class Link(SceneComponent):
    target: Entity = Entity.null()
    count: int = 3


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
    hidden = type_.scene_name() in {"Name", "Enabled", "Parent", "Order", "InstanceNode"}
    assert (shown is None) == hidden


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


def shown_titles(panel: InspectorPanel, component: str) -> list[str]:
    card = panel.card(component)
    assert card is not None
    return [row.info.title for row in card.findChildren(FieldRow) if not row.isHidden()]


def test_fields_that_mean_nothing_for_the_kind_are_not_shown(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    sun, spot = document.add_light("directional"), document.add_light("spot")
    document.select([sun])
    assert not {"Range", "Inner Angle", "Outer Angle"} & set(shown_titles(panel, "LightSource"))
    document.select([sun, spot])
    assert {"Range", "Inner Angle", "Outer Angle"} <= set(shown_titles(panel, "LightSource"))
    document.set_fields([spot], LightSource, kind="point")
    titles = shown_titles(panel, "LightSource")
    assert "Range" in titles
    assert "Outer Angle" not in titles
    document.undo()
    assert "Outer Angle" in shown_titles(panel, "LightSource")


@pytest.mark.parametrize("type_", LEVEL_COMPONENTS, ids=lambda t: t.__name__)
def test_what_a_field_depends_on_is_there(type_: type[SceneComponent]) -> None:
    specs = {spec.name: spec for spec in component_fields(type_)}
    for spec in specs.values():
        if spec.only_with is not None:
            assert set(spec.only_with.values) <= set(specs[spec.only_with.field].choices)
        if spec.unit_by is not None:
            assert set(spec.unit_by.units) == set(specs[spec.unit_by.field].choices)


def test_the_intensity_of_a_light_has_the_unit_of_its_kind(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    sun, lamp = document.add_light("directional"), document.add_light("point")

    def shown() -> tuple[str, str]:
        field = numbers(panel, "LightSource")[0]
        return field.text(), field.toolTip()

    document.set_fields([sun, lamp], LightSource, intensity=5.4)
    document.select([sun])
    assert shown() == ("5.4 lx", "0 to 100000 lx")
    document.set_fields([sun], LightSource, kind="spot")
    assert shown() == ("5.4 cd", "0 to 100000 cd")
    document.undo()
    document.select([sun, lamp])
    assert shown() == ("5.4", "0 to 100000"), "lux and candela have no unit in common"
    document.select([lamp])
    type_into(numbers(panel, "LightSource")[0], "12 cd")
    assert document.world.get(lamp, LightSource).intensity == 12


def test_every_label_of_a_built_in_component_has_room(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    entity = document.add_light("spot")
    for type_ in document.addable_components():
        if type_ in LEVEL_COMPONENTS and not document.world.has(entity, type_):
            document.add_component([entity], type_())
    document.select([entity])
    rows = [row for card in panel.cards for row in card.findChildren(FieldRow)]
    assert len(rows) > 30
    cut = [row.info.title for row in rows if row.label.sizeHint().width() - 6 > row.label.width()]
    assert cut == []


def test_the_button_that_puts_a_field_back_moves_nothing(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    box = document.add_shape("box")
    document.select([box])
    document.set_fields([box], LocalTransform, translation=(1, 2, 3))
    card = panel.card("LocalTransform")
    assert card is not None
    row = card.findChildren(FieldRow)[0]
    QApplication.processEvents()
    before = row.editor.geometry()
    centre = QPointF(row.rect().center())
    QApplication.sendEvent(row, QEnterEvent(centre, centre, centre))
    [button] = [b for b in row.findChildren(QToolButton) if b.toolTip() == "Reset to the default"]
    assert button.isVisible()
    QApplication.processEvents()
    assert row.editor.geometry() == before
    assert not button.geometry().intersects(before)
    button.click()
    assert document.world.get(box, LocalTransform).translation.tolist() == [0, 0, 0]


def rows(panel: InspectorPanel) -> list[FieldRow]:
    return [row for row in panel.findChildren(FieldRow) if row.isVisibleTo(panel)]


def test_names_of_fields_are_not_cut_and_the_column_stays_where_it_is(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    document.registry.register(Lantern)
    plain = document.spawn(Name("plain"), LocalTransform(), select=True)
    usual = {row.label.width() for row in rows(panel)}
    assert usual == {Sizes.LABEL}
    built_in = (GltfInstance(), MaterialOverride(), Environment(), LightSource())
    document.spawn(Name("prop"), LocalTransform(), *built_in, select=True)
    assert {row.label.width() for row in rows(panel)} == {Sizes.LABEL}
    assert [row.info.title for row in rows(panel) if row.label.is_cut()] == []
    document.spawn(Name("own"), LocalTransform(), Lantern(), select=True)
    assert {"Warm Glow Strength", "Translation"} <= {row.info.title for row in rows(panel)}
    assert [row.info.title for row in rows(panel) if row.label.is_cut()] == []
    (wider,) = {row.label.width() for row in rows(panel)}
    assert Sizes.LABEL < wider <= 0.4 * panel.width()
    document.select([plain])
    assert {row.label.width() for row in rows(panel)} == {wider}, "it does not jump back"
    grip = rows(panel)[0].findChild(ColumnGrip)
    QTest.mouseDClick(grip, Qt.MouseButton.LeftButton)
    assert {row.label.width() for row in rows(panel)} == {Sizes.LABEL}


def test_a_column_that_somebody_chose_is_left_alone_and_says_what_it_cuts(
    panel: InspectorPanel, document: LevelDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    document.spawn(Name("prop"), LocalTransform(), select=True)
    grip = rows(panel)[0].findChild(ColumnGrip)
    grip._column.set_width(64)
    document.registry.register(Lantern)
    document.spawn(Name("other"), Lantern(), select=True)
    row = next(r for r in rows(panel) if r.info.title == "Warm Glow Strength")
    assert row.label.width() == 64
    assert row.label.is_cut()
    assert row.label.toolTip().startswith("Warm Glow Strength\n")
    told: list[str] = []
    monkeypatch.setattr("editor.qt.widgets.labels.QToolTip.showText", lambda *a: told.append(a[1]))
    label = ElidedLabel("a rather long name")
    for width in (400, 30):
        label.resize(width, 18)
        QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(), QPoint()))
    assert told == ["a rather long name"], "only where it is cut"

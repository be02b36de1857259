"""Numbers in the inspector: typed, dragged, relative over a selection, in degrees."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor.document import LevelDocument
from editor.panels.inspector import InspectorPanel
from editor.panels.inspector.field_editors.rotation import TypedAngles
from editor.qt.widgets.number_field import NumberField
from engine.math import quat_from_euler_deg
from engine.scene import (
    LightSource,
    LocalMatrix,
    LocalTransform,
    Name,
)
from tests.editor.panels.inspector.conftest import numbers, type_into


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


def test_matrix_is_edited_by_cell(panel: InspectorPanel, document: LevelDocument) -> None:
    box = document.spawn(Name("m"), LocalTransform(), LocalMatrix(np.eye(4)), select=True)
    cells = numbers(panel, "LocalMatrix")
    type_into(cells[12], "4")
    assert document.world.get(box, LocalMatrix).matrix[0, 3] == 4


def test_a_click_selects_the_number_and_typing_takes_its_place(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    box = document.add_shape("box")
    document.set_fields([box], LocalTransform, translation=(5, 0, 0))
    field = numbers(panel, "LocalTransform")[0]
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    QTest.keyClicks(field, "+=4")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert document.world.get(box, LocalTransform).translation[0] == 9


def test_a_drag_on_a_number_scrubs_it_as_one_step(
    panel: InspectorPanel, document: LevelDocument
) -> None:
    box = document.add_shape("box")
    field = numbers(panel, "LocalTransform")[0]
    steps = document.history.index
    centre = field.rect().center()
    QTest.mousePress(field, Qt.MouseButton.LeftButton, pos=centre)
    for x in (6, 16, 26):
        at = QPointF(centre) + QPointF(x, 0)
        move = QMouseEvent(
            QEvent.Type.MouseMove,
            at,
            field.mapToGlobal(at),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(field, move)
    QTest.mouseRelease(field, Qt.MouseButton.LeftButton, pos=centre)
    assert document.world.get(box, LocalTransform).translation[0] == pytest.approx(20 * field.step)
    assert document.history.index == steps + 1
    assert not field.hasFocus(), "the keys stay the window's"


@pytest.mark.parametrize("width", [58, 62, 66, 80])
@pytest.mark.parametrize("value", [-0.53139, 0.12833, 3.64061, -1.50123])
def test_a_narrow_field_leaves_its_unit_out_before_it_rounds_to_hardly_anything(
    qtbot, width, value
) -> None:
    field = NumberField(unit="m", axis=0)
    qtbot.addWidget(field)
    field.resize(width, 24)
    field.show()
    field.set_value(value)
    assert float(field.text().removesuffix(" m")) == pytest.approx(value, abs=0.0051)

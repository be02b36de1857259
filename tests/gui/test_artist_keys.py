"""What an artist meets in the first minutes: titles, keys after typing, refusals, remedies."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from editor.main_window import MainWindow
from editor.main_window.prompts import Choice, Prompts, Question
from editor.panels.issues import IssuesPanel
from editor.qt.widgets.number_field import NumberField
from engine.errors import SceneError
from engine.scene import CameraComponent, GltfInstance, LocalTransform
from tests.gui.artist import named

CTRL = Qt.KeyboardModifier.ControlModifier


def test_a_copy_is_called_by_its_levels_name(window: MainWindow, level: Path) -> None:
    window.document.open_copy(level)
    assert window.document.path is None
    assert window.windowTitle() == "yard — Cinder"
    window.document.new()
    assert window.windowTitle() == "Untitled — Cinder"


def test_a_new_level_is_lit_and_stays_in_the_project(
    window: MainWindow, level: Path, answers
) -> None:
    window.actions_by_id["new"].trigger()
    document = window.document
    assert document.path is None
    assert document.root == level.parent, "what lies in the project can be placed at once"
    assert {"Environment", "Sun"} == {document.label(e) for e in document.world.entities()}
    assert not document.dirty, "nothing of anybody's would be lost"
    window.actions_by_id["save"].trigger()
    assert answers.asked_files[-1].folder.parent == level.parent, "where its props are"
    (level.parent / "levels").mkdir()
    window.actions_by_id["save"].trigger()
    assert answers.asked_files[-1].folder.parent == level.parent / "levels"
    document.save(level.parent / "second.scene")
    assert document.root == level.parent
    document.open_copy(level)
    window.actions_by_id["new"].trigger()
    assert document.root not in {level.parent, Path()}, "a scratch copy goes with its level"


def test_ctrl_z_after_a_typed_number_takes_the_number_back(qtbot, shown: MainWindow) -> None:
    crate = named(shown, "Crate")
    shown.document.select([crate])
    field = shown.panel("inspector").findChildren(NumberField)[0]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert shown.document.world.get(crate, LocalTransform).translation[0] == 7
    assert not field.hasFocus()
    QTest.keyClick(QApplication.focusWidget() or shown, Qt.Key.Key_Z, CTRL)
    assert shown.document.world.get(crate, LocalTransform).translation[0] == 1
    QTest.keyClick(QApplication.focusWidget() or shown, Qt.Key.Key_E)
    assert shown.tool_state.tool == "rotate"


def test_a_refused_edit_is_a_notice_and_no_dialog(window: MainWindow, answers) -> None:
    window.show_error(SceneError("the lid is part of an instance"))
    assert window.toasts.texts() == ["the lid is part of an instance"]
    assert answers.errors == []


def test_an_error_of_the_disk_is_a_dialog_and_no_notice(window: MainWindow, answers) -> None:
    window.show_error(OSError("the disk is full"))
    assert answers.errors == ["the disk is full"]
    assert window.toasts.texts() == []


def test_the_view_goes_to_the_selected_camera(window: MainWindow) -> None:
    document = window.document
    first, second = document.add_camera(), document.add_camera()
    document.set_fields([first], LocalTransform, translation=(0, 3, 9))
    document.set_fields([second], LocalTransform, translation=(4, 2, 20))
    document.set_fields([first], CameraComponent, active=True)
    window.viewport.moves_smoothly = False
    for chosen, eye in (([second], (4, 2, 20)), ([], (0, 3, 9))):
        document.select(chosen)
        window.actions_by_id["view_camera"].trigger()
        frame = window.viewport.view.navigator.pose.frame(100, 100)
        assert frame.eye == pytest.approx(eye, abs=1e-3)
    document.delete([first, second])
    window.actions_by_id["view_camera"].trigger()
    assert "no camera" in window.toasts.texts()[0]


def test_a_missing_asset_can_be_replaced_from_its_issue(window: MainWindow, level: Path) -> None:
    level.write_text('cinder-scene 2\nentity 0\n  GltfInstance asset="gone.glb"\n')
    window.document.open(level)
    panel = window.panel("issues")
    assert isinstance(panel, IssuesPanel)
    panel.refresh()
    assert len(panel.issues) == 1
    line = panel.list.itemWidget(panel.list.item(0))
    assert "another file" in line.findChild(QPushButton).text()
    assert GltfInstance in window.document.world.types(panel.issues[0].entity)


@pytest.mark.parametrize(
    ("choice", "answer"),
    [
        (Choice("save", "Save"), "save"),
        (Choice("revert", "Revert", destructive=True), "cancel"),
    ],
)
def test_enter_in_a_question_keeps_the_work(
    qtbot, shown: MainWindow, choice: Choice, answer: str
) -> None:
    given: list[str] = []
    discard = Choice("discard", "Don't save", destructive=True)
    Prompts(shown).ask(Question("Save changes?", "", (choice, discard)), given.append)
    dialog = shown.findChild(QDialog, "dialog.question")
    qtbot.waitExposed(dialog)
    focused = dialog.focusWidget()
    assert isinstance(focused, QPushButton)
    assert focused.isDefault()
    QTest.keyClick(focused, Qt.Key.Key_Return)
    assert given == [answer]

"""What is being typed when a window closes is neither lost without a word nor done afterwards."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from editor.document.session_journal import journal_folder
from tests.editor.document.props import write_prop
from tests.gui.artist import named


def type_in_inspector(window) -> None:
    window.document.select([named(window, "Crate")])
    name = window.findChild(QLineEdit, "inspector.name")
    name.setFocus()
    name.selectAll()
    QTest.keyClicks(name, "Half")


def type_in_hierarchy(window) -> None:
    window.document.select([named(window, "Crate")])
    tree = window.panel("hierarchy").tree
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_F2)
    QTest.keyClicks(tree.findChild(QLineEdit), "Half")


def type_in_assets(window) -> None:
    window.docks.show_panel("assets")
    assets = window.panels["assets"]
    assets.reveal("props/crate.gltf")
    assets.grid.setFocus()
    QTest.keyClick(assets.grid, Qt.Key.Key_F2)
    QTest.keyClicks(assets.grid.findChild(QLineEdit, "assets.name"), "Half")


@pytest.mark.parametrize("type_half", [type_in_inspector, type_in_hierarchy, type_in_assets])
def test_a_name_that_is_being_typed_is_taken_before_the_window_closes(
    shown, level, answers, type_half
) -> None:
    write_prop(level.parent / "props", "crate")
    shown.panels["assets"].refresh_folders()
    type_half(shown)
    steps = shown.document.history.count
    answers.answer = "discard"
    shown.close()
    assert shown.document.history.count == steps + 1
    # A file's name is on the disk at once, and in no level that has to be saved.
    assert len(answers.asked) == (0 if type_half is type_in_assets else 1)
    QApplication.processEvents()
    assert not shown.isVisible()
    assert shown.document.history.count == steps + 1
    assert list(journal_folder().iterdir()) == [], "it would be told of as an unexpected end"


def test_a_level_that_typing_changed_stays_open_when_the_question_is_left(shown, answers) -> None:
    type_in_inspector(shown)
    shown.close()
    assert len(answers.asked) == 1
    assert shown.isVisible()
    assert shown.document.label(named(shown, "Half"))

"""Many sessions that did not end well: one bar, one list, each of them restored or given up."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from editor.document import LevelDocument
from editor.main_window import MainWindow
from editor.main_window.recovery_dialog import RecoveryDialog
from engine.scene import Name
from tests.editor.document.levels import crash
from tests.gui.artist import move, named, trigger

LEVELS = ("harbour", "mill", "cellar")


def lose(folder: Path, name: str, changes: int, at: float) -> None:
    """Leave a session behind that changed a level of that name and ended at that time."""
    level = folder / f"{name}.scene"
    level.write_text('cinder-scene 2\nentity 0\n  Name text="Crate"\n')
    session = LevelDocument()
    session.open(level)
    for number in range(changes):
        session.spawn(Name(f"{name} {number}"))
    crash(session)
    looking = LevelDocument()
    journal = next(entry.path for entry in looking.recoverable() if entry.name == name)
    looking.close()
    os.utime(journal, (at, at))


@pytest.fixture
def lost(level: Path) -> None:
    """Three sessions on three levels, the second the newest."""
    for name, changes, at in zip(LEVELS, (1, 2, 3), (1e9, 3e9, 2e9), strict=True):
        lose(level.parent, name, changes, at)


@pytest.fixture
def offered(window: MainWindow, lost: None, qtbot) -> MainWindow:
    window.show()
    qtbot.waitUntil(lambda: bool(bars(window).keys()))
    return window


def bars(window: MainWindow):
    return window.safekeeping.recovery.notices


def told(window: MainWindow) -> list[str]:
    return [label.text() for label in bars(window).findChildren(QLabel) if label.isVisible()]


def answer(window: MainWindow, name: str) -> None:
    found = bars(window).findChildren(QPushButton, f"notice.{name}")
    [button] = [button for button in found if button.isVisible()]
    button.click()


def listed(window: MainWindow) -> RecoveryDialog:
    if window.safekeeping.recovery.dialog is None:
        answer(window, "list")
    dialog = window.safekeeping.recovery.dialog
    assert dialog is not None
    return dialog


def left(window: MainWindow) -> list[str]:
    return [entry.name for entry in window.document.recoverable()]


def test_many_sessions_make_one_bar(offered) -> None:
    assert len(bars(offered).keys()) == 1
    assert told(offered) == ["3 sessions can be recovered: the editor was closed unexpectedly."]


def test_the_list_has_the_newest_first_with_how_much_was_done(offered) -> None:
    rows = listed(offered).rows
    assert [row.entry.name for row in rows] == ["mill", "cellar", "harbour"]
    assert [row.entry.summary.partition("  ")[0] for row in rows] == [
        "2 changes",
        "3 changes",
        "1 change",
    ]
    assert bars(offered).keys() == []


def test_the_list_blocks_nothing(offered) -> None:
    dialog = listed(offered)
    assert not dialog.isModal()
    move(offered)
    trigger(offered, "undo")
    assert dialog.isVisible()


def test_a_restored_session_is_back_and_the_others_stay_offered(offered) -> None:
    listed(offered).rows[0].restore.click()
    assert offered.document.name == "mill"
    assert offered.document.dirty
    assert named(offered, "mill 1")
    assert offered.safekeeping.recovery.dialog is None
    assert told(offered) == ["2 sessions can be recovered: the editor was closed unexpectedly."]


def test_unsaved_work_keeps_a_restored_session_waiting(offered, answers) -> None:
    move(offered)
    listed(offered).rows[0].restore.click()
    assert len(answers.asked) == 1
    assert named(offered, "Crate")
    assert told(offered)[0].startswith("3 sessions")


def test_what_is_discarded_goes_when_the_list_is_closed(offered) -> None:
    dialog = listed(offered)
    dialog.rows[0].discard.click()
    dialog.rows[1].discard.click()
    assert not dialog.rows[0].restore.isVisible()
    assert len(left(offered)) == 3
    dialog.rows[1].discard.click()
    assert dialog.rows[1].restore.isVisible()
    dialog.accept()
    assert left(offered) == ["cellar", "harbour"]
    assert bars(offered).keys() == []


def test_all_are_discarded_or_kept_at_once(offered) -> None:
    dialog = listed(offered)
    every = dialog.findChild(QPushButton, "recovery.all")
    every.click()
    assert every.text() == "Keep all"
    every.click()
    assert (every.text(), len(left(offered))) == ("Discard all", 3)
    every.click()
    dialog.reject()
    assert left(offered) == []


def test_a_session_of_an_ended_list_is_listed_again_on_request(offered) -> None:
    answer(offered, "later")
    assert told(offered) == []
    offered.safekeeping.offer()
    assert told(offered) == []
    trigger(offered, "recover")
    assert len(listed(offered).rows) == 3
    listed(offered).close()
    assert (told(offered), len(left(offered))) == ([], 3)


def test_where_nothing_is_left_the_action_says_so(window, shown) -> None:
    trigger(window, "recover")
    assert window.toasts.texts() == ["There is no unsaved work to recover"]


def test_one_that_is_left_over_is_offered_as_one(offered) -> None:
    dialog = listed(offered)
    dialog.rows[2].discard.click()
    dialog.rows[1].restore.click()
    assert offered.document.name == "cellar"
    [text] = told(offered)
    assert text.startswith("2 changes to mill from")
    answer(offered, "discard")
    assert (told(offered), left(offered)) == ([], [])


def test_keys_alone_restore_a_session(offered, qtbot) -> None:
    dialog = listed(offered)
    qtbot.waitUntil(dialog.isActiveWindow)
    assert QApplication.focusWidget() is dialog.rows[0].restore
    for expected in (dialog.rows[0].discard, dialog.rows[1].restore):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is expected
    QTest.keyClick(dialog.rows[1].restore, Qt.Key.Key_Space)
    assert offered.document.name == "cellar"


def test_every_button_says_what_it_is_for(offered) -> None:
    names = [button.accessibleName() for row in listed(offered).rows for button in
             (row.restore, row.discard)]  # fmt: skip
    assert names[:2] == ["Open mill with its changes", "Discard the changes to mill"]
    assert len(set(names)) == 6
    listed(offered).rows[0].discard.click()
    assert listed(offered).rows[0].discard.accessibleName() == "Keep the changes to mill"

"""What the window does so that nothing is lost: offers, merges, copies."""

import errno
import os
import tempfile
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QRadioButton, QWidget

from editor.document import LevelDocument
from editor.main_window import MainWindow, safekeeping
from editor.main_window.merge_dialog import MergeDialog
from engine.reflect import Field, Kind
from engine.scene import LocalTransform, Name
from engine.scene.document.merge_records import Conflict
from tests.editor.document.levels import crash
from tests.gui.artist import move, named, trigger


def left_behind(level: Path) -> None:
    """A session that renamed the crate and did not end well."""
    session = LevelDocument()
    session.open(level)
    crate = next(e for e in session.children() if session.label(e) == "Crate")
    session.rename(crate, "Barrel")
    session.spawn(Name("New"))
    crash(session)


def answer(window: MainWindow, name: str) -> None:
    button = window.safekeeping.recovery.notices.findChild(QPushButton, f"notice.{name}")
    assert button is not None
    button.click()


def theirs(level: Path, old: str, new: str) -> None:
    level.write_text(level.read_text().replace(old, new))


def compared(window: MainWindow, qtbot) -> None:
    """Wait until what is on disk was compared with the level."""
    qtbot.waitUntil(lambda: not window.safekeeping.is_comparing)


def save(window: MainWindow, qtbot) -> None:
    trigger(window, "save")
    compared(window, qtbot)


def test_nothing_is_offered_before_the_window_is_shown(window, level, qtbot) -> None:
    left_behind(level)
    qtbot.wait(0)
    assert window.safekeeping.recovery.notices.keys() == []


def test_work_left_behind_is_offered_and_comes_back(window, level, qtbot) -> None:
    left_behind(level)
    window.show()
    qtbot.waitUntil(lambda: len(window.safekeeping.recovery.notices.keys()) == 1)
    assert window.document.label(named(window, "Crate")) == "Crate"
    answer(window, "recover")
    assert window.document.label(named(window, "Barrel")) == "Barrel"
    assert named(window, "New")
    assert window.document.dirty
    assert "•" in window.windowTitle()
    assert window.safekeeping.recovery.notices.keys() == []
    tree = window.panels["hierarchy"].tree.model()
    assert {tree.index(row, 0).data() for row in range(tree.rowCount())} == {"Barrel", "New"}


@pytest.mark.parametrize("choice", ["discard", "later"])
def test_an_offer_can_be_declined(window, level, qtbot, choice) -> None:
    left_behind(level)
    window.show()
    qtbot.waitUntil(lambda: len(window.safekeeping.recovery.notices.keys()) == 1)
    answer(window, choice)
    assert window.safekeeping.recovery.notices.keys() == []
    window.safekeeping.offer()
    assert window.safekeeping.recovery.notices.keys() == []
    assert len(window.document.recoverable()) == (choice == "later")


def test_unsaved_work_is_asked_about_before_a_recovery(window, level, qtbot, answers) -> None:
    left_behind(level)
    move(window)
    window.show()
    qtbot.waitUntil(lambda: len(window.safekeeping.recovery.notices.keys()) == 1)
    answer(window, "recover")
    assert len(answers.asked) == 1
    assert named(window, "Crate")
    assert len(window.document.recoverable()) == 1
    assert len(window.safekeeping.recovery.notices.keys()) == 1
    answers.answer = "discard"
    answer(window, "recover")
    assert named(window, "Barrel")


def test_changes_of_others_come_in_on_focus(window, level, qtbot) -> None:
    theirs(level, '"Lid"', '"Cover"')
    window.safekeeping.look_at_disk()
    compared(window, qtbot)
    assert named(window, "Cover")
    assert not window.document.dirty
    assert any("changed by somebody else" in text for text in window.toasts.texts())
    trigger(window, "undo")
    assert named(window, "Lid")


def test_a_save_merges_and_saves(window, level, qtbot) -> None:
    move(window)
    theirs(level, '"Lid"', '"Cover"')
    save(window, qtbot)
    assert not window.document.dirty
    assert "Cover" in level.read_text()
    assert "translation=[5.0,0.0,0.0]" in level.read_text()


def test_conflicts_are_asked_about_and_ours_is_chosen(window, level, qtbot) -> None:
    move(window)
    theirs(level, "translation=[1, 0, 0]", "translation=[7, 7, 7]")
    before = level.read_text()
    window.show()
    save(window, qtbot)
    dialog = window.findChild(QRadioButton, "merge.0.theirs").window()
    assert level.read_text() == before
    assert window.findChild(QRadioButton, "merge.0.ours").isChecked()
    dialog.reject()
    assert window.document.dirty
    save(window, qtbot)
    window.findChild(QRadioButton, "merge.0.theirs").setChecked(True)
    window.findChild(QPushButton, "merge.accept").click()
    crate = window.document.world.get(named(window, "Crate"), LocalTransform)
    assert crate.translation.tolist() == [7, 7, 7]
    assert not window.document.dirty
    assert level.read_text() == before


def test_a_file_that_can_not_be_merged_is_replaced_only_on_demand(
    window, level, answers, qtbot
) -> None:
    move(window)
    level.write_text("half a fi")
    save(window, qtbot)
    assert "can't be merged" in answers.asked[0].title
    assert level.read_text() == "half a fi"
    answers.answer = "overwrite"
    save(window, qtbot)
    assert "translation=[5.0,0.0,0.0]" in level.read_text()


@pytest.mark.parametrize(
    ("step", "number", "words"),
    [
        ("fsync", errno.ENOSPC, "No space left on device"),
        ("replace", errno.EROFS, "Read-only file system"),
        ("mkstemp", errno.EACCES, "Permission denied"),
    ],
)
def test_a_save_that_fails_says_why_and_loses_nothing(
    window, level, answers, qtbot, monkeypatch, step, number, words
) -> None:
    before = level.read_bytes()
    move(window)
    done: list[str] = []

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(tempfile if step == "mkstemp" else os, step, fail)
        window.files.save(lambda: done.append("saved"))
        compared(window, qtbot)
    assert level.read_bytes() == before
    assert sorted(p.name for p in level.parent.iterdir()) == ["project.json", "yard.scene"]
    [text] = answers.errors
    assert words in text
    assert str(level) in text
    assert (window.document.dirty, done) == (True, [])
    assert "•" in window.windowTitle()
    save(window, qtbot)
    assert not window.document.dirty
    assert "translation=[5.0,0.0,0.0]" in level.read_text()


def conflicts(count: int) -> list[Conflict]:
    def named(text: str) -> Field:
        return Field.of("text", Kind.STRING, text)

    return [
        Conflict(i, f"e{i}", "Name", "text", named("base"), named("ours"), named("theirs"))
        for i in range(count)
    ]


def test_of_thousands_of_conflicts_the_first_are_listed(qtbot) -> None:
    answers: list[list[int]] = []
    window = QWidget()
    qtbot.addWidget(window)
    dialog = MergeDialog("a.scene", conflicts(3_000), answers.append, window)
    assert len(dialog.findChildren(QRadioButton)) < 500
    assert dialog.chosen() == []
    dialog.findChild(QRadioButton, "merge.others.theirs").setChecked(True)
    dialog.findChild(QRadioButton, "merge.1.theirs").setChecked(True)
    assert dialog.chosen() == [1, *range(200, 3_000)]
    dialog._choose_all(theirs=True)
    assert dialog.chosen() == list(range(3_000))
    dialog._choose_all(theirs=False)
    dialog.findChild(QPushButton, "merge.accept").click()
    assert answers == [[]]


def test_two_windows_on_one_level(window, level, qtbot) -> None:
    other = LevelDocument()
    told = []
    other.message_posted.connect(lambda message: told.append(message.text))
    other.open(level)
    assert any("also open in another editor" in text for text in told)
    lid = next(e for e in other.world.entities() if other.label(e) == "Lid")
    other.rename(lid, "Cover")
    move(window)
    other.save()
    save(window, qtbot)
    other.save()
    other.close()
    text = level.read_text()
    assert '"Cover"' in text
    assert "translation=[5.0,0.0,0.0]" in text


def test_copies_are_kept_when_nothing_happens(window, level, monkeypatch) -> None:
    # A press that an earlier test never let go of would count as somebody being busy.
    monkeypatch.setattr(safekeeping.QApplication, "mouseButtons", lambda: Qt.MouseButton.NoButton)
    now = [time.monotonic() + 1000]
    monkeypatch.setattr(safekeeping.time, "monotonic", lambda: now[0])
    move(window)
    window.safekeeping.tick()
    now[0] += 5
    window.safekeeping.tick()
    assert not window.document.copies_folder.exists()
    now[0] += 300
    gesture = window.document.begin_gesture("Drag")
    window.document.set_fields([named(window, "Lid")], LocalTransform, translation=(1, 1, 1))
    window.safekeeping.tick()
    assert not window.document.copies_folder.exists()
    gesture.commit()
    now[0] += 1
    window.safekeeping.tick()
    now[0] += 300
    window.safekeeping.tick()
    assert len(list(window.document.copies_folder.iterdir())) == 1

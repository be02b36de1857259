"""Comparing a level with its file in a thread: the window lives on, and no edit is lost."""

import shutil
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QPushButton, QRadioButton

from editor.document import LevelDocument
from editor.document.disk_merge import DiskLook
from editor.main_window import MainWindow
from engine.scene import LocalTransform, Name
from tests.gui.artist import move, named, trigger
from tests.gui.test_safekeeping import compared, theirs
from tests.patience import PATIENCE_S


class Gate:
    """Holds a step of a comparison that is in a thread until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
        self.reached, self._open = threading.Event(), threading.Event()
        original: Callable[[DiskLook], object] = getattr(DiskLook, step)

        def held(look: DiskLook) -> object:
            if threading.current_thread() is not threading.main_thread():
                self.reached.set()
                assert self._open.wait(PATIENCE_S)
            return original(look)

        monkeypatch.setattr(DiskLook, step, held)

    def open(self) -> None:
        self._open.set()


@pytest.fixture(params=["read", "merge"])
def gate(request, monkeypatch) -> Iterator[Gate]:
    """The gate before reading, or the one before merging."""
    gate = Gate(monkeypatch, request.param)
    yield gate
    gate.open()


def translation(window: MainWindow, name: str) -> list[float]:
    value = window.document.world.get(named(window, name), LocalTransform)
    return value.translation.tolist()  # type: ignore[no-any-return]


def test_an_edit_during_a_save_is_saved_too(window, level, qtbot, gate) -> None:
    move(window)
    theirs(level, '"Lid"', '"Cover"')
    disk = level.read_bytes()
    trigger(window, "save")
    qtbot.waitUntil(gate.reached.is_set)
    assert window.safekeeping.is_comparing
    assert window.document.tasks == ["Comparing with yard.scene on disk"]
    lid = named(window, "Lid")
    window.document.set_fields(lid, LocalTransform, translation=(0, 8, 0))
    steps = window.document.history.count
    assert level.read_bytes() == disk
    gate.open()
    compared(window, qtbot)
    assert window.document.tasks == []
    assert window.document.history.count == steps + 1
    assert not window.document.dirty
    saved = LevelDocument()
    saved.open(level)
    assert sorted(map(saved.label, saved.world.entities())) == ["Cover", "Crate"]
    [cover] = [e for e in saved.world.entities() if saved.label(e) == "Cover"]
    assert saved.world.get(cover, LocalTransform).translation.tolist() == [0, 8, 0]
    saved.close()
    trigger(window, "undo")
    assert (named(window, "Lid"), translation(window, "Lid")) == (lid, [0, 8, 0])


def test_an_edit_while_the_focus_comes_back_is_kept(window, level, qtbot, gate) -> None:
    theirs(level, '"Lid"', '"Cover"')
    window.safekeeping.look_at_disk()
    qtbot.waitUntil(gate.reached.is_set)
    move(window)
    gate.open()
    compared(window, qtbot)
    assert named(window, "Cover")
    assert translation(window, "Crate") == [5, 0, 0]
    assert window.document.dirty
    window.document.history.jump(0)
    assert translation(window, "Crate") == [1, 0, 0]
    assert named(window, "Lid")


def test_a_drag_is_never_merged_into(window, level, qtbot, gate) -> None:
    theirs(level, '"Lid"', '"Cover"')
    window.safekeeping.look_at_disk()
    qtbot.waitUntil(gate.reached.is_set)
    gesture = window.document.begin_gesture("Drag")
    window.document.set_fields(named(window, "Crate"), LocalTransform, translation=(3, 3, 3))
    gate.open()
    qtbot.waitUntil(lambda: window.safekeeping._watch._is_held)
    assert named(window, "Lid")
    assert gesture.is_open
    gesture.commit()
    compared(window, qtbot)
    assert named(window, "Cover")
    assert translation(window, "Crate") == [3, 3, 3]
    assert window.document.history.labels == ["Drag", "Merge yard.scene"]


def test_a_level_opened_meanwhile_is_left_alone(window, level, qtbot, gate) -> None:
    second = level.with_name("second.scene")
    shutil.copyfile(level, second)
    theirs(level, '"Lid"', '"Cover"')
    trigger(window, "save")
    qtbot.waitUntil(gate.reached.is_set)
    window.document.open(second)
    gate.open()
    compared(window, qtbot)
    qtbot.wait(0)
    assert named(window, "Lid")
    assert window.document.history.count == 0
    assert "Cover" in level.read_text()


def test_a_save_in_between_begins_anew(window, level, qtbot, gate) -> None:
    theirs(level, '"Lid"', '"Cover"')
    window.safekeeping.look_at_disk()
    qtbot.waitUntil(gate.reached.is_set)
    window.document.set_fields(named(window, "Crate"), LocalTransform, translation=(3, 3, 3))
    gate.open()
    window.document.save()
    theirs(level, '"Cover"', '"Roof"')
    compared(window, qtbot)
    window.safekeeping.look_at_disk()
    compared(window, qtbot)
    assert named(window, "Roof")
    assert translation(window, "Crate") == [3, 3, 3]


def test_the_window_and_a_script_come_to_the_same(window, level, qtbot, tmp_path) -> None:
    copy = tmp_path / "copy.scene"
    shutil.copyfile(level, copy)
    script = LevelDocument()
    script.open(copy)
    for path, document in ((level, window.document), (copy, script)):
        crate = next(e for e in document.world.entities() if document.label(e) == "Crate")
        document.rename(crate, "Barrel")
        document.spawn(Name("ours"), parent=crate)
        path.write_text(
            f'{path.read_text().replace("[1, 0, 0]", "[7, 0, 0]")}entity 2\n  Name text="theirs"\n'
        )
    trigger(window, "save")
    compared(window, qtbot)
    script.save()
    script.close()
    assert level.read_bytes() == copy.read_bytes()
    assert '"theirs"' in copy.read_text()
    assert '"ours"' in copy.read_text()


def test_two_saves_at_once_both_go_on(window, level, qtbot, gate) -> None:
    done: list[str] = []
    move(window)
    theirs(level, '"Lid"', '"Cover"')
    window.files.save(lambda: done.append("first"))
    window.files.save(lambda: done.append("second"))
    gate.open()
    qtbot.waitUntil(lambda: len(done) == 2)
    assert done == ["first", "second"]
    assert not window.document.dirty


def test_a_choice_holds_for_a_level_that_moved_on(window, level, qtbot) -> None:
    move(window)
    theirs(level, "translation=[1, 0, 0]", "translation=[7, 7, 7]")
    window.show()
    trigger(window, "save")
    qtbot.waitUntil(lambda: window.findChild(QRadioButton, "merge.0.theirs") is not None)
    window.findChild(QRadioButton, "merge.0.theirs").setChecked(True)
    window.document.set_fields(named(window, "Lid"), LocalTransform, translation=(0, 8, 0))
    window.findChild(QPushButton, "merge.accept").click()
    compared(window, qtbot)
    assert not window.document.dirty
    assert translation(window, "Crate") == [7, 7, 7]
    assert "[0.0,8.0,0.0]" in level.read_text()


def test_a_file_that_can_not_be_read_is_told_of_once(window, level, qtbot) -> None:
    told = []
    window.document.message_posted.connect(lambda message: told.append(message.text))
    level.write_text("half a fi")
    for _ in range(3):
        window.safekeeping.look_at_disk()
        compared(window, qtbot)
    assert len([text for text in told if "can't be merged" in text]) == 1


def test_closing_waits_for_the_thread(window, level, qtbot, gate) -> None:
    theirs(level, '"Lid"', '"Cover"')
    window.safekeeping.look_at_disk()
    qtbot.waitUntil(gate.reached.is_set)
    gate.open()
    window.close()
    assert not window.safekeeping.is_comparing


def test_nothing_is_read_where_nobody_wrote(window, monkeypatch) -> None:
    gate = Gate(monkeypatch, "read")
    move(window)
    trigger(window, "save")
    assert not window.document.dirty
    assert not gate.reached.is_set()

"""Long work in a window that lives on meanwhile: its steps, cancelling it, closing in the midst."""

import threading

import pytest
from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QPushButton, QWidget

from editor.document import LevelDocument
from editor.document.slow_work import Beside, Loading, Pause
from editor.main_window.work_dialog import WorkDialog
from editor.main_window.work_runner import WorkRunner
from editor.qt.report import set_error_sink
from engine.errors import SceneError
from tests.editor.document.props import files_below, write_prop
from tests.gui.artist import trigger


class Job:
    """Work of three kinds of steps, and what became of it."""

    def __init__(self):
        self.gate = threading.Event()
        self.log = []
        self.thread = None
        self.error = None

    def work(self):
        try:
            yield Pause("thinking")
            yield Loading("loading")
            self.log.append("loaded")
            yield Beside(self.run, self.stop, lambda: "writing")
            self.log.append("written")
        except GeneratorExit:
            self.log.append("closed")
            raise
        except SceneError:
            self.log.append("taken back")
            raise
        return "result"

    def run(self):
        self.thread = threading.current_thread()
        self.gate.wait()
        if self.error is not None:
            raise self.error

    def stop(self):
        self.log.append("stopped")
        self.gate.set()


@pytest.fixture
def job():
    job = Job()
    yield job
    job.gate.set()


@pytest.fixture
def errors(qtbot):
    found = []
    set_error_sink(found.append)
    yield found
    set_error_sink(None)


@pytest.fixture
def host(qtbot):
    host = QWidget()
    host.resize(600, 400)
    qtbot.addWidget(host)
    with qtbot.waitExposed(host):
        host.show()
    return host


@pytest.fixture
def runner(host, errors):
    document = LevelDocument()
    document.waits = False
    runner = WorkRunner(document, host)
    yield runner
    runner.dispose()
    document.close()


def reach_thread(qtbot, job):
    qtbot.waitUntil(lambda: job.thread is not None)


def test_the_window_lives_on_and_hears_of_the_end(qtbot, runner, job, errors):
    done, ticks = [], []
    runner.run("Saving", job.work(), done.append)
    reach_thread(qtbot, job)
    assert job.thread is not threading.main_thread()
    QTimer.singleShot(0, runner, lambda: ticks.append(1))
    qtbot.waitUntil(lambda: ticks == [1])
    assert runner.is_busy
    assert done == []
    job.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert done == ["result"]
    assert job.log == ["loaded", "written"]
    assert errors == []


def test_a_document_that_waits_gets_it_at_once(runner, job):
    done = []
    runner._document.waits = True
    job.gate.set()
    runner.run("Saving", job.work(), done.append)
    assert done == ["result"]


def test_what_takes_long_is_said_and_can_be_cancelled(qtbot, runner, job, host, errors):
    done = []
    runner.run("Saving yard.scene", job.work(), done.append)
    qtbot.waitUntil(lambda: host.findChild(WorkDialog) is not None)
    dialog = host.findChild(WorkDialog)
    assert dialog.isVisible()
    assert dialog.windowTitle() == "Saving yard.scene"
    reach_thread(qtbot, job)
    dialog.findChild(QPushButton, "dialog.work.cancel").click()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert job.log == ["loaded", "stopped", "closed"]
    qtbot.waitUntil(lambda: host.findChild(WorkDialog) is None)
    assert (done, errors) == ([], [])


def test_closing_in_the_midst_waits_for_the_thread_and_takes_all_back(qtbot, runner, job, errors):
    done = []
    runner.run("Saving", job.work(), done.append)
    reach_thread(qtbot, job)
    runner.dispose()
    assert job.log == ["loaded", "stopped", "closed"]
    QCoreApplication.processEvents()
    assert (done, errors) == ([], [])


def test_another_level_gives_it_up(qtbot, runner, job):
    runner.run("Saving", job.work(), lambda result: None)
    reach_thread(qtbot, job)
    runner._document.new()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert job.log[-1] == "closed"


def test_what_fails_in_the_thread_is_shown(qtbot, runner, job, errors):
    done = []
    job.error = SceneError("the disk is full")
    job.gate.set()
    runner.run("Saving", job.work(), done.append)
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert job.log == ["loaded", "taken back"]
    assert list(map(str, errors)) == ["the disk is full"]
    assert done == []


def test_what_fails_while_it_waits_for_what_is_loading_is_shown(
    qtbot, runner, job, errors, monkeypatch
):
    def broken(seconds):
        raise SceneError("the graphics device is gone")

    monkeypatch.setattr(runner._document.app, "frame", broken)
    runner.run("Saving", job.work(), lambda result: None)
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert job.log == ["taken back"]
    assert list(map(str, errors)) == ["the graphics device is gone"]


def test_one_at_a_time(qtbot, runner, job):
    runner.run("Saving yard.scene", job.work(), lambda result: None)
    with pytest.raises(SceneError, match=r"Saving yard\.scene"):
        runner.run("Exporting", Job().work(), lambda result: None)
    job.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    done = []
    runner.run("Exporting", job.work(), done.append)
    qtbot.waitUntil(lambda: done == ["result"])


# -- the whole window ------------------------------------------------------------------------


@pytest.fixture
def living(window):
    """A window whose document does not wait; nothing of it has to be seen."""
    window.document.place(write_prop(window.document.root / "props"))
    window.document.waits = False
    return window


@pytest.fixture
def elsewhere(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "project.json").write_text("{}")
    return folder


def test_saving_into_another_project(qtbot, living, answers, elsewhere):
    target = elsewhere / "yard.scene"
    answers.files = [target]
    trigger(living, "save_as")
    qtbot.waitUntil(lambda: not living.work.is_busy)
    assert living.document.path == target
    assert living.settings.recent_levels[0] == str(target)
    assert "props/crate.gltf" in files_below(elsewhere)
    assert answers.errors == []


def test_closing_the_window_while_it_is_saved_elsewhere(qtbot, living, answers, elsewhere):
    answers.files = [elsewhere / "yard.scene"]
    trigger(living, "save_as")
    living.document.history.mark_saved()
    living.close()
    kept = [name for name in files_below(elsewhere) if not name.startswith(".cinder")]
    assert kept in (["project.json"], ["project.json", "props/crate.gltf", "yard.scene"])


def test_exporting_the_level(qtbot, living, answers, tmp_path):
    answers.files = [tmp_path / "out.glb"]
    trigger(living, "export")
    qtbot.waitUntil(lambda: not living.work.is_busy)
    assert (tmp_path / "out.glb").is_file()

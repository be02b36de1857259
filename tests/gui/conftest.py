"""A whole window without a picture to wait for, and dialogs that answer by themselves."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from editor.app import create
from editor.main_window import MainWindow
from editor.main_window.prompts import FileQuestion, Question
from tests.gui.desk import Desk


class Answers(QObject):
    """Stands for the dialogs: what they would be told, and what they were asked."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = "cancel"
        self.files: list[Path] = []
        self.asked: list[Question] = []
        self.asked_files: list[FileQuestion] = []
        self.errors: list[str] = []

    def ask(self, question: Question, answered: Callable[[str], None]) -> None:
        self.asked.append(question)
        answered(self.answer)

    def ask_file(self, question: FileQuestion, chosen: Callable[[list[Path]], None]) -> None:
        self.asked_files.append(question)
        if self.files:
            chosen(self.files)

    def show_error(self, title: str, text: str) -> None:
        self.errors.append(text)


@pytest.fixture
def level(tmp_path: Path) -> Path:
    """A project with one small level."""
    (tmp_path / "project.json").write_text('{"root_scene_path": "yard.scene"}')
    path = tmp_path / "yard.scene"
    path.write_text(
        "cinder-scene 2\n"
        'entity 0\n  Name text="Crate"\n  LocalTransform translation=[1, 0, 0]\n'
        'entity 1\n  Name text="Lid"\n  Parent entity=#0\n  LocalTransform\n'
    )
    return path


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def window(qtbot, level: Path, answers: Answers) -> Iterator[MainWindow]:
    window = create([str(level)])
    window.prompts = answers  # type: ignore[assignment]
    window.resize(900, 600)
    yield window
    window.document.history.mark_saved()
    window.close()
    window.deleteLater()


@pytest.fixture
def desk(qtbot, window) -> Desk:
    return Desk(qtbot, window)


@pytest.fixture
def shown(qtbot, window: MainWindow) -> MainWindow:
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    return window

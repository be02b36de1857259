"""Everything the window asks: never blocking, and replaceable.

A question is shown window-modal and answered through a callback, so that closing, opening and
saving also work in a test or a script, which puts a `Prompts` of its own in place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QWidget

__all__ = ["Choice", "FileQuestion", "Prompts", "Question"]


@dataclass(frozen=True)
class Choice:
    """One answer: its id, its button, and whether it destroys work."""

    answer: str
    label: str
    destructive: bool = False


@dataclass(frozen=True)
class Question:
    """A question with a few answers; the first choice is the default, "cancel" closes it."""

    title: str
    text: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class FileQuestion:
    """A question for a file.

    Attributes
    ----------
    mode
        "open", "open_many" or "save".
    filters
        As Qt wants them: ``"Levels (*.scene *.cscn)"``.
    """

    title: str
    mode: str
    folder: Path
    filters: str
    suffix: str = ""


class Prompts(QObject):
    """Asks with dialogs."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._open: list[QWidget] = []

    def ask(self, question: Question, answered: Callable[[str], None]) -> None:
        """Ask; the callback gets the id of the choice, or "cancel"."""
        box = QMessageBox(self._window)
        box.setWindowTitle(question.title)
        box.setText(question.title)
        box.setInformativeText(question.text)
        roles = QMessageBox.ButtonRole
        buttons: dict[QPushButton, str] = {}
        for i, choice in enumerate(question.choices):
            role = roles.DestructiveRole if choice.destructive else roles.AcceptRole
            button = box.addButton(choice.label, role)
            buttons[button] = choice.answer
            if i == 0:
                box.setDefaultButton(button)
        cancel = box.addButton("Cancel", roles.RejectRole)
        box.setEscapeButton(cancel)

        def finish(result: int) -> None:
            clicked = box.clickedButton()
            answer = next((a for b, a in buttons.items() if b is clicked), "cancel")
            self._forget(box)
            answered(answer)

        box.finished.connect(finish)
        self._show(box)

    def ask_file(self, question: FileQuestion, chosen: Callable[[list[Path]], None]) -> None:
        """Ask for files; the callback gets them, or is not called when cancelled."""
        dialog = QFileDialog(self._window, question.title, str(question.folder), question.filters)
        modes = {
            "open": QFileDialog.FileMode.ExistingFile,
            "open_many": QFileDialog.FileMode.ExistingFiles,
            "save": QFileDialog.FileMode.AnyFile,
        }
        dialog.setFileMode(modes[question.mode])
        if question.mode == "save":
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setDefaultSuffix(question.suffix)

        def finish(result: int) -> None:
            files = [Path(path) for path in dialog.selectedFiles()] if result else []
            self._forget(dialog)
            if files:
                chosen(files)

        dialog.finished.connect(finish)
        self._show(dialog)

    def show_error(self, title: str, text: str) -> None:
        """Show one clear message; it waits for nobody."""
        box = QMessageBox(QMessageBox.Icon.NoIcon, title, title, parent=self._window)
        box.setInformativeText(text)
        box.setObjectName("dialog.error")
        box.addButton(QMessageBox.StandardButton.Ok)
        box.finished.connect(lambda result: self._forget(box))
        self._show(box)

    def _show(self, dialog: QMessageBox | QFileDialog) -> None:
        """Open a dialog; behind a window that is not shown it counts as cancelled."""
        self._open.append(dialog)
        if self._window.isVisible():
            dialog.open()
        else:
            dialog.done(0)

    def _forget(self, dialog: QWidget) -> None:
        if dialog in self._open:
            self._open.remove(dialog)
        dialog.deleteLater()

"""Everything the window asks: never blocking, and replaceable.

A question is shown window-modal and answered through a callback, so that closing, opening and
saving also work in a test or a script, which puts a `Prompts` of its own in place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from editor.qt.widgets.file_dialog import dress_file_dialog
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import heading

_MOST_PX: Final = 560
_MOST_WORD_PX: Final = 400

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
    name
        The file name that is offered.
    """

    title: str
    mode: str
    folder: Path
    filters: str
    suffix: str = ""
    name: str = ""


class _MessageDialog(QDialog):
    """A heading, a text and buttons; `answer` is what was clicked."""

    def __init__(
        self, question: Question, glyph: tuple[str, str], closing: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.answer = "cancel"
        self.setWindowTitle(question.title)
        self.setMinimumWidth(420)
        self.setMaximumWidth(_MOST_PX)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 20, 22, 16)
        column.setSpacing(16)
        column.addLayout(self._message(question, glyph))
        column.addLayout(self._buttons(question.choices, closing))

    def _message(self, question: Question, glyph: tuple[str, str]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(14)
        row.addWidget(Glyph(glyph[0], self, role=glyph[1], size=26), 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(5)
        title = heading("", self)
        title.setText(_fitted(question.title, QFontMetrics(title.font())))
        title.setWordWrap(True)
        texts.addWidget(title)
        self._body = body = QLabel(question.text, self)
        body.setProperty("role", "quiet")
        body.setWordWrap(True)
        body.setTextFormat(Qt.TextFormat.PlainText)
        body.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        texts.addWidget(body)
        texts.addStretch(1)
        row.addLayout(texts, 1)
        return row

    def _buttons(self, choices: Sequence[Choice], closing: str) -> QHBoxLayout:
        """Return what destroys, what closes, then the others, whose first is offered."""
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        close = QPushButton(closing, self)
        close.setAutoDefault(False)
        close.clicked.connect(self.reject)
        destructive = [self._button(choice) for choice in choices if choice.destructive]
        answers = [self._button(choice) for choice in choices if not choice.destructive]
        for button in (*destructive, close, *answers):
            buttons.addWidget(button)
        first = answers[0] if answers else close
        first.setDefault(True)
        first.setFocus()
        return buttons

    def add_text(self, text: str) -> None:
        """Show another message below those there are."""
        if text not in self._body.text().split("\n"):
            self._body.setText(f"{self._body.text()}\n{text}")
            self.adjustSize()

    def _button(self, choice: Choice) -> QPushButton:
        button = QPushButton(choice.label, self)
        button.setObjectName(f"answer.{choice.answer}")
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self._choose(choice.answer))
        return button

    def _choose(self, answer: str) -> None:
        self.answer = answer
        self.accept()


def _fitted(text: str, metrics: QFontMetrics) -> str:
    """Cut words that would make a dialog wider than it is, such as names of files."""
    middle = Qt.TextElideMode.ElideMiddle
    return " ".join(metrics.elidedText(word, middle, _MOST_WORD_PX) for word in text.split(" "))


class Prompts(QObject):
    """Asks with dialogs."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._open: list[QWidget] = []

    def ask(self, question: Question, answered: Callable[[str], None]) -> None:
        """Ask; the callback gets the id of the choice, or "cancel"."""
        dialog = _MessageDialog(question, ("question", "accent"), "Cancel", self._window)
        dialog.setObjectName("dialog.question")

        def finish(result: int) -> None:
            self._forget(dialog)
            answered(dialog.answer)

        dialog.finished.connect(finish)
        self._show(dialog)

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
            dialog.selectFile(question.name)
        dress_file_dialog(dialog)

        def finish(result: int) -> None:
            files = [Path(path) for path in dialog.selectedFiles()] if result else []
            self._forget(dialog)
            if files:
                chosen(files)

        dialog.finished.connect(finish)
        self._show(dialog)

    def show_error(self, title: str, text: str) -> None:
        """Show one clear message; it waits for nobody, and another joins it while it is open."""
        for shown in self._open:
            if isinstance(shown, _MessageDialog) and shown.objectName() == "dialog.error":
                shown.add_text(text)
                return
        question = Question(title, text, ())
        dialog = _MessageDialog(question, ("warning-circle", "error"), "Close", self._window)
        dialog.setObjectName("dialog.error")
        dialog.finished.connect(lambda result: self._forget(dialog))
        self._show(dialog)

    def _show(self, dialog: QDialog) -> None:
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

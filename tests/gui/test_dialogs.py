"""Questions and file dialogs as they look: nothing wider than it should be, the editor's icons."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFileSystemModel,
    QLabel,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from editor.main_window.copy_consent import CopyConsent
from editor.main_window.prompts import Choice, Prompts, Question
from editor.qt.icons import icon
from editor.qt.widgets.file_dialog import dress_file_dialog


@pytest.fixture
def owner(qtbot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    return made


def asked(owner: QWidget, *paths: str) -> QDialog:
    prompts = Prompts(owner)
    assert CopyConsent(lambda: prompts).ask(paths, lambda: None) is False
    return owner.findChild(QDialog, "dialog.question")


def texts(dialog: QDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def test_a_question_about_one_file_names_it(owner: QWidget) -> None:
    dialog = asked(owner, "/packs/barn.glb")
    assert "Copy barn.glb into the project?" in texts(dialog)


def test_a_question_about_many_files_lists_some(owner: QWidget) -> None:
    dialog = asked(owner, *(f"/packs/prop_{number}.glb" for number in range(9)))
    text = texts(dialog)
    assert "Copy 9 files into the project?" in text
    assert "prop_0.glb\nprop_1.glb\nprop_2.glb\nprop_3.glb\nand 5 more" in text


def test_a_long_name_makes_no_dialog_wider_than_the_window(owner: QWidget) -> None:
    name = "/packs/" + "long_name_" * 30 + "final.glb"
    dialog = asked(owner, name)
    assert dialog.width() <= 560
    assert "…" in texts(dialog)
    assert "final.glb into the project?" in texts(dialog), "the end of a name tells most"


def test_other_words_of_a_question_stay_whole(owner: QWidget) -> None:
    title = "Go back to the saved level that was called something longer than one line holds?"
    Prompts(owner).ask(Question(title, "text", (Choice("yes", "Yes"),)), lambda answer: None)
    assert title in texts(owner.findChild(QDialog, "dialog.question"))


def test_a_file_dialog_of_qt_has_the_icons_of_the_editor(
    owner: QWidget, tmp_path: Path, qtbot
) -> None:
    for name in ("barn.glb", "yard.scene", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "town").mkdir()
    dialog = QFileDialog(owner, "Open", str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dress_file_dialog(dialog)
    tree = dialog.findChild(QTreeView, "treeView")
    model = tree.model()
    assert isinstance(model, QFileSystemModel)
    delegate = tree.itemDelegate()
    for name, glyph in (
        ("barn.glb", ("package", "accent")),
        ("yard.scene", ("stack", "accent")),
        ("notes.txt", ("file", "quiet")),
        ("town", ("folder", "folder")),
    ):
        option = QStyleOptionViewItem()
        delegate.initStyleOption(option, model.index(str(tmp_path / name)))
        size = QSize(14, 14)
        assert option.icon.pixmap(size).toImage() == icon(*glyph).pixmap(size).toImage(), name

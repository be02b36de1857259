"""Files by the menus of the window: levels saved, opened and reverted, props imported, exports."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from editor.app import create
from editor.main_window import MainWindow
from editor.model.settings import Settings
from engine.assets import load_gltf
from engine.scene import LocalTransform
from tests.editor.document.props import write_prop
from tests.gui.artist import move, named, trigger


def test_an_import_begins_where_the_last_one_was(window, answers, tmp_path_factory) -> None:
    pack = tmp_path_factory.mktemp("pack")
    answers.files = [write_prop(pack, "lantern")]
    trigger(window, "import_asset")
    assert Settings.load().import_folder == str(pack)
    trigger(window, "import_asset")
    assert answers.asked_files[-1].folder == pack
    shutil.rmtree(pack)
    answers.files = []
    trigger(window, "import_asset")
    assert answers.asked_files[-1].folder == Path.home()


def test_dirty_mark_follows_the_history(window: MainWindow) -> None:
    assert "•" not in window.windowTitle()
    move(window)
    assert "•" in window.windowTitle()
    trigger(window, "undo")
    assert "•" not in window.windowTitle()
    trigger(window, "redo")
    assert "•" in window.windowTitle()
    trigger(window, "save")
    assert "•" not in window.windowTitle()


def test_save_as_and_recent(window: MainWindow, answers, tmp_path: Path) -> None:
    move(window)
    target = tmp_path / "copy.scene"
    answers.files = [target]
    trigger(window, "save_as")
    assert window.document.path == target
    assert window.settings.recent_levels == [str(target)]
    window.files.fill_recent(window.services.menus["recent"])
    assert window.services.menus["recent"].actions()[0].text().startswith("copy")


def test_new_asks_only_when_something_is_unsaved(window: MainWindow, answers) -> None:
    move(window)
    trigger(window, "new")
    assert len(answers.asked) == 1
    assert window.document.path is not None
    answers.answer = "discard"
    trigger(window, "new")
    assert window.document.path is None
    trigger(window, "new")
    assert len(answers.asked) == 2


def test_save_from_the_question_goes_on(window: MainWindow, answers, level: Path) -> None:
    move(window)
    answers.answer = "save"
    trigger(window, "new")
    assert window.document.path is None
    assert "5" in level.read_text()


def test_revert_asks_and_goes_back(window: MainWindow, answers) -> None:
    move(window)
    answers.answer = "revert"
    trigger(window, "revert")
    crate = named(window, "Crate")
    assert window.document.world.get(crate, LocalTransform).translation[0] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"cinder-scene 9\n", "newer"),
        (b'cinder-scene 2\nentity 0\n  Name text="x\n', "unterminated quote"),
        (b"\xff\xfe\x00", "UTF-8"),
        (None, "no such file"),
    ],
)
def test_bad_level_is_one_message_and_changes_nothing(
    window: MainWindow, answers, tmp_path: Path, content: bytes | None, said: str
) -> None:
    move(window)
    bad = tmp_path / "bad.scene"
    if content is not None:
        bad.write_bytes(content)
    labels = window.document.history.labels
    window.open_path(bad)
    assert len(answers.errors) == 1
    assert said in answers.errors[0]
    assert "bad.scene" in answers.errors[0]
    assert window.document.history.labels == labels
    assert window.document.path.name == "yard.scene"
    console = window.panels["console"]
    texts = [m.text for m in console.model.messages()]
    assert len([t for t in texts if said in t]) == 1


def test_bad_argument_still_opens_a_window(qtbot, tmp_path: Path) -> None:
    window = create([str(tmp_path / "missing.scene")])
    console = window.panels["console"]
    assert len([m for m in console.model.messages() if "missing.scene" in m.text]) == 1
    window.close()
    window.deleteLater()


@pytest.mark.gpu
def test_close_asks_without_blocking(window: MainWindow, answers, qtbot) -> None:
    window.show()
    move(window)
    window.close()
    assert window.isVisible()
    assert len(answers.asked) == 1
    answers.answer = "discard"
    window.close()
    assert not window.isVisible()
    assert Settings.load().window_state


def test_import_tells_of_the_broken_and_takes_the_good(
    window: MainWindow, answers, tmp_path: Path, shared: Path
) -> None:
    good = min((shared / "assets" / "props").rglob("*.glb"))
    broken = tmp_path / "broken.glb"
    broken.write_bytes(b"glTF\x02\x00\x00\x00")
    answers.files = [broken, good]
    trigger(window, "import_asset")
    assert (tmp_path / "props").is_dir()
    assert [item.title for item in window.panels["assets"].model.items()] == [good.stem]
    texts = [m.text for m in window.panels["console"].model.messages()]
    assert any("broken.glb" in text for text in texts)


@pytest.mark.gpu
@pytest.mark.parametrize(("answer", "placed"), [("copy", 1), ("cancel", 0), ("always", 1)])
def test_placing_a_file_from_outside_asks_first(
    window: MainWindow, answers, shared: Path, answer: str, placed: int
) -> None:
    answers.answer = answer
    answers.files = [min((shared / "assets" / "props").rglob("*.glb"))]
    before = len(window.document.children())
    trigger(window, "place_file")
    assert len(window.document.children()) == before + placed
    assert len(answers.asked) == 1
    trigger(window, "place_file")
    asks_again = answer != "always"
    assert len(answers.asked) == 1 + asks_again


def test_question_answered_later_places_then(window: MainWindow, answers) -> None:
    waiting: list[object] = []
    answers.ask = lambda question, answered: waiting.append(answered)
    placed: list[str] = []
    window.viewport.place_assets_at = lambda assets, x, y: placed.extend(assets)
    assert not window.viewport.confirm_copy(["/elsewhere/a.glb"])
    assert placed == []
    waiting[0]("copy")
    assert placed == ["/elsewhere/a.glb"]


def test_missing_asset_opens_and_is_told_of_once(
    window: MainWindow, level: Path, answers, qtbot
) -> None:
    level.write_text(
        "cinder-scene 2\n"
        'entity 0\n  Name text="Gone"\n  LocalTransform\n  GltfInstance asset="props/gone.glb"\n'
    )
    window.open_path(level)
    window.document.settle()
    console = window.panels["console"]

    def told() -> int:
        return len([m for m in console.model.messages() if "gone.glb" in m.text])

    qtbot.waitUntil(lambda: told() == 1)
    assert answers.errors == []
    assert len(window.panels["issues"].issues) == 1
    before = level.read_bytes()
    window.document.save()
    assert level.read_bytes() == before


def test_several_errors_share_one_dialog(qtbot, level: Path) -> None:
    window = create([str(level)])
    window.resize(500, 400)
    window.show()
    for name in ("a.glb", "b.glb", "a.glb"):
        window.prompts.show_error("That did not work", f"{name}: broken")
    dialogs = [d for d in window.findChildren(QWidget, "dialog.error") if d.isVisible()]
    assert len(dialogs) == 1
    texts = [label.text() for label in dialogs[0].findChildren(QLabel)]
    assert "a.glb: broken\nb.glb: broken" in texts
    dialogs[0].close()
    window.close()
    window.deleteLater()


def test_export_asks_where_and_writes_a_file(window: MainWindow, answers, tmp_path: Path) -> None:
    answers.files = [tmp_path / "yard.glb"]
    window.document.select([named(window, "Lid")])
    trigger(window, "export_selection")
    assert len(load_gltf(tmp_path / "yard.glb").nodes) == 1
    trigger(window, "export")
    assert [q.title for q in answers.asked_files] == ["Export the selection", "Export the level"]
    assert answers.asked_files[-1].folder.name == "yard.glb"
    assert len(load_gltf(tmp_path / "yard.glb").nodes) == 2
    window.document.select([])
    assert not window.actions_by_id["export_selection"].isEnabled()

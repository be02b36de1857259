"""Files by the assets panel: renamed, moved, found, deleted, told of."""

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton

from editor.main_window import MainWindow
from editor.panels.assets import AssetsPanel
from editor.panels.assets.order import BY_NAME, Order
from editor.panels.assets.project_listing import AssetItem
from editor.panels.issues import IssuesPanel
from editor.qt.widgets.asset_uses_line import AssetUsesLine
from engine.scene import GltfInstance
from tests.editor.document.props import write_pack, write_prop
from tests.gui.assets_panel.conftest import LEFT, NONE, click, drop, selected, tile, titles


def test_f2_renames_the_file_and_undo_takes_it_back(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    root = Path(window.document.root)
    click(panel, "props/crate.gltf")
    QTest.keyClick(panel.grid, Qt.Key.Key_F2)
    editor = panel.grid.findChild(QLineEdit, "assets.name")
    assert editor.text() == "crate"
    QTest.keyClicks(editor, "chest")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil((root / "props/chest.gltf").is_file)
    assert panel.grid.current_item().asset == "props/chest.gltf"
    assert window.focusWidget() is panel.grid, "the next key goes to the tiles again"
    assert window.document.asset_user_count("props/chest.gltf") == 2
    window.actions_by_id["undo"].trigger()
    assert (root / "props/crate.gltf").is_file()
    qtbot.waitUntil(lambda: "crate" in titles(panel))


def test_a_name_with_two_endings_shows_and_changes_what_is_before_them(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    root = Path(window.document.root)
    (root / "props/keg.gltf.glb").write_bytes(b"")
    panel.look_again()
    qtbot.waitUntil(lambda: "keg" in titles(panel))
    click(panel, "props/keg.gltf.glb")
    QTest.keyClick(panel.grid, Qt.Key.Key_F2)
    editor = panel.grid.findChild(QLineEdit, "assets.name")
    assert editor.text() == "keg"
    QTest.keyClicks(editor, "cask")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil((root / "props/cask.gltf.glb").is_file)


def test_a_thumbnail_that_comes_leaves_what_is_typed(
    window: MainWindow, panel: AssetsPanel
) -> None:
    click(panel, "props/lamp.gltf")
    QTest.keyClick(panel.grid, Qt.Key.Key_F2)
    editor = panel.grid.findChild(QLineEdit, "assets.name")
    QTest.keyClicks(editor, "lan")
    panel.model.thumbnails.ready.emit(panel.grid.current_item().path)
    assert editor.text() == "lan"


def test_escape_leaves_the_name(window: MainWindow, panel: AssetsPanel) -> None:
    click(panel, "props/lamp.gltf")
    QTest.keyClick(panel.grid, Qt.Key.Key_F2)
    editor = panel.grid.findChild(QLineEdit, "assets.name")
    QTest.keyClicks(editor, "other")
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert "lamp" in titles(panel)
    assert window.document.history.count == 0


def test_a_name_that_is_taken_is_told_and_changes_nothing(
    qtbot, window: MainWindow, panel: AssetsPanel, answers
) -> None:
    click(panel, "props/lamp.gltf")
    QTest.keyClick(panel.grid, Qt.Key.Key_F2)
    editor = panel.grid.findChild(QLineEdit, "assets.name")
    QTest.keyClicks(editor, "crate")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    console = window.panels["console"]
    qtbot.waitUntil(lambda: console.list.model().rowCount() > 0)
    assert "something is there already" in console.list.model().index(0, 0).data()
    assert sorted(titles(panel)) == ["Textures", "crate", "lamp", "town"]
    assert window.document.history.count == 0


def test_tiles_dragged_onto_a_folder_move_there(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    root = Path(window.document.root)
    click(panel, "props/crate.gltf")
    click(panel, "props/lamp.gltf", Qt.KeyboardModifier.ControlModifier)
    drop(panel.grid.viewport(), tile(panel, "props/town"), selected(panel))
    assert sorted(p.name for p in (root / "props/town").iterdir()) == [
        "Textures", "crate.bin", "crate.gltf", "lamp.gltf",
    ]  # fmt: skip
    assert window.document.history.labels[-1] == "Move 2 assets to props/town"
    assert window.document.asset_user_count("props/town/crate.gltf") == 2
    # And back, onto a folder of the tree.
    panel.show_folder(root / "props" / "town")
    click(panel, "props/town/lamp.gltf")
    tree = panel.folders
    props = tree.findItems("props", Qt.MatchFlag.MatchRecursive)[0]
    drop(tree.viewport(), tree.visualItemRect(props).center(), selected(panel))
    assert (root / "props/lamp.gltf").is_file()


def test_a_folder_is_not_dropped_into_itself(window: MainWindow, panel: AssetsPanel) -> None:
    click(panel, "props/town")
    drop(panel.grid.viewport(), tile(panel, "props/town"), selected(panel))
    assert window.document.history.count == 0


def test_files_from_outside_go_into_the_folder_that_is_shown(
    qtbot, window: MainWindow, panel: AssetsPanel, tmp_path_factory
) -> None:
    root = Path(window.document.root)
    pack = write_pack(tmp_path_factory.mktemp("outside") / "Farm", "barn")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(pack))])
    panel.show_folder(root / "props" / "town")
    assert panel._empty.isVisible()
    drop(panel, panel.rect().center(), data)
    assert (root / "props/town/barn.gltf").is_file()
    assert (root / "props/town/Textures/colormap.png").is_file()
    assert panel.grid.current_item().asset == "props/town/barn.gltf"
    # Onto a folder's tile: into that one.
    panel.show_folder(root)
    drop(panel.grid.viewport(), tile(panel, "props"), data)
    assert (root / "props/Farm/barn.gltf").is_file() or (root / "props/barn.gltf").is_file()


def test_all_that_was_copied_in_is_chosen(
    window: MainWindow, panel: AssetsPanel, tmp_path_factory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    data = QMimeData()
    names = ("barn", "mill", "shed")
    data.setUrls([QUrl.fromLocalFile(str(write_prop(outside, name))) for name in names])
    panel.show_folder(Path(window.document.root) / "props" / "town")
    drop(panel, panel.rect().center(), data)
    assert [item.title for item in panel.grid.selected_items()] == list(names)


def test_favourites_and_unused_files_are_found(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    star = tile(panel, "props/lamp.gltf") - QPoint(30, 30) + QPoint(100 - 14, 12)
    QTest.mouseClick(panel.grid.viewport(), LEFT, NONE, star)
    assert window.document.favourites == {"props/lamp.gltf"}
    QTest.mouseClick(panel.bar.favourites, LEFT)
    assert titles(panel) == ["lamp"]
    QTest.mouseClick(panel.bar.favourites, LEFT)
    QTest.mouseClick(panel.bar.unused, LEFT)
    assert titles(panel) == ["lamp"], "the crate is used, its picture by the crate"
    QTest.mouseClick(panel.bar.unused, LEFT)
    QTest.keyClicks(panel.search, "t:image color")
    qtbot.waitUntil(lambda: titles(panel) == ["colormap"])
    panel.search.setText("is:fav")
    qtbot.waitUntil(lambda: titles(panel) == ["lamp"])
    panel.search.setText("t:folder")
    qtbot.waitUntil(lambda: sorted(titles(panel)) == ["Textures", "props", "town"])


def test_delete_asks_where_a_file_is_used(
    qtbot, window: MainWindow, panel: AssetsPanel, answers, monkeypatch
) -> None:
    root = Path(window.document.root)
    thrown: list[str] = []

    def to_trash(path: str) -> bool:
        thrown.append(Path(path).name)
        Path(path).unlink()
        return True

    monkeypatch.setattr("editor.panels.assets.file_actions.QFile.moveToTrash", to_trash)
    window.document.select(window.document.children())
    click(panel, "props/crate.gltf")
    QTest.keyClick(panel.grid, Qt.Key.Key_Delete)
    assert "crate.gltf is used by 2 entities here" in answers.asked[-1].text
    assert thrown == [], "nothing goes before it is agreed to"
    assert len(window.document.children()) == 2, "the key is the panel's, not the level's"
    answers.answer = "yes"
    QTest.keyClick(panel.grid, Qt.Key.Key_Delete)
    assert thrown == ["crate.gltf", "crate.bin", "colormap.png"]
    assert (root / "props/lamp.gltf").is_file()
    click(panel, "props/lamp.gltf")
    asked = len(answers.asked)
    QTest.keyClick(panel.grid, Qt.Key.Key_Delete)
    assert thrown[-1] == "lamp.gltf"
    assert len(answers.asked) == asked, "what nothing uses goes without asking"
    # What is missing now is told with its users, and another file takes its place.
    write_prop(root / "sets", "crate")
    panel.refresh_folders()
    issues = window.panels["issues"]
    qtbot.waitUntil(lambda: any(issue.options == ("sets/crate.gltf",) for issue in issues.issues))
    issues._fix(next(issue for issue in issues.issues if issue.options))
    assert window.document.asset_user_count("sets/crate.gltf") == 2


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_without_a_trash_a_link_goes_and_not_the_folder_that_it_leads_to(
    window: MainWindow, panel: AssetsPanel, answers, monkeypatch
) -> None:
    root = Path(window.document.root)
    (root / "linked").symlink_to(root / "props")
    monkeypatch.setattr("editor.panels.assets.file_actions.QFile.moveToTrash", lambda path: False)
    answers.answer = "yes"
    item = AssetItem("folder", root / "linked", "linked")
    panel.actions_on_files.delete([item])
    assert "can't be brought back" in answers.asked[-1].text
    assert not (root / "linked").is_symlink()
    assert (root / "props/crate.gltf").is_file()


def test_backspace_goes_up_and_enter_opens(window: MainWindow, panel: AssetsPanel) -> None:
    root = Path(window.document.root)
    click(panel, "props/town")
    QTest.keyClick(panel.grid, Qt.Key.Key_Return)
    assert panel.folder == root / "props" / "town"
    panel.grid.setFocus()
    QTest.keyClick(panel.grid, Qt.Key.Key_Backspace)
    assert panel.folder == root / "props"
    assert panel.grid.current_item().asset == "props/town"


def test_a_new_folder_is_named_at_once(qtbot, window: MainWindow, panel: AssetsPanel) -> None:
    panel.hands.make_folder()
    editor = panel.grid.findChild(QLineEdit, "assets.name")
    assert editor.text() == "New folder"
    QTest.keyClicks(editor, "sets")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil((Path(window.document.root) / "props" / "sets").is_dir)
    assert not (Path(window.document.root) / "props" / "New folder").exists()


def test_the_details_tell_who_uses_a_file_and_select_them(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    panel.feed.toggle()
    click(panel, "props/crate.gltf")
    texts = [button.text() for button in panel.details.users()]
    assert texts == ["Select all 2", "A", "B"]
    QTest.mouseClick(panel.details.users()[2], LEFT)
    assert [window.document.label(e) for e in window.document.selection] == ["B"]
    QTest.mouseClick(panel.details.users()[0], LEFT)
    assert len(window.document.selection) == 2
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "paint" in panel.details.text())
    click(panel, "props/lamp.gltf")
    assert panel.details.users() == []


def test_folders_that_other_programs_make_or_delete_are_followed(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    root = Path(window.document.root)
    qtbot.waitUntil(lambda: window.project_watch.mode in ("events", "polling"))

    def shown() -> list[str]:
        tree = panel.folders
        found = tree.findItems("*", Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive)
        return sorted(item.text(0) for item in found)

    before = shown()
    write_prop(root / "autumn", "leaf")
    qtbot.waitUntil(lambda: shown() == sorted([*before, "autumn"]))
    assert panel.folders.currentItem().text(0) == "props", "what was shown still is"
    (root / "autumn/leaf.gltf").unlink()
    (root / "autumn").rmdir()
    qtbot.waitUntil(lambda: shown() == before)


def test_the_order_of_tiles(window: MainWindow, panel: AssetsPanel) -> None:
    root = Path(window.document.root)
    (root / "props/lamp.gltf").write_text((root / "props/lamp.gltf").read_text() + " " * 5000)
    panel.bar.order_chosen.emit(Order("size", True))
    assert titles(panel)[-2:] == ["lamp", "crate"]
    panel.bar.order_chosen.emit(BY_NAME)
    assert titles(panel)[-2:] == ["crate", "lamp"]


def test_every_entry_of_the_menu_is_there(qtbot, window: MainWindow, panel: AssetsPanel) -> None:
    click(panel, "props/crate.gltf")
    panel.hands.open_menu(tile(panel, "props/crate.gltf"))
    menu = panel.findChild(QMenu)
    texts = [action.text().partition("\t")[0] for action in menu.actions() if action.text()]
    assert texts == [
        "Place at the view's centre",
        "Select what uses it",
        "Reimport",
        "Add to favourites",
        "Rename",
        "Copy path",
        "Move to trash",
        "New folder",
        "Show in file manager",
    ]
    menu.close()


def test_what_another_program_moves_is_found_again_by_a_click(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    root = Path(window.document.root)
    qtbot.waitUntil(lambda: window.project_watch.mode in ("events", "polling"))
    (root / "props/crate.gltf").rename(root / "props/kiste.gltf")
    issues = window.panels["issues"]
    assert isinstance(issues, IssuesPanel)

    def offered() -> list[str]:
        return [issue.fix or "" for issue in issues.issues if issue.asset == "props/crate.gltf"]

    qtbot.waitUntil(lambda: offered() == ["Use props/kiste.gltf"])
    qtbot.waitUntil(lambda: "kiste" in titles(panel))
    window.docks.show_panel("issues")
    row = next(k for k, issue in enumerate(issues.issues) if issue.asset)
    button = issues.list.itemWidget(issues.list.item(row)).findChild(QPushButton)
    QTest.mouseClick(button, LEFT)
    assert window.document.asset_user_count("props/kiste.gltf") == 2
    qtbot.waitUntil(lambda: not offered())
    window.actions_by_id["undo"].trigger()
    assert window.document.asset_user_count("props/crate.gltf") == 2


def test_a_field_tells_how_many_share_its_file(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    document = window.document
    first = document.asset_users("props/crate.gltf")[0]
    document.select([first])
    line = window.panels["inspector"].findChild(AssetUsesLine)
    assert isinstance(line, AssetUsesLine)
    assert line.select.text() == "used by 2"
    QTest.mouseClick(line.select, LEFT)
    assert len(document.selection) == 2
    assert line.unique.isHidden(), "all of them are chosen: the file is theirs alone"
    document.select([first])
    QTest.mouseClick(line.unique, LEFT)
    assert document.world.get(first, GltfInstance).asset == "props/crate-2.gltf"
    assert line.isHidden()
    qtbot.waitUntil(lambda: "crate-2" in titles(panel))
    window.actions_by_id["undo"].trigger()
    assert line.select.text() == "used by 2"

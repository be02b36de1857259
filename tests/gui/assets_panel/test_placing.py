"""Placing from the assets panel: by key, double click, menu and drag, one or several."""

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from editor.main_window import MainWindow
from editor.panels.assets import AssetsPanel
from engine.scene import GltfInstance
from tests.editor.document.props import write_prop
from tests.gui.assets_panel.conftest import LEFT, NONE, click, drop, selected, tile


def test_enter_places_a_prop(window: MainWindow, panel: AssetsPanel) -> None:
    click(panel, "props/lamp.gltf")
    QTest.keyClick(panel.grid, Qt.Key.Key_Return)
    world = window.document.world
    placed = [e for e in window.document.selection if world.has(e, GltfInstance)]
    assert [world.get(e, GltfInstance).asset for e in placed] == ["props/lamp.gltf"]


def placed_assets(window: MainWindow) -> list[str]:
    world = window.document.world
    return [world.get(e, GltfInstance).asset for e in window.document.selection]


BOTH = ["props/crate.gltf", "props/lamp.gltf"]


def choose_both(panel: AssetsPanel) -> None:
    click(panel, "props/lamp.gltf")
    click(panel, "props/crate.gltf", Qt.KeyboardModifier.ControlModifier)


def test_enter_places_all_that_is_selected_as_one_step(
    window: MainWindow, panel: AssetsPanel
) -> None:
    choose_both(panel)
    QTest.keyClick(panel.grid, Qt.Key.Key_Return)
    assert placed_assets(window) == BOTH
    assert window.document.history.labels == ["Place 2 assets"]
    window.document.undo()
    assert len(window.document.children()) == 2


def test_a_double_click_on_one_of_several_places_all(
    window: MainWindow, panel: AssetsPanel
) -> None:
    choose_both(panel)
    at = tile(panel, "props/crate.gltf")
    QTest.mouseClick(panel.grid.viewport(), LEFT, NONE, at)
    QTest.mouseDClick(panel.grid.viewport(), LEFT, NONE, at)
    assert placed_assets(window) == BOTH
    assert len(window.document.history.labels) == 1
    assert sorted(item.asset for item in panel.grid.selected_items()) == BOTH


def test_the_menu_places_all_that_is_selected(window: MainWindow, panel: AssetsPanel) -> None:
    choose_both(panel)
    panel.hands.open_menu(tile(panel, "props/crate.gltf"))
    menu = panel.findChild(QMenu)
    next(a for a in menu.actions() if a.text() == "Place 2 files at the view's centre").trigger()
    menu.close()
    assert sorted(placed_assets(window)) == BOTH


def test_several_tiles_dropped_on_a_row_hang_under_it_as_one_step(
    window: MainWindow, panel: AssetsPanel
) -> None:
    document = window.document
    target = document.children()[0]
    choose_both(panel)
    tree = window.panels["hierarchy"].tree
    row = tree.visualRect(tree.rows.index_of(target)).center()
    drop(tree.viewport(), row, selected(panel))
    assert sorted(placed_assets(window)) == BOTH
    assert [document.parent(e) for e in document.selection] == [target, target]
    assert sorted(tree.chosen()) == sorted(document.selection), "the row is open"
    assert document.history.labels == ["Place 2 assets"]
    document.undo()
    assert not [e for e in document.children(target) if not document.is_realised(e)]


def test_several_files_from_outside_are_asked_for_once_and_one_step(
    window: MainWindow, panel: AssetsPanel, answers, tmp_path_factory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    data = QMimeData()
    files = [write_prop(outside, "barn"), write_prop(outside, "silo")]
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    view = window.viewport
    drop(view, view.rect().center(), data)
    assert len(answers.asked) == 1
    assert len(window.document.children()) == 2, "not agreed to"
    answers.answer = "copy"
    drop(view, view.rect().center(), data)
    assert len(answers.asked) == 2
    assert [Path(asset).name for asset in placed_assets(window)] == ["barn.gltf", "silo.gltf"]
    assert window.document.history.labels == ["Place 2 assets"]


def test_a_level_is_placed_by_its_menu(qtbot, window: MainWindow, panel: AssetsPanel) -> None:
    root = Path(window.document.root)
    (root / "shed.scene").write_text('cinder-scene 2\nentity 0\n  Name text="Plank"\n')
    panel.show_folder(root)
    click(panel, "shed.scene")
    panel.hands.open_menu(tile(panel, "shed.scene"))
    menu = panel.findChild(QMenu)
    next(a for a in menu.actions() if a.text().startswith("Place")).trigger()
    menu.close()
    assert window.document.asset_user_count("shed.scene") == 1
    window.document.rename_asset("shed.scene", "barn.scene")
    assert window.document.asset_user_count("barn.scene") == 1
    window.document.settle()
    names = [window.document.label(e) for e in window.document.world.entities()]
    assert "Plank" in names

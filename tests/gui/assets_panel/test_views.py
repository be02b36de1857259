"""Files as tiles and as rows: columns, their order, what is remembered, the same hands on both."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from editor.main_window import MainWindow
from editor.model.settings import Settings
from editor.panels.assets import AssetsPanel
from editor.panels.assets import folder_listings as module
from editor.panels.assets.order import BY_NAME, Order
from tests.editor.document.props import write_prop
from tests.gui.assets_panel.conftest import LEFT, NONE, tile, titles


@pytest.fixture
def rows(panel: AssetsPanel, window: MainWindow) -> AssetsPanel:
    """Show the panel's files as rows."""
    window.resize(1400, 700)
    panel.bar.rows.click()
    return panel


def column(panel: AssetsPanel, name: str) -> list[str]:
    return [item.facts.get(name, "") for item in panel.model.items()]


def click_column(panel: AssetsPanel, name: str) -> None:
    header = panel.grid.header
    left, width = header.place_of(name)
    at = QPoint(left + width // 2, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, NONE, at)


def test_rows_have_columns_and_say_what_is_known(rows: AssetsPanel, qtbot) -> None:
    assert rows.grid.header.isVisible()
    assert rows.grid.header.titles() == ["Name ↑", "Kind", "Size", "Triangles", "Modified"]
    qtbot.waitUntil(lambda: "2" in column(rows, "triangles"))
    assert titles(rows)[-2:] == ["crate", "lamp"]
    assert column(rows, "kind")[-2:] == ["Model", "Model"]
    assert column(rows, "triangles")[-2:] == ["2", "2"], "its mesh is drawn by two nodes"
    index = rows.model.index(rows.model.row_of("props/crate.gltf"), 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole).startswith("crate, Model, ")


def test_the_view_and_the_order_are_remembered(rows: AssetsPanel, window: MainWindow) -> None:
    click_column(rows, "size")
    stored = Settings.load()
    assert (stored.assets_view, stored.assets_order) == ("list", "-size")
    again = AssetsPanel(rows.context)
    try:
        assert again.grid.has_rows
        assert again.bar.rows.isChecked()
        assert again.grid.header.titles()[2] == "Size ↓"
    finally:
        again.dispose()
        again.deleteLater()
    rows.bar.rows.click()
    assert not rows.grid.header.isVisible()
    assert Settings.load().assets_view == "tiles"


def test_a_click_on_a_column_orders_by_it_and_another_turns_it_round(rows: AssetsPanel) -> None:
    root = Path(rows.document.root)
    (root / "props/lamp.gltf").write_text((root / "props/lamp.gltf").read_text() + " " * 5000)
    click_column(rows, "size")
    assert titles(rows)[-2:] == ["lamp", "crate"]
    click_column(rows, "size")
    assert titles(rows)[-2:] == ["crate", "lamp"]
    click_column(rows, "name")
    assert titles(rows)[-2:] == ["crate", "lamp"]
    click_column(rows, "name")
    assert titles(rows)[-2:] == ["lamp", "crate"]
    assert titles(rows)[0] == "town", "folders stay in front"


def test_rows_are_chosen_opened_renamed_and_marked_like_tiles(
    rows: AssetsPanel, window: MainWindow, qtbot
) -> None:
    index = rows.model.index(rows.model.row_of("props/lamp.gltf"), 0)
    name = rows.grid.visualRect(index).topLeft() + QPoint(40, 12)
    QTest.mouseClick(rows.grid.viewport(), LEFT, NONE, name)
    rows.grid.setFocus()
    assert [item.title for item in rows.grid.selected_items()] == ["lamp"]
    count = len(window.document.world.entities())
    QTest.keyClick(rows.grid, Qt.Key.Key_Return)
    assert len(window.document.world.entities()) > count
    QTest.keyClick(rows.grid, Qt.Key.Key_F2)
    editor = rows.grid.findChild(QLineEdit, "assets.name")
    editor.selectAll()
    QTest.keyClicks(editor, "torch")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "torch" in titles(rows))
    index = rows.model.index(rows.model.row_of("props/torch.gltf"), 0)
    star = rows.grid.itemDelegate().star_rect(rows.grid.visualRect(index)).center()
    QTest.mouseClick(rows.grid.viewport(), LEFT, NONE, star)
    assert "props/torch.gltf" in window.document.favourites


def test_a_narrow_list_leaves_out_what_matters_least(rows: AssetsPanel) -> None:
    header = rows.grid.header
    header.resize(420, header.height())
    assert header.titles() == ["Name ↑", "Kind", "Size", "Triangles"]
    header.resize(200, header.height())
    assert header.titles() == ["Name ↑"]
    assert header.place_of("name")[1] == 200
    header.resize(600, header.height())
    assert len(header.titles()) == 5


def test_what_is_chosen_stays_so_and_in_view_when_the_view_changes(
    panel: AssetsPanel, window: MainWindow, qtbot
) -> None:
    for number in range(60):
        write_prop(Path(panel.document.root) / "props", f"stone_{number:02}")
    panel.refresh()
    panel.reveal("props/stone_59.gltf")
    path = Path(panel.document.root) / "props" / "stone_59.gltf"
    assert panel.grid.shows(path)
    panel.bar.rows.click()
    qtbot.waitUntil(lambda: panel.grid.shows(path))
    assert [item.title for item in panel.grid.selected_items()] == ["stone_59"]
    panel.feed.toggle()
    panel.bar.rows.click()
    qtbot.waitUntil(lambda: panel.grid.shows(path))
    assert not panel.grid.shows(path.with_name("stone_00.gltf"))


def test_typing_into_the_search_reads_no_folders(panel: AssetsPanel, monkeypatch) -> None:
    looked_at: list[Path] = []
    monkeypatch.setattr(module, "child_folders", lambda path: looked_at.append(path) or [])
    panel.bar.search.setText("lamp")
    # What a key brings, without the turns of the loop in which other news may come.
    panel.bar.query_changed.emit()
    assert titles(panel) == ["lamp"]
    assert looked_at == []


def test_what_is_found_says_in_which_folder_it_is(rows: AssetsPanel, qtbot) -> None:
    rows.bar.search.setText("lamp")
    qtbot.waitUntil(lambda: titles(rows) == ["lamp"])
    text = rows.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert text.startswith("lamp, props, Model, ")


def test_a_name_that_is_being_edited_stays_when_files_become_others(
    rows: AssetsPanel, qtbot
) -> None:
    rows.reveal("props/lamp.gltf")
    rows.grid.setFocus()
    QTest.keyClick(rows.grid, Qt.Key.Key_F2)
    editor = rows.grid.findChild(QLineEdit, "assets.name")
    QTest.keyClicks(editor, "tor")
    (Path(rows.document.root) / "props" / "crate.gltf").write_text("{}")
    rows.refresh()
    assert column(rows, "size")[-2:] == ["2 B", column(rows, "size")[-1]]
    assert rows.grid.findChild(QLineEdit, "assets.name") is editor
    assert editor.text() == "tor"


def test_only_what_is_to_be_seen_is_asked_for(panel: AssetsPanel) -> None:
    for number in range(60):
        write_prop(Path(panel.document.root) / "props", f"stone_{number:02}")
    panel.refresh()
    asked: set[str] = set()
    panel.model.thumbnails.pixmap = lambda path: asked.add(path.stem)
    seen = {item.path.stem for item in panel.model.items() if panel.grid.shows(item.path)}
    panel.grid.viewport().repaint()
    assert asked == seen - {"Textures", "town"}
    assert 0 < len(asked) < 30
    tile(panel, "props/stone_59.gltf")
    asked.clear()
    panel.grid.viewport().repaint()
    assert "stone_59" in asked
    assert "stone_00" not in asked


def test_an_order_that_nobody_knows_is_the_one_by_name() -> None:
    assert Order.of("-modified") == Order("modified", True)
    assert Order.of("-modified").text == "-modified"
    assert Order.of("colour") == Order.of("") == BY_NAME

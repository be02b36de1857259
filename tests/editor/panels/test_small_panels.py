"""History, console, issues and assets panels."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton, QStyleOptionViewItem

from editor.document import LevelDocument
from editor.panels import BUILTIN_PANELS
from editor.panels.assets import AssetsPanel
from editor.panels.assets.project_listing import (
    AssetQuery,
    list_folder,
    search_folder,
    search_known,
)
from editor.panels.console import ConsolePanel
from editor.panels.history import HistoryPanel
from editor.panels.issues import IssuesPanel
from editor.qt.mime import read_assets
from editor.qt.panel import PanelContext
from engine.scene import GltfInstance, LocalTransform, Parent


def click_row(panel: HistoryPanel, row: int) -> None:
    at = panel.list.visualRect(panel.model.index(row, 0)).center()
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_history_jumps_both_ways(qtbot, context: PanelContext, document: LevelDocument) -> None:
    panel = HistoryPanel(context)
    qtbot.addWidget(panel)
    panel.resize(400, 300)
    panel.show()
    box = document.add_shape("box")
    for x in (1, 2, 3):
        document.set_fields([box], LocalTransform, translation=(x, 0, 0))
    assert panel.model.rowCount() == document.history.count + 1
    click_row(panel, document.history.index - 2)
    assert document.world.get(box, LocalTransform).translation[0] == 1
    click_row(panel, 0)
    assert document.history.index == 0
    assert not document.world.alive(box)
    click_row(panel, document.history.count)
    assert document.world.get(box, LocalTransform).translation[0] == 3
    panel.dispose()


def test_history_model_is_sound(
    qtbot, context: PanelContext, document: LevelDocument, qtmodeltester
) -> None:
    panel = HistoryPanel(context)
    qtbot.addWidget(panel)
    qtmodeltester.check(panel.model)
    document.add_empty()
    document.undo()
    document.add_shape("box")
    assert [panel.model.index(r, 0).data() for r in range(1, panel.model.rowCount())] == (
        document.history.labels
    )
    panel.dispose()


def test_console_filters_copies_and_jumps(
    qtbot, context: PanelContext, document: LevelDocument, window
) -> None:
    panel = ConsolePanel(context)
    qtbot.addWidget(panel)
    panel.resize(700, 200)
    panel.show()
    box = document.add_shape("box")
    document.select([])
    document.post("info", "opened")
    document.post("warning", "no texture", path=Path("/p/a.glb"))
    document.post("error", "broken", entity=box)
    assert panel.list.model().rowCount() == 3
    panel._filter.show_level("info", False)
    assert panel.list.model().rowCount() == 2
    panel._filter.show_text("textu")
    assert panel.list.model().rowCount() == 1
    panel._filter.show_text("")
    panel._on_copy()
    assert "error: broken" in QGuiApplication.clipboard().text()
    panel._on_activated(panel._filter.index(1, 0))
    assert list(document.selection) == [box]
    panel._on_activated(panel._filter.index(0, 0))
    assert ("open", Path("/p/a.glb")) in window.calls
    panel._on_clear()
    assert panel._empty.isVisible()
    panel.dispose()


def test_issues_count_and_select(qtbot, context: PanelContext, document: LevelDocument) -> None:
    panel = IssuesPanel(context)
    qtbot.addWidget(panel)
    panel.resize(500, 200)
    panel.show()
    assert panel._empty.isVisible()
    with qtbot.waitSignal(panel.count_changed) as counted:
        text = 'cinder-scene 2\nentity 0\n  Name text="a"\n  Parent entity=#0\n'
        entity = document.paste(text)[0]
        document.select([])
    assert counted.args == [1]
    panel._on_clicked(panel.list.item(0))
    assert list(document.selection) == [entity]
    panel.dispose()


def test_an_issue_is_settled_by_its_button(
    qtbot, context: PanelContext, document: LevelDocument
) -> None:
    panel = IssuesPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    text = 'cinder-scene 2\nentity 0\n  Name text="a"\n  Parent entity=#0\n'
    entity = document.paste(text)[0]
    panel.refresh()
    button = panel.list.itemWidget(panel.list.item(0)).findChild(QPushButton)
    assert button.text() == panel.issues[0].fix
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.issues == [])
    assert not document.world.has(entity, Parent)
    document.undo()
    assert document.world.has(entity, Parent)
    panel.dispose()


@pytest.mark.parametrize("width", [320, 900])
def test_the_text_of_an_issue_ends_before_its_buttons(
    width, qtbot, context: PanelContext, document: LevelDocument
) -> None:
    panel = IssuesPanel(context)
    qtbot.addWidget(panel)
    panel.resize(width, 200)
    panel.show()
    name = "a well that has a name which is much longer than its row " * 3
    document.paste(f'cinder-scene 2\nentity 0\n  Name text="{name}"\n  Parent entity=#0\n')
    panel.refresh()
    item = panel.list.item(0)
    option = QStyleOptionViewItem()
    panel.list.initViewItemOption(option)
    option.rect = panel.list.visualItemRect(item)
    panel.list.itemDelegate().initStyleOption(option, panel.list.indexFromItem(item))
    row = panel.list.itemWidget(item)
    button = row.findChild(QPushButton)
    start = option.rect.left() + panel.list.iconSize().width()
    end = start + option.fontMetrics.horizontalAdvance(option.text)
    assert option.text.endswith("…")
    assert end < row.x() + button.x()
    assert item.toolTip() == panel.issues[0].text
    panel.dispose()


def test_all_users_of_a_missing_asset_are_given_another(
    qtbot, context: PanelContext, project: Path, document: LevelDocument, window
) -> None:
    text = "cinder-scene 2\n" + "".join(
        f'entity {i}\n  GltfInstance asset="props/{name}.glb"\n'
        for i, name in enumerate(("gone", "gone", "other"))
    )
    first, second, other = document.paste(text)
    document.settle()
    panel = IssuesPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    issue = next(issue for issue in panel.issues if first in issue.entities)
    assert issue.entities == (first, second)
    (project / "props" / "chosen.glb").write_bytes(b"")
    row = panel.issues.index(issue)
    button = panel.list.itemWidget(panel.list.item(row)).findChild(QPushButton)
    assert button.text() == "Choose another file…"
    steps = document.history.index
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assets = [document.world.get(e, GltfInstance).asset for e in (first, second, other)]
    assert assets == ["props/chosen.glb", "props/chosen.glb", "props/other.glb"]
    assert document.history.index == steps + 1
    panel.dispose()


def test_issues_that_may_be_meant_so_can_be_left_out(
    qtbot, context: PanelContext, document: LevelDocument
) -> None:
    panel = IssuesPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    boxes = [document.add_shape("box", parent=document.add_empty()) for _ in range(3)]
    for box in boxes:
        document.set_fields([box], LocalTransform, scale=(1, -1, 1), translation=(box.index, 9, 0))
    panel.refresh()
    assert panel.list.count() == 3
    panel._hints.click()
    assert panel._empty.isVisible()
    panel._hints.click()
    assert panel.list.count() == 3
    steps = document.history.index
    assert panel._fixes.isVisibleTo(panel._corner)
    panel._fixes.click()
    [menu] = [m for m in panel.findChildren(QMenu) if m.isVisible()]
    [every] = menu.actions()
    assert every.text().endswith("all 3")
    every.trigger()
    menu.close()
    qtbot.waitUntil(lambda: panel.issues == [])
    assert not panel._fixes.isVisibleTo(panel._corner)
    assert document.history.index == steps + 1
    document.undo()
    qtbot.waitUntil(lambda: len(panel.issues) == 3)
    panel.dispose()


def test_history_scrolls_by_the_bar_beside_it(
    qtbot, context: PanelContext, document: LevelDocument
) -> None:
    panel = HistoryPanel(context)
    qtbot.addWidget(panel)
    panel.resize(400, 120)
    panel.show()
    assert not panel._bar.isVisible()
    for _ in range(12):
        document.add_empty()
    qtbot.waitUntil(panel._bar.isVisible)
    assert panel._bar.x() >= panel.list.geometry().right()
    panel._bar.setValue(0)
    assert panel.list.verticalScrollBar().value() == 0
    panel.dispose()


@pytest.fixture
def project(tmp_path: Path, document: LevelDocument) -> Path:
    (tmp_path / "project.json").write_text('{"root_scene_path": "a.scene"}')
    (tmp_path / "props" / "town").mkdir(parents=True)
    (tmp_path / "props" / "crate.glb").write_bytes(b"")
    (tmp_path / "props" / "town" / "lamp.gltf").write_text("{}")
    (tmp_path / "props" / "notes.txt").write_text("")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "a.scene").write_text("cinder-scene 2\n")
    document.open(tmp_path / "a.scene")
    return tmp_path


def test_listing_shows_folders_first_and_searches_below(project: Path) -> None:
    titles = [item.title for item in list_folder(project, project / "props")]
    assert titles == ["town", "crate"]
    found = [item.asset for item in search_folder(project, project, AssetQuery.of("lamp"))]
    assert found == ["props/town/lamp.gltf"]
    assert [i.title for i in list_folder(project, project)] == ["props", "a"]


@pytest.mark.parametrize(
    "text", ["lamp", "t:model", "props crate", "t:level", "t:image", "nothing"]
)
def test_files_that_are_known_are_found_as_a_walk_finds_them(
    project: Path, document: LevelDocument, text: str
) -> None:
    document.contents.read()
    known = {path: content.stamp for path, content in document.contents.files.items()}
    query = AssetQuery.of(text)
    assert search_known(project, known, query) == search_folder(project, project, query)


def test_what_else_is_asked_counts_before_the_most_that_is_shown(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editor.panels.assets.project_listing._MOST_FOUND", 2)
    known = {f"props/{at}.glb": (1, 1) for at in range(9)}
    late = lambda asset, kind: kind == "model" and asset > "props/6.glb"
    found = search_known(project, known, AssetQuery.of("props"), late)
    assert [item.asset for item in found] == ["props/7.glb", "props/8.glb"]


def test_assets_panel_opens_folders_places_and_reveals(
    qtbot, context: PanelContext, project: Path, window
) -> None:
    panel = AssetsPanel(context)
    qtbot.addWidget(panel)
    panel.resize(700, 250)
    panel.show()
    assert panel.folder == project / "props"
    grid = panel.grid
    at = grid.visualRect(panel.model.index(1, 0)).topLeft() + QPoint(30, 30)
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert ("place", ["props/crate.glb"]) in window.calls
    panel.show_folder(project / "props" / "town")
    assert [i.title for i in panel.model.items()] == ["lamp"]
    panel.reveal("props/crate.glb")
    assert grid.currentIndex().data() == "crate"
    data = panel.model.mimeData([grid.currentIndex()])
    assert read_assets(data) == ["props/crate.glb"]
    panel.search.setText("nothing at all")
    qtbot.waitUntil(lambda: panel._empty.isVisible())
    panel.dispose()


def test_assets_model_is_sound(qtbot, context: PanelContext, project: Path, qtmodeltester) -> None:
    panel = AssetsPanel(context)
    qtbot.addWidget(panel)
    qtmodeltester.check(panel.model)
    panel.dispose()


@pytest.mark.parametrize("spec", BUILTIN_PANELS, ids=lambda s: s.panel_id)
def test_every_panel_opens_and_lets_go(
    qtbot, context: PanelContext, document: LevelDocument, spec
) -> None:
    panel = spec.create(context)
    assert panel.objectName() == spec.panel_id
    panel.dispose()
    panel.deleteLater()
    qtbot.wait(1)
    document.add_empty()
    document.undo()

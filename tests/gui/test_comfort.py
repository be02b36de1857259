"""What makes the editor pleasant: the welcome, dialogs that stay, rows that close again."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDockWidget,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
)

from editor.main_window import MainWindow
from editor.main_window.welcome import WelcomeCard
from editor.panels.hierarchy import HierarchyPanel
from editor.qt.mime import entity_mime
from editor.qt.widgets.asset_field import AssetField
from editor.qt.widgets.number_field import NumberField
from engine.reflect import Entity
from engine.scene import CameraComponent, GltfInstance, MaterialOverride, Name
from tests.gui.artist import named

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
MOVE = Qt.DropAction.MoveAction


def dialogs(window: MainWindow, name: str) -> list[QDialog]:
    return [d for d in window.findChildren(QDialog, f"dialog.{name}") if d.isVisible()]


def welcome(window: MainWindow) -> WelcomeCard | None:
    return next((c for c in window.findChildren(WelcomeCard) if c.isVisible()), None)


def line(card: WelcomeCard, text: str) -> QPushButton:
    return next(b for b in card.findChildren(QPushButton) if b.text() == text)


def test_errors_about_a_level_go_when_another_opens(shown: MainWindow, level: Path) -> None:
    shown.toasts.show_message("error", "the crate is part of an instance")
    shown.toasts.show_message("good", "Saved yard.scene")
    shown.document.open(level)
    assert shown.toasts.texts() == ["Saved yard.scene"]


def test_enter_takes_a_preference_and_leaves_the_dialog_open(shown: MainWindow) -> None:
    shown.actions_by_id["preferences"].trigger()
    [dialog] = dialogs(shown, "preferences")
    field = dialog.findChild(NumberField, "preferences.move_step")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "0.5")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert shown.tool_state.move_step == 0.5
    assert dialog.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.isVisible()


def test_a_dialog_that_is_open_comes_to_the_front_and_not_twice(shown: MainWindow) -> None:
    for _ in range(2):
        QTest.keyClick(shown, Qt.Key.Key_F1)
    [dialog] = dialogs(shown, "keys")
    dialog.close()
    QTest.keyClick(shown, Qt.Key.Key_F1)
    assert len(dialogs(shown, "keys")) == 1


def test_the_keys_stand_by_menu_and_views_share_a_line(shown: MainWindow) -> None:
    QTest.keyClick(shown, Qt.Key.Key_F1)
    texts = [label.text() for label in dialogs(shown, "keys")[0].findChildren(QLabel)]
    assert {"File", "Edit", "View", "Camera bookmarks"} <= set(texts)
    assert texts[texts.index("Go to view 1 to 9") + 1] == "Alt+1 … 9"
    assert texts.count("Store view 1 to 9") == 1


def test_every_axis_has_a_view_in_the_menu(shown: MainWindow) -> None:
    shown.viewport.moves_smoothly = False
    for name in ("bottom", "back", "left", "orthographic"):
        shown.actions_by_id[f"view_{name}"].trigger()
        assert shown.viewport.view.navigator.pose.view == name


def test_the_first_camera_makes_the_picture_and_the_next_does_not(shown: MainWindow) -> None:
    for expected in (True, False):
        shown.actions_by_id["add_camera"].trigger()
        [camera] = shown.document.selection
        assert shown.document.world.get(camera, CameraComponent).active is expected


def hover_with(tree, entity: Entity, over: Entity) -> QPoint:
    """Hold a drag over a row until the row opens."""
    mime = entity_mime([entity])
    tree.held = mime
    at = tree.visualRect(tree.rows.index_of(over)).center()
    view = tree.viewport()
    QApplication.sendEvent(view, QDragEnterEvent(at, MOVE, mime, LEFT, NONE))
    QApplication.sendEvent(view, QDragMoveEvent(at, MOVE, mime, LEFT, NONE))
    return at


def test_rows_that_a_drag_opened_close_again_but_for_where_it_went(
    qtbot, shown: MainWindow
) -> None:
    document = shown.document
    crate = named(shown, "Crate")
    chest = document.spawn(Name("Chest"))
    document.spawn(Name("Coin"), parent=chest)
    ball = document.spawn(Name("Ball"))
    panel = shown.panel("hierarchy")
    assert isinstance(panel, HierarchyPanel)
    tree = panel.tree
    tree.collapseAll()

    def is_open(entity: Entity) -> bool:
        return tree.isExpanded(tree.rows.index_of(entity))

    hover_with(tree, ball, crate)
    qtbot.waitUntil(lambda: is_open(crate))
    QApplication.sendEvent(tree.viewport(), QDragLeaveEvent())
    assert not is_open(crate)
    hover_with(tree, ball, crate)
    qtbot.waitUntil(lambda: is_open(crate))
    at = tree.visualRect(tree.rows.index_of(chest)).center()
    view = tree.viewport()
    QApplication.sendEvent(view, QDragMoveEvent(at, MOVE, tree.held, LEFT, NONE))
    qtbot.waitUntil(lambda: is_open(chest))
    assert is_open(crate), "a row stays open until the drag is over"
    QApplication.sendEvent(view, QDropEvent(QPointF(at), MOVE, tree.held, LEFT, NONE))
    assert document.parent(ball) == chest
    assert is_open(chest)
    assert not is_open(crate)


def test_the_welcome_opens_a_recent_level_of_a_project(
    shown: MainWindow, level: Path, answers
) -> None:
    document = shown.document
    document.new()
    shown.windows.welcome()
    card = welcome(shown)
    assert card is not None
    assert [b.text() for b in card.findChildren(QPushButton)] == [
        "New level",
        "Open a level…",
        "The sample village",
        "yard",
        level.parent.name,
    ]
    QTest.mouseClick(line(card, level.parent.name), LEFT)
    assert document.path == level
    assert welcome(shown) is None


def test_the_welcome_goes_when_work_begins(shown: MainWindow) -> None:
    begin = (
        lambda: QTest.mouseClick(shown.viewport, LEFT, NONE, QPoint(20, 300)),
        lambda: shown.document.add_empty(),
        lambda: QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape),
    )
    for act in begin:
        shown.windows.welcome()
        shown.windows.welcome()
        assert len([c for c in shown.findChildren(WelcomeCard) if c.isVisible()]) == 1
        act()
        assert welcome(shown) is None
        QApplication.sendPostedEvents(None, 52)


def test_the_welcome_blocks_no_key(shown: MainWindow) -> None:
    shown.windows.welcome()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_E)
    assert shown.tool_state.tool == "rotate"
    assert welcome(shown) is not None


def drop_outside_file(widget, path: Path, at: QPoint) -> QDropEvent:
    """Drop a file as a program does that would rather move it."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    actions = MOVE | Qt.DropAction.CopyAction
    QApplication.sendEvent(widget, QDragEnterEvent(at, actions, mime, LEFT, NONE))
    event = QDropEvent(QPointF(at), actions, mime, LEFT, NONE)
    event.setDropAction(MOVE)
    QApplication.sendEvent(widget, event)
    return event


def test_a_picture_from_outside_is_copied_into_its_slot(
    shown: MainWindow, tmp_path_factory, level: Path
) -> None:
    outside = tmp_path_factory.mktemp("downloads") / "planks.png"
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(0xFF8040)
    assert image.save(str(outside))
    crate = named(shown, "Crate")
    shown.document.add_component([crate], MaterialOverride)
    shown.document.select([crate])
    fields = shown.panel("inspector").findChildren(AssetField)
    event = drop_outside_file(fields[0], outside, QPoint(20, 8))
    assert event.dropAction() == Qt.DropAction.CopyAction
    stored = shown.document.world.get(crate, MaterialOverride).base_color_texture
    assert stored.endswith("planks.png")
    assert (level.parent / stored).read_bytes() == outside.read_bytes()
    assert outside.exists()


def test_a_drop_from_outside_never_asks_the_other_program_to_remove_its_file(
    shown: MainWindow, tmp_path_factory, answers
) -> None:
    prop = tmp_path_factory.mktemp("downloads") / "thing.glb"
    prop.write_bytes(b"glTF")
    tree = shown.panel("hierarchy").tree
    for widget in (shown.viewport, tree.viewport()):
        event = drop_outside_file(widget, prop, QPoint(40, 40))
        assert event.isAccepted()
        assert event.dropAction() == Qt.DropAction.CopyAction


def test_a_small_screen_shows_the_whole_window(shown: MainWindow) -> None:
    """A screen of 1920 by 1080 at scale 2 has 960 by 540 points."""
    for page in ("assets", "console", "history", "issues"):
        shown.docks.show_panel(page)
        QApplication.processEvents()
        assert shown.minimumSizeHint().width() <= 960
        assert shown.minimumSizeHint().height() <= 500


def test_tabs_become_icons_where_the_line_is_short_and_keep_their_counts(
    shown: MainWindow,
) -> None:
    deck = shown.docks.deck
    deck.show_page("history")
    deck.set_count("issues", 7)
    tabs = {name: deck.findChild(QToolButton, f"tab.{name}") for name in deck.page_ids()}
    deck.setFixedWidth(1400)
    QApplication.processEvents()
    assert [tabs[n].text() for n in ("console", "history", "issues")] == [
        "Console",
        "History",
        "Issues  7",
    ]
    deck.setFixedWidth(420)
    QApplication.processEvents()
    assert [tabs[n].text() for n in ("console", "history", "issues")] == ["", "History", "7"]
    assert tabs["console"].accessibleName() == "Console"
    assert not tabs["console"].icon().isNull()


def test_the_next_import_begins_where_the_last_one_was(
    shown: MainWindow, answers, tmp_path_factory
) -> None:
    folder = tmp_path_factory.mktemp("props")
    answers.files = [folder / "gone.glb"]
    for _ in range(2):
        shown.actions_by_id["import_asset"].trigger()
    assert [question.folder for question in answers.asked_files] == [Path.home(), folder]


def test_a_floating_panel_comes_back_by_restore_default_layout(shown: MainWindow) -> None:
    [dock] = [d for d in shown.findChildren(QDockWidget) if d.objectName() == "dock.inspector"]
    dock.setFloating(True)
    shown.docks.take_out("history")
    QApplication.processEvents()
    assert dock.contentsMargins().left() == 1
    shown.actions_by_id["reset_layout"].trigger()
    assert not dock.isFloating()
    assert dock.contentsMargins().left() == 0
    assert shown.docks.deck.has_page("history")


def test_a_right_click_beside_everything_offers_what_can_be_done_there(
    shown: MainWindow,
) -> None:
    tree = shown.panel("hierarchy").tree

    def offered() -> list[str]:
        tree.customContextMenuRequested.emit(QPoint(5, tree.height() - 5))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        texts = [a.text() for a in menu.actions() if not a.isSeparator()]
        assert all(a.isEnabled() for a in menu.actions()) or shown.document.selection
        menu.close()
        return texts

    shown.document.select([])
    assert "Delete" not in offered()
    assert "Paste" in offered()
    shown.document.select([named(shown, "Crate")])
    assert "Delete" in offered()


def test_the_notice_about_a_missing_file_leads_to_the_issues(qtbot, shown: MainWindow) -> None:
    shown.docks.show_panel("assets")
    shown.document.spawn(GltfInstance(asset="props/gone.glb"))
    qtbot.waitUntil(lambda: bool(shown.toasts.texts()))
    [button] = [b for b in shown.toasts.findChildren(QPushButton) if b.text() == "Show issues"]
    QTest.mouseClick(button, LEFT)
    assert shown.panels["issues"].isVisible()
    assert shown.toasts.texts() == []

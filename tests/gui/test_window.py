"""The window as an artist meets it: keys, menus, tools, themes, layout, dialogs."""

import logging
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QTreeView, QWidget

from editor.app import create
from editor.main_window import MainWindow
from editor.model.settings import Settings
from editor.qt.actions import ACTIONS
from editor.qt.menus import MENUS
from editor.qt.theme import tokens
from editor.qt.widgets.choice_combo import ChoiceCombo
from tests.gui.artist import move, named, trigger


def test_create_shows_nothing_and_notes_nothing(window: MainWindow) -> None:
    assert not window.isVisible()
    assert Settings.load().recent_levels == []


def test_panels_and_tree_have_their_names(window: MainWindow) -> None:
    for name in ("hierarchy", "inspector", "viewport", "assets", "history", "console", "issues"):
        assert window.findChild(QWidget, name) is not None, name
    assert window.findChild(QTreeView, "hierarchy.tree") is not None


def test_every_declared_action_works_or_is_absent(window: MainWindow) -> None:
    assert set(window.actions_by_id) == {spec.action_id for spec in ACTIONS}
    for action in window.actions_by_id.values():
        assert action.toolTip()
    listed = {entry for _, entries in MENUS.values() for entry in entries}
    known = {"-", *window.actions_by_id, *(f"submenu:{m}" for m in window.services.menus)}
    assert listed <= known


def test_no_two_actions_share_a_key(window: MainWindow) -> None:
    keys = [k.toString() for a in window.actions_by_id.values() for k in a.shortcuts()]
    assert len(keys) == len(set(keys))


def test_clipboard_and_entity_actions(window: MainWindow) -> None:
    document = window.document
    crate = named(window, "Crate")
    document.select([crate])
    trigger(window, "copy")
    assert QGuiApplication.clipboard().text().startswith("cinder-scene")
    trigger(window, "paste")
    assert len(document.children()) == 2
    trigger(window, "undo")
    document.select([crate])
    trigger(window, "duplicate")
    assert len(document.children()) == 2
    trigger(window, "delete")
    assert len(document.children()) == 1
    document.select([crate])
    trigger(window, "cut")
    assert document.children() == []
    trigger(window, "undo")
    document.select([named(window, "Lid")])
    trigger(window, "unparent")
    assert len(document.children()) == 2
    trigger(window, "select_all")
    trigger(window, "group")
    assert len(document.children()) == 1
    trigger(window, "select_children")
    assert len(document.selection) == 2
    trigger(window, "select_parent")
    assert len(document.selection) == 1
    trigger(window, "hide")
    assert document.hidden(document.selection[0])
    trigger(window, "show_all")
    assert not document.hidden(document.selection[0])
    trigger(window, "select_none")
    assert not document.selection
    assert not window.actions_by_id["delete"].isEnabled()


@pytest.mark.gpu
@pytest.mark.parametrize(
    "name",
    ["empty", "box", "sphere", "torus", "directional", "point", "spot", "camera", "environment"],
)
def test_add_menu_makes_one_selected_entity(window: MainWindow, name: str) -> None:
    before = set(window.document.world.entities())
    trigger(window, f"add_{name}")
    added = set(window.document.world.entities()) - before
    assert len(added) == 1
    assert set(window.document.selection) == added
    trigger(window, "undo")
    assert set(window.document.world.entities()) == before


def test_tool_keys_and_toolbar_share_one_state(window: MainWindow) -> None:
    for name in ("select", "rotate", "scale", "move"):
        trigger(window, f"tool_{name}")
        assert window.tool_state.tool == name
        assert window.actions_by_id[f"tool_{name}"].isChecked()
    window.tool_state.tool = "rotate"
    assert window.actions_by_id["tool_rotate"].isChecked()
    assert not window.actions_by_id["tool_move"].isChecked()
    trigger(window, "snap")
    assert window.tool_state.snap


@pytest.mark.gpu
def test_keys_edit_text_only_while_a_field_has_the_focus(window: MainWindow, qtbot) -> None:
    window.show()
    window.activateWindow()
    document = window.document
    document.select([named(window, "Crate")])
    search = window.panels["hierarchy"].search
    search.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is search)
    count = len(document.world)
    QTest.keyClicks(search, "we")
    QTest.keyClick(search, Qt.Key.Key_Delete)
    QTest.keyClick(search, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(search, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(document.world) == count
    assert window.tool_state.tool == "move"
    assert document.selection
    window.panels["hierarchy"].tree.setFocus()
    QTest.keyClick(window.panels["hierarchy"].tree, Qt.Key.Key_E)
    assert window.tool_state.tool == "rotate"
    QTest.keyClick(
        window.panels["hierarchy"].tree, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier
    )
    assert len(document.world) > count


def test_themes_switch_and_are_remembered(window: MainWindow) -> None:
    trigger(window, "theme_light")
    assert tokens().name == "light"
    assert Settings.load().theme == "light"
    trigger(window, "theme_light")
    assert tokens().name == "dark"


@pytest.mark.gpu
def test_layout_is_remembered_and_restored(window: MainWindow, level: Path, qtbot, answers) -> None:
    window.show()
    window.docks.show_panel("console")
    window.docks.take_out("history")
    window.docks.take_out("issues")
    shown = [b.text() for b in window.docks.deck.findChildren(QToolButton) if b.isVisible()]
    assert "Issues" not in shown
    window.docks.put_back("issues")
    window.close()
    other = create([str(level)])
    other.resize(900, 600)
    other.show()
    assert not other.docks.deck.has_page("history")
    assert other.docks.deck.has_page("issues")
    other.docks.restore_default()
    assert other.docks.deck.page_ids()[0]
    assert other.docks.deck.has_page("history")
    other.close()
    other.deleteLater()


def test_the_console_and_the_log_hold_the_same(window: MainWindow, qtbot, caplog) -> None:
    console = window.panels["console"]

    def lines() -> list[tuple[str, str]]:
        return [(message.level, message.text) for message in console.model.messages()]

    with caplog.at_level(logging.INFO):
        window.document.post("error", "no room left")
        window.document.post("info", "saved")
        logging.getLogger("engine.scene").warning("image: %s", "gone")
        logging.getLogger("other.library").warning("not ours")
        qtbot.waitUntil(lambda: ("warning", "image: gone") in lines())
    assert lines() == [("error", "no room left"), ("info", "saved"), ("warning", "image: gone")]
    logged = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert logged[:2] == [("ERROR", "no room left"), ("INFO", "saved")]
    assert len(logged) == 4


@pytest.mark.gpu
def test_unexpected_exception_leaves_a_report_and_a_window(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", lambda *args: None)
    window.show()
    error = ZeroDivisionError("by a prop")
    sys.excepthook(type(error), error, None)
    qtbot.waitUntil(lambda: len(window.reports.dialogs) == 1)
    assert "by a prop" in window.reports.dialogs[0].details
    sys.excepthook(type(error), error, None)
    qtbot.wait(1)
    assert len(window.reports.dialogs) == 1
    window.reports.dialogs[0].close()
    move(window)
    assert window.document.dirty


def test_dialogs_open_and_close_without_blocking(window: MainWindow, qtbot) -> None:
    for name in ("preferences", "keys", "about"):
        trigger(window, name)
        dialog = window.findChild(QWidget, f"dialog.{name}")
        assert dialog is not None, name
        dialog.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_place_tool_takes_what_is_chosen_in_assets(window: MainWindow, level: Path) -> None:
    (level.parent / "props").mkdir()
    (level.parent / "props" / "crate.glb").write_bytes(b"")
    assets = window.panels["assets"]
    assets.refresh_folders()
    assets.reveal("props/crate.glb")
    trigger(window, "tool_place")
    assert window.tool_state.tool == "place"
    assert window.viewport.place_tool.asset == "props/crate.glb"


def test_sample_project_opens_without_arguments(qtbot) -> None:
    window = create([])
    assert len(window.document.world) > 8
    assert window.document.path is None
    assert not window.document.dirty
    window.close()
    window.deleteLater()


def test_the_adapter_is_chosen_in_the_preferences(window: MainWindow, monkeypatch) -> None:
    names = ["Card A (Vulkan)", "Card B (OpenGL)"]
    monkeypatch.setattr(type(window.viewport.picture), "adapters", staticmethod(lambda: names))
    window.settings.set("adapter", "Card C (gone)")
    window.actions_by_id["preferences"].trigger()
    combo = window.findChild(ChoiceCombo, "preferences.adapter")
    assert [combo.itemText(k) for k in range(combo.count())] == [
        "Automatic",
        *names,
        "Card C (gone)",
    ]
    assert combo.currentData() == "Card C (gone)"
    combo.activated.emit(2)
    assert window.settings.adapter == "Card B (OpenGL)"
    combo.activated.emit(0)
    assert window.settings.adapter == ""


def test_the_memory_of_textures_is_chosen_in_the_preferences(window: MainWindow) -> None:
    window.settings.set("texture_megabytes", 3000)
    window.actions_by_id["preferences"].trigger()
    combo = window.findChild(ChoiceCombo, "preferences.texture_megabytes")
    texts = [combo.itemText(k) for k in range(combo.count())]
    assert texts == ["256 MB", "512 MB", "1 GB", "2 GB", "3000 MB", "4 GB", "8 GB"]
    assert combo.currentText() == "3000 MB"
    combo.activated.emit(0)
    assert window.settings.texture_megabytes == 256
    assert window.viewport.picture.texture_budget == 256 << 20

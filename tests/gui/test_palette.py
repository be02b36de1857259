"""Finding an action by its name, and reaching the menus by keys."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor.main_window import MainWindow
from editor.qt.menus import MENU_BAR, MENUS
from editor.qt.widgets.search_menu import SearchMenu

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def palette(window: MainWindow) -> SearchMenu:
    window.activateWindow()
    QTest.keyClick(window, Qt.Key.Key_P, CTRL_SHIFT)
    found = [m for m in QApplication.topLevelWidgets() if isinstance(m, SearchMenu)]
    return next(m for m in found if m.isVisible() and m.objectName() == "palette")


def titles(menu: SearchMenu) -> list[str]:
    return [menu.list.item(row).text() for row in range(menu.list.count())]


def test_an_action_is_found_by_its_name_and_done(qtbot, window: MainWindow) -> None:
    with qtbot.waitExposed(window):
        window.show()
    menu = palette(window)
    QTest.keyClicks(menu.search, "sel all")
    assert titles(menu)[0] == "Select › All"
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert len(window.document.selection) == 2


def test_what_can_not_be_done_now_is_not_offered(qtbot, window: MainWindow) -> None:
    with qtbot.waitExposed(window):
        window.show()
    menu = palette(window)
    assert "Edit › Duplicate" not in titles(menu)
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    window.document.select(window.document.children())
    assert "Edit › Duplicate" in titles(palette(window))


def test_every_menu_of_the_bar_has_a_key_of_its_own() -> None:
    keys = [MENUS[name][0].partition("&")[2][:1].lower() for name in MENU_BAR]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_how_surfaces_are_shown_is_found_and_marked(qtbot, window: MainWindow) -> None:
    with qtbot.waitExposed(window):
        window.show()
    menu = palette(window)
    QTest.keyClicks(menu.search, "wirefr")
    assert titles(menu)[0] == "View mode › Wireframe"
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert window.tool_state.mode == "wireframe"
    window.tool_state.mode = "normals"
    marked = [a.text() for a in window.services.menus["modes"].actions() if a.isChecked()]
    assert marked == ["Normals"]

"""Finding an action by its name, and reaching the menus by keys."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyleOptionMenuItem

from editor.main_window import MainWindow
from editor.qt.menus import MENU_BAR, MENUS
from editor.qt.widgets.menu_bar import PlainMenu
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


def drawn(window: MainWindow) -> list[str]:
    """Return the titles of the menu bar as they are painted."""
    bar, texts = window.menuBar(), []
    for action in bar.actions():
        option = QStyleOptionMenuItem()
        bar.initStyleOption(option, action)
        texts.append(option.text)
    return texts


def test_the_keys_of_the_menus_show_while_alt_is_held(qtbot, window: MainWindow) -> None:
    with qtbot.waitExposed(window):
        window.show()
    assert drawn(window)[:2] == ["File", "Edit"]
    QTest.keyPress(window.viewport, Qt.Key.Key_Alt)
    assert drawn(window)[:2] == ["&File", "&Edit"]
    QTest.keyRelease(window.viewport, Qt.Key.Key_Alt)
    assert drawn(window)[:2] == ["File", "Edit"]


def test_a_submenu_has_no_underlined_letter_and_keys_keep_theirs(qtbot) -> None:
    menu, option = PlainMenu("Menu"), QStyleOptionMenuItem()
    qtbot.addWidget(menu)
    action = menu.addMenu("&Add").menuAction()
    menu.initStyleOption(option, action)
    assert option.text == "Add"
    action = menu.addAction("Salt && pepper")
    action.setShortcut("Ctrl+&")
    menu.initStyleOption(option, action)
    assert option.text == "Salt && pepper\tCtrl+&"

"""Where a popup list opens."""

import pytest
from PySide6.QtGui import QGuiApplication

from editor.qt.widgets.search_menu import SearchEntry, SearchMenu


@pytest.mark.parametrize("corner", ["topLeft", "topRight", "bottomLeft", "bottomRight"])
def test_a_list_stays_on_the_screen(qtbot, corner) -> None:
    area = QGuiApplication.primaryScreen().availableGeometry()
    menu = SearchMenu([SearchEntry(f"Node {n}", "cube", "", n) for n in range(9)], "Search")
    menu.open_at(getattr(area, corner)(), 260)
    assert area.contains(menu.geometry())
    assert menu.width() == 260
    menu.close()

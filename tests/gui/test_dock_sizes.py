"""Docks that a small window squeezed get their sizes back when it grows, and after a restart."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget

from editor.app import create

SIDES = ("dock.hierarchy", "dock.inspector")


def opened(qtbot, level):
    window = create([str(level)])
    qtbot.addWidget(window)
    window.resize(1600, 900)
    window.show()
    QApplication.processEvents()
    return window


def resized(qtbot, window, width, height) -> dict[str, int]:
    window.resize(width, height)
    qtbot.waitUntil(lambda: window.width() <= max(width, window.minimumSizeHint().width()))
    for _ in range(5):
        QApplication.processEvents()
    return widths(window)


def widths(window) -> dict[str, int]:
    return {name: window.findChild(QDockWidget, name).width() for name in SIDES}


def test_docks_get_back_what_a_small_window_took(qtbot, level):
    window = opened(qtbot, level)
    before = resized(qtbot, window, 1600, 900)
    small = resized(qtbot, window, 960, 640)
    assert small["dock.hierarchy"] < before["dock.hierarchy"]
    assert resized(qtbot, window, 1600, 900) == before
    resized(qtbot, window, 960, 640)
    window.close()
    again = opened(qtbot, level)
    assert resized(qtbot, again, 1600, 900) == before
    again.close()


@pytest.mark.parametrize("by", [60, -60])
def test_what_the_artist_dragged_is_what_comes_back(qtbot, level, by):
    window = opened(qtbot, level)
    before = resized(qtbot, window, 1600, 900)
    dock = window.findChild(QDockWidget, "dock.hierarchy")
    edge = dock.geometry().topRight() + QPoint(2, dock.height() // 2)
    QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=edge)
    QTest.mouseMove(window, edge + QPoint(by, 0))
    QApplication.processEvents()
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=edge + QPoint(by, 0))
    QApplication.processEvents()
    dragged = widths(window)
    assert abs(dragged["dock.hierarchy"] - before["dock.hierarchy"] - by) <= 3
    resized(qtbot, window, 960, 640)
    assert resized(qtbot, window, 1600, 900) == dragged
    window.close()

"""The assets panel of a shown window, its tiles, and what hands do with them."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from editor.main_window import MainWindow
from editor.panels.assets import AssetsPanel
from tests.editor.document.props import write_pack, write_prop

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def level(tmp_path: Path) -> Path:
    (tmp_path / "project.json").write_text('{"root_scene_path": "yard.scene"}')
    write_pack(tmp_path / "props")
    write_prop(tmp_path / "props", "lamp")
    (tmp_path / "props" / "town").mkdir()
    path = tmp_path / "yard.scene"
    path.write_text(
        "cinder-scene 2\n"
        'entity 0\n  Name text="A"\n  GltfInstance asset="props/crate.gltf"\n'
        'entity 1\n  Name text="B"\n  GltfInstance asset="props/crate.gltf"\n'
    )
    return path


@pytest.fixture
def panel(qtbot, window: MainWindow) -> AssetsPanel:
    window.show()
    window.docks.show_panel("assets")
    panel = window.panels["assets"]
    assert isinstance(panel, AssetsPanel)
    window.document.settle()
    qtbot.waitUntil(lambda: bool(window.document.contents.files))
    return panel


def tile(panel: AssetsPanel, asset: str) -> QPoint:
    row = panel.model.row_of(asset)
    assert row >= 0, asset
    index = panel.model.index(row, 0)
    panel.grid.scrollTo(index)
    return panel.grid.visualRect(index).topLeft() + QPoint(30, 30)


def click(panel: AssetsPanel, asset: str, modifier=NONE) -> None:
    at = tile(panel, asset)
    QTest.mouseClick(panel.grid.viewport(), LEFT, modifier, at)
    panel.grid.setFocus()


def titles(panel: AssetsPanel) -> list[str]:
    return [item.title for item in panel.model.items()]


def drop(widget: QWidget, at: QPoint, data: QMimeData) -> None:
    """Drag data in, over and let go, as the system tells a widget."""
    actions = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    events = (
        QDragEnterEvent(at, actions, data, LEFT, NONE),
        QDragMoveEvent(at, actions, data, LEFT, NONE),
        QDropEvent(QPointF(at), actions, data, LEFT, NONE),
    )
    for event in events:
        QApplication.sendEvent(widget, event)


def selected(panel: AssetsPanel) -> QMimeData:
    return panel.model.mimeData(panel.grid.selectedIndexes())

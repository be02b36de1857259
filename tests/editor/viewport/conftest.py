"""One renderer for all viewport tests, a small level, and real mouse and key events."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor.document import LevelDocument
from editor.model.settings import Settings
from editor.tools.state import ToolState
from editor.viewport.picture import RememberingRenderer
from editor.viewport.widget import ViewportWidget
from engine.app import App
from engine.errors import EngineError
from engine.scene.hierarchy import world_matrix
from tests.patience import PATIENCE_MS

LEFT, RIGHT, MIDDLE = (
    Qt.MouseButton.LeftButton,
    Qt.MouseButton.RightButton,
    Qt.MouseButton.MiddleButton,
)
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture(scope="session")
def renderer():
    try:
        return RememberingRenderer()
    except EngineError as problem:
        pytest.skip(f"drawing needs a wgpu adapter: {problem}")


class Mouse:
    """Sends what a mouse sends, with every move in between."""

    def __init__(self, widget):
        self.widget = widget
        self.buttons = Qt.MouseButton.NoButton

    def _send(self, kind, xy, button, held, modifiers):
        at = QPointF(float(xy[0]), float(xy[1]))
        event = QMouseEvent(kind, at, self.widget.mapToGlobal(at), button, held, modifiers)
        QApplication.sendEvent(self.widget, event)

    def press(self, xy, button=LEFT, modifiers=NONE):
        self.buttons = button
        self._send(QEvent.Type.MouseButtonPress, xy, button, button, modifiers)

    def move(self, xy, modifiers=NONE):
        none = Qt.MouseButton.NoButton
        self._send(QEvent.Type.MouseMove, xy, none, self.buttons, modifiers)

    def release(self, xy, button=LEFT, modifiers=NONE):
        self.buttons = none = Qt.MouseButton.NoButton
        self._send(QEvent.Type.MouseButtonRelease, xy, button, none, modifiers)

    def click(self, xy, button=LEFT, modifiers=NONE):
        self.move(xy)
        self.press(xy, button, modifiers)
        self.release(xy, button, modifiers)

    def drag(self, start, end, button=LEFT, modifiers=NONE, steps=4):
        self.move(start, modifiers)
        self.press(start, button, modifiers)
        for t in np.linspace(0, 1, steps + 1)[1:]:
            self.move(np.asarray(start) + (np.asarray(end) - start) * t, modifiers)
        self.release(end, button, modifiers)

    def wheel(self, xy, notches, modifiers=NONE):
        at = QPointF(float(xy[0]), float(xy[1]))
        event = QWheelEvent(
            at, self.widget.mapToGlobal(at), QPointF(0, 0).toPoint(),
            QPointF(0, 120 * notches).toPoint(), self.buttons, modifiers,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(self.widget, event)


class Stage:
    """A shown viewport over a document, with what tests ask again and again."""

    def __init__(self, document, renderer, size=(480, 360)):
        self.document = document
        self.state = ToolState()
        self.viewport = ViewportWidget(document, self.state, Settings(), renderer=renderer)
        self.viewport.moves_smoothly = False
        self.viewport.resize(*size)
        self.viewport.show()
        assert QTest.qWaitForWindowExposed(self.viewport, PATIENCE_MS)
        self.mouse = Mouse(self.viewport)
        self.draw()

    def draw(self):
        self.viewport.repaint()

    def screen(self, point):
        self.draw()
        return self.viewport.view.frame().project(np.asarray(point, float))[0]

    def box(self, *at, scale=(1, 1, 1)):
        matrix = np.diag([*scale, 1.0])
        matrix[:3, 3] = at
        return self.document.add_shape("box", matrix)

    def key(self, key, modifiers=NONE):
        QTest.keyClick(self.viewport, key, modifiers)

    @property
    def labels(self):
        return list(self.document.history.labels)


@pytest.fixture
def document(tmp_path):
    document = LevelDocument(App(tmp_path))
    document.new()
    yield document
    document.app.close()


@pytest.fixture
def stage(qapp, document, renderer):
    stage = Stage(document, renderer)
    yield stage
    stage.viewport.close()
    stage.viewport.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def bury(widget):
    widget.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def show(widget, viewport=None):
    widget.show()
    assert QTest.qWaitForWindowExposed(widget, PATIENCE_MS)
    (viewport or widget).repaint()


def place(stage, entity):
    return world_matrix(stage.document.world, entity)[:3, 3]


@pytest.fixture
def crate(document, shared):
    """A prop inside the test's project."""
    found = sorted((shared / "assets" / "props").rglob("chest.glb"))
    target = document.app.root / "props" / "crate.glb"
    target.parent.mkdir(parents=True)
    target.write_bytes(found[0].read_bytes())
    return "props/crate.glb"

"""One sitting at the editor, driven by mouse and key events; run as a program of its own.

    loop_session.py make LEVEL REPORT PROP...      place, parent, edit, undo, redo, save, quit
    loop_session.py reopen LEVEL REPORT CAMERA     open, look, save a copy, quit

It writes what it saw to REPORT as JSON, and the picture beside it as raw bytes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeView,
    QWidget,
)

from editor.app import create
from editor.qt.mime import entity_mime
from editor.qt.widgets.number_field import NumberField
from engine.scene import LocalTransform, Parent
from tests.patience import PATIENCE_MS, PATIENCE_S

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PICTURE = (480, 300)


def until(done: Callable[[], bool], what: str) -> None:
    """Handle events until something is so."""
    end = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain: {what}")
        QTest.qWait(10)


class Session:
    """A shown window and an artist's hands."""

    def __init__(self, arguments: list[str]) -> None:
        self.window = create(arguments)
        self.window.show()
        self.document = self.window.document
        self.viewport = self.window.viewport
        self.viewport.moves_smoothly = False
        self.tree: QTreeView = self.window.findChild(QTreeView, "hierarchy.tree")
        QTest.qWaitForWindowExposed(self.window, PATIENCE_MS)
        self.take_focus()
        self.settle()

    def settle(self) -> None:
        until(lambda: not self.document.tasks, "background work")
        self.document.settle()
        QTest.qWait(20)

    def take_focus(self) -> None:
        """Bring the window to the front, as a click on it does; a bare X server does not."""
        self.window.activateWindow()
        until(self.window.isActiveWindow, "the window to be active")

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.window, key, modifiers)
        QTest.qWait(1)

    # -- the viewport ------------------------------------------------------------------------

    def drop_file(self, path: Path, x: int, y: int) -> None:
        """Drag a file from outside over the viewport and let go."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path))])
        count = self.document.history.count
        drag(self.viewport, mime, QPoint(x, y))
        self.agree_to_copy()
        self.settle()
        assert self.document.history.count > count, f"{path.name} was not placed"

    def agree_to_copy(self) -> None:
        """Answer the first question about copying once and for all."""
        button = self.window.findChild(QPushButton, "answer.always")
        if button is not None and button.isVisible():
            QTest.mouseClick(button, LEFT)
            QTest.qWait(5)
            self.take_focus()

    def move_with_gizmo(self, entity: Any) -> None:
        """Drag the arrow of the X axis."""
        self.select(entity)
        self.viewport.frame_selection()
        self.viewport.setFocus()
        QTest.keyClick(self.viewport, Qt.Key.Key_W)
        self.viewport.repaint()
        QTest.qWait(20)
        origin = self.document.world.get(entity, LocalTransform).translation
        ends, _ = self.viewport.view.frame().project(
            np.array([origin, origin + np.array([0.01, 0, 0])])
        )
        along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        start = ends[0] + along * 55
        QTest.mouseMove(self.viewport, point(start))
        QTest.mousePress(self.viewport, LEFT, NONE, point(start))
        for step in range(1, 6):
            move(self.viewport, start + along * 12 * step)
        QTest.mouseRelease(self.viewport, LEFT, NONE, point(start + along * 60))
        QTest.qWait(5)
        moved = self.document.world.get(entity, LocalTransform).translation
        assert moved[0] > origin[0], "the arrow did not move it"

    # -- hierarchy and inspector -------------------------------------------------------------

    def index_of(self, entity: Any) -> QModelIndex:
        index = self.tree.model().index_of(entity)
        assert index.isValid(), f"{entity} has no row"
        self.tree.scrollTo(index)
        return index

    def select(self, entity: Any, modifiers: Qt.KeyboardModifier = NONE) -> None:
        centre = self.tree.visualRect(self.index_of(entity)).center()
        QTest.mouseClick(self.tree.viewport(), LEFT, modifiers, centre)
        QTest.qWait(1)

    def drop_on_row(self, entities: list[Any], target: Any) -> None:
        centre = self.tree.visualRect(self.index_of(target)).center()
        drag(self.tree.viewport(), entity_mime(entities), centre)
        QTest.qWait(5)
        for entity in entities:
            assert self.document.world.get(entity, Parent).entity == target

    def type_number(self, card: str, nth: int, text: str) -> None:
        inspector = self.window.panels["inspector"]
        until(lambda: bool(inspector.findChildren(QWidget, f"card.{card}")), f"a card {card}")
        cards = [c for c in inspector.findChildren(QWidget, f"card.{card}") if c.isVisible()]
        self.type_into(cards[0].findChildren(NumberField)[nth], text)

    def rename(self, entity: Any, text: str) -> None:
        self.select(entity)
        name: QLineEdit = self.window.findChild(QLineEdit, "inspector.name")
        self.type_into(name, text)
        assert self.document.label(entity) == text

    def type_into(self, field: QLineEdit, text: str) -> None:
        QTest.mouseClick(field, LEFT, NONE, field.rect().center())
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_A, CTRL)
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self.viewport.setFocus()
        QTest.qWait(5)

    # -- files and history -------------------------------------------------------------------

    def save_as(self, path: Path) -> None:
        keys = CTRL | SHIFT if self.document.path is not None else CTRL
        self.key(Qt.Key.Key_S, keys)
        until(lambda: bool(self.window.findChildren(QFileDialog)), "the file dialog")
        dialog = self.window.findChildren(QFileDialog)[0]
        name = dialog.findChild(QLineEdit, "fileNameEdit")
        QTest.keyClick(name, Qt.Key.Key_A, CTRL)
        QTest.keyClicks(name, str(path))
        QTest.keyClick(name, Qt.Key.Key_Return)
        until(path.exists, "the saved level")
        until(lambda: not self.document.dirty, "the level to be clean")
        # It may be gone by now, and asking it then is an error.
        dialogs = self.window.findChildren
        until(lambda: not any(d.isVisible() for d in dialogs(QFileDialog)), "the dialog to close")
        self.take_focus()

    def undo_all(self) -> None:
        while self.document.history.index:
            before = self.document.history.index
            self.key(Qt.Key.Key_Z, CTRL)
            assert self.document.history.index == before - 1, self.where(before)

    def where(self, before: int) -> str:
        history = self.document.history
        focus = QApplication.focusWidget()
        boxes = self.window.findChildren(QWidget, "dialog.error")
        said = [label.text() for box in boxes for label in box.findChildren(QLabel)]
        return f"{before} -> {history.index} of {history.labels}, focus {focus}, dialogs {said}"

    def redo_all(self) -> None:
        while self.document.history.index < self.document.history.count:
            before = self.document.history.index
            self.key(Qt.Key.Key_Z, CTRL | SHIFT)
            assert self.document.history.index == before + 1, self.where(before)

    # -- what it saw -------------------------------------------------------------------------

    def tree_shown(self) -> list[list[Any]]:
        """Return every row of the level: depth, label, components."""
        rows: list[list[Any]] = []
        open_rows = [(0, e) for e in reversed(self.document.children(None))]
        while open_rows:
            depth, entity = open_rows.pop()
            names = sorted(view.name for view in self.document.components(entity))
            rows.append([depth, self.document.label(entity), names])
            open_rows += [(depth + 1, e) for e in reversed(self.document.children(entity))]
        return rows

    def picture(self, path: Path) -> None:
        self.settle()
        path.write_bytes(self.viewport.snapshot(*PICTURE).tobytes())

    def quit(self) -> None:
        self.key(Qt.Key.Key_Q, CTRL)
        until(lambda: not self.window.isVisible(), "the window to close")


def point(at: Any) -> QPoint:
    x, y = np.round(at).astype(int).tolist()
    return QPoint(x, y)


def move(widget: QWidget, at: Any) -> None:
    """Move the mouse with the left button held (QTest.mouseMove holds none)."""
    local = QPointF(*np.asarray(at, float).tolist())
    event = QMouseEvent(
        QEvent.Type.MouseMove, local, widget.mapToGlobal(local), Qt.MouseButton.NoButton, LEFT, NONE
    )
    QApplication.sendEvent(widget, event)


def drag(widget: QWidget, mime: QMimeData, at: QPoint) -> None:
    """Send what a drag from another program sends."""
    actions = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    QApplication.sendEvent(widget, QDragEnterEvent(at, actions, mime, LEFT, NONE))
    for step in (QPoint(-6, -4), QPoint(-2, -1), QPoint(0, 0)):
        QApplication.sendEvent(widget, QDragMoveEvent(at + step, actions, mime, LEFT, NONE))
        QTest.qWait(1)
    QApplication.sendEvent(widget, QDropEvent(QPointF(at), actions, mime, LEFT, NONE))


def make(level: Path, report: Path, props: list[Path]) -> None:
    session = Session([])
    session.key(Qt.Key.Key_N, CTRL)
    until(lambda: session.document.name == "Untitled", "a new level")
    width, height = session.viewport.width(), session.viewport.height()
    for i, prop in enumerate(props):
        x, y = 0.2 + 0.15 * (i % 5), 0.55 + 0.25 * (i // 5)
        session.drop_file(prop, int(width * x), int(height * y))
    roots = [e for e in session.document.children(None) if session.document.asset_of(e)]
    assert len(roots) == len(props), roots
    session.drop_on_row([roots[1], roots[2]], roots[0])
    session.drop_on_row([roots[4]], roots[3])
    session.select(roots[0])
    session.type_number("LocalTransform", 1, "0.5")
    session.type_number("LocalTransform", 4, "35")
    session.select(roots[5])
    session.select(roots[6], CTRL)
    session.type_number("LocalTransform", 6, "1.5")
    session.rename(roots[7], "The last of them")
    session.move_with_gizmo(roots[8])
    session.select(roots[9])
    session.key(Qt.Key.Key_D, CTRL)
    session.settle()
    full, steps = session.tree_shown(), session.document.history.count
    session.undo_all()
    emptied = len(session.document.children(None)) == 0
    session.redo_all()
    session.settle()
    redone = session.tree_shown() == full
    session.save_as(level)
    session.viewport.frame_all()
    QTest.qWait(50)
    session.picture(report.with_suffix(".raw"))
    seen = {
        "steps": steps,
        "undone": emptied,
        "redone": redone,
        "tree": session.tree_shown(),
        "camera": session.viewport.camera_state(),
        "assets": sorted(
            p.relative_to(level.parent).as_posix() for p in level.parent.rglob("*.gl*")
        ),
        "textures": sorted(
            p.relative_to(level.parent).as_posix() for p in level.parent.rglob("colormap.png")
        ),
    }
    report.write_text(json.dumps(seen))
    session.quit()


def reopen(level: Path, report: Path, camera: Path) -> None:
    session = Session([str(level)])
    assert session.viewport.restore_camera(json.loads(camera.read_text())["camera"])
    session.picture(report.with_suffix(".raw"))
    tree = session.tree_shown()
    session.save_as(level.with_name("again.scene"))
    report.write_text(json.dumps({"tree": tree}))
    session.quit()


if __name__ == "__main__":
    command, level_path, report_path, *rest = sys.argv[1:]
    if command == "make":
        make(Path(level_path), Path(report_path), [Path(p) for p in rest])
    else:
        reopen(Path(level_path), Path(report_path), Path(rest[0]))

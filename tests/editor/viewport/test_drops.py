"""What is dragged into the viewport: tiles of the assets panel and files from outside."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

from editor.qt.mime import FILES_MIME, asset_mime
from tests.editor.document.props import write_corners
from tests.editor.viewport.conftest import place

pytestmark = pytest.mark.gpu


NO_KEY = Qt.KeyboardModifier.NoModifier


def drag_events(stage, path, *points, drop=True, waits=True):
    mime: QMimeData = path if isinstance(path, QMimeData) else asset_mime(path)
    copy, left, none = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    first = QPoint(*(int(v) for v in points[0]))
    enter = QDragEnterEvent(first, copy, mime, left, none)
    stage.viewport.dragEnterEvent(enter)
    assert enter.isAccepted()
    for point in points:
        at = QPoint(*(int(v) for v in point))
        stage.viewport.dragMoveEvent(QDragMoveEvent(at, copy, mime, left, none))
        if waits:
            stage.document.settle()
        stage.draw()
    if drop:
        at = QPointF(*points[-1])
        stage.viewport.dropEvent(QDropEvent(at, copy, mime, left, none))
    else:
        stage.viewport.dragLeaveEvent(QDragLeaveEvent())
    stage.draw()


def test_a_prop_dragged_in_follows_the_surface_and_is_one_step(stage, crate):
    stage.box(0, 0.5, 0, scale=(3, 1, 3))
    stage.viewport.frame_all()
    before = stage.document.history.index
    on_top = stage.screen((0.3, 1.0, 0.3))
    drag_events(stage, crate, (60, 300), on_top)
    assert stage.document.history.index == before + 1
    (prop,) = stage.document.selection
    lo, _ = stage.viewport.view.raycaster().bounds(stage.viewport.view.subtree([prop]))
    assert lo[1] == pytest.approx(1.0, abs=0.02)
    stage.document.undo()
    assert not stage.document.world.alive(prop)


def several(*paths):
    data = asset_mime(paths[0])
    data.setData(FILES_MIME, "\n".join(paths).encode())
    return data


def bounds(stage, prop):
    return stage.viewport.view.raycaster().bounds(stage.viewport.view.subtree([prop]))


@pytest.fixture
def pack(document):
    """Three props of different sizes, and a file that is none."""
    for name, corners in {
        "wide": [[-2, 0, 0], [2, 0, 0], [0, 1, 0]],
        "tall": [[0, 0, 0], [0.5, 0, 0], [0, 3, 0]],
        "deep": [[0, -0.5, -2], [0.2, 0.5, 2], [0, 0.5, 0]],
    }.items():
        write_corners(document.app.root / "props", name, corners)
    (document.app.root / "props" / "note.png").write_bytes(b"")
    return ["props/wide.gltf", "props/note.png", "props/tall.gltf", "props/deep.gltf"]


@pytest.mark.parametrize("waits", [True, False])
def test_several_tiles_are_one_step_side_by_side_each_on_its_own_box(stage, pack, waits):
    stage.box(0, -0.5, 0, scale=(40, 1, 40))
    stage.viewport.set_view("front")
    stage.viewport.frame_all()
    before = stage.document.history.index
    at = stage.screen((0, 0, 0)) - np.array((0, 1))
    drag_events(stage, several(*pack), (60, 300), at, waits=waits)
    stage.document.settle()
    stage.draw()
    assert stage.document.history.index == before + 1
    assert stage.labels[-1] == "Place 3 assets"
    props = stage.document.selection
    assert [stage.document.label(prop) for prop in props] == ["wide", "tall", "deep"]
    boxes = [bounds(stage, prop) for prop in props]
    assert [lo[1] for lo, _ in boxes] == pytest.approx([0, 0, 0], abs=1e-4)
    for (_, hi), (lo, _) in itertools.pairwise(boxes):
        assert hi[0] < lo[0]
    stage.document.undo()
    assert not any(map(stage.document.world.alive, props))
    assert stage.document.history.index == before


def test_over_nothing_a_prop_is_as_deep_as_what_the_view_turns_around(stage, pack):
    stage.viewport.set_view("front")
    stage.draw()
    drag_events(stage, pack[0], (60, 60), (240, 60))
    (prop,) = stage.document.selection
    assert place(stage, prop)[2] == pytest.approx(stage.viewport.view.navigator.pose.pivot[2])


def test_the_place_tool_knows_the_size_of_a_prop_before_it_is_placed(stage, pack):
    view = stage.viewport.view
    view.extent(pack[0])
    stage.document.settle()
    lo, hi = view.extent(pack[0])
    stage.document.place(pack[0])
    placed = bounds(stage, stage.document.selection[0])
    assert np.allclose([lo, hi], placed, atol=1e-5)
    assert view.extent("levels/other.scene") is None


def test_several_tiles_dragged_out_again_leave_nothing(stage, pack):
    before = (stage.document.history.index, len(stage.document.world.entities()))
    drag_events(stage, several(*pack), (60, 300), (240, 180), drop=False)
    assert (stage.document.history.index, len(stage.document.world.entities())) == before


def test_a_drag_of_what_cannot_be_placed_is_not_taken(stage, pack):
    data = several("props/note.png")
    enter = QDragEnterEvent(
        QPoint(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, NO_KEY
    )
    enter.ignore()
    stage.viewport.dragEnterEvent(enter)
    assert not enter.isAccepted()


def test_a_prop_dragged_out_again_leaves_nothing(stage, crate):
    stage.box(0, 0.5, 0)
    before = (stage.document.history.index, len(stage.document.world.entities()))
    drag_events(stage, crate, (60, 300), (240, 180), drop=False)
    assert (stage.document.history.index, len(stage.document.world.entities())) == before


def test_a_broken_asset_is_told_and_changes_nothing(stage):
    bad = stage.document.app.root / "bad.glb"
    bad.parent.mkdir(parents=True, exist_ok=True)
    bad.write_bytes(b"glTF but not really")
    heard = []
    stage.document.message_posted.connect(heard.append)
    before = stage.document.history.index
    drag_events(stage, "bad.glb", (200, 200))
    assert stage.document.history.index == before
    assert [m.level for m in heard] == ["error"]


def test_files_from_outside_are_copied_only_when_agreed_to(stage, shared, tmp_path_factory):
    outside = sorted((shared / "assets" / "props").rglob("*.glb"))[0]
    asked = []
    stage.viewport.confirm_copy = lambda paths: asked.append(list(paths)) or False
    drag_events(stage, str(outside), (200, 200))
    assert asked == [[str(outside)]]
    assert not list(stage.document.app.root.rglob("*.glb"))
    stage.viewport.confirm_copy = lambda paths: True
    drag_events(stage, str(outside), (200, 200))
    assert list(stage.document.app.root.rglob("*.glb"))

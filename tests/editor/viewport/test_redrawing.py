"""When a picture is drawn again, how finely, and when not."""

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor.tools.state import ToolState
from editor.viewport.picture import Picture, RememberingRenderer
from editor.viewport.widget import ViewportWidget
from engine.app import AssetNews
from engine.scene import Environment
from tests.editor.viewport.conftest import bury, show
from tests.patience import PATIENCE_MS

pytestmark = pytest.mark.gpu


def test_nothing_is_drawn_again_without_a_change(stage, monkeypatch):
    stage.box(0, 0.5, 0)
    stage.draw()
    drawn = []
    real = Picture.draw
    monkeypatch.setattr(Picture, "draw", lambda *a, **k: drawn.append(1) or real(*a, **k))
    stage.draw()
    stage.mouse.move((100, 100))
    stage.mouse.move((240, 180))
    stage.draw()
    assert drawn == []
    stage.state.tool = "rotate"
    stage.draw()
    assert drawn == []
    stage.box(1, 0.5, 0)
    stage.draw()
    assert drawn == [1]
    stage.state.grid = False
    stage.draw()
    assert drawn == [1, 1]


def test_occlusion_and_bloom_show_as_soon_as_they_are_set(stage, monkeypatch):
    """And picking, the outline and the grid still work over them."""
    drawn = []
    real = Picture.draw
    monkeypatch.setattr(Picture, "draw", lambda *a, **k: drawn.append(real(*a, **k)) or drawn[-1])
    box = stage.box(0, 0.5, 0)
    sky = stage.document.spawn(Environment(sky="plain", exposure=4.0), select=True)
    stage.box(0.6, 0.5, 0.6)
    stage.draw()
    for fields in ({"occlusion": 1.0}, {"bloom": 1.0}):
        before, frames = drawn[-1], len(drawn)
        stage.document.set_fields([sky], Environment, **fields)
        stage.draw()
        assert len(drawn) == frames + 1
        assert not np.array_equal(drawn[-1], before)
    stage.document.select([box])
    before = drawn[-1]
    stage.draw()
    assert not np.array_equal(drawn[-1], before)
    stage.document.undo()
    stage.document.undo()
    stage.draw()
    stage.mouse.click(stage.screen((-0.4, 1.0, -0.3)))
    assert list(stage.document.selection) == [box]


def test_an_idle_viewport_has_no_running_timer(stage):
    stage.box(0, 0.5, 0)
    stage.draw()
    assert not [t for t in stage.viewport.findChildren(QTimer) if t.isActive()]


def test_the_timer_runs_only_while_the_camera_moves(stage, qtbot):
    stage.box(0, 0.5, 0)
    stage.draw()
    stage.viewport.moves_smoothly = True
    stage.viewport.set_view("top")
    timers = stage.viewport.findChildren(QTimer)
    assert any(t.isActive() for t in timers)
    qtbot.waitUntil(lambda: not any(t.isActive() for t in timers))
    assert stage.viewport.view.navigator.pose.view == "top"


@pytest.mark.parametrize("software", [True, False])
def test_the_first_picture_is_coarse_where_an_adapter_is_slow_and_somebody_waits(
    qapp, document, renderer, qtbot, monkeypatch, software
):
    monkeypatch.setattr(RememberingRenderer, "software", property(lambda _: software))
    viewport = ViewportWidget(document, ToolState(), renderer=renderer)
    viewport.resize(480, 360)
    viewport.hurry_frame()
    sizes = []
    viewport.stats_changed.connect(lambda _: sizes.append(viewport._image.size().toTuple()))
    show(viewport)
    assert sizes[0] == ((240, 180) if software else (480, 360))
    qtbot.waitUntil(lambda: viewport._image.size().toTuple() == (480, 360))
    viewport.close()
    bury(viewport)


def test_an_error_while_drawing_is_shown_once_and_the_next_change_tries_again(stage, monkeypatch):
    stage.box(0, 0.5, 0)
    stage.draw()
    calls, heard = [], []
    stage.document.message_posted.connect(heard.append)

    def fail(*_args, **_more):
        calls.append(1)
        raise RuntimeError("the device was lost")

    with monkeypatch.context() as patch:
        patch.setattr(Picture, "draw", fail)
        stage.viewport.request_frame()
        stage.draw()
        stage.draw()
    assert len(calls) == 1
    assert "the device was lost" in stage.viewport.failure
    assert len(heard) == 1
    stage.box(1, 0.5, 0)
    stage.draw()
    assert stage.viewport.failure == ""


def test_a_slow_adapter_draws_coarsely_during_a_drag_and_finely_after(stage, qtbot, monkeypatch):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    stage.draw()
    stage.draw()
    monkeypatch.setattr("editor.viewport.canvas.SLOW_MS", -1.0)
    middle = Qt.MouseButton.MiddleButton
    stage.mouse.press((240, 180), middle)
    stage.mouse.move((244, 181))
    stage.draw()
    assert stage.viewport._image.size().toTuple() == (240, 180)
    assert stage.viewport.view.pick(*stage.screen((0, 0.5, 0))) == int(box)
    stage.mouse.release((244, 181), middle)
    qtbot.waitUntil(lambda: stage.viewport._image.size().toTuple() == (480, 360))
    assert stage.viewport.view.pick(*stage.screen((0, 0.5, 0))) == int(box)
    assert not [t for t in stage.viewport.findChildren(QTimer) if t.isActive()]


def test_a_slow_adapter_shows_reloaded_files_coarsely_and_finely_after(stage, qtbot, monkeypatch):
    stage.box(0, 0.5, 0)
    stage.draw()
    monkeypatch.setattr("editor.viewport.canvas.SLOW_MS", -1.0)
    stage.document.assets_changed.emit(AssetNews(("crate.glb",), ("crate.glb",), is_seen=True))
    stage.viewport.repaint()
    assert stage.viewport._image.size().toTuple() == (240, 180)
    qtbot.waitUntil(lambda: stage.viewport._image.size().toTuple() == (480, 360))
    stage.document.assets_changed.emit(AssetNews((), ("crate.glb",)))
    stage.draw()
    assert stage.viewport._image.size().toTuple() == (480, 360)


def test_a_kept_picture_does_not_disturb_picking(stage):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    at = stage.screen((0, 0.5, 0))
    stage.viewport.snapshot(31, 77)
    assert stage.viewport.view.pick(*at) == int(box)


def test_snapshots_show_the_level_only_and_are_repeatable(stage):
    stage.box(0, 0.5, 0)
    first = stage.viewport.snapshot(96, 64)
    stage.document.select([])
    stage.state.grid = False
    stage.draw()
    assert np.array_equal(first, stage.viewport.snapshot(96, 64))
    assert first.shape == (64, 96, 4)
    assert len(np.unique(first.reshape(-1, 4), axis=0)) > 2


def test_a_minimised_window_draws_nothing_and_comes_back_as_it_was(stage, monkeypatch):
    stage.box(0, 0.5, 0)
    stage.draw()
    before = stage.viewport._image.copy()
    drawn = []
    real = Picture.draw
    monkeypatch.setattr(Picture, "draw", lambda *a, **k: drawn.append(1) or real(*a, **k))
    stage.viewport.showMinimized()
    QApplication.processEvents()
    stage.viewport.set_view("top")
    stage.viewport.set_view("perspective")
    assert not [t for t in stage.viewport.findChildren(QTimer) if t.isActive()]
    stage.viewport.showNormal()
    assert QTest.qWaitForWindowExposed(stage.viewport, PATIENCE_MS)
    stage.draw()
    assert stage.viewport.failure == ""
    assert stage.viewport._image.size() == before.size()
    assert stage.viewport.picture.report.triangles == 12

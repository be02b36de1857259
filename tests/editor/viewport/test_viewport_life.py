"""Sizes, scales, hiding and closing of the widget, and what outlives it (known bugs 49, 51, 53)."""

import subprocess
import sys
import textwrap
import weakref

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QWidget

from editor.tools.state import ToolState
from editor.viewport.widget import ViewportWidget
from tests.editor.viewport.conftest import bury, show
from tests.garbage import collect_garbage
from tests.patience import PROCESS_S

pytestmark = pytest.mark.gpu


def test_the_picture_fills_the_widget_at_every_scale(qapp, document, renderer, monkeypatch):
    document.add_shape("box")
    for ratio in (1.0, 2.0, 1.25, 1.5):
        monkeypatch.setattr(ViewportWidget, "devicePixelRatioF", lambda self, r=ratio: r)
        viewport = ViewportWidget(document, ToolState(), renderer=renderer)
        viewport.resize(201, 133)
        show(viewport)
        assert viewport._image.size().toTuple() == (round(201 * ratio), round(133 * ratio))
        x, y = viewport.view.frame().project((0, 0.2, 0))[0]
        assert viewport.view.pick(x, y) != 0
        viewport.close()
        bury(viewport)


def test_a_change_of_scale_between_frames_draws_anew(stage, monkeypatch):
    stage.box(0, 0.5, 0)
    for ratio in (2.0, 1.25, 1.0):
        monkeypatch.setattr(ViewportWidget, "devicePixelRatioF", lambda self, r=ratio: r)
        QApplication.sendEvent(stage.viewport, QEvent(QEvent.Type.DevicePixelRatioChange))
        stage.draw()
        assert stage.viewport._image.width() == round(480 * ratio)


def test_picking_before_the_first_frame_and_outside_finds_nothing(document, renderer, qapp):
    document.add_shape("box")
    viewport = ViewportWidget(document, ToolState(), renderer=renderer)
    viewport.resize(200, 150)
    assert viewport.view.pick(100, 75) == 0
    assert viewport.view.pick_rect(0, 0, 200, 150) == set()
    show(viewport)
    for x, y in ((-5, 75), (100, 900), (200, 150), (1e9, -1e9)):
        assert viewport.view.pick(x, y) == 0
    viewport.close()
    bury(viewport)


def test_the_pick_is_under_the_cursor_in_a_larger_window(document, renderer, qapp):
    window = QWidget()
    window.resize(700, 400)
    viewport = ViewportWidget(document, ToolState(), parent=window, renderer=renderer)
    viewport.setGeometry(250, 40, 400, 300)
    box = document.add_shape("box")
    document.select([])
    show(window, viewport)
    x, y = viewport.view.frame().project((0, 0.2, 0))[0]
    assert viewport.view.pick(x, y) == int(box)
    window.close()
    viewport.dispose()
    bury(window)


def test_zero_and_tiny_sizes_are_harmless(document, renderer, qapp):
    window = QWidget()
    window.resize(700, 400)
    viewport = ViewportWidget(document, ToolState(), parent=window, renderer=renderer)
    viewport.setMinimumSize(0, 0)
    # On a slow machine the picture is coarse on the camera's way, of which nothing is asked here.
    viewport.moves_smoothly = False
    document.add_shape("box")
    window.show()
    for size in ((0, 0), (0, 50), (50, 0), (1, 1), (3, 200), (240, 180)):
        viewport.resize(*size)
        QApplication.processEvents()
        viewport.repaint()
        viewport.frame_all()
        viewport.view.pick(0, 0)
    assert viewport._image.size().toTuple() == (240, 180)
    window.close()
    viewport.dispose()
    bury(window)


def test_hiding_showing_and_closing_with_work_pending_leaves_nothing_behind(
    qapp, document, renderer
):
    for _ in range(20):
        viewport = ViewportWidget(document, ToolState(), renderer=renderer)
        viewport.resize(120, 90)
        viewport.show()
        document.add_shape("box")
        viewport.hide()
        show(viewport)
        assert viewport.failure == ""
        assert viewport.picture.report.triangles > 0
        viewport.set_view("top")
        viewport.request_frame()
        viewport.close()
        document.add_shape("box")
        ghost = weakref.ref(viewport)
        bury(viewport)
        del viewport
        qapp.processEvents()
        collect_garbage()
        assert ghost() is None


def test_a_closed_viewport_gives_the_renderer_back_and_stays_quiet(stage):
    stage.box(0, 0.5, 0)
    stage.viewport.close()
    assert stage.document.app.renderer is None
    stage.document.add_shape("box")
    stage.viewport.dispose()
    assert stage.viewport.view.pick(10, 10) == 0


def test_twenty_windows_with_renderers_of_their_own_in_one_process(tmp_path):
    program = textwrap.dedent(
        """
        import gc, sys
        from PySide6.QtCore import QEvent
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QApplication
        from editor.document import LevelDocument
        from editor.tools.state import ToolState
        from editor.viewport.widget import ViewportWidget
        from engine.app import App
        from tests.patience import PATIENCE_MS

        qt = QApplication([])
        for turn in range(20):
            document = LevelDocument(App(sys.argv[1]))
            document.new()
            viewport = ViewportWidget(document, ToolState())
            viewport.resize(64, 48)
            viewport.show()
            document.add_shape("box")
            if turn % 2:
                assert QTest.qWaitForWindowExposed(viewport, PATIENCE_MS)
                viewport.repaint()
                assert viewport.picture.report.triangles == 12, viewport.failure
            viewport.request_frame()
            viewport.close()
            viewport.deleteLater()
            document.app.close()
            qt.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            qt.processEvents()
            del viewport, document
            gc.collect()
        print("clean")
        """
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
        check=False,
    )
    assert run.stdout.strip() == "clean", run.stderr
    assert run.returncode == 0
    assert run.stderr.strip() == ""


def test_the_camera_outlives_the_window_as_plain_values(stage):
    stage.box(0, 0.5, 0)
    stage.viewport.set_view("left")
    state = stage.viewport.camera_state()
    stage.viewport.set_view("perspective")
    assert stage.viewport.restore_camera(state)
    assert stage.viewport.camera_state() == state
    for damaged in (
        {},
        {**state, "pivot": "x"},
        {**state, "view": "side"},
        {**state, "yaw": float("nan")},
        {**state, "distance": 0},
        {**state, "yaw": None},
    ):
        assert not stage.viewport.restore_camera(damaged)
        assert stage.viewport.camera_state() == state


def test_a_level_is_seen_again_as_it_was_left(stage, tmp_path):
    stage.box(0, 0.5, 0)
    stage.document.save(tmp_path / "a.scene")
    stage.viewport.set_view("left")
    stage.draw()
    left = stage.viewport.camera_state()
    stage.document.new()
    stage.draw()
    assert stage.viewport.camera_state() != left
    stage.document.open(tmp_path / "a.scene")
    stage.draw()
    assert stage.viewport.camera_state() == left


def test_opening_another_level_frames_it(stage):
    stage.box(0, 0.5, 0)
    stage.draw()
    stage.document.new()
    stage.box(500, 0.5, 0)
    stage.draw()
    x, y = stage.screen((500, 0.5, 0))
    assert 0 < x < 480
    assert 0 < y < 360

"""Known bugs 49, 51 and 53, and whatever else happens to a widget in its life."""

import gc
import subprocess
import sys
import textwrap
import weakref
from importlib.resources import files

import numpy as np
import pytest
import wgpu
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from editor.model.settings import Settings
from editor.tools.state import ToolState
from editor.viewport.picture import Picture
from editor.viewport.widget import ViewportWidget
from engine.app import AssetNews
from engine.errors import EngineError
from engine.scene import Environment
from engine.scene.components import LocalTransform

pytestmark = pytest.mark.gpu


def bury(widget):
    widget.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def show(widget, viewport=None):
    widget.show()
    assert QTest.qWaitForWindowExposed(widget)
    (viewport or widget).repaint()


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
        gc.collect()
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

        qt = QApplication([])
        for turn in range(20):
            document = LevelDocument(App(sys.argv[1]))
            document.new()
            viewport = ViewportWidget(document, ToolState())
            viewport.resize(64, 48)
            viewport.show()
            document.add_shape("box")
            if turn % 2:
                assert QTest.qWaitForWindowExposed(viewport)
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
        timeout=240,
        check=False,
    )
    assert run.stdout.strip() == "clean", run.stderr
    assert run.returncode == 0
    assert run.stderr.strip() == ""


@pytest.fixture
def without_adapter(monkeypatch):
    def refuse(self, device=None):
        raise EngineError("no GPU adapter: expected Vulkan, Metal or Direct3D 12")

    monkeypatch.setattr("editor.viewport.picture.RememberingRenderer.__init__", refuse)


def test_without_an_adapter_the_rest_works_and_the_reason_is_shown(qapp, document, without_adapter):
    viewport = ViewportWidget(document, ToolState())
    viewport.resize(300, 200)
    box = document.add_shape("box")
    show(viewport)
    assert "no GPU adapter" in viewport.failure
    assert viewport.view.pick(10, 10) == 0
    viewport.frame_all()
    viewport.frame_selection()
    viewport.drop_selection()
    assert viewport.surface_point(150, 150).entity == 0
    with pytest.raises(EngineError, match="no GPU adapter"):
        viewport.snapshot(8, 8)
    document.delete([box])
    document.undo()
    assert document.world.alive(box)
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


def test_a_lost_device_is_made_anew_and_told(qapp, document):
    document.add_shape("box")
    messages = []
    document.message_posted.connect(messages.append)
    viewport = ViewportWidget(document, ToolState())
    viewport.resize(160, 120)
    show(viewport)
    before = viewport.grab_image()
    lost = viewport.picture.renderer
    lost.device.destroy()
    assert viewport.view.pick(80, 60) == 0
    viewport.request_frame()
    viewport.repaint()
    assert viewport.failure == ""
    assert viewport.picture.renderer is not lost
    assert viewport.picture.report.triangles == 12
    assert viewport.grab_image() == before
    assert [m.level for m in messages] == ["warning"]
    assert "lost" in messages[0].text
    viewport.close()
    bury(viewport)


def test_a_device_that_cannot_be_made_anew_leaves_a_message(qapp, document, monkeypatch):
    viewport = ViewportWidget(document, ToolState())
    viewport.resize(160, 120)
    show(viewport)
    viewport.picture.renderer.device.destroy()

    def refuse(_: str) -> None:
        raise EngineError("no GPU adapter")

    monkeypatch.setattr("editor.viewport.picture.request_device", refuse)
    viewport.request_frame()
    viewport.repaint()
    assert viewport.failure == "no GPU adapter"
    viewport.close()
    bury(viewport)


def test_a_size_that_there_is_no_memory_for_is_told_and_a_smaller_one_draws(stage, monkeypatch):
    box = stage.box(0, 0.5, 0)
    stage.draw()
    heard = []
    stage.document.message_posted.connect(heard.append)
    device = stage.viewport.picture.renderer.device
    make = type(device).create_texture

    def scarce(self, **described):
        if max(described["size"][:2]) > 600:
            raise wgpu.GPUOutOfMemoryError("not enough memory left")
        return make(self, **described)

    monkeypatch.setattr(type(device), "create_texture", scarce)
    stage.viewport.resize(900, 700)
    stage.draw()
    assert "not enough memory" in stage.viewport.failure
    assert [m.level for m in heard] == ["error"]
    stage.document.set_fields([box], LocalTransform, translation=(1, 0, 0))
    stage.draw()
    assert "not enough memory" in stage.viewport.failure
    stage.viewport.resize(480, 360)
    stage.viewport.request_frame()
    stage.draw()
    assert stage.viewport.failure == ""
    assert stage.viewport.picture.report.triangles == 12
    assert stage.viewport.view.pick(*stage.screen((1, 0, 0))) == int(box)


def test_a_device_that_is_lost_while_something_is_uploaded_is_made_anew(stage):
    """The first to notice is then not the picture but the shape or the prop that arrives."""
    heard = []
    stage.document.message_posted.connect(heard.append)
    crate = files("resources").joinpath("sample", "props", "crate.glb")
    for place in (
        lambda: stage.document.add_shape("sphere"),
        lambda: stage.document.place(str(crate), wait=False),
    ):
        stage.box(0, 0.5, 0)
        stage.draw()
        stage.viewport.picture.renderer.device.destroy()
        place()
        stage.draw()
        assert stage.viewport.failure == ""
    (entry,) = (e for e in stage.document.app.assets.entries() if "crate" in e.path)
    assert not entry.error
    assert stage.viewport.picture.report.triangles > 100
    assert [m.level for m in heard if m.level != "info"] == ["warning", "warning"]


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
    assert QTest.qWaitForWindowExposed(stage.viewport)
    stage.draw()
    assert stage.viewport.failure == ""
    assert stage.viewport._image.size() == before.size()
    assert stage.viewport.picture.report.triangles == 12


def test_a_device_that_is_lost_in_the_middle_of_a_drag_costs_nothing_of_the_level(stage):
    box = stage.box(0, 0.5, 0)
    stage.document.select([box])
    stage.draw()
    text = stage.document.copy()
    with stage.document.gesture("Move"):
        stage.document.set_fields([box], LocalTransform, translation=(1, 0, 0))
        stage.viewport.picture.renderer.device.destroy()
        stage.draw()
        assert stage.viewport.failure == ""
        stage.document.set_fields([box], LocalTransform, translation=(2, 0, 0))
    stage.draw()
    assert stage.viewport.picture.report.triangles == 12
    assert stage.viewport.view.pick(*stage.screen((2, 0, 0))) == int(box)
    stage.document.undo()
    assert stage.document.copy() == text


def test_another_adapter_is_drawn_with_at_once(qapp, document):
    settings = Settings()
    viewport = ViewportWidget(document, ToolState(), settings)
    viewport.resize(160, 120)
    document.add_shape("box")
    show(viewport)
    before, image = viewport.picture.renderer, viewport._image.copy()
    settings.adapter = Picture.adapters()[0]
    settings.changed.emit("adapter")
    viewport.repaint()
    assert viewport.picture.renderer is not before
    assert document.app.renderer is viewport.picture.renderer
    assert viewport.failure == ""
    assert viewport.picture.report.triangles == 12
    assert viewport._image == image or viewport.picture.renderer.adapter != before.adapter
    viewport.close()
    bury(viewport)


def test_an_adapter_that_gives_no_device_leaves_the_present_one(qapp, document, monkeypatch):
    settings = Settings()
    viewport = ViewportWidget(document, ToolState(), settings)
    viewport.resize(160, 120)
    document.add_shape("box")
    show(viewport)
    before, heard = viewport.picture.renderer, []
    document.message_posted.connect(heard.append)

    def refuse(_: str) -> None:
        raise EngineError("no GPU adapter")

    with monkeypatch.context() as patch:
        patch.setattr("editor.viewport.picture.request_device", refuse)
        settings.adapter = "another"
        settings.changed.emit("adapter")
    viewport.repaint()
    assert [m.level for m in heard] == ["error"]
    assert viewport.picture.renderer is before
    assert viewport.failure == ""
    viewport.close()
    bury(viewport)

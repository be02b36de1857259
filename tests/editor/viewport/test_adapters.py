"""Adapters that are absent, lost, exchanged or out of memory."""

from importlib.resources import files

import pytest
import wgpu

from editor.model.settings import Settings
from editor.tools.state import ToolState
from editor.viewport.picture import Picture, RememberingRenderer
from editor.viewport.widget import ViewportWidget
from engine.errors import EngineError
from engine.scene.components import LocalTransform
from tests.editor.viewport.conftest import bury, show

pytestmark = pytest.mark.gpu


@pytest.fixture
def renderer(renderer):
    """One of its own for each test: the others must not be left with a device that is lost."""
    return RememberingRenderer()


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


def test_a_lost_device_is_made_anew_and_told(qapp, document):
    document.add_shape("box")
    messages = []
    document.message_posted.connect(messages.append)
    viewport = ViewportWidget(document, ToolState())
    viewport.resize(160, 120)
    show(viewport)
    before = viewport.grab().toImage()
    lost = viewport.picture.renderer
    lost.device.destroy()
    assert viewport.view.pick(80, 60) == 0
    viewport.request_frame()
    viewport.repaint()
    assert viewport.failure == ""
    assert viewport.picture.renderer is not lost
    assert viewport.picture.report.triangles == 12
    assert viewport.grab().toImage() == before
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

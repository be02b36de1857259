"""What a new kind of thing takes is made before it is drawn, a part in each event."""

import itertools

import pytest
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication

from editor.viewport.drops import AssetDrop
from editor.viewport.picture import Picture, RememberingRenderer
from engine.errors import EngineError
from engine.render.pipeline_store import PipelineStore
from engine.scene import LightSource
from tests.editor.document.props import write_corners
from tests.editor.viewport.conftest import Stage, bury

pytestmark = pytest.mark.gpu


@pytest.fixture
def fresh_stage(qapp, document, renderer):
    """A stage whose renderer has made nothing yet but what an empty level takes."""
    stage = Stage(document, RememberingRenderer(renderer.device))
    yield stage
    stage.viewport.close()
    stage.viewport.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def seen(monkeypatch) -> list[str]:
    """What happens, in its order: parts that are prepared, pipelines made, pictures, settling."""
    seen: list[str] = []

    def note(owner: type, name: str, word: str) -> None:
        real = getattr(owner, name)

        def noted(*args, **more):
            seen.append(word)
            return real(*args, **more)

        monkeypatch.setattr(owner, name, noted)

    note(Picture, "prepare", "part")
    note(Picture, "draw", "picture")
    note(PipelineStore, "_make", "pipeline")
    note(AssetDrop, "settle", "settle")
    return seen


def is_calm(stage) -> bool:
    return not [t for t in stage.viewport.findChildren(QTimer) if t.isActive()]


def test_a_picture_waits_for_what_it_is_drawn_with_a_pipeline_in_each_event(
    fresh_stage, seen, qtbot
):
    box = fresh_stage.document.add_shape("box")
    fresh_stage.document.spawn(LightSource(kind="directional", cast_shadows=True), select=True)
    fresh_stage.document.select([box])
    qtbot.waitUntil(lambda: "picture" in seen)
    made = seen[: seen.index("picture")]
    assert made.count("pipeline") > 2
    for before, now in itertools.pairwise(made):
        assert (before, now) != ("pipeline", "pipeline")
    assert "pipeline" not in seen[seen.index("picture") :]
    assert fresh_stage.viewport.picture.report.triangles == 12
    qtbot.waitUntil(lambda: is_calm(fresh_stage))


def test_until_then_the_picture_before_stays(fresh_stage, seen):
    before = fresh_stage.viewport._image
    fresh_stage.document.add_shape("box")
    fresh_stage.viewport.grab()
    assert fresh_stage.viewport._image is before
    assert "picture" not in seen


def test_a_picture_does_not_wait_for_ever(fresh_stage, seen, qtbot, monkeypatch):
    monkeypatch.setattr("editor.viewport.canvas.MOST_PARTS", 2)
    box = fresh_stage.document.add_shape("box")
    fresh_stage.document.spawn(LightSource(kind="directional", cast_shadows=True), select=True)
    fresh_stage.document.select([box])
    qtbot.waitUntil(lambda: "picture" in seen)
    first = seen.index("picture")
    assert seen[:first].count("settle") + seen[:first].count("part") <= 2
    assert "pipeline" in seen[first:]
    assert fresh_stage.viewport.picture.report.triangles == 12


def test_who_asks_for_a_picture_at_once_gets_it(fresh_stage, seen):
    fresh_stage.document.add_shape("box")
    fresh_stage.draw()
    assert fresh_stage.viewport.picture.report.triangles == 12
    assert is_calm(fresh_stage)


def test_another_size_is_drawn_at_once(fresh_stage, seen, qtbot):
    fresh_stage.document.add_shape("box")
    fresh_stage.viewport.resize(300, 200)
    fresh_stage.viewport.grab()
    assert fresh_stage.viewport.picture.report.triangles == 12
    assert fresh_stage.viewport._image.size().toTuple() == (300, 200)


def test_a_hidden_viewport_prepares_nothing(fresh_stage, seen):
    fresh_stage.document.add_shape("box")
    fresh_stage.viewport.hide()
    fresh_stage.document.add_shape("sphere")
    assert is_calm(fresh_stage)
    fresh_stage.viewport.show()
    QApplication.processEvents()
    fresh_stage.draw()
    assert fresh_stage.viewport.picture.report.triangles > 12
    assert "part" not in seen


def test_a_viewport_that_is_closed_meanwhile_prepares_nothing_more(fresh_stage, seen):
    fresh_stage.document.add_shape("box")
    fresh_stage.viewport.close()
    QApplication.processEvents()
    assert seen == []
    assert is_calm(fresh_stage)


def test_a_device_that_is_lost_meanwhile_is_made_anew(qapp, document, qtbot):
    lossy = Stage(document, RememberingRenderer())
    lossy.document.add_shape("box")
    lossy.viewport.picture.renderer.device.destroy()
    qtbot.waitUntil(lambda: lossy.viewport.picture.losses == 1)
    qtbot.waitUntil(lambda: lossy.viewport.picture.report.triangles == 12)
    assert lossy.viewport.failure == ""
    lossy.viewport.close()
    bury(lossy.viewport)


def test_what_cannot_be_made_is_told_by_the_picture_once(fresh_stage, monkeypatch, qtbot):
    def refuse(*_args):
        raise EngineError("shaders/surface.wgsl:1: refused")

    heard = []
    fresh_stage.document.message_posted.connect(heard.append)
    monkeypatch.setattr(PipelineStore, "_make", refuse)
    fresh_stage.document.add_shape("box")
    qtbot.waitUntil(lambda: fresh_stage.viewport.failure != "")
    assert "shaders/surface.wgsl:1" in fresh_stage.viewport.failure
    qtbot.waitUntil(lambda: is_calm(fresh_stage))
    assert len(heard) == 1


def test_a_prop_that_arrives_is_put_in_its_place_before_its_picture(fresh_stage, seen, qtbot):
    document, viewport = fresh_stage.document, fresh_stage.viewport
    write_corners(document.app.root / "props", "tall", [[0, -2, 0], [0.5, -2, 0], [0, 3, 0]])
    (prop,) = viewport.place_assets_at_centre(["props/tall.gltf"])
    document.settle()
    qtbot.waitUntil(lambda: is_calm(fresh_stage) and viewport.picture.report.triangles == 1)
    first = seen[: seen.index("picture")]
    assert first[0] == "settle"
    assert "part" in first
    lo, _ = viewport.view.raycaster().bounds(viewport.view.subtree([prop]))
    assert lo[1] == pytest.approx(0.0, abs=1e-3)

"""The level's cameras in the viewport: a preview of the chosen one, and piloting."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from editor.tools.targets import aimed, read_target
from engine.errors import EntityError
from engine.math import compose, quat_from_euler_deg
from engine.scene.components import CameraComponent, LocalTransform, Parent
from engine.scene.hierarchy import world_matrix
from tests.editor.viewport.conftest import MIDDLE, Mouse, Stage

pytestmark = pytest.mark.gpu


@pytest.fixture
def stage(qapp, document, renderer):
    stage = Stage(document, renderer, (640, 480))
    stage.box(0, 0.5, 0)
    yield stage
    stage.viewport.close()
    stage.viewport.deleteLater()


def camera(stage, *at, turned=(0, 0, 0)):
    placed = compose(at, quat_from_euler_deg(turned), (1, 1, 1))
    return stage.document.add_camera(placed)


def previewed(stage, qtbot):
    stage.draw()
    cameras = stage.viewport.cameras
    qtbot.waitUntil(lambda: cameras.inset.image is not None and not cameras._waiting.isActive())
    return cameras.inset.image


def test_the_preview_shows_what_the_selected_camera_sees(stage, qtbot):
    inset = stage.viewport.cameras.inset
    looking = camera(stage, 0, 0.5, 3)
    away = camera(stage, 0, 0.5, 3, turned=(0, 180, 0))
    stage.document.select([looking])
    image = previewed(stage, qtbot)
    ratio = stage.viewport.devicePixelRatioF()
    assert image.size().toTuple() == (round(224 * ratio), round(126 * ratio))
    center = image.width() // 2, image.height() // 2
    corner = QColor(image.pixel(2, image.height() // 2))
    assert QColor(image.pixel(*center)) != corner
    stage.document.select([away])
    empty = previewed(stage, qtbot)
    qtbot.waitUntil(lambda: stage.viewport.cameras.inset.image != image)
    empty = inset.image
    assert QColor(empty.pixel(*center)) == QColor(empty.pixel(2, empty.height() // 2))
    stage.document.select([])
    stage.draw()
    assert not inset.isVisible()


def test_the_preview_leaves_picking_and_the_picture_alone(stage, qtbot):
    stage.viewport.frame_all()
    stage.draw()
    at = stage.screen((0, 0.5, 0))
    box = stage.viewport.view.pick(*at)
    assert box
    stage.document.select([camera(stage, 0, 9, 30, turned=(0, 90, 0))])
    stage.draw()
    before = stage.viewport._image.copy()
    previewed(stage, qtbot)
    assert stage.viewport.view.pick(*at) == box
    stage.viewport.request_frame()
    stage.draw()
    assert stage.viewport._image == before


def test_the_preview_is_drawn_again_only_when_it_would_differ(stage, qtbot, monkeypatch):
    looking = camera(stage, 0, 0.5, 3)
    stage.document.select([looking])
    previewed(stage, qtbot)
    cameras = stage.viewport.cameras
    stage.viewport.set_view("left")
    stage.draw()
    assert not cameras._waiting.isActive()
    stage.document.set_fields([looking], CameraComponent, fov_y=0.4)
    stage.draw()
    assert cameras._waiting.isActive()


def test_a_click_on_the_preview_looks_through_the_camera(stage, qtbot):
    stage.document.select([camera(stage, 2, 3, 4)])
    previewed(stage, qtbot)
    Mouse(stage.viewport.cameras.inset).click((100, 80))
    assert stage.viewport.view.navigator.pose.eye == pytest.approx([2, 3, 4], abs=1e-4)
    assert not stage.viewport.cameras.pilot.camera


def test_a_piloted_camera_goes_with_the_view_one_step_for_each_motion(stage):
    entity = camera(stage, 0, 1, 6)
    stage.document.select([entity])
    stage.viewport.pilot_camera()
    count = len(stage.labels)
    assert stage.viewport.view.navigator.pose.eye == pytest.approx([0, 1, 6], abs=1e-4)
    assert "Piloting" in stage.viewport.banner()[1]
    stage.draw()
    assert not stage.viewport.cameras.inset.isVisible()
    stage.mouse.drag((300, 200), (360, 230), MIDDLE)
    pose = stage.viewport.view.navigator.pose
    stage.viewport.cameras.pilot.rest()
    placed = world_matrix(stage.document.world, entity)
    assert placed[:3, 3] == pytest.approx(pose.eye, abs=1e-4)
    assert -placed[:3, 2] == pytest.approx(pose.forward, abs=1e-5)
    assert placed[:3, 1] == pytest.approx(pose.up, abs=1e-5)
    assert stage.labels[count:] == ["Pilot the camera"]
    stage.document.undo()
    assert world_matrix(stage.document.world, entity)[:3, 3] == pytest.approx([0, 1, 6])
    assert stage.viewport.view.navigator.pose.eye == pytest.approx([0, 1, 6], abs=1e-4)
    assert stage.viewport.cameras.pilot.camera == entity
    stage.key(Qt.Key.Key_Escape)
    assert not stage.viewport.cameras.pilot.camera
    assert stage.viewport.banner()[1] == ""
    stage.mouse.drag((300, 200), (360, 230), MIDDLE)
    assert world_matrix(stage.document.world, entity)[:3, 3] == pytest.approx([0, 1, 6])


def test_looking_through_without_moving_changes_nothing(stage):
    """The view has no roll: only a motion takes the camera's."""
    entity = camera(stage, 0, 1, 6, turned=(0, 0, 30))
    stage.document.select([entity])
    before, count = world_matrix(stage.document.world, entity), len(stage.labels)
    stage.viewport.pilot_camera()
    stage.draw()
    stage.viewport.pilot_camera()
    assert np.array_equal(world_matrix(stage.document.world, entity), before)
    assert len(stage.labels) == count


def test_piloting_ends_with_a_parallel_view_and_with_the_camera(stage):
    entity = camera(stage, 0, 1, 6)
    stage.document.select([entity])
    pilot = stage.viewport.cameras.pilot
    stage.viewport.pilot_camera()
    stage.viewport.set_view("top")
    assert not pilot.camera
    stage.viewport.set_view("perspective")
    stage.viewport.pilot_camera()
    stage.document.delete()
    assert not pilot.camera
    stage.document.undo()
    stage.viewport.pilot_camera()
    assert pilot.camera == entity
    stage.document.new()
    assert not pilot.camera


def test_what_cannot_be_piloted_is_refused(stage):
    box = stage.document.selection
    for entity in stage.document.world.entities():
        if stage.document.world.has(entity, CameraComponent):
            stage.document.set_fields([entity], CameraComponent, active=False)
    stage.document.select(box)
    with pytest.raises(EntityError, match="no camera"):
        stage.viewport.pilot_camera()
    entity = camera(stage, 0, 1, 6)
    stage.document.select([entity])
    stage.document.set_locked([entity], True)
    with pytest.raises(EntityError, match="locked"):
        stage.viewport.pilot_camera()


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 2, 2), (-1, 1, 1)])
def test_aiming_is_exact_under_turned_and_flipped_parents(stage, scale):
    document = stage.document
    parent = document.spawn(LocalTransform((3, 1, -2), quat_from_euler_deg((20, 50, -10)), scale))
    child = document.spawn(
        LocalTransform((1, 0, 2), quat_from_euler_deg((5, 15, 25))), Parent(parent)
    )
    axes = compose((0, 0, 0), quat_from_euler_deg((-30, 70, 0)), (1, 1, 1))[:3, :3]
    edit = aimed(read_target(document.world, child), axes.astype(float), np.array([4.0, 5, 6]))
    document.set_fields([child], LocalTransform, **{k: tuple(v) for k, v in edit.fields.items()})
    placed = world_matrix(document.world, child)
    assert placed[:3, 3] == pytest.approx([4, 5, 6], abs=1e-4)
    turned = read_target(document.world, child).axes
    assert turned[:, 2] == pytest.approx(axes[:, 2], abs=1e-4)
    assert turned[:, 1] == pytest.approx(axes[:, 1], abs=1e-4)

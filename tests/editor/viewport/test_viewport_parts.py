"""Chips, summaries, geometry and level shapes, each for itself."""

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from editor.tools.projection import Ray
from editor.tools.shapes import Icon, Polygon, Stroke, Text
from editor.tools.view_camera import CameraPose
from editor.viewport.geometry import GeometryStore, posed_positions
from editor.viewport.painting import paint_shapes
from editor.viewport.summary import grouped, short
from editor.viewport.wires import linear
from engine.assets.mesh import MeshData, MorphTarget
from engine.math import compose, quat_from_euler_deg
from engine.render.scene import Camera, RenderInstance, RenderScene


def test_numbers_are_short_and_readable():
    assert [short(n) for n in (0, 999, 3084, 98_400, 2_340_000)] == [
        "0", "999", "3,084", "98 k", "2.3 M",
    ]  # fmt: skip
    assert grouped(1234567) == "1,234,567"


def test_colours_become_linear():
    assert linear((255, 0, 188, 128)) == pytest.approx([1, 0, 0.5029, 0.502], abs=1e-3)


def quad(z=0.0):
    positions = [(-1, -1, z), (1, -1, z), (1, 1, z), (-1, 1, z)]
    return MeshData(positions=positions, indices=[0, 1, 2, 0, 2, 3])


def scene_with(*instances):
    scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    scene.add(instances)
    return scene


TOWARD = Ray(np.array([0.0, 0, 5]), np.array([0.0, 0, -1]))


def test_geometry_follows_what_the_renderer_is_given():
    store = GeometryStore()
    store.add(3, quad())
    scene = scene_with(RenderInstance(3, 0, entity=9))
    hit = store.raycaster(scene).cast(TOWARD)
    assert (hit.entity, hit.distance) == (9, pytest.approx(5))
    assert store.raycaster(scene) is store.raycaster(scene)
    store.add(3, quad(z=1.0))
    assert store.raycaster(scene).cast(TOWARD).distance == pytest.approx(4)
    scene.instances.columns().world_from_local[0][2, 3] = 2
    scene.instances.moved([0])
    assert store.raycaster(scene).cast(TOWARD).distance == pytest.approx(2)
    assert store.raycaster(scene).bounds({9})[0] == pytest.approx([-1, -1, 3])
    other = scene_with(RenderInstance(3, 0, entity=4))
    assert store.raycaster(other).cast(TOWARD).entity == 4
    assert store.raycaster(scene).cast(TOWARD).entity == 9
    store.remove(3)
    assert store.raycaster(scene).cast(TOWARD) is None
    assert store.triangle_count(3) == 0


def test_a_skinned_mesh_is_hit_where_its_joints_put_it():
    mesh = quad()
    mesh.joints = np.zeros((4, 4), np.uint16)
    mesh.weights = np.tile(np.float32([1, 0, 0, 0]), (4, 1))
    store = GeometryStore()
    store.add(0, mesh)
    scene = scene_with()
    scene.joints.append(compose((0, 0, 2), (0, 0, 0, 1), (1, 1, 1)))
    scene.add([RenderInstance(0, 0, joint_offset=0, entity=5)])
    raycaster = store.raycaster(scene)
    assert raycaster.cast(TOWARD).distance == pytest.approx(3)
    assert raycaster.bounds({5})[0][2] == pytest.approx(2)


def test_skinning_is_the_weighted_sum_of_the_joints():
    mesh = quad()
    mesh.joints = np.tile(np.uint16([0, 1, 0, 0]), (4, 1))
    mesh.weights = np.tile(np.float32([0.25, 0.75, 0, 0]), (4, 1))
    joints = np.stack([np.eye(4), compose((4, 0, 0), (0, 0, 0, 1), (1, 1, 1))])
    moved = posed_positions(mesh, joints, ()) - mesh.positions
    assert moved == pytest.approx(np.tile([3.0, 0, 0], (4, 1)))


def test_a_pose_is_followed_and_no_shape_is_kept_that_is_not_seen():
    mesh = quad()
    mesh.joints = np.zeros((4, 4), np.uint16)
    mesh.weights = np.tile(np.float32([2, 0, 0, 0]), (4, 1))
    store = GeometryStore()
    store.add(0, mesh)
    scene = scene_with()
    scene.joints.append(np.eye(4))
    scene.add([RenderInstance(0, 0, joint_offset=0, entity=5)])
    for z in np.linspace(0, 3, 40):
        scene.joints[0] = compose((0, 0, z), (0, 0, 0, 1), (1, 1, 1))
        raycaster = store.raycaster(scene)
        assert raycaster.cast(TOWARD).distance == pytest.approx(5 - z)
        assert raycaster.bounds({5})[1] == pytest.approx([1, 1, z])
    assert len(store._posed) == 1
    scene.instances.columns().world_from_local[0, 2, 3] = 1
    scene.instances.moved([0])
    assert store.raycaster(scene).cast(TOWARD).distance == pytest.approx(1)


def test_a_morphed_mesh_is_hit_and_bounded_where_its_targets_put_it():
    mesh = quad()
    mesh.morph_targets = (
        MorphTarget(positions=np.tile(np.float32([0, 0, 1]), (4, 1))),
        MorphTarget(),
        MorphTarget(positions=np.float32([(0, 0, 0), (0, 0, 0), (0, 4, 0), (0, 4, 0)])),
    )
    store = GeometryStore()
    store.add(0, mesh)
    scene = scene_with(RenderInstance(0, 0, morph_weights=[2.0, 1.0, 0.5], entity=5))
    raycaster = store.raycaster(scene)
    assert raycaster.cast(TOWARD).distance == pytest.approx(3)
    assert raycaster.bounds({5})[1] == pytest.approx([1, 3, 2])
    assert raycaster.box_corners({5}).max(axis=0) == pytest.approx([1, 3, 2])
    scene.morph_weights[:] = (0.0, 0.0, 0.5)
    view = CameraPose(pivot=(0, 0, 0), distance=20.0).frame(480, 360)
    lo, hi = store.raycaster(scene).screen_bounds(view)
    corners = view.project([(x, y, 0) for x in (-1, 1) for y in (-1, 3)])[0]
    assert lo[0] == pytest.approx(corners.min(axis=0))
    assert hi[0] == pytest.approx(corners.max(axis=0))


def test_lines_and_points_are_not_hit_but_have_bounds():
    store = GeometryStore()
    store.add(0, MeshData(positions=[(0, 0, 0), (1, 2, 3)], topology="lines"))
    scene = scene_with(RenderInstance(0, 0, entity=1))
    raycaster = store.raycaster(scene)
    assert raycaster.cast(TOWARD) is None
    assert raycaster.bounds({1})[1] == pytest.approx([1, 2, 3])


def test_every_kind_of_shape_is_painted(qapp):
    square = np.array([(20.0, 20), (60, 20), (60, 60), (20, 60)])
    for shape in (
        Polygon(square, (255, 0, 0, 255)),
        Stroke(square, (0, 255, 0, 255), 2, closed=True, halo=True),
        Stroke(square * 1e9, (0, 255, 0, 255), 2, dashed=True),
        Icon(40, 40, "spot", (255, 255, 255, 255), 1, 2.0, selected=True),
        Text(30, 30, "+1.000 m"),
    ):
        image = QImage(100, 100, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        paint_shapes(painter, [shape])
        painter.end()
        is_off_screen = isinstance(shape, Stroke) and shape.dashed
        blank = not any(image.pixelColor(x, y).value() for x in range(100) for y in range(100))
        assert blank == is_off_screen


@pytest.mark.gpu
def test_chips_show_and_set_the_shared_state(stage):
    chips = stage.viewport.chips
    assert (chips.mode.text(), chips.view.text()) == ("Lit", "Perspective")
    stage.state.space = "local"
    stage.state.move_step = 0.5
    assert chips.space.text() == "Local"
    assert chips.snap.text().startswith("0.5 m")
    for action in chips.view.menu().actions():
        if action.text() == "Top":
            action.trigger()
    assert chips.view.text() == "Top"
    for action in chips.mode.menu().actions():
        if action.text() == "Wireframe":
            action.trigger()
    assert stage.state.mode == "wireframe"
    for chip in (chips.mode, chips.view, chips.space, chips.pivot, chips.snap):
        assert chip.accessibleName()
        assert chip.toolTip()


@pytest.mark.gpu
def test_chips_never_overlap_in_a_narrow_viewport(stage):
    for width in (120, 200, 300, 420, 800):
        stage.viewport.resize(width, 300)
        chips = stage.viewport.chips
        shown = [
            c.geometry()
            for c in (chips.mode, chips.view, chips.space, chips.pivot, chips.snap)
            if c.isVisible()
        ]
        assert not any(a.intersects(b) for i, a in enumerate(shown) for b in shown[i + 1 :]), width


@pytest.mark.gpu
def test_the_corners_say_what_is_selected_and_what_is_drawn(stage):
    stage.box(0, 0.5, 0)
    stage.draw()
    chips = stage.viewport.chips
    assert chips.selection.text() == "1 selected  ·  Box  ·  12 triangles"
    assert chips.counts.text().startswith("1 prop  12 triangles  1 draw")
    stage.document.select([])
    assert not chips.selection.isVisible()
    stage.state.stats = False
    stage.draw()
    assert not chips.counts.isVisible()


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["directional", "point", "spot"])
def test_chosen_lights_show_what_they_reach_and_their_icon_is_clickable(stage, kind):
    place = compose((0, 2, 0), quat_from_euler_deg((-90, 0, 0)), (1, 1, 1))
    light = stage.document.add_light(kind, place)
    box = stage.box(3, 0.5, 0)
    stage.document.select([light, box])
    stage.viewport.frame_selection()
    stage.document.select([])
    stage.mouse.click(stage.screen((0, 2, 0)))
    assert stage.document.selection == (light,)
    stage.draw()
    assert stage.viewport.picture.scene.overlay.vertices("lines", on_top=False).size
    stage.state.gizmos = False
    stage.draw()
    assert stage.viewport.picture.scene.overlay is None


@pytest.mark.gpu
def test_a_level_with_an_active_camera_is_first_seen_through_it(stage):
    stage.document.new()
    stage.box(0, 0.5, 0)
    camera = stage.document.add_camera(
        compose((6, 3, 6), quat_from_euler_deg((0, 45, 0)), (1, 1, 1))
    )
    from engine.scene.components import CameraComponent

    stage.document.set_fields([camera], CameraComponent, active=True)
    stage.draw()
    assert stage.viewport.view.navigator.pose.eye == pytest.approx([6, 3, 6], abs=1e-4)


@pytest.mark.gpu
def test_rays_and_picking_agree_on_a_skinned_character(stage, shared):
    knight = sorted((shared / "assets" / "props").rglob("Knight.glb"))[0]
    stage.document.place(str(knight))
    stage.viewport.frame_selection()
    stage.draw()
    view = stage.viewport.view
    raycaster, frame = view.raycaster(), view.frame()
    pixels = [(x + 0.5, y + 0.5) for x in range(100, 400, 14) for y in range(40, 340, 14)]
    picked = [view.pick(*p) != 0 for p in pixels]
    hit = [raycaster.cast(frame.ray(*p)) is not None for p in pixels]
    assert 20 < sum(picked) < len(pixels) - 20
    assert sum(a != b for a, b in zip(picked, hit, strict=True)) <= 2

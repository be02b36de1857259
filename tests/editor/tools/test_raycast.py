import numpy as np
import pytest

from editor.tools.projection import Ray
from editor.tools.raycast import RaycastScene, RayMesh, ray_boxes, ray_triangles
from editor.tools.surface import (
    SurfacePoint,
    align_to_normal,
    drop_distance,
    resting_position,
    surface_under,
)


def ray(origin, direction):
    direction = np.asarray(direction, float)
    return Ray(np.asarray(origin, float), direction / np.linalg.norm(direction))


def scene_of(meshes, *rows):
    """Each row: (mesh id, 4x4 matrix, entity)."""
    return RaycastScene(
        np.array([r[0] for r in rows], np.int32),
        np.array([r[1] for r in rows], np.float32).reshape(-1, 4, 4),
        np.array([r[2] for r in rows], np.int64),
        meshes.get,
    )


def at(x, y, z, scale=1.0):
    matrix = np.diag([scale, scale, scale, 1.0])
    matrix[:3, 3] = x, y, z
    return matrix


def test_boxes_answer_with_the_entry_distance_also_from_inside():
    lo, hi = np.array([[1.0, -1, -1], [-1, -1, -1], [1, 5, -1]]), np.array([[2.0, 1, 1]] * 3)
    hi[2] = (2, 6, 1)
    assert ray_boxes(np.zeros(3), np.array([1.0, 0, 0]), lo, hi).tolist() == [1, 0, np.inf]


def test_triangles_are_hit_from_both_sides_and_only_ahead():
    corners = np.array([[(-1.0, -1, 0), (1, -1, 0), (0, 1, 0)]])
    for z, direction, expected in ((5, -1, 5.0), (-5, 1, 5.0), (5, 1, np.inf)):
        distance, _ = ray_triangles(np.array([0, 0, z]), np.array([0, 0, direction]), corners)
        assert distance == expected


def test_the_nearest_of_many_wins_and_its_normal_faces_the_ray(box):
    scene = scene_of({0: box()}, (0, at(0, 0, -5), 7), (0, at(0, 0, -2), 8), (0, at(9, 0, -1), 9))
    hit = scene.cast(ray((0, 0, 5), (0, 0, -1)))
    assert hit.entity == 8
    assert hit.point == pytest.approx([0, 0, -1.5])
    assert hit.normal == pytest.approx([0, 0, 1])
    assert scene.cast(ray((0, 0, 5), (0, 0, -1)), ignore={8}).entity == 7
    assert scene.cast(ray((0, 5, 5), (0, 0, -1))) is None


def test_mirrored_scaled_and_flattened_instances(box):
    mirrored = np.diag([-3.0, 1, 1, 1])
    hit = scene_of({0: box()}, (0, mirrored, 1)).cast(ray((-9, 0, 0), (1, 0, 0)))
    assert hit.distance == pytest.approx(7.5)
    assert hit.normal == pytest.approx([-1, 0, 0])
    flattened = np.diag([1.0, 0, 1, 1])
    assert scene_of({0: box()}, (0, flattened, 1)).cast(ray((0, 5, 0), (0, -1, 0))) is None


def test_a_mesh_without_geometry_yet_is_not_there(box):
    scene = scene_of({0: box()}, (5, at(0, 0, 0), 1), (0, at(0, 0, -9), 2))
    assert scene.cast(ray((0, 0, 5), (0, 0, -1))).entity == 2
    assert scene.bounds({1}) is None
    assert scene.bounds({1, 2})[0] == pytest.approx([-0.5, -0.5, -9.5])


def test_many_triangles_agree_with_testing_all_of_them():
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (4000, 3))
    faces = rng.integers(0, 4000, (3000, 3))
    mesh = RayMesh.build(points, faces)
    scene = scene_of({0: mesh}, (0, np.eye(4), 1))
    for _ in range(20):
        probe = ray(rng.uniform(-4, 4, 3), rng.uniform(-1, 1, 3))
        expected, _ = ray_triangles(probe.origin, probe.direction, mesh.corners)
        hit = scene.cast(probe)
        assert (np.inf if hit is None else hit.distance) == pytest.approx(expected)


def test_only_meshes_that_a_ray_comes_near_have_their_triangles_laid_out(box):
    """Bounds of a prop of many parts are asked for in the midst of frames."""
    near, far = box(), box()
    scene = scene_of({0: near, 1: far}, (0, at(0, 0, 0), 1), (1, at(50, 0, 0), 2))
    assert scene.bounds({1, 2})[1] == pytest.approx([50.5, 0.5, 0.5])
    assert len(scene.box_corners({2})) == 8
    assert "corners" not in vars(near)
    assert scene.cast(ray((0, 0, 5), (0, 0, -1))).entity == 1
    assert "corners" in vars(near)
    assert "corners" not in vars(far)


def test_an_empty_scene_answers_with_the_ground():
    empty = scene_of({})
    surface = surface_under(empty, ray((1, 3, 2), (0, -1, 0)))
    assert surface.point == pytest.approx([1, 0, 2])
    assert surface.entity == 0
    assert empty.bounds({1}) is None


def test_a_ray_to_the_sky_still_gives_a_point_before_the_viewer():
    surface = surface_under(None, ray((0, 1, 0), (0, 1, -1)), fallback=8)
    assert np.linalg.norm(surface.point - [0, 1, 0]) == pytest.approx(8)


@pytest.mark.parametrize("normal", [(0, 1, 0), (1, 0, 0), (0, -1, 0), (0.6, 0.8, 0)])
def test_a_prop_rests_on_its_bounding_box(normal):
    surface = SurfacePoint(np.array([1.0, 2, 3]), np.array(normal, float))
    lo, hi = np.array([-1.0, -0.25, -1]), np.array([1.0, 2, 2])
    place = resting_position(surface, lo, hi, np.eye(3), None)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-0.25, 2) for z in (-1, 2)])
    heights = (corners + place - surface.point) @ surface.normal
    assert heights.min() == pytest.approx(0)


def test_snapping_happens_in_the_tangent_plane_only():
    wall = SurfacePoint(np.array([1.37, 2.1, 3.3]), np.array([1.0, 0, 0]))
    place = resting_position(wall, np.zeros(3), np.zeros(3), np.eye(3), 0.25)
    assert place == pytest.approx([1.37, 2.0, 3.25])


def test_snapping_on_a_slope_stays_on_the_slope():
    normal = np.array([0.6, 0.8, 0.0])
    slope = SurfacePoint(np.array([1.37, 2.1, 3.3]), normal)
    place = resting_position(slope, np.zeros(3), np.zeros(3), np.eye(3), 0.25)
    assert (place - slope.point) @ normal == pytest.approx(0)
    assert place[[0, 2]] == pytest.approx([1.25, 3.25])


@pytest.mark.parametrize("normal", [(0, 1, 0), (0, -1, 0), (1, 0, 0), (0.6, 0.0, 0.8)])
def test_aligning_takes_up_to_the_normal_by_a_rotation(normal):
    turn = align_to_normal(normal)
    assert turn @ [0, 1, 0] == pytest.approx(normal)
    assert np.linalg.det(turn) == pytest.approx(1)


def test_dropping_lands_on_the_highest_thing_below_else_on_the_ground(box):
    scene = scene_of({0: box()}, (0, at(0, 0.5, 0), 1), (0, at(0, 6, 0), 2))
    lo, hi = np.array([-0.5, 5.5, -0.5]), np.array([0.5, 6.5, 0.5])
    assert drop_distance(scene, lo, hi, {2}) == pytest.approx(4.5)
    assert drop_distance(
        scene, lo + np.array((5, 0, 0)), hi + np.array((5, 0, 0)), {2}
    ) == pytest.approx(5.5)
    assert drop_distance(
        scene, lo + np.array((5, -6, 0)), hi + np.array((5, -6, 0)), {2}
    ) == pytest.approx(-0.5)
    sunk = (0, -4.6, 0)
    assert drop_distance(scene, lo + sunk, hi + sunk, {2}) == pytest.approx(-0.1)

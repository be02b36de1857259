import numpy as np

from engine.render import Camera


def project(camera: Camera, point: tuple[float, ...], aspect: float = 1.0) -> np.ndarray:
    clip = camera.clip_from_world(aspect) @ np.array([*point, 1.0])
    return clip[:3] / clip[3]


def test_depth_is_one_at_the_near_plane_and_falls_to_zero():
    camera = Camera.look_at((0, 0, 5), (0, 0, 0), near=0.5, far=10.0)
    assert np.isclose(project(camera, (0, 0, 4.5))[2], 1.0, atol=1e-5)
    assert np.isclose(project(camera, (0, 0, -5.0))[2], 0.0, atol=1e-5)
    endless = Camera.look_at((0, 0, 5), (0, 0, 0), near=0.5)
    assert 0.0 < project(endless, (0, 0, -1e5))[2] < 1e-4


def test_the_edge_of_the_field_of_view_is_the_edge_of_the_picture():
    camera = Camera.look_at((0, 0, 1), (0, 0, 0), fov_y=np.pi / 2)
    assert np.allclose(project(camera, (0, 1, 0))[:2], (0, 1), atol=1e-5)
    assert np.allclose(project(camera, (2, 0, 0), aspect=2.0)[:2], (1, 0), atol=1e-5)


def test_own_aspect_goes_before_the_targets():
    camera = Camera.look_at((0, 0, 1), (0, 0, 0), fov_y=np.pi / 2)
    camera.aspect = 2.0
    assert np.allclose(project(camera, (2, 0, 0), aspect=1.0)[:2], (1, 0), atol=1e-5)


def test_parallel_projection_keeps_size_with_distance():
    camera = Camera.look_at((0, 0, 5), (0, 0, 0), far=50.0)
    camera.ortho_height = 4.0
    near, far = project(camera, (0, 1, 3)), project(camera, (0, 1, -30))
    assert np.isclose(near[1], 0.5)
    assert np.isclose(far[1], 0.5)
    assert near[2] > far[2] > 0.0


def test_up_along_the_view_and_a_target_at_the_eye_still_give_a_rigid_camera():
    for eye, target in (((0, 5, 0), (0, 0, 0)), ((1, 1, 1), (1, 1, 1))):
        rotation = Camera.look_at(eye, target).world_from_view[:3, :3]
        assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)
        assert np.isclose(np.linalg.det(rotation), 1.0)

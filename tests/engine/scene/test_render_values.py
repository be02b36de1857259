"""Numbers that are none stay in the level and out of the picture."""

import numpy as np
import pytest

from engine.ecs import World
from engine.render.scene import Camera, RenderScene
from engine.scene import (
    CameraComponent,
    Environment,
    LightSource,
    LocalTransform,
    MeshRenderer,
    RenderBridge,
    build_render_scene,
    propagate_transforms,
)

NOT_FINITE = [np.nan, np.inf, -np.inf]


@pytest.fixture
def scene():
    return RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))


def is_finite(scene):
    numbers = [scene.camera.world_from_view, scene.camera.fov_y, scene.camera.near]
    numbers += [scene.ambient, scene.background, scene.exposure]
    numbers += [scene.occlusion, scene.occlusion_radius, scene.bloom]
    for name in ("position", "direction", "color", "intensity", "range"):
        numbers.append(getattr(scene.lights.columns(), name))
    for name in ("inner_angle", "outer_angle"):
        numbers.append(getattr(scene.lights.columns(), name))
    numbers.append(scene.instances.columns().world_from_local)
    return all(np.isfinite(np.asarray(n, np.float64)).all() for n in numbers)


@pytest.mark.parametrize("field", ["translation", "rotation", "scale"])
@pytest.mark.parametrize("number", NOT_FINITE)
def test_what_has_no_place_is_not_drawn_and_spoils_nothing(scene, field, number):
    world = World()
    length = 4 if field == "rotation" else 3
    nowhere = LocalTransform(**{field: (number,) * length})
    world.spawn(LocalTransform((1, 2, 3)), MeshRenderer(1, 2))
    world.spawn(nowhere, MeshRenderer(1, 2))
    world.spawn(nowhere, LightSource("point"))
    world.spawn(nowhere, CameraComponent(fov_y=0.3))
    world.spawn(LocalTransform((0, 0, 9)), CameraComponent(fov_y=0.4))
    propagate_transforms(world)
    build_render_scene(world, scene)
    assert is_finite(scene)
    places = scene.instances.columns().world_from_local
    assert places[0][:3, 3].tolist() == [1, 2, 3]
    assert not places[1].any()
    assert len(scene.lights) == 0
    assert scene.camera.fov_y == pytest.approx(0.4)


def test_what_loses_its_place_and_finds_it_again_is_drawn_again(scene):
    world, bridge = World(), RenderBridge()
    entity = world.spawn(LocalTransform(), MeshRenderer(1, 2), LightSource())
    for x, lights in ((1.0, 1), (np.nan, 0), (2.0, 1)):
        world.set(entity, LocalTransform((x, 0, 0)))
        propagate_transforms(world)
        bridge.build(world, scene)
        assert is_finite(scene)
        assert len(scene.lights) == lights
    assert scene.instances[0].world_from_local[0, 3] == 2.0


@pytest.mark.parametrize("field", ["color", "intensity", "range", "inner_angle", "outer_angle"])
@pytest.mark.parametrize("number", [*NOT_FINITE, 3e38])
def test_a_light_of_impossible_numbers_is_finite(scene, field, number):
    world = World()
    value = (number,) * 3 if field == "color" else number
    world.spawn(LightSource("spot", **{field: value}), LocalTransform())
    propagate_transforms(world)
    build_render_scene(world, scene)
    assert is_finite(scene)
    assert np.isfinite(scene.lights[0].color * scene.lights[0].intensity).all()


@pytest.mark.parametrize("number", [*NOT_FINITE, -1.0, 0.0])
def test_a_camera_that_cannot_be_takes_default_optics(scene, number):
    world = World()
    world.spawn(CameraComponent(number, number), LocalTransform())
    propagate_transforms(world)
    build_render_scene(world, scene)
    assert (scene.camera.fov_y, scene.camera.near) == pytest.approx((0.9, 0.1))


@pytest.mark.parametrize(
    "field", ["ambient", "background", "exposure", "occlusion", "occlusion_radius", "bloom"]
)
@pytest.mark.parametrize("number", [*NOT_FINITE, 3e38, -3e38])
def test_a_look_of_impossible_numbers_is_finite(scene, field, number):
    world = World()
    value = (number,) * 3 if field in ("ambient", "background") else number
    world.spawn(Environment(**{field: value}))
    build_render_scene(world, scene)
    assert is_finite(scene)
    if np.isnan(number):
        assert np.allclose(getattr(scene, field), getattr(Environment(), field))
    assert 0.0 <= scene.occlusion <= 1.0
    assert 0.0 <= scene.bloom <= 1.0
    assert scene.occlusion_radius >= 0.0

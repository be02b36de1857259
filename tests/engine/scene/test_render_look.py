"""Lights, cameras and environments of a level in the scene that is drawn."""

import numpy as np
import pytest

from engine.ecs import World
from engine.render.scene import Camera, RenderScene, SkyGradient
from engine.scene import (
    CameraComponent,
    Enabled,
    Environment,
    LightSource,
    LocalTransform,
    Name,
    RenderBridge,
    build_render_scene,
    propagate_transforms,
)


def test_a_light_stands_and_shines_as_its_transform_says(world, scene):
    half = np.sqrt(0.5)
    lamp = world.spawn(
        LightSource("spot", (1, 0.5, 0.25), 10.0, 20.0, 0.25, 0.5, True),
        LocalTransform((1, 2, 3), (0, half, 0, half), (3, 3, 3)),
    )
    propagate_transforms(world)
    build_render_scene(world, scene)
    view = scene.lights[0]
    assert (view.kind, view.intensity, view.range) == ("spot", 10.0, 20.0)
    assert (view.inner_angle, view.outer_angle, view.cast_shadows) == (0.25, 0.5, True)
    assert view.color.tolist() == [1, 0.5, 0.25]
    assert view.position.tolist() == [1, 2, 3]
    assert np.allclose(view.direction, [-1, 0, 0], atol=1e-6)
    assert view.entity == lamp


def test_lights_follow_their_changes(world, scene):
    bridge = RenderBridge()
    lamp = world.spawn(LightSource("point"), LocalTransform())
    propagate_transforms(world)
    bridge.build(world, scene)
    world.set(lamp, LocalTransform((0, 4, 0)))
    propagate_transforms(world)
    bridge.build(world, scene)
    assert scene.lights[0].position.tolist() == [0, 4, 0]
    world.set(lamp, LightSource("spot", intensity=5.0))
    bridge.build(world, scene)
    assert (scene.lights[0].kind, scene.lights[0].intensity) == ("spot", 5.0)
    world.despawn(lamp)
    bridge.build(world, scene)
    assert len(scene.lights) == 0


def test_a_light_of_an_unknown_kind_or_without_a_direction_does_not_fail(world, scene):
    world.spawn(LightSource("laser"), LocalTransform(scale=(0, 0, 0)))
    propagate_transforms(world)
    build_render_scene(world, scene)
    assert scene.lights[0].kind == "directional"
    assert scene.lights[0].direction.tolist() == [0, 0, -1]


def test_the_first_active_camera_that_is_on_places_the_view_and_keeps_the_aspect(world, scene):
    scene.camera.aspect = 1.5
    world.spawn(CameraComponent(0.3, 0.2, False), LocalTransform((1, 0, 0)))
    off = world.spawn(CameraComponent(0.4, 0.2, True), LocalTransform((2, 0, 0)), Enabled(False))
    world.spawn(CameraComponent(0.5, 0.25, True), LocalTransform((3, 0, 0), scale=(2, 2, 2)))
    propagate_transforms(world)
    build_render_scene(world, scene)
    camera = scene.camera
    assert (camera.fov_y, camera.near, camera.aspect) == (0.5, 0.25, 1.5)
    assert camera.position.tolist() == [3, 0, 0]
    assert np.allclose(camera.world_from_view[:3, :3], np.eye(3))
    world.remove(off, Enabled)
    build_render_scene(world, scene)
    assert scene.camera.fov_y == pytest.approx(0.4)


def test_without_an_active_camera_the_scenes_own_stays(world, scene):
    own = scene.camera
    world.spawn(CameraComponent(active=False), LocalTransform((1, 0, 0)))
    propagate_transforms(world)
    build_render_scene(world, scene)
    assert scene.camera is own


def test_the_first_environment_that_is_on_sets_the_look(world, scene):
    first = world.spawn(
        Environment(
            "plain",
            (0.1, 0.2, 0.3),
            (0.4, 0.5, 0.6),
            exposure=2.5,
            tonemap="neutral",
            occlusion=0.75,
            occlusion_radius=2.0,
            bloom=0.25,
        )
    )
    world.spawn(Environment(exposure=9.0))
    bridge = RenderBridge()
    bridge.build(world, scene)
    assert (scene.sky, scene.exposure, scene.tonemap) == ("plain", 2.5, "neutral")
    assert np.allclose(scene.ambient, (0.1, 0.2, 0.3))
    assert np.allclose(scene.background, (0.4, 0.5, 0.6))
    assert (scene.occlusion, scene.occlusion_radius, scene.bloom) == (0.75, 2.0, 0.25)
    world.add(first, Enabled(False))
    bridge.build(world, scene)
    assert (scene.sky, scene.exposure) == ("gradient", 9.0)
    assert (scene.occlusion, scene.bloom) == (0.0, 0.0)


def test_without_an_environment_the_look_stays(world, scene):
    scene.ambient, scene.exposure, scene.tonemap, scene.sky = (1, 2, 3), 4.0, "none", "plain"
    build_render_scene(world, scene)
    assert (scene.ambient, scene.exposure, scene.tonemap, scene.sky) == (
        (1, 2, 3),
        4.0,
        "none",
        "plain",
    )


def test_words_that_a_file_made_up_take_the_defaults(world, scene):
    world.spawn(Environment(sky="starry", tonemap="film"))
    build_render_scene(world, scene)
    assert (scene.sky, scene.tonemap) == ("gradient", "agx")


def test_the_background_colour_tints_the_gradient(world, scene):
    entity = world.spawn(Environment())
    bridge = RenderBridge()
    bridge.build(world, scene)
    assert scene.environment is None
    world.set(entity, Environment(background=(0.36, 0.18, 0.2)))
    bridge.build(world, scene)
    neutral = SkyGradient()
    assert scene.environment.zenith[0] == pytest.approx(2 * neutral.zenith[0], rel=1e-5)
    assert scene.environment.zenith[1:] == pytest.approx(neutral.zenith[1:], rel=1e-5)


def test_lights_stand_in_file_order_whatever_else_they_carry():
    world = World()
    sun = world.spawn(LocalTransform(), LightSource())
    lamp = world.spawn(LocalTransform(), LightSource(kind="point"), Name("lamp"))
    spot = world.spawn(LocalTransform(), LightSource(kind="spot"))
    propagate_transforms(world)
    scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    build_render_scene(world, scene)
    assert [light.entity for light in scene.lights] == [sun, lamp, spot]
    assert [light.kind for light in scene.lights] == ["directional", "point", "spot"]

"""Shadows of every kind of light: planned, drawn, and steady while the camera moves."""

import numpy as np
import pytest

from engine.assets import Material
from engine.render import Camera, Renderer, RenderInstance, RenderLight, RenderScene, RenderSettings
from engine.render.shadow import (
    CASCADES,
    FACE_TILE,
    MAX_LOCAL_LAYERS,
    SHADOW_SIZE,
    TILE,
    casters_clip,
    plan_shadows,
    shadow_slots,
)
from tests.engine.render.conftest import linear, placed, quad

gpu = pytest.mark.gpu


def lights_of(*lights: RenderLight):
    scene = RenderScene(Camera.look_at((0, 0, 1), (0, 0, 0)))
    for light in lights:
        scene.lights.append(light)
    return scene.lights.columns()


def plan(*lights: RenderLight, radius: float = 10.0, camera: Camera | None = None):
    camera = Camera.look_at((0, 5, 20), (0, 0, 0)) if camera is None else camera
    return plan_shadows(lights_of(*lights), np.zeros(3, np.float32), radius, camera)


def point(**extra: object) -> RenderLight:
    return RenderLight("point", position=(0, 2, 0), **extra)


def spot(**extra: object) -> RenderLight:
    return RenderLight("spot", position=(0, 2, 0), direction=(0, -1, 0), **extra)


def test_only_casting_lights_have_maps():
    assert plan(point(cast_shadows=False), RenderLight(intensity=0.0)) is None
    slots = shadow_slots(
        lights_of(spot(), RenderLight(), point(), RenderLight(direction=(0, -1, 0)))
    )
    assert slots.tolist() == [CASCADES, 0, CASCADES + 1, CASCADES + 7]


def test_maps_lie_apart_in_their_layers():
    found = plan(RenderLight(), *(spot() for _ in range(3)), point(), spot(), point())
    taken = np.zeros((found.layers, SHADOW_SIZE // FACE_TILE, SHADOW_SIZE // FACE_TILE), int)
    for view in found.views:
        if view is not None:
            x, y, size = (v // FACE_TILE for v in (view.x, view.y, view.size))
            taken[view.layer, y : y + size, x : x + size] += 1
    assert taken.max() == 1
    assert {view.size for view in found.views if view} == {SHADOW_SIZE, TILE, FACE_TILE}


def test_lights_beyond_the_room_have_no_map():
    slots = shadow_slots(lights_of(*(spot() for _ in range(4 * MAX_LOCAL_LAYERS + 3))))
    assert (slots >= 0).sum() == 4 * MAX_LOCAL_LAYERS
    found = plan(*(point() for _ in range(40)))
    assert found.layers <= MAX_LOCAL_LAYERS


def test_a_wide_scene_has_cascades_of_growing_reach():
    assert plan(RenderLight()).cascades == 1
    camera = Camera.look_at((0, 2, 0), (0, 2, -10))
    found = plan(RenderLight(), radius=500.0, camera=camera)
    texels = [view.fit.texel for view in found.views[: found.cascades]]
    assert found.cascades == 3
    assert texels == sorted(texels)
    assert texels[0] < 0.02


def test_cascades_move_by_whole_texels():
    fits = []
    for x in (0.0, 0.1, 7.3):
        camera = Camera.look_at((x, 2, 0), (x, 2, -10))
        fits.append(plan(RenderLight(), radius=500.0, camera=camera).views[0].fit)
    for fit in fits[1:]:
        moved = (np.array(fit.clip_from_world) - np.array(fits[0].clip_from_world))[:2, 3]
        texels = moved * SHADOW_SIZE / 2.0
        np.testing.assert_allclose(texels, np.round(texels), atol=1e-6)
        assert fit.texel == fits[0].texel


@pytest.fixture
def stage(renderer: Renderer) -> RenderScene:
    """A floor seen from above, with a small lid over its middle."""
    scene = RenderScene(Camera.look_at((0, 6, 0.01), (0, 0, 0)))
    floor = placed()
    floor[:3, :3] = [[8, 0, 0], [0, 0, 8], [0, -8, 0]]
    lid = placed()
    lid[:3, :3] = [[0.5, 0, 0], [0, 0, 0.5], [0, -0.5, 0]]
    lid[:3, 3] = 0.8, 1.0, 0.0
    mesh = renderer.add_mesh(quad())
    white = renderer.add_material(Material(metallic=0.0, roughness=1.0, double_sided=True))
    scene.instances.append(RenderInstance(mesh, white, floor))
    scene.instances.append(RenderInstance(mesh, white, lid))
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=True, ibl=False)
    return scene


def lightness(renderer: Renderer, scene: RenderScene, x: float, z: float, size: int = 128) -> float:
    """Of the floor at a place in metres."""
    picture = linear(renderer.snapshot(scene, size, size)[..., 0])
    at = np.array([x, 0.0, z, 1.0])
    clip = scene.camera.clip_from_view(1.0) @ np.linalg.inv(scene.camera.world_from_view) @ at
    column, row = (clip[:2] / clip[3] * [0.5, -0.5] + 0.5) * size
    return float(picture[int(row), int(column)])


@gpu
@pytest.mark.parametrize("kind", ["point", "spot"])
def test_lamps_throw_shadows_away_from_them(renderer, stage, kind):
    lamp = RenderLight(kind, position=(0, 2, 0), direction=(0.4, -1, 0), outer_angle=1.2)
    lamp.intensity = 20.0
    stage.lights.append(lamp)
    # The lid's middle at height 1 of 2 hides what is twice as far.
    assert lightness(renderer, stage, 1.6, 0.0) < 0.02
    assert lightness(renderer, stage, -1.6, 0.0) > 0.05 or kind == "spot"
    assert lightness(renderer, stage, 1.6, 1.4) > 0.05
    stage.lights[0].cast_shadows = False
    assert lightness(renderer, stage, 1.6, 0.0) > 0.05


@gpu
def test_a_point_light_shadows_on_every_side(renderer, stage):
    stage.lights.append(RenderLight("point", position=(0, 2, 0), intensity=20.0))
    lid = stage.instances.columns().world_from_local
    for x, z in ((0.8, 0.0), (-0.8, 0.0), (0.0, 0.8), (0.0, -0.8), (0.6, 0.6)):
        lid[1, :3, 3] = x, 1.0, z
        stage.instances.moved([1])
        assert lightness(renderer, stage, 2 * x, 2 * z) < 0.02
        assert lightness(renderer, stage, -2 * x, -2 * z) > 0.05


@gpu
def test_a_second_sun_has_a_shadow_of_its_own(renderer, stage):
    for x in (-1.0, 1.0):
        slanted = np.array([x, -1.0, 0.0]) / np.sqrt(2.0)
        stage.lights.append(RenderLight(direction=slanted, intensity=1.0))
    beside = lightness(renderer, stage, -1.5, 0.0)
    under_first = lightness(renderer, stage, -0.2, 0.0)
    under_second = lightness(renderer, stage, 1.8, 0.0)
    assert 0.05 < under_second < 0.8 * beside
    assert 0.05 < under_first < 0.8 * beside


@gpu
def test_cascades_shade_near_and_far(renderer, stage):
    far = placed()
    far[:3, 3] = 300.0, 0.0, 300.0
    mesh = int(stage.instances.columns().mesh[0])
    stage.instances.append(RenderInstance(mesh, int(stage.instances.columns().material[0]), far))
    stage.lights.append(RenderLight(direction=(0, -1, 0), intensity=1.0))
    assert lightness(renderer, stage, 1.8, 0.0) > 0.05
    stage.camera = Camera.look_at((0.8, 0.9, 2.5), (0.8, 0, 0))
    assert lightness(renderer, stage, 0.8, 0.0) < 0.02
    assert lightness(renderer, stage, -0.3, 0.0) > 0.05


@gpu
def test_maps_are_drawn_again_only_when_something_changed(renderer, stage):
    stage.lights.append(RenderLight("point", position=(0, 2, 0), intensity=20.0))
    first = renderer.snapshot(stage, 64, 64)
    assert renderer.stats.shadow_batches > 0
    assert (renderer.snapshot(stage, 64, 64) == first).all()
    assert renderer.stats.shadow_batches == 0
    stage.instances.columns().world_from_local[1, 0, 3] = -0.8
    stage.instances.moved([1])
    renderer.snapshot(stage, 64, 64)
    assert renderer.stats.shadow_batches > 0


@gpu
def test_a_prop_that_moves_has_only_the_maps_redrawn_that_it_touches(renderer, stage):
    """Lamps over both ends of a hall, a prop under each, and one that throws no shadow."""
    mesh, white = (int(stage.instances.columns()[k][0]) for k in (0, 1))
    for x in (-40.0, 40.0):
        lid = placed(x, 1, 0)
        stage.instances.append(RenderInstance(mesh, white, lid))
        for kind in ("spot", "point"):
            lamp = RenderLight(kind, position=(x, 3, 0), direction=(0, -1, 0), range=10.0)
            lamp.intensity = 20.0
            stage.lights.append(lamp)
    stage.instances.append(RenderInstance(mesh, white, placed(0, 1, 0), cast_shadows=False))
    painter = renderer._painter._shadows
    renderer.snapshot(stage, 64, 64)
    assert painter.layers == 2

    def move(row: int, *to: float) -> tuple[int, int]:
        stage.instances.columns().world_from_local[row, :3, 3] = to
        stage.instances.moved([row])
        kept = renderer.snapshot(stage, 64, 64).astype(int)
        redrawn = painter.layers
        painter._stamps[:] = [None] * len(painter._stamps)
        return redrawn, int(np.abs(kept - renderer.snapshot(stage, 64, 64)).max())

    # The first layer holds both cones and the first lamp's six sides, the second the rest.
    assert move(2, -40.0, 1.5, 0.0) == (1, 0)
    assert move(4, 0.5, 1.0, 0.0) == (0, 0)
    assert move(3, 60.0, 1.0, 0.0) == (2, 0)
    assert move(3, 61.0, 1.0, 0.0) == (0, 0)
    assert move(3, 40.0, 1.0, 0.0) == (2, 0)


def test_casters_are_chosen_for_many_places_of_a_map_at_once():
    chosen = set()
    for x in np.linspace(0.0, 40.0, 200):
        camera = Camera.look_at((x, 2, 0), (x, 2, -10))
        fit = plan(RenderLight(), radius=500.0, camera=camera).views[0].fit
        clip = casters_clip(fit)
        chosen.add(clip.tobytes())
        corners = np.array([(a, b, c, 1.0) for a in (-1, 1) for b in (-1, 1) for c in (0, 1)])
        world = np.linalg.solve(np.array(fit.clip_from_world), corners.T)
        assert np.abs((clip @ world)[:2]).max() <= 1.0 + 1e-6
    assert 2 <= len(chosen) <= 10

"""Bloom: how bright light spreads, and that nothing else changes."""

import numpy as np
import pytest

from engine.assets import Material
from engine.render import Camera, Renderer, RenderInstance, RenderScene, RenderSettings
from engine.render.bloom import octave_shares
from engine.render.scene import OverlayBatch
from engine.render.targets import KEPT
from tests.engine.render.conftest import linear, placed, put, quad, sun

pytestmark = pytest.mark.gpu


def settings(**extra):
    return RenderSettings(**{"tonemap": "none", "msaa": 1, "shadows": False, "ibl": False} | extra)


def lamp(renderer, strength, scene, size=0.25, **at):
    """A square that shines in the middle of the picture."""
    look = Material(base_color=(0, 0, 0, 1), emissive=(1, 1, 1), emissive_strength=strength)
    mesh = renderer.add_mesh(quad(size))
    scene.instances.append(RenderInstance(mesh, renderer.add_material(look), placed(**at)))
    return scene


def drawn(renderer, scene, width=128, height=128, **extra):
    renderer.settings = settings(**extra)
    return linear(renderer.snapshot(scene, width, height)[..., :3])


def test_light_spreads_evenly_and_fades(renderer, facing_scene):
    scene = lamp(renderer, 8.0, facing_scene)
    scene.bloom = 0.5
    light = drawn(renderer, scene)[..., 1]
    row = light[64, 75:]
    assert row[0] > 0.05
    assert (np.diff(row[::4]) < 0).all()
    assert 0.0 < row[30] < 0.2 * row[0]
    assert np.allclose(light, light[::-1], atol=0.01)
    assert np.allclose(light, light.T, atol=0.01)
    assert light[64, 64] == 1.0


def test_more_light_spreads_more_and_white_paper_does_not(renderer, facing_scene):
    found = {}
    for strength in (0.5, 1.0, 4.0, 16.0):
        scene = RenderScene(facing_scene.camera, background=(0, 0, 0), tonemap="none")
        scene.bloom = 0.3
        found[strength] = drawn(renderer, lamp(renderer, strength, scene))[64, 78, 0]
    assert found[0.5] == 0.0
    assert found[1.0] < 0.02
    assert found[4.0] > 2.5 * max(found[1.0], 0.005)
    assert found[16.0] > 2.5 * found[4.0]


def test_exposure_counts_before_it_spreads(renderer, facing_scene):
    scene = lamp(renderer, 4.0, facing_scene)
    scene.bloom, scene.exposure = 0.3, 0.1
    assert drawn(renderer, scene)[64, 78, 0] == 0.0
    scene.exposure = 2.0
    bright = drawn(renderer, scene)[64, 78, 0]
    scene.exposure = 1.0
    assert bright > 1.5 * drawn(renderer, scene)[64, 78, 0] > 0.0


def test_it_is_as_wide_in_every_size(renderer, facing_scene):
    scene = lamp(renderer, 8.0, facing_scene, size=0.3)
    scene.bloom = 0.5
    rows = {}
    for size in (96, 192, 384):
        light = drawn(renderer, scene, size, size)[..., 0]
        rows[size] = light[size // 2, [int(size * part) for part in (0.6, 0.7, 0.8, 0.95)]]
    assert np.allclose(rows[96], rows[384], rtol=0.4, atol=0.004)
    assert np.allclose(rows[192], rows[384], rtol=0.25, atol=0.004)


def village(renderer, sky="plain"):
    """Dull surfaces of every kind: opaque, glass, blended with and without an order."""
    scene = RenderScene(Camera.look_at((1, 2, 4), (0, 0, 0)), sky=sky, tonemap="none")
    scene.ambient = (0.6, 0.6, 0.6)
    sun(scene, (-0.3, -1, -0.4), 0.4)
    mesh = renderer.add_mesh(quad())
    glass = {"KHR_materials_transmission": {"transmissionFactor": 1.0}}
    looks = [
        Material(base_color=(0.5, 0.2, 0.1, 1.0), metallic=0.0, double_sided=True),
        Material(base_color=(0.5, 0.6, 0.5, 1.0), metallic=0.0, extensions=glass),
        Material(base_color=(0.1, 0.3, 0.6, 0.5), metallic=0.0, alpha_mode="blend"),
    ]
    for k, look in enumerate(looks):
        at = placed(0.7 * k - 0.7, 0.1 * k, 0.6 * k)
        scene.instances.append(RenderInstance(mesh, renderer.add_material(look), at, entity=k + 1))
    crossing = placed(0.7, 0.2, 1.2)
    crossing[:3, :3] = [[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]]
    scene.instances.append(RenderInstance(mesh, renderer.add_material(looks[2]), crossing))
    scene.overlay = OverlayBatch()
    scene.overlay.lines([(-1, 0.5, 0), (1, 0.5, 0)], (1, 1, 0, 1), width=3)
    scene.overlay.lines([(-1, 0.6, -0.5), (1, 0.6, -0.5)], (0, 1, 1, 1), on_top=True, width=3)
    scene.selected = (1,)
    return scene


@pytest.mark.parametrize("tonemap", ["none", "neutral", "agx"])
@pytest.mark.parametrize("msaa", [1, 4])
@pytest.mark.parametrize("sky", ["plain", "gradient"])
def test_where_nothing_is_bright_the_picture_stays(renderer, tonemap, msaa, sky):
    """Edges, background, glass, layers, overlays and outline are as they are without."""
    scene = village(renderer, sky)
    look = {"tonemap": tonemap, "msaa": msaa, "ibl": True}
    without = drawn(renderer, scene, 160, 120, **look)
    apart = np.abs(drawn(renderer, scene, 160, 120, bloom=1.0, **look) - without).max(axis=2)
    # Blended layers are averaged before the curve instead of after it.
    assert apart.mean() < (0.002 if tonemap == "none" else 0.006)
    assert np.quantile(apart, 0.9) < 0.01
    # Sky and background are shown as they are.
    assert (apart[:10] < 0.01).mean() > 0.99


def test_the_grid_is_drawn_where_it_lies(renderer):
    scene = village(renderer)
    shown = []
    for bloom in (0.0, 1.0):
        scene.grid = False
        without = drawn(renderer, scene, 160, 120, msaa=4, tonemap="agx", bloom=bloom)
        scene.grid = True
        picture = drawn(renderer, scene, 160, 120, msaa=4, tonemap="agx", bloom=bloom)
        shown.append(np.abs(picture - without).max(axis=2) > 0.01)
    assert shown[0].mean() > 0.02
    assert (shown[0] == shown[1]).mean() > 0.95


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 5), (33, 17), (161, 97)])
@pytest.mark.parametrize("msaa", [1, 4])
def test_pictures_of_any_size_repeat_to_the_bit(renderer, size, msaa):
    renderer.settings = settings(msaa=msaa, bloom=0.7, occlusion=0.5)
    scene = lamp(renderer, 9.0, village(renderer), z=1.5)
    first = renderer.snapshot(scene, *size)
    renderer.snapshot(scene, 64, 64)
    assert np.array_equal(renderer.snapshot(scene, *size), first)


def test_targets_of_former_sizes_and_of_switched_off_passes_are_let_go(renderer):
    fresh = Renderer()
    scene = lamp(fresh, 9.0, village(fresh), z=1.5)
    for size in range(40, 60):
        drawn(fresh, scene, size, size, msaa=4, bloom=0.5, occlusion=0.5)
    most = len(fresh._targets)
    assert most <= KEPT
    for _ in range(8):
        drawn(fresh, scene, 60, 60, msaa=4, bloom=0.5, occlusion=0.5)
    with_passes = len(fresh._targets)
    assert with_passes < 25
    for _ in range(8):
        drawn(fresh, scene, 60, 60, msaa=4)
    assert len(fresh._targets) <= with_passes - 6
    # Two sizes in turn, as a window with a preview has them, are kept.
    made = []
    real = fresh._targets._make
    fresh._targets._make = lambda key: made.append(key) or real(key)
    for _ in range(4):
        for size in (60, 24):
            drawn(fresh, scene, size, size, msaa=4)
    assert {key[1] for key in made} <= {24, 12}
    assert len(made) == len(set(made))


def test_a_picture_like_the_last_one_makes_nothing_anew(renderer):
    scene = lamp(renderer, 9.0, village(renderer, "gradient"), z=1.5)
    scene.lights[0].cast_shadows = True
    renderer.settings = settings(msaa=4, shadows=True, ibl=True, bloom=0.5, occlusion=0.5)
    for _ in range(2):
        renderer.snapshot(scene, 64, 48)
    made = []
    with pytest.MonkeyPatch.context() as patch:
        kinds = ("bind_group", "buffer", "texture", "sampler", "render_pipeline")
        for kind in (*kinds, "shader_module", "render_bundle_encoder"):
            name = f"create_{kind}"
            real = getattr(type(renderer.device), name)
            patch.setattr(
                type(renderer.device),
                name,
                lambda *a, real=real, name=name, **k: made.append(name) or real(*a, **k),
            )
        renderer.snapshot(scene, 64, 48)
        assert made == []
        scene.camera.world_from_view[0, 3] += 0.01
        renderer.snapshot(scene, 64, 48)
    assert set(made) <= {"create_render_bundle_encoder"}


def test_off_is_off(renderer, facing_scene):
    fresh = Renderer()
    scene = lamp(fresh, 9.0, facing_scene)
    plain = drawn(fresh, scene)
    pipelines = fresh.stats.pipelines
    scene.bloom = 1.0
    assert np.array_equal(drawn(fresh, scene, bloom=0.0), plain)
    assert np.array_equal(
        drawn(fresh, scene, mode="unlit"), drawn(fresh, scene, 128, 128, mode="unlit", bloom=0.0)
    )
    assert fresh.stats.pipelines == pipelines + 1
    assert not np.array_equal(drawn(fresh, scene), plain)


def test_bright_layers_and_glass_spread_too(renderer, facing_scene):
    facing_scene.bloom = 0.5
    light = {"emissive": (1, 1, 1), "emissive_strength": 20.0, "base_color": (0, 0, 0, 0.5)}
    look = renderer.add_material(Material(alpha_mode="blend", **light))
    put(facing_scene, renderer.add_mesh(quad(0.3)), look, 0, 0)
    assert drawn(renderer, facing_scene)[64, 80, 0] > 0.05


def octave_weights(height):
    """Weight of each level, from the finest, and how wide it is in heights of the picture."""
    shares = octave_shares((height, height))
    weights, rest = [], 1.0
    for share in shares:
        weights.append(rest * (1 - share))
        rest *= share
    weights = np.array([*weights, rest])
    return weights, 2.0 ** np.arange(1, len(weights) + 1) / height


@pytest.mark.parametrize("number", [np.inf, np.nan, 1e38, -np.inf])
@pytest.mark.parametrize("msaa", [1, 4])
def test_light_that_is_no_number_stays_where_it_is(renderer, facing_scene, number, msaa):
    scene = lamp(renderer, 0.4, facing_scene, size=0.5, x=-0.6)
    broken = Material(base_color=(0, 0, 0, 1), emissive=(number,) * 3, metallic=1.0)
    put(scene, renderer.add_mesh(quad(0.1)), renderer.add_material(broken), 0.6, 0)
    scene.bloom = 0.3
    light = drawn(renderer, scene, msaa=msaa)
    assert np.isfinite(light).all()
    glow = 0.5 if number > 0 else 0.01
    # Far from it nothing but its glow is added.
    assert abs(light[64, 26, 0] - 0.4) < glow
    assert light[10, 10].max() < glow


def test_octaves_add_up_to_one_and_are_as_wide_in_every_size():
    means = []
    for height in (256, 300, 511, 512, 700, 1023, 1024, 2160):
        weights, widths = octave_weights(height)
        assert np.isclose(weights.sum(), 1.0)
        assert (weights >= 0.0).all()
        means.append(float(np.exp((weights * np.log(widths)).sum())))
    assert np.ptp(means) < 0.3 * np.mean(means)
    # Without a jump where another octave begins.
    assert means[2] == pytest.approx(means[3], rel=0.01)
    assert means[5] == pytest.approx(means[6], rel=0.01)
    for height in (1, 2, 3, 8, 9):
        assert np.isclose(octave_weights(height)[0].sum(), 1.0)

"""Material extensions: small pictures against their equations."""

import numpy as np
import pytest

from engine.assets import Material
from engine.assets.material import TextureRef
from engine.render import Renderer, RenderScene, RenderSettings
from engine.render.dfg import dfg_table
from engine.render.material_layers import EXTRA_TEXTURES, NO_LAYERS, material_layers
from engine.render.settings import DISPLAY_MODES
from tests.engine.render.conftest import linear, put, quad, sun

gpu = pytest.mark.gpu

LUX = 3.0


def seen(renderer: Renderer, scene: RenderScene, size: int = 16) -> np.ndarray:
    picture = renderer.snapshot(scene, size, size)
    return linear(picture[size // 2, size // 2, :3])


def lit(renderer: Renderer, scene: RenderScene, material: Material) -> np.ndarray:
    """A quad seen and lit head on."""
    put(scene, renderer.add_mesh(quad()), renderer.add_material(material))
    sun(scene, lux=LUX)
    return seen(renderer, scene)


def extended(name: str, **parameters: object) -> dict[str, dict[str, object]]:
    return {f"KHR_materials_{name}": parameters}


def base_reflection(color: float, f0: float, roughness: float = 1.0, f90: float = 1.0) -> float:
    """Head on: H = N = V = L, so k = 2^-12.54, D = 1 / (pi alpha^2), Vis = 1 / 4."""
    weight = 2.0 ** (-5.55473 - 6.98316)
    fresnel = f0 * (1.0 - weight) + f90 * weight
    scale, bias = dfg_table()[-1, round(roughness * 16) - 1]
    compensation = 1.0 + f0 * (1.0 / (scale + bias) - 1.0)
    lobe = 1.0 / (np.pi * roughness**4) / 4.0
    return fresnel * lobe * compensation + color / np.pi * (1.0 - fresnel)


def test_what_shows_nothing_has_no_layers():
    assert material_layers({}) is NO_LAYERS
    assert material_layers(extended("clearcoat", clearcoatFactor=0.0)) is NO_LAYERS
    assert material_layers(extended("ior", ior=1.5)) is NO_LAYERS
    assert material_layers(extended("volume", thicknessFactor=1.0)) is NO_LAYERS
    assert material_layers({"VENDOR_wax": {"clearcoatFactor": 1.0}}) is NO_LAYERS


def test_equal_references_share_a_texture_and_too_many_lose_the_least_seen():
    shared = TextureRef(4, 0)
    film = extended(
        "iridescence",
        iridescenceFactor=1.0,
        iridescenceTexture=shared,
        iridescenceThicknessTexture=shared,
    )
    layers = material_layers(film)
    assert layers.textures == (shared,)
    names = {"IRIDESCENCE_TEXTURE=0", "IRIDESCENCE_THICKNESS_TEXTURE=0"}
    assert names < layers.switches
    many = {
        **extended(
            "clearcoat",
            clearcoatFactor=1.0,
            clearcoatTexture=TextureRef(0),
            clearcoatRoughnessTexture=TextureRef(1),
            clearcoatNormalTexture=TextureRef(2),
        ),
        **extended(
            "sheen",
            sheenColorFactor=[1, 1, 1],
            sheenColorTexture=TextureRef(3),
            sheenRoughnessTexture=TextureRef(4),
        ),
        **extended("specular", specularTexture=TextureRef(5), specularColorTexture=TextureRef(6)),
        **extended("anisotropy", anisotropyStrength=1.0, anisotropyTexture=TextureRef(7)),
    }
    layers = material_layers(many)
    assert len(layers.textures) == EXTRA_TEXTURES
    assert not any("SHEEN_ROUGHNESS_TEXTURE" in name for name in layers.switches)


@gpu
def test_ior_and_specular_set_what_a_dielectric_reflects(renderer, facing_scene):
    plain = {"base_color": (0.5, 0.5, 0.5, 1.0), "metallic": 0.0}
    dense = Material(**plain, extensions=extended("ior", ior=2.42))
    got = lit(renderer, facing_scene, dense)
    f0 = ((2.42 - 1.0) / (2.42 + 1.0)) ** 2
    np.testing.assert_allclose(got, LUX * base_reflection(0.5, f0), atol=0.008)
    facing_scene.clear()
    dull = Material(**plain, extensions=extended("specular", specularFactor=0.0))
    got = lit(renderer, facing_scene, dull)
    np.testing.assert_allclose(got, LUX * 0.5 / np.pi, atol=0.004)


@gpu
def test_clearcoat_reflects_over_what_it_dims(renderer, facing_scene):
    varnish = extended("clearcoat", clearcoatFactor=1.0, clearcoatRoughnessFactor=1.0)
    coated = Material(base_color=(0.2, 0.2, 0.2, 1), metallic=0.0, extensions=varnish)
    got = lit(renderer, facing_scene, coated)
    fresnel = 0.04 + 0.96 * 2.0 ** (-5.55473 - 6.98316)
    below = base_reflection(0.2, 0.04)
    expected = below * (1.0 - fresnel) + fresnel / np.pi / 4.0
    np.testing.assert_allclose(got, LUX * expected, atol=0.005)


@gpu
def test_sheen_adds_the_charlie_lobe_and_takes_from_below(renderer, facing_scene):
    velvet = extended("sheen", sheenColorFactor=[1.0, 0.5, 0.0], sheenRoughnessFactor=1.0)
    cloth = Material(base_color=(0.2, 0.2, 0.2, 1), metallic=0.0, extensions=velvet)
    got = lit(renderer, facing_scene, cloth)
    lobe = 3.0 * 0.0078125**0.5 / (2.0 * np.pi) / 4.0
    albedo = np.exp(
        -1.9362 + 1.0678 + 0.4573 - 0.8469 / 1.1 - 0.6014 + 0.5538 - 0.467 - 0.1255 / 1.1
    )
    expected = base_reflection(0.2, 0.04) * (1.0 - albedo) + np.array([1.0, 0.5, 0.0]) * lobe
    np.testing.assert_allclose(got, LUX * expected, atol=0.006)


@gpu
def test_anisotropy_widens_the_lobe_along_its_direction(renderer, facing_scene):
    for turn, wide in ((0.0, 0), (np.pi / 2, 1)):
        facing_scene.clear()
        brushed = extended("anisotropy", anisotropyStrength=1.0, anisotropyRotation=turn)
        put(
            facing_scene,
            renderer.add_mesh(quad(tangents=[[1, 0, 0, 1]] * 4)),
            renderer.add_material(Material(roughness=0.4, extensions=brushed)),
        )
        levels = []
        for axis in (0, 1):
            facing_scene.lights.clear()
            direction = [0.0, 0.0, -1.0]
            direction[axis] = -1.0
            sun(facing_scene, direction)
            levels.append(float(seen(renderer, facing_scene)[0]))
        assert levels[wide] > 3.0 * levels[1 - wide]


@gpu
def test_a_thin_film_colours_what_a_grey_metal_reflects(renderer, facing_scene):
    colors = []
    for thickness in (300.0, 450.0):
        facing_scene.clear()
        film = extended("iridescence", iridescenceFactor=1.0, iridescenceThicknessMaximum=thickness)
        grey = Material(base_color=(0.4, 0.4, 0.4, 1), extensions=film)
        colors.append(lit(renderer, facing_scene, grey))
        np.testing.assert_allclose(
            colors[-1], LUX * _film(thickness) / np.pi / 4.0 * _metal_gain(), atol=0.02
        )
    assert np.ptp(colors[0]) > 0.02
    assert np.abs(colors[0] - colors[1]).max() > 0.02


def _metal_gain() -> float:
    scale, bias = dfg_table()[-1, -1]
    return 1.0 + 0.4 * (1.0 / float(scale + bias) - 1.0)


def _film(thickness: float) -> np.ndarray:
    """Reflectance of a film of IOR 1.3 over a grey metal, head on: Airy's sum over wavelengths.

    Weighted by the colour matching of the fits that KHR_materials_iridescence gives.
    """
    r0 = ((1.3 - 1.0) / 2.3) ** 2
    through = 1.0 - r0
    base = 0.4
    ior = (1.0 + np.sqrt(base)) / (1.0 - np.sqrt(base))
    second = ((ior - 1.3) / (ior + 1.3)) ** 2
    product = r0 * second
    series = through**2 * second / (1.0 - product)
    path, term = 2.0 * 1.3 * thickness, series - through
    out = np.full(3, r0 + series)
    for order in (1, 2):
        term *= np.sqrt(product)
        phase = 2.0 * np.pi * order * path * 1e-9
        shift = order * np.pi
        value = np.array([5.4856e-13, 4.4201e-13, 5.2481e-13])
        position = np.array([1.6810e6, 1.7953e6, 2.2084e6])
        variance = np.array([4.3278e9, 9.3046e9, 6.6121e9])
        xyz = value * np.sqrt(2 * np.pi * variance) * np.cos(position * phase + shift)
        xyz *= np.exp(-(phase**2) * variance)
        xyz[0] += (
            9.7470e-14
            * np.sqrt(2 * np.pi * 4.5282e9)
            * np.cos(2.2399e6 * phase + shift)
            * np.exp(-4.5282e9 * phase**2)
        )
        to_srgb = np.array(
            [
                [3.2404542, -1.5371385, -0.4985314],
                [-0.9692660, 1.8760108, 0.0415560],
                [0.0556434, -0.2040259, 1.0572252],
            ]
        )
        out = out + term * 2.0 * (to_srgb @ (xyz / 1.0685e-7))
    return np.maximum(out, 0.0)


@gpu
def test_glass_shows_what_is_behind_tinted_and_absorbed(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad(4.0)), unlit(0.8, 0.8, 0.8), 0, 0, -1)
    glass = {
        **extended("transmission", transmissionFactor=1.0),
        **extended("ior", ior=1.0),
        **extended(
            "volume",
            thicknessFactor=2.0,
            attenuationDistance=1.0,
            attenuationColor=[1.0, 0.5, 0.25],
        ),
    }
    pane = Material(base_color=(0.9, 0.9, 0.9, 1), metallic=0.0, extensions=glass)
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(pane))
    got = seen(renderer, facing_scene, 64)
    # An IOR of 1 reflects nothing head on but the bias of the table (F90).
    _, bias = dfg_table()[-1, -1]
    expected = 0.8 * 0.9 * np.array([1.0, 0.25, 0.0625]) * (1.0 - float(bias))
    np.testing.assert_allclose(got, expected, atol=0.01)


@gpu
def test_glass_bends_and_blurs_what_is_behind(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad(4.0)), unlit(1, 1, 1), 2, 0, -1)
    for roughness, edge in ((0.0, 2), (0.5, 8)):
        clear = {
            **extended("transmission", transmissionFactor=1.0),
            **extended("specular", specularFactor=0.0),
        }
        pane = Material(metallic=0.0, roughness=roughness, extensions=clear)
        put(facing_scene, renderer.add_mesh(quad(2.0)), renderer.add_material(pane))
        row = linear(renderer.snapshot(facing_scene, 64, 64)[32, :, 0])
        between = int(((row > 0.02) & (row < 0.98)).sum())
        assert between >= edge
        assert (between < 8) == (roughness == 0.0)
        del facing_scene.instances[1]


@gpu
def test_pictures_with_glass_are_the_same_to_the_byte(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad(1.0)), unlit(1, 0.5, 0.2), 0.3, 0, -1)
    glass = extended("transmission", transmissionFactor=1.0)
    pane = Material(metallic=0.0, roughness=0.3, double_sided=True, extensions=glass)
    put(facing_scene, renderer.add_mesh(quad(2.0)), renderer.add_material(pane))
    sun(facing_scene)
    first = renderer.snapshot(facing_scene, 48, 48)
    assert (first == renderer.snapshot(facing_scene, 48, 48)).all()


@gpu
def test_a_removed_layer_texture_reads_as_white(renderer, facing_scene):
    black = renderer.resources.add_texture(np.zeros((1, 1, 4), np.uint8), False, "black")
    varnish = extended(
        "clearcoat",
        clearcoatFactor=1.0,
        clearcoatTexture=TextureRef(black),
        clearcoatRoughnessFactor=1.0,
    )
    coated = Material(base_color=(0, 0, 0, 1), metallic=0.0, extensions=varnish)
    without = lit(renderer, facing_scene, coated)
    renderer.resources.remove_texture(black)
    assert seen(renderer, facing_scene)[0] > without[0]


@gpu
@pytest.mark.parametrize("mode", DISPLAY_MODES)
def test_layers_are_drawn_in_every_view(renderer, facing_scene, mode):
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, mode=mode)
    layers = {
        **extended("transmission", transmissionFactor=0.5),
        **extended("clearcoat", clearcoatFactor=1.0),
    }
    for alpha_mode in ("opaque", "mask"):
        pane = Material(alpha_mode=alpha_mode, double_sided=True, extensions=layers)
        put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(pane), entity=7)
    facing_scene.selected = (7,)
    sun(facing_scene)
    assert renderer.snapshot(facing_scene, 16, 16)[8, 8].any()
    assert renderer.pick(8, 8) == 7


@gpu
def test_alpha_covers_beside_what_transmission_lets_through(renderer, facing_scene, unlit):
    """KHR_materials_transmission: coverage blends the surface, its transmission included."""
    put(facing_scene, renderer.add_mesh(quad(4.0)), unlit(0.8, 0.8, 0.8), 0, 0, -1)
    glass = {
        **extended("transmission", transmissionFactor=1.0),
        **extended("specular", specularFactor=0.0),
    }
    pane = Material(
        base_color=(0.5, 0.5, 0.5, 0.25), metallic=0.0, alpha_mode="blend", extensions=glass
    )
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(pane))
    expected = 0.75 * 0.8 + 0.25 * 0.8 * 0.5
    np.testing.assert_allclose(seen(renderer, facing_scene), expected, atol=0.01)

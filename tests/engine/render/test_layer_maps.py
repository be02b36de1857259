"""Maps of the layers of a material: which UV set and which channel each reads."""

from dataclasses import replace

import numpy as np
import pytest

from engine.assets import Material, MeshData
from tests.engine.render.conftest import put, quad, sun
from tests.engine.render.maps import SLOTS, TANGENTS, behind_it, drawn, flat, shown, texture

pytestmark = pytest.mark.gpu


def uv_square(matrix=((1, 0), (0, 1)), offset=(0, 0)):
    uv = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    return uv @ np.asarray(matrix, float).T + offset


def patchwork(renderer, slot_is_colour):
    """A texture whose quarters all differ in every channel."""
    pixels = np.array(
        [
            [[250, 60, 30, 255], [60, 250, 120, 90]],
            [[120, 120, 250, 30], [190, 180, 200, 180]],
        ]
    )
    return texture(renderer, pixels, slot_is_colour)


LAYER_MAPS = {
    ("clearcoat", "clearcoatTexture"): {"clearcoatFactor": 1.0, "clearcoatRoughnessFactor": 0.6},
    ("clearcoat", "clearcoatRoughnessTexture"): {
        "clearcoatFactor": 1.0,
        "clearcoatRoughnessFactor": 1.0,
    },
    ("clearcoat", "clearcoatNormalTexture"): {
        "clearcoatFactor": 1.0,
        "clearcoatRoughnessFactor": 0.6,
    },
    ("sheen", "sheenColorTexture"): {"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 0.7},
    ("sheen", "sheenRoughnessTexture"): {"sheenColorFactor": [1, 1, 1], "sheenRoughnessFactor": 1},
    ("specular", "specularTexture"): {"specularFactor": 1.0, "specularColorFactor": [9, 9, 9]},
    ("specular", "specularColorTexture"): {"specularColorFactor": [9, 9, 9]},
    ("iridescence", "iridescenceTexture"): {"iridescenceFactor": 1.0},
    ("iridescence", "iridescenceThicknessTexture"): {"iridescenceFactor": 1.0},
    ("anisotropy", "anisotropyTexture"): {"anisotropyStrength": 1.0},
    ("transmission", "transmissionTexture"): {"transmissionFactor": 1.0},
    ("volume", "thicknessTexture"): {
        "thicknessFactor": 1.0,
        "attenuationDistance": 0.5,
        "attenuationColor": [0.9, 0.3, 0.5],
    },
}


COLOURS = ("base_color", "emissive", "sheenColorTexture", "specularColorTexture")


PLAIN = {"base_color": (0.6, 0.5, 0.4, 1), "metallic": 0.3, "roughness": 0.5}


def mapped_by(slot, ref):
    """A material that reads one texture, in a slot of its own or of an extension."""
    if isinstance(slot, str):
        glow = {"emissive": (0.5, 0.5, 0.5)} if slot == "emissive" else {}
        return Material(**PLAIN, **glow, **{f"{slot}_texture": ref})
    extension, key = slot
    layers = {f"KHR_materials_{extension}": LAYER_MAPS[slot] | {key: ref}}
    if extension == "volume":
        layers["KHR_materials_transmission"] = {"transmissionFactor": 1.0}
    return Material(**PLAIN, extensions=layers)


ALL_SLOTS = [*SLOTS, *LAYER_MAPS]


SLOT_NAMES = [slot if isinstance(slot, str) else slot[1] for slot in ALL_SLOTS]


@pytest.mark.parametrize("slot", ALL_SLOTS, ids=SLOT_NAMES)
def test_every_map_takes_either_uv_set_and_a_transform(renderer, facing_scene, unlit, slot):
    name = slot if isinstance(slot, str) else slot[1]
    ref = patchwork(renderer, name in COLOURS)
    angle, scale, offset = 0.6, (1.5, 0.75), (0.3, -0.2)
    cos, sin = np.cos(angle), np.sin(angle)
    turned = np.array([[cos, sin], [-sin, cos]]) * scale
    moved = {"tangents": TANGENTS, "uv0": uv_square(turned, offset)}

    def picture(ref, **mesh):
        facing_scene.clear()
        behind_it(renderer, facing_scene, unlit)
        material = renderer.add_material(mapped_by(slot, ref))
        put(facing_scene, renderer.add_mesh(quad(2.0, **mesh)), material)
        sun(facing_scene, (-0.4, -0.6, -1.0))
        facing_scene.ambient = (0.7, 0.7, 0.7)
        return shown(renderer, facing_scene)

    expected = picture(ref, **moved)
    plain = picture(ref, tangents=TANGENTS)
    assert np.abs(expected - plain).max() > 0.01
    second = picture(replace(ref, texcoord=1), tangents=TANGENTS, uv1=moved["uv0"])
    assert np.quantile(np.abs(second - expected).max(axis=2), 0.97) < 0.006
    transform = replace(ref, offset=offset, rotation=angle, scale=scale)
    assert (
        np.quantile(np.abs(picture(transform, tangents=TANGENTS) - expected).max(axis=2), 0.97)
        < 0.006
    )


CHANNELS = {
    ("clearcoat", "clearcoatTexture", "clearcoatFactor"): 0,
    ("clearcoat", "clearcoatRoughnessTexture", "clearcoatRoughnessFactor"): 1,
    ("sheen", "sheenRoughnessTexture", "sheenRoughnessFactor"): 3,
    ("specular", "specularTexture", "specularFactor"): 3,
    ("iridescence", "iridescenceTexture", "iridescenceFactor"): 0,
    ("transmission", "transmissionTexture", "transmissionFactor"): 0,
    ("volume", "thicknessTexture", "thicknessFactor"): 1,
}


@pytest.mark.parametrize("use", CHANNELS, ids=[key for _, key, _ in CHANNELS])
def test_a_layer_reads_its_channel_and_no_other(renderer, facing_scene, unlit, use):
    extension, key, factor = use

    def picture(parameters):
        facing_scene.clear()
        behind_it(renderer, facing_scene, unlit)
        layers = {f"KHR_materials_{extension}": parameters}
        if extension == "volume":
            layers["KHR_materials_transmission"] = {"transmissionFactor": 1.0}
        material = renderer.add_material(Material(**PLAIN, extensions=layers))
        put(facing_scene, renderer.add_mesh(quad(2.0)), material)
        sun(facing_scene, (-0.4, -0.6, -1.0))
        return shown(renderer, facing_scene)

    full = LAYER_MAPS[extension, key]
    texel = [230, 40, 90, 160]
    other = [(value * 3) % 256 for value in texel]
    texel[CHANNELS[use]] = other[CHANNELS[use]] = 102
    expected = picture(full | {factor: 0.4 * full[factor]})
    assert np.abs(expected - picture(full)).max() > 0.01
    for rgba in (texel, other):
        found = picture(full | {key: flat(renderer, *rgba)})
        np.testing.assert_allclose(found, expected, atol=0.006)


@pytest.mark.parametrize(
    ("extension", "key", "factor"),
    [
        ("sheen", "sheenColorTexture", "sheenColorFactor"),
        ("specular", "specularColorTexture", "specularColorFactor"),
    ],
)
def test_colours_of_layers_are_srgb(renderer, facing_scene, extension, key, factor):
    full = LAYER_MAPS[extension, key]
    ref = flat(renderer, 188, 255, 0, 255, srgb=True)
    mapped, told = (
        drawn(
            renderer,
            facing_scene,
            Material(**PLAIN, extensions={f"KHR_materials_{extension}": parameters}),
        )
        for parameters in (
            full | {key: ref},
            full
            | {
                factor: [
                    value * share for value, share in zip(full[factor], (0.5, 1, 0), strict=True)
                ]
            },
        )
    )
    np.testing.assert_allclose(mapped, told, atol=0.006)


def test_iridescence_thickness_lies_between_its_bounds(renderer, facing_scene):
    film = {"iridescenceFactor": 1.0, "iridescenceThicknessMaximum": 500.0}
    between = film | {
        "iridescenceThicknessMinimum": 300.0,
        "iridescenceThicknessTexture": flat(renderer, 9, 102, 200, 255),
    }
    mapped, told = (
        drawn(
            renderer,
            facing_scene,
            Material(**PLAIN, extensions={"KHR_materials_iridescence": parameters}),
        )
        for parameters in (between, film | {"iridescenceThicknessMaximum": 380.0})
    )
    np.testing.assert_allclose(mapped, told, atol=0.006)


def test_dispersion_parts_the_colours(renderer, facing_scene, unlit):
    """The edge of what lies behind a thick slanted pane: blue is bent more than red."""
    edges = {}
    for dispersion in (0.0, 5.0):
        facing_scene.clear()
        put(facing_scene, renderer.add_mesh(quad(4.0)), unlit(1, 1, 1), 2, 0, -3)
        glass = {
            "KHR_materials_transmission": {"transmissionFactor": 1.0},
            "KHR_materials_ior": {"ior": 1.6},
            "KHR_materials_volume": {"thicknessFactor": 1.0},
            "KHR_materials_dispersion": {"dispersion": dispersion},
        }
        look = Material(metallic=0.0, roughness=0.0, extensions=glass)
        slanted = MeshData(
            positions=[[-1, -1, -1], [1, -1, 1], [1, 1, 1], [-1, 1, -1]],
            normals=[[-0.7071, 0, 0.7071]] * 4,
            indices=[0, 1, 2, 0, 2, 3],
        )
        put(facing_scene, renderer.add_mesh(slanted), renderer.add_material(look))
        row = shown(renderer, facing_scene, 128)[64]
        edges[dispersion] = [int(np.argmax(row[:, k] > 0.3)) for k in range(3)]
    assert edges[0.0][0] == edges[0.0][2]
    red, green, blue = edges[5.0]
    assert red != blue
    assert min(red, blue) <= green <= max(red, blue)

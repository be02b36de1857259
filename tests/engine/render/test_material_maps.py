"""Textures of materials: how they are sampled, where they lie, which channel says what."""

from dataclasses import replace

import numpy as np
import pytest

from engine.assets import Material, MeshData
from engine.assets.material import Sampler, TextureRef
from engine.render import Camera, Renderer, RenderScene
from tests.engine.render.conftest import linear, put, quad, sun

pytestmark = pytest.mark.gpu

SLOTS = ("base_color", "metallic_roughness", "normal", "occlusion", "emissive")
NEAREST = Sampler(mag="nearest", min="nearest", mipmap="none")
TANGENTS = [[1.0, 0.0, 0.0, 1.0]] * 4


def texture(
    renderer: Renderer, pixels: object, srgb: bool = False, **sampler: object
) -> TextureRef:
    rgba = np.asarray(pixels, np.uint8)
    store = renderer.resources
    chosen = Sampler(**sampler) if sampler else NEAREST
    return TextureRef(store.add_texture(rgba, srgb, "test"), store.add_sampler(chosen))


def flat(renderer: Renderer, *rgba: int, srgb: bool = False) -> TextureRef:
    return texture(renderer, [[rgba]], srgb)


def shown(renderer: Renderer, scene: RenderScene, size: int = 32) -> np.ndarray:
    return linear(renderer.snapshot(scene, size, size)[..., :3])


def middle(renderer: Renderer, scene: RenderScene) -> np.ndarray:
    return shown(renderer, scene, 16)[8, 8]


def drawn(renderer: Renderer, scene: RenderScene, material: Material, **mesh: object) -> np.ndarray:
    """A square that fills the picture, lit from a side and from everywhere."""
    scene.clear()
    put(scene, renderer.add_mesh(quad(2.0, **mesh)), renderer.add_material(material))
    sun(scene, (-0.4, -0.6, -1.0))
    scene.ambient = (0.7, 0.7, 0.7)
    return shown(renderer, scene)


@pytest.mark.parametrize("axis", ["u", "v"])
@pytest.mark.parametrize("wrap", ["repeat", "mirror", "clamp"])
def test_wrapping_beyond_the_edge(renderer, facing_scene, axis, wrap):
    levels = np.array([10, 90, 170, 250])
    pixels = np.full((4, 4, 4), 255)
    pixels[..., :3] = levels[:, None] if axis == "u" else levels[:, None, None]
    wraps = {f"wrap_{axis}": wrap}
    ref = texture(renderer, pixels, mag="nearest", min="nearest", mipmap="none", **wraps)
    uv = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]) * 4.0 - 2.0
    look = Material(unlit=True, base_color_texture=ref)
    put(facing_scene, renderer.add_mesh(quad(2.0, uv0=uv)), renderer.add_material(look))
    picture = shown(renderer, facing_scene, 64)
    line = picture[32, :, 0] if axis == "u" else picture[:, 32, 0]
    texel = np.floor((np.arange(64) + 0.5) / 64 * 16 - 8).astype(int)
    expected = {
        "repeat": texel % 4,
        "mirror": np.where(texel % 8 < 4, texel % 8, 7 - texel % 8),
        "clamp": np.clip(texel, 0, 3),
    }[wrap]
    np.testing.assert_allclose(line, levels[expected] / 255, atol=0.01)


def test_magnified_texels_are_squares_or_blend(renderer, facing_scene):
    pixels = np.full((1, 2, 4), 255)
    pixels[0, 0, :3] = 0
    for mag, between in (("nearest", 0), ("linear", 28)):
        ref = texture(renderer, pixels, mag=mag, wrap_u="clamp")
        row = drawn(renderer, facing_scene, Material(unlit=True, base_color_texture=ref))[8, :, 0]
        assert (np.diff(row) >= -1e-6).all()
        assert abs(int(((row > 0.02) & (row < 0.98)).sum()) - between) <= 14 * (between > 0)
        assert row[0] < 0.02
        assert row[-1] > 0.98


@pytest.mark.parametrize(
    ("mipmap", "expected"),
    [("none", [0.0, 0.0]), ("nearest", [0.25, 0.5]), ("linear", [0.3, 0.45])],
)
def test_minified_textures_choose_their_level(renderer, facing_scene, mipmap, expected):
    """Levels that tell their number, at a fifth and at four fifths of the way to the next."""
    size = 64
    levels = []
    for k in range(7):
        side = size >> k
        levels.append(np.full((side, side, 4), [round(63.75 * min(k, 4))] * 3 + [255], np.uint8))
    store = renderer.resources
    made = store.add_levels(levels, (size, size), srgb=False)
    chosen = store.add_sampler(Sampler(mipmap=mipmap))
    for level, value in zip((1.2, 1.8), expected, strict=True):
        scale = 2.0**level * 32 / size
        ref = TextureRef(made, chosen, scale=(scale, scale))
        picture = drawn(renderer, facing_scene, Material(unlit=True, base_color_texture=ref))
        np.testing.assert_allclose(picture[16, 16], value, atol=0.02)


def test_base_colour_and_emission_are_srgb_and_multiply(renderer, facing_scene):
    ref = flat(renderer, 188, 255, 0, 255, srgb=True)
    look = Material(base_color=(0.5, 0.25, 1, 1), base_color_texture=ref, unlit=True)
    np.testing.assert_allclose(
        drawn(renderer, facing_scene, look)[16, 16], [0.25, 0.25, 0.0], atol=0.005
    )
    glow = Material(
        base_color=(0, 0, 0, 1), metallic=1.0, emissive=(0.5, 0.25, 1), emissive_texture=ref
    )
    np.testing.assert_allclose(
        drawn(renderer, facing_scene, glow)[16, 16], [0.25, 0.25, 0.0], atol=0.01
    )


def test_roughness_is_green_and_metal_blue(renderer, facing_scene):
    plain = {"base_color": (0.7, 0.4, 0.2, 1.0)}
    for green, blue in ((102, 51), (255, 255), (153, 0)):
        mapped = Material(
            **plain,
            metallic=0.8,
            roughness=0.9,
            metallic_roughness_texture=flat(renderer, 17, green, blue, 40),
        )
        told = Material(**plain, metallic=0.8 * blue / 255, roughness=0.9 * green / 255)
        assert np.allclose(
            drawn(renderer, facing_scene, mapped), drawn(renderer, facing_scene, told), atol=0.005
        )


def test_occlusion_is_red_and_keeps_off_lights(renderer, facing_scene):
    look = Material(metallic=0.0, occlusion_strength=0.5)
    mapped = replace(look, occlusion_texture=flat(renderer, 51, 255, 255, 255))
    open_light = drawn(renderer, facing_scene, look)[16, 16]
    dimmed = drawn(renderer, facing_scene, mapped)[16, 16]
    facing_scene.lights.clear()
    surroundings = middle(renderer, facing_scene)
    # Half of the four fifths that red takes away.
    lights = open_light - surroundings / 0.6
    np.testing.assert_allclose(dimmed, lights + surroundings, atol=0.006)
    assert (lights > 0.1).all()


@pytest.mark.parametrize("tangents", [None, TANGENTS], ids=["from the screen", "of the mesh"])
def test_normal_maps_lean_towards_u_and_against_v(renderer, facing_scene, tangents):
    mesh = renderer.add_mesh(quad(2.0, tangents=tangents) if tangents else quad(2.0))
    right, up = (218, 128, 218, 255), (128, 218, 218, 255)
    found = {}
    for name, texel, scale in (
        ("right", right, 1.0),
        ("up", up, 1.0),
        ("level", right, 0.0),
        ("left", right, -1.0),
    ):
        look = Material(metallic=0.0, normal_texture=flat(renderer, *texel), normal_scale=scale)
        facing_scene.clear()
        put(facing_scene, mesh, renderer.add_material(look))
        for axis, direction in (("+x", (-1, 0, -1)), ("-x", (1, 0, -1)), ("+y", (0, -1, -1))):
            facing_scene.lights.clear()
            sun(facing_scene, direction)
            found[name, axis] = float(middle(renderer, facing_scene)[0])
    assert found["right", "+x"] > 1.3 * found["level", "+x"]
    assert found["right", "-x"] < 0.1 * found["level", "-x"]
    assert found["left", "-x"] == pytest.approx(found["right", "+x"], abs=0.01)
    assert found["up", "+y"] == pytest.approx(found["right", "+x"], abs=0.01)
    plain = Material(metallic=0.0)
    facing_scene.instances[0].material = renderer.add_material(plain)
    assert found["level", "+y"] == pytest.approx(float(middle(renderer, facing_scene)[0]), abs=0.01)


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


def behind_it(renderer, scene, unlit):
    put(scene, renderer.add_mesh(quad(4.0)), unlit(0.7, 0.8, 0.9), 0, 0, -1)


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


def test_unlit_surfaces_need_and_take_no_light(renderer, facing_scene):
    look = Material(base_color=(0.3, 0.5, 0.7, 1), unlit=True, emissive=(1, 1, 1))
    np.testing.assert_allclose(
        drawn(renderer, facing_scene, look)[16, 16], [0.3, 0.5, 0.7], atol=0.005
    )


def test_back_faces_of_two_sided_surfaces_are_lit_as_their_front(renderer):
    pictures = []
    for side in (1, -1):
        camera = Camera.look_at((0, 0, 5 * side), (0, 0, 0), far=20.0)
        camera.ortho_height = 2.0
        scene = RenderScene(camera, tonemap="none")
        look = Material(metallic=0.0, double_sided=True)
        put(scene, renderer.add_mesh(quad(2.0)), renderer.add_material(look))
        sun(scene, (0.3 * side, -0.5, -side))
        pictures.append(shown(renderer, scene))
    np.testing.assert_allclose(*pictures, atol=0.005)
    assert pictures[0].min() > 0.2


def test_alpha_of_vertex_colours_covers(renderer, facing_scene, unlit):
    behind_it(renderer, facing_scene, unlit)
    half = [[1.0, 0.5, 0.0, 0.5]] * 4
    look = Material(unlit=True, alpha_mode="blend", base_color=(1, 1, 1, 0.5))
    put(facing_scene, renderer.add_mesh(quad(2.0, colors=half)), renderer.add_material(look))
    expected = 0.25 * np.array([1.0, 0.5, 0.0]) + 0.75 * np.array([0.7, 0.8, 0.9])
    np.testing.assert_allclose(middle(renderer, facing_scene), expected, atol=0.005)


def test_the_cutoff_decides_what_is_a_hole(renderer, facing_scene):
    for cutoff, is_there in ((0.4, True), (0.5, True), (0.6, False)):
        look = Material(
            unlit=True, alpha_mode="mask", alpha_cutoff=cutoff, base_color=(1, 1, 1, 0.5)
        )
        picture = drawn(renderer, facing_scene, look)
        assert (picture[16, 16, 0] == 1.0) == is_there

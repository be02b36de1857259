"""Which channel of which map says what of a plain surface."""

from dataclasses import replace

import numpy as np
import pytest

from engine.assets import Material
from engine.render import Camera, RenderScene
from tests.engine.render.conftest import put, quad, sun
from tests.engine.render.maps import TANGENTS, behind_it, drawn, flat, middle, shown

pytestmark = pytest.mark.gpu


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

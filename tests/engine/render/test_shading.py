import numpy as np
import pytest

from engine.assets import Material, MeshData
from engine.assets.material import Sampler, TextureRef
from engine.render import Camera, Renderer, RenderInstance, RenderLight, RenderScene, RenderSettings
from tests.engine.render.conftest import linear, placed, put, quad, sun

pytestmark = pytest.mark.gpu


def center(picture: np.ndarray) -> np.ndarray:
    return linear(picture[picture.shape[0] // 2, picture.shape[1] // 2, :3])


def test_lit_quad_follows_the_reference_equations(renderer: Renderer, facing_scene: RenderScene):
    """Head on, roughness 1: D = 1 / pi, Vis = 0.5 / 2, F = F0 up to the fit's error."""
    base = np.array([0.8, 0.4, 0.2])
    material = Material(base_color=(*base, 1.0), metallic=0.0, roughness=1.0)
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(material))
    sun(facing_scene)
    facing_scene.ambient = (0.5, 0.5, 0.5)
    from engine.render.dfg import dfg_table

    scale, bias = dfg_table()[-1, -1]
    ess = scale + bias
    specular = 3.0 * 0.04 / np.pi * 0.25 * (1.0 + 0.04 * (1.0 / ess - 1.0))
    fss = 0.04 * scale + bias
    average = 0.04 + 0.96 / 21.0
    albedo = fss + fss * average / (1.0 - (1.0 - ess) * average) * (1.0 - ess)
    diffuse = base / np.pi * (3.0 * 0.96 + 0.5 * (1.0 - albedo))
    got = center(renderer.snapshot(facing_scene, 32, 32))
    np.testing.assert_allclose(got, specular + diffuse, atol=0.006)


def test_metal_gets_nothing_from_ambient_light(renderer: Renderer, facing_scene: RenderScene):
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(Material()))
    facing_scene.ambient = (1.0, 1.0, 1.0)
    assert center(renderer.snapshot(facing_scene, 16, 16)).max() == 0.0


def test_emissive_strength_multiplies(renderer: Renderer, facing_scene: RenderScene):
    glow = Material(metallic=1.0, emissive=(0.1, 0.05, 0.0), emissive_strength=4.0)
    put(facing_scene, renderer.add_mesh(quad()), renderer.add_material(glow))
    got = center(renderer.snapshot(facing_scene, 16, 16))
    np.testing.assert_allclose(got, [0.4, 0.2, 0.0], atol=0.005)


def test_back_faces_are_culled_unless_double_sided(renderer, facing_scene, unlit):
    mesh = renderer.add_mesh(quad())
    turned = np.diag([-1.0, 1.0, -1.0, 1.0]).astype(np.float32)
    facing_scene.instances.append(RenderInstance(mesh, unlit(1, 1, 1), turned))
    assert center(renderer.snapshot(facing_scene, 16, 16)).max() == 0.0
    facing_scene.instances[0].material = unlit(1, 1, 1, double_sided=True)
    assert center(renderer.snapshot(facing_scene, 16, 16)).min() == 1.0


def test_mirrored_instance_keeps_its_front(renderer, facing_scene, unlit):
    mesh, material = renderer.add_mesh(quad()), unlit(0, 1, 0)
    facing_scene.instances.append(RenderInstance(mesh, material, placed(scale=(-1, 1, 1))))
    assert center(renderer.snapshot(facing_scene, 16, 16))[1] == 1.0
    columns = facing_scene.instances.columns()
    columns.world_from_local[0] = placed()
    facing_scene.instances.moved([0])
    assert center(renderer.snapshot(facing_scene, 16, 16))[1] == 1.0


def test_masked_texels_are_holes_and_blending_is_in_linear_light(renderer, facing_scene, unlit):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[:, 1] = 255
    texture = renderer.resources.add_texture(pixels, True, "half")
    sampler = renderer.resources.add_sampler(Sampler(mag="nearest"))
    ref = TextureRef(texture, sampler)
    near = Material(unlit=True, alpha_mode="mask", base_color_texture=ref)
    put(facing_scene, renderer.add_mesh(quad(2.0)), renderer.add_material(near))
    put(facing_scene, renderer.add_mesh(quad(2.0)), unlit(0, 0, 1), 0, 0, -1)
    picture = linear(renderer.snapshot(facing_scene, 64, 64)[..., :3])
    np.testing.assert_array_equal(picture[32, 40], [1, 1, 1])
    np.testing.assert_array_equal(picture[32, 24], [0, 0, 1])
    put(
        facing_scene, renderer.add_mesh(quad(2.0)), unlit(1, 0, 0, 0.5, alpha_mode="blend"), 0, 0, 1
    )
    picture = linear(renderer.snapshot(facing_scene, 64, 64)[..., :3])
    np.testing.assert_allclose(picture[32, 40], [1, 0.5, 0.5], atol=0.005)


def test_blended_surfaces_are_drawn_back_to_front(renderer, facing_scene, unlit):
    mesh = renderer.add_mesh(quad())
    red = unlit(1, 0, 0, 0.5, alpha_mode="blend")
    green = unlit(0, 1, 0, 0.5, alpha_mode="blend")
    put(facing_scene, mesh, red, 0, 0, 1)
    put(facing_scene, mesh, green, 0, 0, 0)
    got = center(renderer.snapshot(facing_scene, 16, 16))
    np.testing.assert_allclose(got, [0.5, 0.25, 0.0], atol=0.005)
    columns = facing_scene.instances.columns()
    columns.world_from_local[:, 2, 3] = (0.0, 1.0)
    facing_scene.instances.moved([0, 1])
    got = center(renderer.snapshot(facing_scene, 16, 16))
    np.testing.assert_allclose(got, [0.25, 0.5, 0.0], atol=0.005)


def test_texture_transform_and_second_uv_set(renderer, facing_scene):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0] = 255, 0, 0, 255
    pixels[0, 1] = 0, 255, 0, 255
    pixels[1] = 0, 0, 255, 255
    texture = renderer.resources.add_texture(pixels, True, "corners")
    ref = TextureRef(texture, texcoord=1, offset=(0.5, 0.0))
    mesh = renderer.add_mesh(quad(2.0, uv1=[[0.25, 0.25]] * 4))
    material = Material(unlit=True, base_color_texture=ref)
    put(facing_scene, mesh, renderer.add_material(material))
    got = center(renderer.snapshot(facing_scene, 16, 16))
    np.testing.assert_allclose(got, [0, 1, 0], atol=0.01)


def test_vertex_colours_multiply(renderer, facing_scene, unlit):
    mesh = renderer.add_mesh(quad(colors=[[0.5, 0.25, 1.0, 1.0]] * 4))
    put(facing_scene, mesh, unlit(1, 1, 0.5))
    got = center(renderer.snapshot(facing_scene, 16, 16))
    np.testing.assert_allclose(got, [0.5, 0.25, 0.5], atol=0.005)


def test_skin_and_morph_move_vertices_on_the_gpu(renderer, facing_scene, unlit):
    from engine.assets.mesh import MorphTarget

    moved = np.zeros((4, 3), np.float32)
    moved[:, 0] = 0.5
    mesh = quad(
        0.5,
        joints=[[0, 0, 0, 0]] * 4,
        weights=[[1, 0, 0, 0]] * 4,
        morph_targets=[MorphTarget(positions=moved)],
    )
    instance = RenderInstance(
        renderer.add_mesh(mesh), unlit(1, 1, 1), joint_offset=0, morph_weights=(1.0,)
    )
    facing_scene.instances.append(instance)
    facing_scene.joints.append(placed(0, 0.5, 0))
    picture = renderer.snapshot(facing_scene, 64, 64)[..., 0]
    rows, columns = np.nonzero(picture)
    assert 31 < columns.mean() - 16 < 33
    assert 31 < rows.mean() + 16 < 33
    facing_scene.joints[0] = placed(0, -0.5, 0)
    picture = renderer.snapshot(facing_scene, 64, 64)[..., 0]
    assert 31 < np.nonzero(picture)[0].mean() - 16 < 33


def test_spot_cone_and_range_limit_the_light(renderer, facing_scene):
    white = Material(metallic=0.0, roughness=1.0)
    put(facing_scene, renderer.add_mesh(quad(2.0)), renderer.add_material(white))
    spot = RenderLight(
        "spot", intensity=3.0, inner_angle=0.2, outer_angle=0.3, position=(0, 0, 2), range=10.0
    )
    facing_scene.lights.append(spot)
    picture = linear(renderer.snapshot(facing_scene, 64, 64)[..., 0])
    assert picture[32, 32] > 0.1
    assert picture[2, 2] == 0.0
    facing_scene.lights[0].range = 1.5
    assert linear(renderer.snapshot(facing_scene, 64, 64)[..., 0]).max() == 0.0
    facing_scene.lights[0].kind = "point"
    facing_scene.lights[0].range = 0.0
    assert linear(renderer.snapshot(facing_scene, 64, 64)[..., 0]).min() > 0.01


def test_points_are_two_pixels_and_lines_one(renderer, facing_scene, unlit):
    point = renderer.add_mesh(MeshData(positions=[[0, 0, 0]], topology="points"))
    put(facing_scene, point, unlit(1, 1, 1))
    assert (renderer.snapshot(facing_scene, 64, 64)[..., 0] > 0).sum() == 4
    line = MeshData(positions=[[-0.5, 0.51, 0], [0.5, 0.51, 0]], topology="lines")
    facing_scene.instances[0].mesh = renderer.add_mesh(line)
    lit = (renderer.snapshot(facing_scene, 64, 64)[..., 0] > 0).sum()
    assert 31 <= lit <= 33


def test_a_caster_throws_a_shadow_only_when_asked(renderer: Renderer):
    scene = RenderScene(Camera.look_at((0, 6, 0.01), (0, 0, 0)))
    floor = placed()
    floor[:3, :3] = [[8, 0, 0], [0, 0, 8], [0, -8, 0]]
    lid = floor.copy()
    lid[:3, :3] /= 8.0
    lid[:3, 3] = 2.0, 2.0, 0.0
    mesh = renderer.add_mesh(quad())
    white = renderer.add_material(Material(metallic=0.0, roughness=1.0, double_sided=True))
    scene.instances.append(RenderInstance(mesh, white, floor, entity=1))
    scene.instances.append(RenderInstance(mesh, white, lid, entity=2))
    sun(scene, (-1, -1, 0))
    plain = renderer.snapshot(scene, 96, 96)
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=True, ibl=False)
    shaded = renderer.snapshot(scene, 96, 96)
    assert linear(plain[48, 48, 0]) > 0.1
    assert linear(shaded[48, 48, 0]) < 0.02
    assert np.abs(plain[20, 20].astype(int) - shaded[20, 20]).max() <= 1
    scene.instances[1].cast_shadows = False
    assert linear(renderer.snapshot(scene, 96, 96)[48, 48, 0]) > 0.1


@pytest.mark.parametrize("tonemap", ["neutral", "agx"])
def test_tone_mapping_keeps_bright_light_below_white_in_order(
    renderer, facing_scene, unlit, tonemap
):
    renderer.settings = RenderSettings(tonemap=None, msaa=1, shadows=False, ibl=False)
    facing_scene.tonemap = tonemap
    put(facing_scene, renderer.add_mesh(quad()), unlit(0.5, 0.5, 0.5))
    seen = []
    for exposure in (0.5, 1.0, 4.0, 8.0):
        facing_scene.exposure = exposure
        seen.append(float(center(renderer.snapshot(facing_scene, 8, 8))[0]))
    assert seen == sorted(seen)
    assert len(set(seen)) == 4
    assert seen[-1] <= 1.0

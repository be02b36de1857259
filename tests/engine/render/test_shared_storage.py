"""What many meshes and materials share on the GPU shows each as it is."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from engine.assets import Material, MeshData, TextureRef
from engine.assets.mesh import MorphTarget
from engine.render import Renderer, RenderScene
from tests.engine.render.conftest import put, quad

pytestmark = pytest.mark.gpu
SIDE = 16


def colour(k: int) -> tuple[float, ...]:
    return (0.2 + 0.8 * (k % 16) / 15, 0.2 + 0.8 * (k // 16) / 15, 0.5, 1.0)


def shown(renderer: Renderer, scene: RenderScene) -> np.ndarray:
    """The colour in the middle of each cell, by number."""
    picture = renderer.snapshot(scene, 4 * SIDE, 4 * SIDE)
    return picture[2::4, 2::4, :3].reshape(-1, 3)


def expected(number: int) -> np.ndarray:
    linear = np.array(colour(number)[:3])
    return 255 * np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


def show(scene: RenderScene, mesh: int, materials: list[int]) -> None:
    for k, material in enumerate(materials):
        x, y = (k % SIDE + 0.5) * 2 / SIDE - 1, 1 - (k // SIDE + 0.5) * 2 / SIDE
        put(scene, mesh, material, x, y)


def test_hundreds_of_materials_keep_their_looks_as_more_come_and_go(renderer, facing_scene):
    made: list[Material] = []

    def add(k: int) -> int:
        made.append(Material(base_color=colour(k), unlit=True))
        return renderer.add_material(made[-1])

    mesh = renderer.add_mesh(quad(2 / SIDE))
    first = [add(k) for k in range(10)]
    show(facing_scene, mesh, first)
    assert np.abs(shown(renderer, facing_scene)[:10] - [expected(k) for k in range(10)]).max() < 2
    # Far more than had room before; recorded draws name those that were there.
    materials = first + [add(k) for k in range(10, SIDE * SIDE)]
    facing_scene.instances.clear()
    show(facing_scene, mesh, materials)
    wanted = np.array([expected(k) for k in range(SIDE * SIDE)])
    assert np.abs(shown(renderer, facing_scene) - wanted).max() < 2
    # Places of removed ones are taken by others, and one that is replaced stays where it is.
    for material in materials[100:150]:
        renderer.remove_material(material)
    materials[100:150] = [add(149 - k) for k in range(50)]
    renderer.replace_material(materials[5], Material(base_color=colour(200), unlit=True))
    facing_scene.instances.clear()
    show(facing_scene, mesh, materials)
    wanted[100:150], wanted[5] = wanted[100:150][::-1].copy(), expected(200)
    assert np.abs(shown(renderer, facing_scene) - wanted).max() < 2


def test_materials_of_the_same_textures_share_a_bind_group(renderer, monkeypatch):
    made = []
    create = renderer.device.create_bind_group

    def count(**description):
        made.append(description)
        return create(**description)

    monkeypatch.setattr(renderer.device, "create_bind_group", count)
    texture = renderer.resources.add_texture(np.full((3, 5, 4), 77, np.uint8), True, "own")
    for k in range(20):
        ref = TextureRef(texture=texture, sampler=-1)
        renderer.add_material(Material(base_color=colour(k), base_color_texture=ref))
    assert len([k for k in made if len(k["entries"]) == 11]) == 1


def deforming() -> MeshData:
    rng = np.random.default_rng(3)
    return quad(
        uv1=rng.random((4, 2)),
        colors=rng.random((4, 4)),
        joints=[[0, 0, 0, 0]] * 4,
        weights=[[1, 0, 0, 0]] * 4,
        morph_targets=[MorphTarget(np.ones((4, 3), np.float32))],
    )


@pytest.mark.parametrize("source", [quad(), deforming(), quad(tangents=[[1, 0, 0, 1]] * 4)])
def test_a_mesh_that_a_worker_prepared_is_the_same(renderer, source):
    with ThreadPoolExecutor(1) as pool:
        prepared = pool.submit(renderer.prepare_mesh, source, source.build_lods()).result()
    table = renderer._gpu.meshes
    ids = renderer.add_mesh(source, source.build_lods()), renderer.add_mesh(source, None, prepared)
    one, other = (table.get(number) for number in ids)
    for name in ("digest", "layout", "index_count", "vertex_count", "uv_density", "levels"):
        assert getattr(one, name) == getattr(other, name)
    assert other.block.size >= other.index_count * 4 + other.base.size
    optional = (other.tangents, other.uv1, other.colors, other.skin)
    streams = [s for s in (other.indices, other.base, *optional) if s is not None]
    ends = [(s.offset, s.offset + s.size) for s in streams]
    assert ends == sorted(ends)
    assert all(a[1] <= b[0] for a, b in pairwise(ends))
    for number in ids:
        renderer.remove_mesh(number)


def test_points_are_quads_of_their_own(renderer, facing_scene, unlit):
    points = MeshData(positions=[[0.5, 0.5, 0], [-0.5, -0.5, 0]], topology="points")
    facing_scene.instances.clear()
    put(facing_scene, renderer.add_mesh(points), unlit(1, 0, 0))
    picture = renderer.snapshot(facing_scene, 64, 64)
    assert picture[16, 48, 0] == 255
    assert picture[48, 16, 0] == 255
    assert picture[32, 32, 0] == 0

"""GPU memory of meshes and textures: shared, given back, and refused without a trace."""

import random

import numpy as np
import pytest
import wgpu

from engine.assets import Material, MeshData
from engine.assets.mesh import MorphTarget
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderScene
from engine.render.arena import ALIGNMENT, PAGE_BYTES, BufferArena
from engine.render.device import request_device
from tests.engine.render.conftest import put, quad

pytestmark = pytest.mark.gpu


class ShortDevice:
    """A device that refuses buffers and textures once `bytes_left` are taken."""

    def __init__(self, device: object) -> None:
        self._device = device
        self.bytes_left = 1 << 40
        self.made: list[object] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._device, name)

    def create_buffer(self, *, size: int, **rest: object) -> object:
        self._take(size)
        self.made.append(self._device.create_buffer(size=size, **rest))
        return self.made[-1]

    def create_texture(self, *, size: tuple, mip_level_count: int = 1, **rest: object) -> object:
        self._take(size[0] * size[1] * 4)
        made = self._device.create_texture(size=size, mip_level_count=mip_level_count, **rest)
        self.made.append(made)
        return made

    def _take(self, size: int) -> None:
        if size > self.bytes_left:
            raise wgpu.GPUOutOfMemoryError("Not enough memory left.")


@pytest.fixture
def device() -> ShortDevice:
    return ShortDevice(request_device())


def tall(rows: int) -> MeshData:
    """A strip of so many vertices, 32 bytes each and three indices of 4."""
    points = np.zeros((rows, 3), np.float32)
    points[:, 0] = np.arange(rows)
    points[::2, 1] = 1.0
    triangles = np.arange(rows - 2)[:, None] + np.arange(3)
    normals = np.tile(np.float32([0, 0, 1]), (rows, 1))
    return MeshData(positions=points, normals=normals, indices=triangles.ravel())


def figures(renderer: Renderer) -> tuple[int, ...]:
    meshes, textures = renderer._gpu.meshes, renderer.resources
    return meshes.used_bytes, len(meshes), textures.used_bytes, textures.serial


def test_a_refused_mesh_or_texture_is_told_with_its_size_and_leaves_no_trace(device):
    renderer = Renderer(device)
    scene = RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))
    put(scene, renderer.add_mesh(quad()), renderer.add_material(Material()), entity=7)
    before, picture = figures(renderer), renderer.snapshot(scene, 32, 32)
    device.bytes_left = 1 << 20
    with pytest.raises(EngineError, match=r"meshes: 8\.8 MB .*refuses .*Not enough memory"):
        renderer.add_mesh(tall(200_000))
    with pytest.raises(EngineError, match=r"'sky': 1024 x 512 pixels need 2\.8 MB, .*refuses"):
        renderer.resources.add_texture(np.zeros((512, 1024, 4), np.uint8), True, "sky")
    with pytest.raises(EngineError, match=r"'cooked': 1024 x 512 pixels need 2\.1 MB"):
        levels = [np.zeros((512, 1024, 4), np.uint8)]
        renderer.resources.add_levels(levels * 1, (1024, 512), label="cooked")
    mesh = scene.instances.columns().mesh[0]
    with pytest.raises(EngineError, match=r"8\.8 MB"):
        renderer.replace_mesh(int(mesh), tall(200_000))
    assert figures(renderer) == before
    assert np.array_equal(renderer.snapshot(scene, 32, 32), picture)
    device.bytes_left = 1 << 40
    assert renderer.add_mesh(tall(200_000)) == 1
    assert renderer.resources.add_texture(np.zeros((512, 1024, 4), np.uint8), True, "sky") > 0


def test_a_part_that_fits_is_given_back_when_another_is_refused(device):
    renderer = Renderer(device)
    before = figures(renderer)
    mesh = quad()
    mesh.morph_targets = [MorphTarget(np.ones((len(mesh.positions), 3), np.float32))]
    renderer._gpu.meshes._arenas["morph"]._device = _Refusing(device)
    with pytest.raises(EngineError, match="morph deltas"):
        renderer.add_mesh(mesh)
    assert figures(renderer) == before


class _Refusing:
    def __init__(self, device: ShortDevice) -> None:
        self._device = device

    def create_buffer(self, **_: object) -> object:
        raise wgpu.GPUOutOfMemoryError("Not enough memory left.")


def test_where_a_page_is_refused_a_mesh_gets_just_its_own_bytes(device):
    renderer = Renderer(device)
    device.bytes_left = PAGE_BYTES // 2
    mesh = renderer.add_mesh(quad())
    assert renderer._gpu.meshes.used_bytes < PAGE_BYTES // 2
    renderer.remove_mesh(mesh)
    assert renderer._gpu.meshes.used_bytes == 0


def test_a_material_that_is_refused_leaves_none(device):
    renderer = Renderer(device)
    count = len(renderer._gpu.materials)
    device.create_bind_group = _raise
    with pytest.raises(EngineError, match=r"material: .*no memory"):
        renderer.add_material(Material())
    assert len(renderer._gpu.materials) == count


def _raise(**_: object) -> object:
    raise wgpu.GPUOutOfMemoryError("no memory")


def arena(device: ShortDevice) -> BufferArena:
    use = wgpu.BufferUsage
    return BufferArena(device, use.VERTEX | use.COPY_DST | use.COPY_SRC, "vertices")


def test_freed_ranges_merge_and_are_taken_again(device):
    store = arena(device)
    parts = [store.store(np.zeros(PAGE_BYTES // 8, np.uint8)) for _ in range(8)]
    pages = len(device.made)
    assert pages == 1
    for number in (1, 3, 2):
        store.free(parts[number])
    # Three eighths that lie together hold what none of them would.
    again = store.store(np.zeros(3 * PAGE_BYTES // 8, np.uint8))
    assert (again.page, again.offset) == (parts[0].page, PAGE_BYTES // 8)
    assert len(device.made) == pages
    for part in (parts[0], *parts[4:], again):
        store.free(part)
    assert store.used_bytes == 0
    assert store._pages == []


def test_ranges_never_overlap_and_every_byte_comes_back(device):
    """Any order of taking and giving back; contents stay what was stored."""
    store, dice = arena(device), random.Random(3)
    held: list[tuple] = []
    for step in range(400):
        if held and dice.random() < 0.45:
            store.free(held.pop(dice.randrange(len(held)))[0])
        else:
            data = np.full(dice.choice([1, 100, 256, 5000, 70_000, 900_000]), step % 251, np.uint8)
            held.append((store.store(data), data))
        by_page: dict[int, list] = {}
        for allocation, _ in held:
            by_page.setdefault(id(allocation.page), []).append(allocation)
        for page in store._pages:
            ranges = [(a.offset, a.size) for a in by_page.get(id(page), [])] + page.free
            ends = 0
            for offset, size in sorted(ranges):
                assert offset == ends
                ends = offset + size
            assert ends == page.size
            assert page.free == sorted(page.free)
            assert all(a[0] + a[1] < b[0] for a, b in zip(page.free, page.free[1:], strict=False))
    queue = device.queue
    for allocation, data in held[::7]:
        size = data.size + -data.size % 4
        got = queue.read_buffer(allocation.buffer, allocation.offset, size)
        assert np.array_equal(np.frombuffer(got, np.uint8)[: data.size], data)
    assert store.used_bytes == sum(a.size for a, _ in held)
    for allocation, data in held:
        assert allocation.size == data.size + -data.size % ALIGNMENT
        store.free(allocation)
    assert store._pages == []

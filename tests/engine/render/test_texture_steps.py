"""Large pictures go to the GPU piece by piece, and look as if they had gone at once."""

import numpy as np
import pytest

from engine.assets import Material, TextureRef
from engine.render import Renderer, texture_source
from tests.engine.render.conftest import put, quad

pytestmark = pytest.mark.gpu
SLICE = 4096


@pytest.fixture
def writes(renderer: Renderer, monkeypatch):
    """Slices of 4096 bytes, and how many bytes each step wrote."""
    monkeypatch.setattr(texture_source, "SLICE_BYTES", SLICE)
    queue, found = renderer.device.queue, [0]
    write = queue.write_texture

    def counted(target, data, layout, size):
        found[-1] += data.nbytes
        write(target, data, layout, size)

    monkeypatch.setattr(queue, "write_texture", counted)
    return found


def noise(height: int, width: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 4), np.uint8)


def taken(steps, writes) -> int:
    while True:
        try:
            next(steps)
            writes.append(0)
        except StopIteration as end:
            return end.value


def shown(renderer, scene, texture) -> np.ndarray:
    ref = TextureRef(texture=texture, sampler=-1)
    material = renderer.add_material(Material(unlit=True, base_color_texture=ref))
    scene.instances.clear()
    put(scene, renderer.add_mesh(quad(2.0)), material)
    pictures = [renderer.snapshot(scene, side, side) for side in (96, 24)]
    return np.concatenate([picture.reshape(-1) for picture in pictures])


@pytest.mark.parametrize("size", [(64, 64), (61, 37), (5, 1100), (1100, 5), (1, 1)])
def test_no_step_writes_more_than_a_slice(renderer, facing_scene, writes, size):
    pixels = noise(*size)
    stepped = taken(renderer.resources.texture_steps(pixels, True, "stepped"), writes)
    assert sum(writes) == pixels.nbytes
    # A row is never parted.
    assert max(writes) <= max(SLICE, pixels.shape[1] * 4)
    assert len(writes) >= pixels.nbytes // max(SLICE, pixels.shape[1] * 4)
    found = shown(renderer, facing_scene, stepped)
    renderer.resources.remove_texture(stepped)
    again = renderer.resources.add_texture(pixels, True, "at once")
    assert np.array_equal(found, shown(renderer, facing_scene, again))


def test_slices_of_blocks_are_whole_rows_of_them(renderer, facing_scene, writes, monkeypatch):
    if not renderer.resources.bc_supported:
        pytest.skip("no BC7")
    blocks = [noise(24 >> k, (20 >> k) * 4, k).reshape(24 >> k, 20 >> k, 16) for k in range(2)]
    sliced = renderer.resources.add_levels(blocks, (80, 96), bc7=True)
    found = shown(renderer, facing_scene, sliced)
    renderer.resources.remove_texture(sliced)
    monkeypatch.setattr(texture_source, "SLICE_BYTES", 1 << 30)
    whole = renderer.resources.add_levels(blocks, (80, 96), bc7=True)
    assert np.array_equal(found, shown(renderer, facing_scene, whole))


def test_what_is_given_up_midway_leaves_nothing(renderer, writes):
    textures = renderer.resources
    before = textures.used_bytes, textures.serial, len(textures.residents())
    steps = textures.texture_steps(noise(64, 64, 7), True, "given up")
    for _ in range(3):
        next(steps)
    steps.close()
    assert (textures.used_bytes, textures.serial, len(textures.residents())) == before


def test_equal_pictures_share_also_where_one_overtakes_the_other(renderer, writes):
    textures, pixels = renderer.resources, noise(64, 64, 8)
    steps = textures.texture_steps(pixels, True, "slow")
    next(steps)
    quick = textures.add_texture(pixels.copy(), True, "quick")
    used = textures.used_bytes
    slow = taken(steps, writes)
    assert textures.resident(slow) is textures.resident(quick)
    assert textures.used_bytes == used
    textures.remove_texture(quick)
    assert textures.has(slow)
    textures.remove_texture(slow)

"""How textures are sampled: wrapped, magnified, minified."""

import numpy as np
import pytest

from engine.assets import Material
from engine.assets.material import Sampler, TextureRef
from tests.engine.render.conftest import put, quad
from tests.engine.render.maps import drawn, shown, texture

pytestmark = pytest.mark.gpu


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

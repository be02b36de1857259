"""Textures that lie flat before the camera stay sharp across the line of sight."""

import numpy as np
import pytest

from engine.assets import Material
from engine.assets.material import Sampler, TextureRef
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderInstance, RenderScene, RenderSettings
from tests.engine.render.conftest import quad

pytestmark = pytest.mark.gpu


@pytest.fixture
def striped_floor(renderer: Renderer):
    """Makes a floor of 64 stripes that run away from the camera, 1 m above which it looks along."""

    def make(sampler: Sampler) -> RenderScene:
        stripes = np.zeros((256, 256, 4), np.uint8)
        stripes[:, (np.arange(256) // 2) % 2 == 0, :3] = 255
        stripes[..., 3] = 255
        resources = renderer.resources
        ref = TextureRef(
            texture=resources.add_texture(stripes), sampler=resources.add_sampler(sampler)
        )
        material = renderer.add_material(Material(unlit=True, base_color_texture=ref))
        scene = RenderScene(Camera.look_at((0, 0.35, 4), (0, 0, 0), fov_y=0.5))
        flat = np.array([[8, 0, 0, 0], [0, 0, 8, 0], [0, -8, 0, 0], [0, 0, 0, 1]], np.float32)
        scene.instances.append(RenderInstance(renderer.add_mesh(quad()), material, flat))
        return scene

    return make


def contrast(renderer: Renderer, scene: RenderScene, anisotropy: int | None) -> float:
    renderer.settings = RenderSettings(tonemap="none", msaa=1, anisotropy=anisotropy)
    picture = renderer.snapshot(scene, 320, 240)[..., 0].astype(float)
    return float(np.abs(np.diff(picture[122:150], axis=1)).mean())


def test_a_setting_keeps_foreshortened_stripes_apart(renderer, striped_floor):
    scene = striped_floor(Sampler())
    blurred, sharp = contrast(renderer, scene, 1), contrast(renderer, scene, 16)
    assert sharp > 1.2 * blurred
    # What changed is taken back, in draws that were recorded before.
    assert contrast(renderer, scene, 1) == blurred
    assert contrast(renderer, scene, None) == sharp


@pytest.mark.parametrize("part", ["mag", "min", "mipmap"])
def test_a_sampler_that_takes_the_nearest_texel_anywhere_is_left_alone(
    renderer, striped_floor, part
):
    scene = striped_floor(Sampler(**{part: "nearest"}))
    assert contrast(renderer, scene, 16) == contrast(renderer, scene, 1)


def test_it_is_off_in_the_plain_look_and_refused_out_of_range():
    assert RenderSettings().texture_anisotropy == 16
    assert RenderSettings(ibl=False).texture_anisotropy == 1
    assert RenderSettings(ibl=False, anisotropy=8).texture_anisotropy == 8
    for wrong in (0, 17):
        with pytest.raises(EngineError, match="anisotropy"):
            RenderSettings(anisotropy=wrong)

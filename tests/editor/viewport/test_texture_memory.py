"""The memory of textures in the viewport: shown, chosen, and filled picture by picture."""

import numpy as np
import pytest
from PySide6.QtCore import QTimer

from editor.viewport.summary import texture_part
from engine.assets import Material
from engine.assets.material import TextureRef
from engine.scene import Environment, MeshRenderer, WorldTransform
from tests.engine.render.conftest import quad

pytestmark = pytest.mark.gpu
MB = 1 << 20


def test_the_figure_says_what_is_left_out():
    assert texture_part(300, 300) == ""
    assert texture_part(12 * MB, 12 * MB) == "12 MB textures"
    assert texture_part(12 * MB, 80 * MB) == "12 of 80 MB textures"


def active_timers(stage):
    return [t for t in stage.viewport.findChildren(QTimer) if t.isActive()]


@pytest.fixture
def textured(stage, renderer):
    """A wall with a picture of 21 MB, and the mesh and material to remove afterwards."""
    pixels = np.random.default_rng(9).integers(0, 256, (2048, 2048, 4), np.uint8)
    texture = renderer.resources.add_texture(pixels)
    ref = TextureRef(texture=texture, sampler=0)
    material = renderer.add_material(Material(unlit=True, base_color_texture=ref))
    mesh = renderer.add_mesh(quad(4.0))
    world = stage.document.world
    entity = world.spawn(MeshRenderer(mesh, material, False), WorldTransform(np.eye(4)))
    yield renderer.resources.resident(texture)
    world.despawn(entity)
    renderer.remove_mesh(mesh)
    renderer.remove_material(material)
    renderer.resources.remove_texture(texture)


def test_a_smaller_budget_takes_effect_at_once_and_full_detail_comes_back(stage, textured, qtbot):
    viewport = stage.viewport
    viewport.request_frame()
    stage.draw()
    assert "MB textures" in viewport.chips.counts.text()
    assert textured.base == 0
    viewport._settings.set("texture_megabytes", 4)
    stage.draw()
    # Pictures follow each other by themselves until everything is in its place.
    qtbot.waitUntil(lambda: textured.base > 0 and not active_timers(stage))
    assert viewport.picture.report.texture_bytes <= 4 * MB
    assert " of " in viewport.chips.counts.text()
    viewport._settings.set("texture_megabytes", 2048)
    stage.draw()
    qtbot.waitUntil(lambda: textured.base == 0 and not active_timers(stage))


def test_an_environment_image_comes_without_a_frame_that_waits_for_it(stage, tmp_path, qtbot):
    root = stage.document.root
    root.mkdir(parents=True, exist_ok=True)
    pixel = bytes((128, 64, 32, 129))
    (root / "sky.hdr").write_bytes(b"#?RADIANCE\n\n-Y 64 +X 128\n" + pixel * (64 * 128))
    app, scene = stage.document.app, stage.document.app.scene
    look = stage.document.spawn(Environment())
    stage.draw()
    assert scene.environment is app.images.default
    stage.document.set_fields([look], Environment, image="sky.hdr")
    stage.draw()
    qtbot.waitUntil(lambda: scene.environment is not app.images.default)
    qtbot.waitUntil(lambda: not active_timers(stage))
    assert scene.environment.name == "sky.hdr"
    assert not stage.viewport.picture.is_unfinished

"""The same picture through OpenGL, wgpu's last resort, as through the default backend."""

import os
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.gpu

DRAW = """
import sys
import numpy as np
from engine.assets import Material
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderInstance, RenderLight, RenderScene
from engine.render.device import is_opengl
from tests.engine.render.conftest import placed, quad
try:
    renderer = Renderer()
except EngineError:
    sys.exit(7)
if not is_opengl(renderer.device) and sys.argv[2] == "OpenGL":
    sys.exit(7)
scene = RenderScene(Camera.look_at((1, 2, 4), (0, 0, 0)), sky="gradient")
mesh = renderer.add_mesh(quad())
glass = {"KHR_materials_transmission": {"transmissionFactor": 1.0}}
looks = [
    Material(base_color=(0.8, 0.2, 0.1, 1.0), metallic=0.0, double_sided=True),
    Material(metallic=0.0, extensions=glass),
    Material(base_color=(0.1, 0.3, 0.9, 0.5), alpha_mode="blend"),
]
for k, look in enumerate(looks):
    at = placed(0.7 * k - 0.7, 0.1 * k, 0.6 * k)
    scene.instances.append(RenderInstance(mesh, renderer.add_material(look), at, entity=k + 1))
# Through the last one, so that the two have no order.
crossing = placed(0.7, 0.2, 1.2)
crossing[:3, :3] = [[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]]
scene.instances.append(RenderInstance(mesh, renderer.add_material(looks[2]), crossing))
floor = np.eye(4, dtype=np.float32)[[0, 2, 1, 3]]
floor[:3, :3] *= 3
floor[1, 3] = -0.6
scene.instances.append(RenderInstance(mesh, renderer.add_material(looks[0]), floor))
down = np.array([-0.3, -1.0, -0.4]) / np.sqrt(1.25)
scene.lights.append(RenderLight("directional", intensity=3.0, direction=down, cast_shadows=True))
scene.selected = (1,)
plain = renderer.snapshot(scene, 160, 120)
scene.ambient, scene.occlusion, scene.bloom, scene.exposure = (0.5,) * 3, 1.0, 0.5, 2.0
np.save(sys.argv[1], np.stack([plain, renderer.snapshot(scene, 160, 120)]))
"""


def drawn(path, backend):
    environment = os.environ | {"WGPU_BACKEND_TYPE": backend} if backend else dict(os.environ)
    command = [sys.executable, "-c", DRAW, str(path), backend or ""]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode == 7:
        # A machine without it draws nothing through it either.
        return None, ""
    assert done.returncode == 0, done.stderr
    return np.load(path).astype(int), done.stderr


def test_opengl_draws_the_same_picture(tmp_path):
    expected, _ = drawn(tmp_path / "default.npy", None)
    found, told = drawn(tmp_path / "gl.npy", "OpenGL")
    if found is None:
        return
    assert "assumed to have view dimension" not in told
    # The outline is not dimmed there where it is hidden.
    assert (np.abs(expected - found).max(axis=-1) > 8).mean(axis=(1, 2)).max() < 0.005
    assert np.abs(expected[0] - expected[1]).mean() > 3
    assert expected.std() > 10

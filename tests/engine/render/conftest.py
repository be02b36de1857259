"""One renderer for all tests of the room, small pictures, and props of a few lines."""

from collections.abc import Callable

import numpy as np
import pytest

from engine.assets import Material, MeshData
from engine.render import Camera, Renderer, RenderInstance, RenderLight, RenderScene, RenderSettings


@pytest.fixture(scope="session")
def shared_renderer() -> Renderer:
    return Renderer()


@pytest.fixture
def renderer(shared_renderer: Renderer) -> Renderer:
    shared_renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, ibl=False)
    return shared_renderer


def quad(size: float = 1.0, **extra: object) -> MeshData:
    """A square in the xy plane that faces +Z; v points down."""
    s = size / 2
    extra.setdefault("uv0", [[0, 1], [1, 1], [1, 0], [0, 0]])
    return MeshData(
        positions=[[-s, -s, 0], [s, -s, 0], [s, s, 0], [-s, s, 0]],
        normals=[[0, 0, 1]] * 4,
        indices=[0, 1, 2, 0, 2, 3],
        **extra,
    )


def placed(x: float = 0.0, y: float = 0.0, z: float = 0.0, scale: object = 1.0) -> np.ndarray:
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, :3] *= np.asarray(scale, np.float32)
    matrix[:3, 3] = x, y, z
    return matrix


@pytest.fixture
def facing_scene() -> RenderScene:
    """A camera on +Z that sees 2 x 2 metres of the xy plane, in parallel."""
    camera = Camera.look_at((0, 0, 5), (0, 0, 0), far=20.0)
    camera.ortho_height = 2.0
    scene = RenderScene(camera)
    scene.background = (0.0, 0.0, 0.0)
    scene.tonemap = "none"
    return scene


@pytest.fixture
def unlit(renderer: Renderer) -> Callable[..., int]:
    """Makes an unlit material of a linear colour."""

    def make(r: float, g: float, b: float, a: float = 1.0, **extra: object) -> int:
        return renderer.add_material(Material(base_color=(r, g, b, a), unlit=True, **extra))

    return make


def sun(scene: RenderScene, direction: tuple[float, ...] = (0, 0, -1), lux: float = 3.0) -> None:
    unit = np.asarray(direction, float) / np.linalg.norm(direction)
    scene.lights.append(RenderLight("directional", intensity=lux, direction=unit))


def put(scene: RenderScene, mesh: int, material: int, *at: float, **extra: object) -> None:
    scene.instances.append(RenderInstance(mesh, material, placed(*at), **extra))


def linear(srgb: object) -> np.ndarray:
    value = np.asarray(srgb, np.float64) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)

"""What a picture is drawn with can be made before it, one pipeline at a time."""

import numpy as np
import pytest

from engine.assets import Material, Sampler, TextureRef
from engine.errors import DeviceLostError, EngineError
from engine.render import Camera, Renderer, RenderScene, RenderSettings
from engine.render.device import request_device
from engine.render.shader_source import ShaderSources
from tests.engine.render.conftest import put, quad, sun

pytestmark = pytest.mark.gpu

SIZE = (32, 32)
COATED = {"KHR_materials_clearcoat": {"clearcoatFactor": 1.0}}
GLASS = {"KHR_materials_transmission": {"transmissionFactor": 0.9}}


@pytest.fixture
def fresh(shared_renderer) -> Renderer:
    """A renderer that has made nothing yet."""
    return Renderer(shared_renderer.device)


def looking_scene() -> RenderScene:
    scene = RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))
    scene.sky, scene.grid = "gradient", True
    return scene


def made(renderer: Renderer) -> int:
    return len(renderer._gpu.pipelines.store)


def prepare(renderer: Renderer, scene: RenderScene) -> int:
    """Prepare all that there is; returns how many calls made one pipeline each."""
    for count in range(100):
        before = made(renderer)
        if not renderer.prepare_snapshot(scene, *SIZE):
            assert made(renderer) == before
            return count
        assert made(renderer) == before + 1
    raise AssertionError("prepares without an end")


def textured(renderer: Renderer, **extra: object) -> int:
    texture = renderer.resources.add_texture(np.full((4, 4, 4), 200, np.uint8), True, "grey")
    sampler = renderer.resources.add_sampler(Sampler())
    return renderer.add_material(Material(base_color_texture=TextureRef(texture, sampler), **extra))


def plain_props(renderer: Renderer, scene: RenderScene) -> None:
    put(scene, renderer.add_mesh(quad()), renderer.add_material(Material()), 0.1, entity=1)
    put(scene, renderer.add_mesh(quad()), renderer.add_material(Material(double_sided=True)))
    put(scene, renderer.add_mesh(quad()), textured(renderer))
    mirrored = [-1, 1, 1]
    put(scene, renderer.add_mesh(quad()), textured(renderer, alpha_mode="mask"), 0, 0, 0, mirrored)
    colored = renderer.add_mesh(quad(colors=np.ones((4, 4))))
    put(scene, colored, renderer.add_material(Material(extensions=COATED)))


def blended_props(renderer: Renderer, scene: RenderScene) -> None:
    apart = renderer.add_material(Material(alpha_mode="blend"))
    put(scene, renderer.add_mesh(quad(0.2)), apart, -0.6, 0, 0)
    two_sided = renderer.add_material(Material(alpha_mode="blend", double_sided=True))
    put(scene, renderer.add_mesh(quad(0.2)), two_sided, 0.6, 0, 0)
    for depth in (0.0, 0.0):
        put(scene, renderer.add_mesh(quad(0.2)), apart, 0, 0, depth)


def glass_props(renderer: Renderer, scene: RenderScene) -> None:
    plain_props(renderer, scene)
    for both in (False, True):
        glass = renderer.add_material(Material(extensions=GLASS, double_sided=both))
        put(scene, renderer.add_mesh(quad()), glass, 0, 0, 0.2)


@pytest.mark.parametrize("props", [plain_props, blended_props, glass_props])
@pytest.mark.parametrize("look", ["plain", "rich", "wireframe", "uv"])
def test_a_prepared_picture_makes_no_pipelines_for_its_meshes(fresh, props, look):
    rich = look == "rich"
    mode = "lit" if rich or look == "plain" else look
    fresh.settings = RenderSettings(mode=mode)
    scene = looking_scene()
    scene.occlusion = scene.bloom = float(rich)
    if rich:
        sun(scene)
    # What fills the whole picture is made by the first one.
    fresh.snapshot(scene, *SIZE)
    if props is glass_props:
        put(scene, fresh.add_mesh(quad()), fresh.add_material(Material(extensions=GLASS)))
        fresh.snapshot(scene, *SIZE)
    props(fresh, scene)
    scene.selected = (1,)
    assert prepare(fresh, scene) > 1
    assert prepare(fresh, scene) == 0
    prepared = made(fresh)
    fresh.snapshot(scene, *SIZE)
    assert made(fresh) == prepared


def test_preparing_changes_no_picture(fresh, shared_renderer):
    pictures = []
    for renderer in (fresh, Renderer(shared_renderer.device)):
        scene = looking_scene()
        sun(scene)
        renderer.snapshot(scene, *SIZE)
        plain_props(renderer, scene)
        if renderer is fresh:
            prepare(renderer, scene)
        pictures.append(renderer.snapshot(scene, *SIZE))
    assert np.array_equal(*pictures)


def test_a_light_that_comes_in_is_prepared_for(fresh):
    scene = looking_scene()
    plain_props(fresh, scene)
    fresh.snapshot(scene, *SIZE)
    assert prepare(fresh, scene) == 0
    sun(scene)
    assert prepare(fresh, scene) > 0
    prepared = made(fresh)
    fresh.snapshot(scene, *SIZE)
    assert made(fresh) == prepared


def test_a_broken_shader_is_named_when_it_is_prepared(fresh, tmp_path, shared_renderer):
    folder = ShaderSources().folder
    for path in folder.glob("*.wgsl"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    broken = tmp_path / "surface.wgsl"
    lines = broken.read_text("utf-8").count("\n")
    broken.write_text(broken.read_text("utf-8") + "fn broken( {}\n", "utf-8")
    renderer, scene = Renderer(shared_renderer.device, tmp_path), looking_scene()
    plain_props(renderer, scene)
    with pytest.raises(EngineError, match=rf"shaders/surface\.wgsl:{lines + 1}: "):
        prepare(renderer, scene)


def test_preparing_on_a_lost_device_says_so():
    renderer, scene = Renderer(request_device()), looking_scene()
    plain_props(renderer, scene)
    renderer.device.destroy()
    with pytest.raises(DeviceLostError):
        prepare(renderer, scene)

import os
import subprocess
import sys

import numpy as np
import pytest
import wgpu

from engine.assets import Material, MeshData
from engine.errors import DeviceLostError, EngineError
from engine.render import Camera, Renderer, RenderScene, RenderSettings
from engine.render.device import adapter_names, request_device
from engine.render.open import open_renderer
from tests.engine.render.conftest import put, quad
from tests.garbage import collect_garbage


def test_without_an_adapter_the_message_says_what_to_do():
    """Forces a backend that this platform's wgpu lacks, in a process of its own."""
    backend = "Metal" if sys.platform != "darwin" else "D3D12"
    code = (
        "from engine.errors import EngineError\n"
        "from engine.render.open import open_renderer\n"
        "try:\n    open_renderer()\n"
        "except EngineError as error:\n    print(error)\n    print('--', error.details)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"WGPU_BACKEND_TYPE": backend},
    )
    sentence, _, details = done.stdout.partition("--")
    assert sentence.startswith("no GPU adapter")
    assert "install" in sentence or "Mac" in sentence
    for words in ("Caused by", "Error", "wgpu", "[unknown reason]"):
        assert words not in sentence
    assert sentence.count("\n") == 1
    # For a report, the system's own words are kept.
    assert "No suitable graphics adapter found" in details


def looking_scene() -> RenderScene:
    return RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))


@pytest.mark.gpu
def test_a_lost_device_is_told_apart_from_other_errors():
    renderer, scene = Renderer(), looking_scene()
    mesh, material = renderer.add_mesh(quad()), renderer.add_material(Material())
    put(scene, mesh, material, entity=3)
    renderer.snapshot(scene, 16, 16)
    renderer.device.destroy()
    for ask in (
        lambda: renderer.snapshot(scene, 16, 16),
        lambda: renderer.add_mesh(MeshData(positions=np.eye(3))),
        lambda: renderer.pick(8, 8),
        lambda: renderer.pick_rect(0, 0, 8, 8),
    ):
        with pytest.raises(DeviceLostError, match="lost"):
            ask()
    # What was uploaded can be let go of, as if the device was there.
    renderer.remove_mesh(mesh)
    renderer.remove_material(material)


@pytest.mark.gpu
def test_a_failed_allocation_is_an_error_and_takes_nothing(monkeypatch):
    renderer = Renderer()
    renderer.add_mesh(quad())
    used = renderer.stats, renderer._gpu.meshes.used_bytes
    arena = renderer._gpu.meshes._arenas["mesh"]

    def refuse(_: object) -> None:
        raise wgpu.GPUOutOfMemoryError("not enough memory left")

    monkeypatch.setattr(arena, "store", refuse)
    with pytest.raises(EngineError, match="mesh: not enough memory"):
        renderer.add_mesh(quad())
    assert renderer._gpu.meshes.used_bytes == used[1]


@pytest.mark.gpu
def test_the_adapter_can_be_chosen_by_name_and_an_absent_one_is_no_error():
    names = adapter_names()
    assert names
    for name in (names[0], "no such adapter"):
        assert open_renderer(name).snapshot(looking_scene(), 8, 8).shape == (8, 8, 4)


@pytest.mark.gpu
def test_gpu_time_is_measured_where_the_adapter_has_a_clock():
    renderer, scene = Renderer(), looking_scene()
    put(scene, renderer.add_mesh(quad()), renderer.add_material(Material()))
    renderer.snapshot(scene, 64, 64)
    assert renderer.stats.gpu_ms == 0.0
    renderer.settings = RenderSettings(timing=True)
    renderer.snapshot(scene, 64, 64)
    assert (renderer.stats.gpu_ms > 0.0) == renderer._timer.is_running
    assert renderer.stats.wait_ms > 0.0


@pytest.mark.gpu
def test_a_hundred_renderers_leave_no_gpu_object_behind():
    device = request_device()

    def live_one() -> None:
        renderer, scene = Renderer(device), looking_scene()
        put(scene, renderer.add_mesh(quad()), renderer.add_material(Material()), entity=5)
        scene.sky, scene.grid, scene.selected = "gradient", True, (5,)
        renderer.snapshot(scene, 16, 16)
        renderer.pick(8, 8)

    def counted() -> dict[str, int]:
        collect_garbage()
        counts = wgpu.diagnostics.object_counts.get_dict()
        return {kind: found["count"] for kind, found in counts.items()}

    live_one()
    before = counted()
    for _ in range(99):
        live_one()
    # What earlier tests left may go in the meantime, so fewer is no fault.
    assert {kind: n for kind, n in counted().items() if n > before.get(kind, 0)} == {}


@pytest.mark.gpu
def test_a_refused_pipeline_names_its_shader_file(renderer, facing_scene, unlit):
    put(facing_scene, renderer.add_mesh(quad()), unlit(0.5, 0.25, 0.125))
    renderer.snapshot(facing_scene, 8, 8)
    labels = [made.label for made in renderer._gpu.pipelines.store._pipelines.values()]
    assert labels
    assert all(label.split()[0].endswith(".wgsl") for label in labels)


@pytest.mark.gpu
def test_a_selected_layered_material_needs_no_more_textures_than_any_device_has():
    """Sixteen sampled textures in a stage are what WebGPU promises, and all that OpenGL has."""
    adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    name = "max-sampled-textures-per-shader-stage"
    smallest = adapter.request_device_sync(required_limits={name: 16})
    assert smallest.limits[name] == 16, "the adapter gave more, so this shows nothing"
    renderer, scene = Renderer(smallest), looking_scene()
    layered = Material(extensions={"KHR_materials_clearcoat": {"clearcoatFactor": 1.0}})
    mesh, material = renderer.add_mesh(quad()), renderer.add_material(layered)
    put(scene, mesh, material, entity=3)
    plain = renderer.snapshot(scene, 32, 32)
    scene.selected = {3}
    assert (renderer.snapshot(scene, 32, 32) != plain).any()
    assert renderer.pick(16, 16) == 3

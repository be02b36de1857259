"""Shader files: put together, refused by file and line, and changed while they are in use."""

import json
import re
import shutil

import numpy as np
import pytest
import wgpu

from engine.assets import Material
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderScene, RenderSettings
from engine.render.dfg import dfg_table
from engine.render.shader_source import ShaderSources, ShaderText
from tests.engine.render.conftest import put, quad, sun


def write(folder, **texts: str) -> ShaderSources:
    for name, text in texts.items():
        (folder / f"{name}.wgsl").write_text(text)
    return ShaderSources(folder)


def test_switches_drop_lines_and_lines_keep_their_place():
    text = ShaderSources().assemble("varyings.wgsl", frozenset({"COLORS"}))
    lines = text.code.split("\n")
    at = next(k for k, line in enumerate(lines) if "out.color = in.color;" in line)
    assert text.origins[at][0] == "varyings.wgsl"
    assert "uv1: vec2<f32>," not in text.code


def test_an_error_in_an_included_file_names_that_file_and_its_line():
    text = ShaderSources().assemble("surface.wgsl", frozenset({"TONEMAP_NONE"}))
    at = next(k for k, line in enumerate(text.code.split("\n")) if "fn incoming_light" in line)
    file, line = text.origins[at]
    assert file == "lights.wgsl"
    assert text.explain(f"Shader error: unknown type\n  at wgsl:{at + 1}:7").startswith(
        f"shaders/lights.wgsl:{line}: unknown type"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("let a = 1;\n#if A\n", "shaders/a.wgsl:2: found #if without #endif"),
        ("\n\n#endif\n", "shaders/a.wgsl:3: found '#endif'"),
        ("\n#when A\n", "shaders/a.wgsl:2: found '#when A'"),
        ('\n#include "none.wgsl"\n', "shaders/a.wgsl:2: cannot read 'none.wgsl'"),
        ("\nlet a = $SIZE;\n", "shaders/a.wgsl:2: found $SIZE"),
    ],
)
def test_directives_are_checked(tmp_path, text, message):
    with pytest.raises(EngineError, match=re.escape(message)):
        write(tmp_path, a=text).assemble("a.wgsl")


@pytest.fixture
def shaders(tmp_path):
    folder = tmp_path / "shaders"
    shutil.copytree(ShaderSources().folder, folder)
    return folder


def edit(folder, name: str, old: str, new: str) -> int:
    """Replace the only occurrence of a text; returns its line."""
    path = folder / name
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return text[: text.index(old)].count("\n") + 1


@pytest.fixture
def lit(shaders, shared_renderer):
    """A renderer with shaders of its own, and a scene of a square under a sun."""
    renderer = Renderer(shared_renderer.device, shaders)
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=True, ibl=False)
    scene = RenderScene(Camera.look_at((0, 0, 2), (0, 0, 0)))
    scene.sky, scene.grid = "gradient", True
    mesh, material = renderer.add_mesh(quad()), renderer.add_material(Material())
    put(scene, mesh, material, entity=5)
    scene.selected = (5,)
    sun(scene)
    return renderer, scene


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("lights.wgsl", "fn incoming_light(", "fn incoming_light(nothing, ", "expected"),
        ("surface.wgsl", "fn shown(", "fn odd() -> f33 { }\nfn shown(", "f33"),
        ("outline.wgsl", "const REACH = i32(", "const REACH = i33(", "i33"),
        ("frame.wgsl", "struct Frame {", "struct Frame { broken: f33,", "f33"),
        ("grid.wgsl", "@fragment", "@fragment;", ""),
    ],
)
def test_a_broken_shader_is_named_by_file_and_line(shaders, lit, name, old, new, words):
    line = edit(shaders, name, old, new)
    renderer, scene = lit
    with pytest.raises(EngineError) as found:
        renderer.snapshot(scene, 16, 16)
    message = str(found.value)
    place = re.match(r"shaders/([\w.]+):(\d+): ", message)
    assert place is not None, message
    assert place[1] == name
    assert int(place[2]) == line
    assert words in message
    assert "\n" not in message
    assert "Caused by" not in message


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("silhouette.wgsl", "@group(3) @binding(0) var scene_depth: texture_depth_2d;",
         "@group(3) @binding(7) var scene_depth: texture_depth_2d;"),
        ("present.wgsl", "@group(0) @binding(0)", "@group(1) @binding(4)"),
        ("geometry.wgsl", "@location(2) uv0", "@location(12) uv0"),
        ("outline.wgsl", "fn fragment(", "fn fragments("),
    ],
)  # fmt: skip
def test_a_shader_that_does_not_fit_its_pipeline_is_named_by_file_and_line(
    shaders, lit, name, old, new
):
    line = edit(shaders, name, old, new)
    renderer, scene = lit
    target = renderer.device.create_texture(
        size=(16, 16, 1), format="bgra8unorm", usage=wgpu.TextureUsage.RENDER_ATTACHMENT
    )
    with pytest.raises(EngineError) as found:
        renderer.render(scene, target, 16, 16)
    message = str(found.value)
    place = re.match(r"shaders/([\w.]+):(\d+): ", message)
    assert place is not None, message
    assert place[1] == name
    assert abs(int(place[2]) - line) <= 1
    assert "\n" not in message


def test_what_nothing_is_known_of_names_the_shader():
    text = ShaderText("a.wgsl", "fn a() {}\n", [("b.wgsl", 7)])
    assert text.explain("something else") == "shaders/a.wgsl:1: something else"
    assert text.explain("error: odd\n wgsl:1:2\n") == "shaders/b.wgsl:7: odd"


@pytest.mark.gpu
def test_changed_shaders_are_taken_in_and_broken_ones_change_nothing(shaders, lit):
    renderer, scene = lit
    first = renderer.snapshot(scene, 24, 24)
    assert not renderer.reload_shaders()
    edit(shaders, "outline.wgsl", "vec3<f32>(1.0, 0.4508, 0.0630)", "vec3<f32>(0.0, 0.0, 1.0)")
    assert renderer.reload_shaders()
    changed = renderer.snapshot(scene, 24, 24)
    assert (changed != first).any()
    surface = shaders / "surface.wgsl"
    sound = surface.read_text("utf-8")
    line = sound.count("\n") + 1
    surface.write_text(sound + "fn broken( {}\n", "utf-8")
    edit(shaders, "outline.wgsl", "vec3<f32>(0.0, 0.0, 1.0)", "vec3<f32>(0.0, 1.0, 0.0)")
    for _ in range(2):
        with pytest.raises(EngineError, match=rf"shaders/surface\.wgsl:{line}: "):
            renderer.reload_shaders()
        assert np.array_equal(renderer.snapshot(scene, 24, 24), changed)
    surface.write_text(sound, "utf-8")
    assert renderer.reload_shaders()
    mended = renderer.snapshot(scene, 24, 24)
    assert (mended != changed).any()
    edit(shaders, "outline.wgsl", "vec3<f32>(0.0, 1.0, 0.0)", "vec3<f32>(1.0, 0.4508, 0.0630)")
    renderer.reload_shaders()
    assert np.array_equal(renderer.snapshot(scene, 24, 24), first)


@pytest.mark.gpu
def test_recorded_draws_are_recorded_with_the_new_pipelines(shaders, lit):
    renderer, scene = lit
    scene.selected = ()
    first = renderer.snapshot(scene, 16, 16)
    edit(shaders, "geometry.wgsl", "out.row = row;", "out.row = row; out.clip.x += out.clip.w;")
    assert renderer.reload_shaders()
    assert (renderer.snapshot(scene, 16, 16) != first).any()


def test_split_sum_table_agrees_with_the_reference(shared):
    rows = json.loads((shared / "reference_renders" / "dfg_lut.json").read_text())["rows"]
    reference = np.array(rows)
    ours = dfg_table()
    assert ours.shape == reference.shape
    assert np.abs(ours - reference).max() < 0.02
    assert np.abs(ours - reference).mean() < 0.002
    assert np.all(ours.sum(axis=2) <= 1.0 + 1e-3)

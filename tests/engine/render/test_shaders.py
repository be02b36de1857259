import json

import numpy as np
import pytest

from engine.errors import EngineError
from engine.render import Renderer
from engine.render.dfg import dfg_table
from engine.render.shader_source import assemble, compile_shader, explain


def test_switches_drop_lines_and_lines_keep_their_place():
    code, origins = assemble("varyings.wgsl", frozenset({"COLORS"}))
    lines = code.split("\n")
    at = next(k for k, line in enumerate(lines) if "color: vec4<f32>," in line)
    assert origins[at][0] == "varyings.wgsl"
    assert "uv1: vec2<f32>," not in code


def test_an_error_names_the_file_and_line():
    code, origins = assemble("surface.wgsl", frozenset({"TONEMAP_NONE"}))
    at = next(k for k, line in enumerate(code.split("\n")) if "fn incoming_light" in line)
    message = explain(f"wgsl:{at + 1}:7 unknown type", "surface.wgsl", origins)
    file, line = origins[at]
    assert file == "lights.wgsl"
    assert message.startswith(f"shader lights.wgsl:{line}:7:")


@pytest.mark.gpu
def test_a_variant_that_does_not_compile_says_where(renderer: Renderer):
    with pytest.raises(EngineError, match=r"shader tonemap\.wgsl:\d+:\d+"):
        compile_shader(renderer.device, "surface.wgsl", frozenset({"SHADOWS"}))


def test_split_sum_table_agrees_with_the_reference(shared):
    rows = json.loads((shared / "reference_renders" / "dfg_lut.json").read_text())["rows"]
    reference = np.array(rows)
    ours = dfg_table()
    assert ours.shape == reference.shape
    assert np.abs(ours - reference).max() < 0.02
    assert np.abs(ours - reference).mean() < 0.002
    assert np.all(ours.sum(axis=2) <= 1.0 + 1e-3)

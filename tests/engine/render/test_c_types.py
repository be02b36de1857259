"""What cffi is told beforehand is what it would have found out."""

import numpy as np
import pytest

from engine.render.c_types import prepare_c_types

pytestmark = pytest.mark.gpu


@pytest.fixture
def ffi(renderer):
    from wgpu.backends.wgpu_native._ffi import ffi

    return ffi


@pytest.mark.parametrize(
    "name",
    [
        "WGPUTextureDescriptor *",
        "WGPUVertexAttribute[]",
        "WGPUBuffer *",
        "WGPULimits *",
        "uint8_t *",
        "uint8_t []",
        "char []",
        "uintptr_t",
    ],
)
def test_types_are_those_that_cffi_finds(ffi, name):
    prepared = ffi._parsed_types.pop(name)
    assert ffi.typeof(name) is prepared[0]
    assert ffi._parsed_types[name] == prepared


def test_drawing_asks_for_no_type_that_is_new(ffi, renderer, facing_scene, monkeypatch):
    parsed = []
    real = ffi._typeof_locked
    monkeypatch.setattr(ffi, "_typeof_locked", lambda name: parsed.append(name) or real(name))
    texture = renderer.resources.add_texture(np.zeros((4, 4, 4), np.uint8), True, "black")
    renderer.snapshot(facing_scene, 16, 16)
    renderer.resources.remove_texture(texture)
    assert [name for name in parsed if name.startswith("WGPU")] == []


def test_another_cffi_is_left_alone(ffi, monkeypatch):
    monkeypatch.setattr(ffi, "list_types", lambda: 1 / 0)
    prepare_c_types.cache_clear()
    prepare_c_types()

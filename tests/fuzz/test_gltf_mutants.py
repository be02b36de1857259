"""A slice of the mutants on every run; the long form is `gltf_mutants.py` itself."""

import sys

import pytest

from tests.fuzz.gltf_mutants import FILES, chosen_files, extensions_of, run


@pytest.fixture
def assets(shared):
    return shared / "assets"


def test_the_files_cover_the_native_decoders(assets):
    files = chosen_files(assets)
    assert len(files) == FILES
    used = {name for path in files for name in extensions_of(path)}
    assert {
        "KHR_draco_mesh_compression",
        "EXT_meshopt_compression",
        "KHR_texture_basisu",
        "EXT_texture_webp",
    } <= used


@pytest.mark.skipif(sys.platform == "win32", reason="the worker measures memory by getrusage")
def test_mutants_load_or_raise_asset_error(assets):
    assert run(assets, 600, seed=1) == []


@pytest.mark.full
def test_many_mutants_load_or_raise_asset_error(assets):
    assert run(assets, 20_000, seed=2) == []

"""An asset with something of everything, cooked into one file."""

from pathlib import Path

import pytest

from tests.engine.assets.cooked_asset.opened import cooked_bytes
from tests.engine.assets.rich_gltf import richer_file

SAMPLE = Path(__file__).resolve().parents[4] / "resources/sample/props"


@pytest.fixture
def rich(gltf, make_png):
    return richer_file(gltf, make_png).load()


@pytest.fixture
def cooked(rich, tmp_path):
    return cooked_bytes(rich, tmp_path)

"""The stage that tests of placed props share."""

import pytest

from tests.engine.scene.instance_stage import ARM, Stage, write_asset


@pytest.fixture
def stage(tmp_path):
    write_asset(tmp_path / "arm.gltf", ARM)
    made = Stage(tmp_path)
    yield made
    made.library.close()

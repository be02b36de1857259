"""Every scenario is drawn; those that say `MODE = "compare"` are held to a picture.

A scenario is a module beside this one with `MODE` ("run" or "compare") and `build(app)`, and with
`EXPORTS = False` where it draws what no file holds. Pictures are compared on Mesa's software driver
alone, where they do not depend on the machine; elsewhere the scenario still has to draw. To take
new pictures after a change that is meant to show, look at them, and commit them with it:

    CINDER_NEW_PICTURES=1 python3 main.py --test tests/scenarios
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.app import App
from engine.errors import EngineError
from engine.render.device import is_software
from engine.render.open import open_renderer

HERE = Path(__file__).parent
SIZE = (320, 200)
NAMES = sorted(p.stem for p in HERE.glob("*.py") if not p.stem.startswith(("test_", "conftest")))


def load(name):
    spec = importlib.util.spec_from_file_location(f"scenario_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def renderer():
    try:
        return open_renderer()
    except EngineError as problem:
        pytest.skip(f"drawing needs a wgpu adapter: {problem}")


def draw(renderer, scenario):
    app = App(renderer=renderer)
    try:
        scenario.build(app)
        app.settle()
        app.frame(0.0)
        return app.snapshot(*SIZE)
    finally:
        app.close()


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_scenario(name, renderer, tmp_path):
    scenario = load(name)
    assert scenario.MODE in ("run", "compare")
    picture = draw(renderer, scenario)
    assert picture.shape == (SIZE[1], SIZE[0], 4)
    assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 500
    assert np.array_equal(draw(renderer, scenario), picture)
    if scenario.MODE == "compare" and is_software(renderer.device):
        compare(name, picture[..., :3], tmp_path)


def compare(name, picture, tmp_path):
    path = HERE / "references" / f"{name}.png"
    if os.environ.get("CINDER_NEW_PICTURES"):
        Image.fromarray(picture).save(path)
    expected = np.asarray(Image.open(path).convert("RGB"))
    apart = np.abs(expected.astype(int) - picture)
    Image.fromarray(np.minimum(apart * 4, 255).astype(np.uint8)).save(tmp_path / f"{name}.png")
    seen = f"compare {path} with {tmp_path / name}.png"
    assert apart.mean() < 0.5, seen
    assert np.quantile(apart.max(axis=-1), 0.995) <= 12, seen

"""The contact sheet shows references, ours and the difference, the worst first."""

import json

import numpy as np
import pytest
from PIL import Image

from engine.render import Renderer
from resources.make_props import DEFAULT_OUT
from tests.pictures.contact_sheet import main
from tests.pictures.reference import draw, foreground_error

pytestmark = pytest.mark.gpu


@pytest.fixture
def folder(tmp_path):
    """References of two props, of which one was painted over, and of an asset that isn't there."""
    props = sorted(path.name for path in DEFAULT_OUT.glob("*.glb"))[:2]
    camera = {"eye": [3, 2, 4], "target": [0, 0.5, 0], "fov_y": 0.7, "near": 0.05, "far": 50.0}
    index = {name: {"asset": name, "camera": camera, "t": None} for name in [*props, "lost.glb"]}
    renderer = Renderer()
    for name, entry in list(index.items())[:2]:
        picture = draw(renderer, DEFAULT_OUT, entry).copy()
        if name == props[1]:
            picture[200:300, 200:300] = 255, 0, 0
        Image.fromarray(picture).save(tmp_path / f"{name}.png")
    Image.new("RGB", (512, 512)).save(tmp_path / "lost.glb.png")
    (tmp_path / "index.json").write_text(json.dumps(index))
    return tmp_path


def test_a_sheet_of_a_folder(folder, tmp_path, capsys):
    out = tmp_path / "sheet" / "out.png"
    out.parent.mkdir()
    kept = tmp_path / "ours"
    told = [str(folder), str(out), "--assets", str(DEFAULT_OUT), "--ours", str(kept)]
    assert main(told) == 0
    assert "3 pictures, 1 not drawn" in capsys.readouterr().out
    sheet = np.asarray(Image.open(out).convert("RGB")).astype(int)
    # What could not be drawn, what was painted over, what agrees.
    differences = [sheet[34:194, 8 + 488 * k + 320 : 8 + 488 * k + 480] for k in range(3)]
    assert differences[1].max() > 200
    assert differences[2].max() == 0
    assert len(list(kept.iterdir())) == 2
    first = out.read_bytes()
    assert main([*told, "--worst", "3"]) == 0
    assert out.read_bytes() == first


def test_nothing_to_compare_is_said(folder, tmp_path, capsys):
    assert main([str(folder), str(tmp_path / "out.png"), "--only", "no such"]) == 1
    assert "no picture to compare" in capsys.readouterr().err


def test_errors_count_where_something_is_shown():
    grey = np.full((4, 4, 3), (118, 118, 124), np.uint8)
    spot = grey.copy()
    spot[1, 1] = 0
    assert foreground_error(grey, grey) == 0.0
    assert foreground_error(grey, spot) == pytest.approx(120.0)

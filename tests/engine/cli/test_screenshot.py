"""`main.py --screenshot`: a picture without a window, or one clear sentence."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.cli import scene, screenshot
from engine.ecs import World
from engine.scene import (
    CameraComponent,
    LevelFile,
    LocalTransform,
    Name,
    Shape,
    level_registry,
)
from tests.patience import PROCESS_S

MAIN = Path(screenshot.__file__).resolve().parents[2] / "main.py"


def level(folder, *, camera=None, at=(0, 0, 0)):
    """Write a level with one red box."""
    path = folder / "level.scene"
    world = World()
    file = LevelFile.new(world, level_registry())
    world.spawn(
        Name("Box"),
        LocalTransform(translation=at),
        Shape(kind="box", color=(0.9, 0.02, 0.02)),
    )
    if camera is not None:
        world.spawn(Name("Camera"), LocalTransform(translation=camera), CameraComponent())
    file.save(path)
    return path


def redness(path):
    """Return the share of the picture that is red, and where its middle is (x, y from 0 to 1)."""
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    red = pixels[..., 0] > pixels[..., 1:].sum(axis=-1)
    ys, xs = np.nonzero(red)
    return red.mean(), (xs.mean() / red.shape[1], ys.mean() / red.shape[0])


@pytest.mark.gpu
def test_without_a_display_or_a_camera_everything_is_in_view(tmp_path):
    out, path = tmp_path / "out.png", level(tmp_path, at=(40, 0, 7))
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR")
    done = subprocess.run(
        [sys.executable, MAIN, "--screenshot", out, path, "--size", "160x120"],
        env={key: value for key, value in os.environ.items() if key not in hidden}
        | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
    )
    assert done.returncode == 0, done.stderr
    with Image.open(out) as picture:
        assert picture.size == (160, 120)
    share, middle = redness(out)
    assert 0.1 < share < 0.7
    assert middle == pytest.approx((0.5, 0.5), abs=0.06)


@pytest.mark.gpu
def test_the_first_active_camera_takes_the_picture(tmp_path):
    out = tmp_path / "out.png"
    path = level(tmp_path, camera=(0.0, 0.0, 6.0), at=(1.5, 0, 0))
    assert screenshot.main([str(out), str(path), "--size", "96x96"]) == 0
    share, (x, _) = redness(out)
    assert 0.01 < share < 0.2
    assert x > 0.6


@pytest.mark.gpu
def test_a_project_is_drawn_by_its_first_level(tmp_path):
    path = level(tmp_path)
    (tmp_path / "project.json").write_text(f'{{"name": "x", "root_scene_path": "{path.name}"}}')
    out = tmp_path / "out.png"
    assert screenshot.main([str(out), str(tmp_path), "--size", "64x48"]) == 0
    assert redness(out)[0] > 0.1


@pytest.mark.parametrize(
    ("out", "text", "said"),
    [
        ("out.png", "nonsense", "missing header"),
        ("out.bogus", "cinder-scene 2\n", "the name of a picture"),
        ("nowhere/out.png", "cinder-scene 2\n", "no folder"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(out, text, said, tmp_path, capsys):
    path = tmp_path / "level.scene"
    path.write_text(text)
    assert screenshot.main([str(tmp_path / out), str(path)]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / out).exists()


@pytest.mark.parametrize("size", ["0x10", "10", "axb", "99999x1", "-3x4"])
def test_a_size_that_makes_no_sense_is_refused(size, tmp_path):
    with pytest.raises(SystemExit):
        screenshot.main([str(tmp_path / "o.png"), "x.scene", f"--size={size}"])


def two_cameras(folder):
    """Write a level with a box, an active camera before it and another one above."""
    path = folder / "level.scene"
    world = World()
    file = LevelFile.new(world, level_registry())
    world.spawn(Name("Box"), LocalTransform(), Shape(kind="box", color=(0.9, 0.02, 0.02)))
    world.spawn(Name("Front"), LocalTransform(translation=(1.0, 0, 6)), CameraComponent())
    world.spawn(
        Name("Side"), LocalTransform(translation=(-1.0, 0, 9)), CameraComponent(active=False)
    )
    file.save(path)
    return path


@pytest.mark.gpu
def test_render_draws_through_a_named_camera_the_same_bytes_each_time(tmp_path):
    path = two_cameras(tmp_path)
    before = path.read_bytes()
    outs = [tmp_path / f"{k}.png" for k in range(4)]
    size = ("--size", "96x96")
    assert scene.main(["render", str(path), str(outs[0]), *size]) == 0
    assert scene.main(["render", str(path), str(outs[1]), *size, "--camera", "Side"]) == 0
    assert scene.main(["render", str(path), str(outs[2]), *size, "--camera", "Side"]) == 0
    assert screenshot.main([str(outs[3]), str(path), *size, "--tonemap", "none"]) == 0
    (near, (left, _)), (far, (right, _)) = redness(outs[0]), redness(outs[1])
    assert near > far
    assert left < 0.5 < right
    assert outs[1].read_bytes() == outs[2].read_bytes()
    assert outs[3].read_bytes() != outs[0].read_bytes()
    assert path.read_bytes() == before


@pytest.mark.gpu
def test_render_shows_the_look_of_the_environment(tmp_path):
    """Fields that an older level lacks change nothing; occlusion and bloom are drawn when set."""
    path = two_cameras(tmp_path)
    written = path.read_text()
    pictures = {}
    for name, fields in {
        "older": "",
        "off": " occlusion=0.0 occlusion_radius=0.5 bloom=0.0",
        "occlusion": " occlusion=1.0 occlusion_radius=0.7",
        "bloom": " bloom=1.0",
    }.items():
        look = f'Environment sky="plain" exposure=4.0{fields}'
        last = max(int(line.split()[1]) for line in written.split("\n") if line[:7] == "entity ")
        floor = (
            '  LocalTransform translation=[0.0,-0.5,0.0] scale=[8.0,1.0,8.0]\n  Shape kind="plane"'
        )
        path.write_text(
            f"{written.rstrip()}\nentity {last + 1}\n  {look}\nentity {last + 2}\n{floor}\n"
        )
        out = tmp_path / f"{name}.png"
        assert scene.main(["render", str(path), str(out), "--size", "96x96"]) == 0
        pictures[name] = out.read_bytes()
    assert pictures["older"] == pictures["off"]
    assert len(set(pictures.values())) == 3


@pytest.mark.gpu
def test_a_camera_that_is_not_there_is_named_with_those_that_are(tmp_path, capsys):
    path, out = two_cameras(tmp_path), tmp_path / "out.png"
    assert scene.main(["render", str(path), str(out), "--camera", "Top"]) == 1
    told = capsys.readouterr().err
    assert "'Top'" in told
    assert "Front, Side" in told
    assert not out.exists()

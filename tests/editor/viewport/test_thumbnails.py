import pathlib
import shutil
import threading

import numpy as np
import pytest

from editor.viewport.picture import Picture
from editor.viewport.thumbnails import Thumbnails, asset_pose, cut_out, drawing
from engine.app import App
from engine.assets import upload_gltf
from engine.assets.gltf import load_gltf
from engine.errors import DeviceLostError
from tests.editor.document.props import picture as pixel
from tests.editor.document.props import write_pack
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.gpu


@pytest.fixture
def props(shared):
    return sorted((shared / "assets" / "props").glob("kaykit*/**/*.glb"))


@pytest.fixture
def picture(tmp_path, renderer):
    picture = Picture(App(tmp_path), renderer)
    yield picture
    picture.close()


def whole(parts):
    """Do all parts at once; returns what they come to."""
    try:
        while True:
            next(parts)
    except StopIteration as end:
        return end.value


def draw_asset(picture, asset, width, height):
    uploaded = upload_gltf(picture.renderer, None, asset)
    try:
        return whole(drawing(picture, asset, uploaded, width, height))
    finally:
        uploaded.release(picture.renderer)


def test_a_thumbnail_is_made_when_idle_and_then_kept(qapp, qtbot, picture, props):
    thumbnails = Thumbnails(picture)
    assert thumbnails.thumbnail(props[0], 64) is None
    with qtbot.waitSignal(thumbnails.ready) as caught:
        pass
    assert caught.args == [str(props[0])]
    image = thumbnails.thumbnail(props[0], 64)
    assert image.size().toTuple() == (64, 64)
    qtbot.waitUntil(lambda: not thumbnails._timer.isActive())
    thumbnails.dispose()


def test_what_nobody_looks_at_when_its_turn_comes_is_not_drawn(qapp, qtbot, picture, tmp_path):
    thumbnails, drawn = Thumbnails(picture), []
    thumbnails.ready.connect(drawn.append)
    paths = [write_pack(tmp_path / name, name) for name in ("first", "second")]
    assert thumbnails.thumbnail(paths[0], 64, lambda: False) is None
    assert thumbnails.thumbnail(paths[1], 64) is None
    qtbot.waitUntil(lambda: not thumbnails._timer.isActive())
    assert drawn == [str(paths[1])]
    assert thumbnails.thumbnail(paths[0], 64) is None
    qtbot.waitUntil(lambda: drawn == [str(paths[1]), str(paths[0])])
    thumbnails.dispose()


def test_a_broken_or_missing_file_has_no_picture_and_ends_the_work(qapp, qtbot, picture, tmp_path):
    thumbnails = Thumbnails(picture)
    broken = tmp_path / "broken.glb"
    broken.write_bytes(b"nothing of the kind")
    assert thumbnails.thumbnail(tmp_path / "missing.glb", 64) is None
    assert thumbnails.thumbnail(broken, 64) is None
    qtbot.waitUntil(lambda: not thumbnails._timer.isActive())
    assert thumbnails.thumbnail(broken, 64) is None
    assert not thumbnails._timer.isActive()
    thumbnails.dispose()


def test_an_asset_fills_its_picture_and_leaves_nothing_on_the_gpu(picture, props):
    renderer = picture.renderer
    before = renderer.stats.mesh_bytes, len(renderer.geometry._sources)
    for path in (props[0], props[len(props) // 2], props[-1]):
        asset = load_gltf(str(path))
        pixels = draw_asset(picture, asset, 96, 96)
        assert pixels[0, 0, 3] == 0
        drawn = np.argwhere(pixels[..., 3] > 127)
        lo, hi = drawn.min(axis=0), drawn.max(axis=0)
        assert max(hi - lo) > 48, path.name
        assert min(lo) >= 0
        assert max(hi) <= 95
    assert len(renderer.geometry._sources) == before[1]


def test_every_corner_of_an_asset_is_in_its_picture(props):
    for path in props[::40]:
        asset = load_gltf(str(path))
        bounds = asset.world_bounds(posed=True)
        pixels, depth = asset_pose(asset, 1.0).frame(100, 100).project([bounds.min, bounds.max])
        assert np.all(depth > 0)
        assert np.all((pixels >= 0) & (pixels <= 100))


def test_thumbnails_do_not_disturb_picking(stage, props):
    box = stage.box(0, 0.5, 0)
    stage.viewport.frame_all()
    at = stage.screen((0, 0.5, 0))
    draw_asset(stage.viewport.picture, load_gltf(str(props[0])), 32, 32)
    assert stage.viewport.view.pick(*at) == int(box)


def test_cutting_out_finds_colour_and_coverage():
    over_black = np.uint8([[[200, 100, 0, 255], [0, 0, 0, 255], [146, 71, 0, 255]]])
    over_white = np.uint8([[[200, 100, 0, 255], [255, 255, 255, 255], [230, 200, 188, 255]]])
    cut = cut_out(over_black, over_white)
    assert cut[0, 0].tolist() == [200, 100, 0, 255]
    assert cut[0, 1, 3] == 0
    assert cut[0, 2].tolist() == pytest.approx([200, 100, 0, 128], abs=3)


SAMPLE = pathlib.Path(__file__).resolve().parents[3] / "resources/sample/props"


def picture_of(thumbnails, qtbot, path):
    assert thumbnails.thumbnail(path, 64) is None
    with qtbot.waitSignal(thumbnails.ready):
        pass
    image = thumbnails.thumbnail(path, 64)
    thumbnails.dispose()
    return image


def test_what_the_level_uses_is_drawn_without_reading_or_uploading_it(
    qapp, qtbot, picture, tmp_path, monkeypatch
):
    path = pathlib.Path(shutil.copy(SAMPLE / "well.glb", tmp_path.resolve()))
    app = picture._app
    app.assets.get("well.glb")
    app.assets.wait()
    app.assets.poll()
    monkeypatch.setattr("editor.viewport.thumbnails.load_gltf", pytest.fail)
    monkeypatch.setattr(type(picture.renderer), "add_mesh", pytest.fail)
    assert picture_of(Thumbnails(picture), qtbot, path) is not None
    assert app.assets.get("well.glb").uploaded.mesh_ids[0][0] >= 0


def test_what_is_taken_back_while_it_is_drawn_is_drawn_anew(
    qapp, qtbot, picture, tmp_path, monkeypatch
):
    monkeypatch.setattr("editor.viewport.thumbnails.UPLOAD_S", 0.0)
    path = pathlib.Path(shutil.copy(SAMPLE / "well.glb", tmp_path.resolve()))
    app = picture._app
    app.assets.get("well.glb")
    app.assets.wait()
    app.assets.poll()
    thumbnails, drawn = Thumbnails(picture), []
    thumbnails.ready.connect(drawn.append)
    assert thumbnails.thumbnail(path, 64) is None
    thumbnails._step()
    thumbnails._step()
    renderer = picture.renderer
    app.attach(None)
    app.attach(renderer)
    thumbnails._step()
    assert drawn == []
    qtbot.waitUntil(lambda: drawn == [str(path)])
    assert thumbnails.thumbnail(path, 64) is not None
    thumbnails.dispose()


def test_what_a_lost_device_kept_from_being_drawn_is_drawn_when_it_is_asked_for_again(
    qapp, qtbot, picture, tmp_path, monkeypatch
):
    pack = write_pack(tmp_path / "kit")
    thumbnails = Thumbnails(picture)
    losses = []

    def lost(*arguments):
        losses.append(arguments)
        raise DeviceLostError("the graphics device is gone")

    monkeypatch.setattr(picture, "draw_other", lost)
    thumbnails.thumbnail(pack, 32)
    qtbot.waitUntil(lambda: not thumbnails._timer.isActive())
    assert len(losses) == 1
    monkeypatch.undo()
    assert thumbnails.thumbnail(pack, 32) is None
    qtbot.waitUntil(lambda: not thumbnails._timer.isActive())
    assert thumbnails.thumbnail(pack, 32) is not None
    thumbnails.dispose()


@pytest.mark.parametrize("where", ["read", "drawn"])
def test_a_bug_is_met_once_and_keeps_no_other_from_being_drawn(
    qapp, qtbot, picture, tmp_path, monkeypatch, where
):
    first, second = write_pack(tmp_path / "one"), write_pack(tmp_path / "two")
    thumbnails, met = Thumbnails(picture), []

    def fails(*arguments):
        met.append(arguments)
        monkeypatch.undo()
        raise ZeroDivisionError

    if where == "read":
        monkeypatch.setattr("editor.viewport.thumbnails._read", fails)
    else:
        monkeypatch.setattr(picture, "draw_other", fails)
    with qtbot.captureExceptions() as reports:
        thumbnails.thumbnail(first, 32)
        thumbnails.thumbnail(second, 32)
        qtbot.waitUntil(lambda: not thumbnails._timer.isActive())
    assert [kind for kind, *_ in reports] == [ZeroDivisionError]
    assert len(met) == 1
    assert thumbnails.has_failed(first, 32)
    assert thumbnails.thumbnail(second, 32) is not None
    thumbnails.dispose()


def test_another_asset_is_uploaded_piece_by_piece_and_freed(qapp, qtbot, picture, monkeypatch):
    monkeypatch.setattr("editor.viewport.thumbnails.UPLOAD_S", 0.0)
    built = []
    monkeypatch.setattr("engine.assets.mesh.MeshData.build_lods", built.append)
    sources = picture.renderer.geometry._sources
    before, seen = len(sources), set()
    thumbnails = Thumbnails(picture)
    step = thumbnails._step
    monkeypatch.setattr(thumbnails, "_step", lambda: (step(), seen.add(len(sources) - before)))
    thumbnails._timer.timeout.disconnect()
    thumbnails._timer.timeout.connect(lambda: thumbnails._step())
    assert picture_of(thumbnails, qtbot, SAMPLE / "windmill.glb") is not None
    assert len(seen) > 3
    assert len(sources) == before
    assert built == []


@pytest.mark.parametrize("when", ["drawn", "being read"])
def test_what_is_forgotten_is_drawn_as_the_files_beside_it_are_now(
    qapp, qtbot, picture, tmp_path, monkeypatch, when
):
    """A picture beside a model changes the model's picture, and not its time."""
    path = write_pack(tmp_path, colour=pixel((255, 0, 0, 255)))
    thumbnails, begun, go = Thumbnails(picture), threading.Event(), threading.Event()

    def held(*args, **more):
        asset = load_gltf(*args, **more)
        begun.set()
        assert go.wait(PATIENCE_S)
        return asset

    monkeypatch.setattr("editor.viewport.thumbnails.load_gltf", held)
    assert thumbnails.thumbnail(path, 64) is None
    qtbot.waitUntil(begun.is_set)
    if when == "drawn":
        go.set()
        qtbot.waitUntil(lambda: thumbnails.thumbnail(path, 64) is not None)
    (tmp_path / "Textures/colormap.png").write_bytes(pixel((0, 255, 0, 255)))
    thumbnails.forget(path)
    go.set()
    qtbot.waitUntil(lambda: thumbnails.thumbnail(path, 64) is not None)
    image = thumbnails.thumbnail(path, 64)
    colors = [image.pixelColor(x, y) for x in range(64) for y in range(64)]
    drawn = [color for color in colors if color.alpha() == 255]
    assert len(drawn) > 200
    assert all(color.green() > 2 * color.red() for color in drawn)
    thumbnails.dispose()

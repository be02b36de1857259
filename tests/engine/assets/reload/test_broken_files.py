"""Files that break, go and come: what was good stays until there is better."""

import json

from tests.engine.assets.conftest import png
from tests.engine.assets.reload.conftest import (
    change,
    color_of,
    finish,
    height_of,
    loaded,
    prop,
    put,
)


def test_a_half_file_that_was_read_before_it_was_whole_leaves_no_error(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    put(path, '{"asset": ')
    change(library, path)
    prop(tmp_path, height=2.0)
    change(library, path)
    errors = set()
    while library.loading():
        library.wait()
        library.poll()
        errors.add(entry.error)
    assert errors == {""}
    assert height_of(entry) == 2.0


def test_good_to_broken_keeps_what_was_good_and_says_where_it_is_broken(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    document = json.loads(path.read_text())
    document["nodes"][0]["mesh"] = 99
    put(path, json.dumps(document))
    change(library, path)
    finish(library)
    assert entry.state == "ready"
    assert height_of(entry) == 1.0
    assert "a.gltf" in entry.error
    assert "/nodes/0/mesh" in entry.error
    assert library.take_changed() == [entry]
    assert library.take_reloaded() == []
    prop(tmp_path)
    change(library, path)
    finish(library)
    assert entry.error == ""
    assert library.take_changed() == [entry]


def test_a_picture_that_breaks_keeps_the_good_one(tmp_path, library):
    prop(tmp_path, outside=True)
    entry = loaded(library, "a.gltf")
    picture = tmp_path / "wood.png"
    whole = picture.read_bytes()
    for broken in (whole[:20], b"", None):
        if broken is None:
            picture.unlink()
            change(library, removed=[picture])
        else:
            put(picture, broken)
            change(library, picture)
        finish(library)
        assert color_of(entry) == [9, 9, 9, 255]
        assert "/images/0" in entry.error
        assert "wood.png" in entry.error
    put(picture, png((1, 2, 3, 255)))
    change(library, picture)
    finish(library)
    assert (entry.error, color_of(entry)) == ("", [1, 2, 3, 255])


def test_a_picture_that_was_missing_is_taken_when_it_comes(tmp_path, library):
    prop(tmp_path, outside=True)
    picture = tmp_path / "wood.png"
    (tmp_path / "wood.png").rename(tmp_path / "away.png")
    entry = loaded(library, "a.gltf")
    assert entry.asset.images[0].missing
    (tmp_path / "away.png").rename(picture)
    assert change(library, picture) == [entry]
    finish(library)
    assert color_of(entry) == [9, 9, 9, 255]


def test_missing_to_there(tmp_path, library):
    entry = loaded(library, "a.gltf")
    assert entry.state == "failed"
    path = prop(tmp_path)
    assert change(library, path) == [entry]
    finish(library)
    assert (entry.state, entry.error) == ("ready", "")
    assert library.take_reloaded() == [entry]


def test_a_broken_asset_is_tried_again_whatever_file_comes(tmp_path, library):
    prop(tmp_path, outside=True)
    (tmp_path / "a.bin").rename(tmp_path / "away.bin")
    entry = loaded(library, "a.gltf")
    assert entry.state == "failed"
    (tmp_path / "away.bin").rename(tmp_path / "a.bin")
    assert change(library, tmp_path / "a.bin") == [entry]
    finish(library)
    assert entry.state == "ready"


def test_a_file_that_is_gone_is_told_of_and_what_was_read_stays(tmp_path, library):
    path = prop(tmp_path)
    entry = loaded(library, "a.gltf")
    path.unlink()
    change(library, removed=[path])
    finish(library)
    assert entry.state == "ready"
    assert "gone" in entry.error
    assert library.take_changed() == [entry]
    prop(tmp_path)
    change(library, path)
    finish(library)
    assert entry.error == ""

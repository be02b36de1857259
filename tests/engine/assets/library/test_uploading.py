"""What the library gives to renderers, piece by piece, and takes back."""

import base64
import json

import pytest

from engine.assets import AssetError
from tests.engine.assets.conftest import png
from tests.engine.assets.library.conftest import loaded, name_of, write


class Store:
    def __init__(self):
        self.live = set()
        self.broken, self.given = False, 0

    @property
    def resources(self):
        return self

    def _give(self, *_):
        if self.broken:
            raise AssetError("out of memory")
        self.given += 1
        self.live.add(self.given)
        return self.given

    add_mesh = add_material = add_texture = _give

    def add_sampler(self, sampler):
        return 0

    def _take(self, number):
        self.live.remove(number)

    remove_mesh = remove_material = remove_texture = _take


def test_without_a_renderer_ids_are_minus_one_and_attach_uploads_what_is_ready(folder, library):
    write(folder / "a.gltf")
    entry = loaded(library)
    assert entry.uploaded.default_material == -1
    store = Store()
    library.attach(store)
    assert library.poll() == [entry]
    assert entry.uploaded.default_material in store.live
    library.attach(store)
    assert library.poll() == []
    library.attach(None)
    assert store.live == set()
    assert entry.uploaded.default_material == -1


def test_old_uploads_live_until_they_are_released(folder, library):
    store = Store()
    library.attach(store)
    path = write(folder / "a.gltf")
    entry = loaded(library)
    old = entry.uploaded.default_material
    write(path, "b")
    library.check_for_changes()
    library.wait()
    library.poll()
    assert old in store.live
    library.release_retired()
    assert old not in store.live
    assert entry.uploaded.default_material in store.live


def test_a_renderer_that_refuses_an_asset_fails_the_entry_not_the_program(folder, library):
    store = Store()
    store.broken = True
    library.attach(store)
    write(folder / "a.gltf")
    entry = loaded(library)
    assert entry.state == "failed"
    assert "out of memory" in entry.error


DOT = base64.b64encode(png()).decode()


MANY = json.dumps(
    {
        "asset": {"version": "2.0"},
        "images": [{"uri": f"data:image/png;base64,{DOT}"}],
        "textures": [{"source": 0}],
        "materials": [{"emissiveTexture": {"index": 0}} for _ in range(5)],
    }
)


def begun(folder, library, monkeypatch, store):
    """Return an entry that is half way to the renderer."""
    monkeypatch.setattr("engine.assets.library._UPLOAD_SECONDS", 0.0)
    library.attach(store)
    write(folder / "a.gltf", text=MANY)
    entry = library.get("a.gltf")
    while not store.live:
        library.poll()
    assert entry.state == "loading"
    assert library.loading() == [entry]
    return entry


def test_an_upload_goes_on_from_poll_to_poll(folder, library, monkeypatch):
    store = Store()
    entry = begun(folder, library, monkeypatch, store)
    counts = [len(store.live)]
    while library.loading():
        assert library.is_uploading
        news = library.poll()
        counts.append(len(store.live))
    assert counts == [*range(1, len(counts)), counts[-1]]
    assert (news, entry.state) == ([entry], "ready")
    assert not library.is_uploading
    uploaded = entry.uploaded
    ids = [*uploaded.material_ids, uploaded.default_material, *uploaded.texture_ids]
    assert {*ids} == store.live


def test_who_waits_gets_an_upload_at_once(folder, library, monkeypatch):
    store = Store()
    entry = begun(folder, library, monkeypatch, store)
    library.wait()
    assert library.poll() == [entry]
    assert library.loading() == []


def test_a_newer_file_takes_the_place_of_an_upload_under_way(folder, library, monkeypatch):
    store = Store()
    entry = begun(folder, library, monkeypatch, store)
    write(folder / "a.gltf", "newer")
    library.check_for_changes(force=True)
    library.wait()
    library.poll()
    assert (entry.state, entry.version, name_of(entry)) == ("ready", 1, "newer")
    assert store.live == {entry.uploaded.default_material}


def test_another_renderer_begins_an_upload_anew(folder, library, monkeypatch):
    first, second = Store(), Store()
    entry = begun(folder, library, monkeypatch, first)
    library.attach(second)
    assert first.live == set()
    library.wait()
    assert library.poll() == [entry]
    assert len(second.live) == 7


@pytest.mark.parametrize("end", [lambda library: library.close(), lambda lib: lib.attach(None)])
def test_an_upload_given_up_leaves_nothing(folder, library, monkeypatch, end):
    store = Store()
    begun(folder, library, monkeypatch, store)
    end(library)
    assert store.live == set()

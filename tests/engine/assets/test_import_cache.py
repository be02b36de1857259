"""The import cache: what opens from it is what was imported, and nothing about it is ever fatal."""

import errno
import logging
import os
import pathlib
import shutil
import threading
import time

import pytest

from engine.assets import contents, import_cache, load_gltf
from engine.assets.asset_ids import asset_file_name
from engine.assets.cache_folder import CACHE_FOLDER
from engine.assets.import_cache import ImportCache
from engine.assets.library import AssetLibrary
from tests.engine.assets.asset_likeness import differences
from tests.engine.assets.rich_gltf import richer_file

ASSET = "props/sub dir/ü%made.gltf"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    (tmp_path / "props/sub dir").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def asset_file(project, gltf, make_png):
    gltf.folder = project / "props/sub dir"
    richer_file(gltf, make_png)
    (gltf.folder / "side.bin").write_bytes(bytes(gltf.blob))
    gltf.json["buffers"] = [{"byteLength": len(gltf.blob), "uri": "side.bin"}]
    return gltf.write("ü%made.gltf")


class Session:
    """One program: opens an asset, keeps it, and tells whether it was imported."""

    def __init__(self, project, monkeypatch, **options):
        self.imports = []

        def counted(path, root):
            self.imports.append(path)
            return load_gltf(path, root=root)

        monkeypatch.setattr("engine.assets.asset_reading.load_gltf", counted)
        self.library = AssetLibrary(project, **options)

    def open(self, path=ASSET):
        entry = self.library.get(path)
        self.library.wait()
        self.library.poll()
        self.library.cache.wait()
        return entry

    def end(self):
        self.library.close()


@pytest.fixture
def session(project, monkeypatch):
    made = []

    def begin(**options):
        made.append(Session(project, monkeypatch, **options))
        return made[-1]

    yield begin
    for one in made:
        one.end()


def kept(project):
    return sorted((project / CACHE_FOLDER).glob("*.casset"))


def test_the_second_session_opens_what_the_first_imported(project, asset_file, session):
    first = session()
    one = first.open()
    assert len(first.imports) == 1
    again = session()
    other = again.open()
    assert again.imports == []
    assert (other.state, other.error) == ("ready", "")
    assert differences(one.asset, other.asset, but=()) == []
    assert other.asset.source_files == one.asset.source_files


def test_git_sees_nothing_of_the_folder(project, asset_file, session):
    session().open()
    assert (project / CACHE_FOLDER / ".gitignore").read_text() == "*\n"


def test_a_folder_that_is_no_project_gets_none(project, asset_file, session):
    (project / "project.json").unlink()
    session().open()
    assert not (project / CACHE_FOLDER).exists()


def test_another_folder_may_be_named(project, asset_file, session, tmp_path_factory):
    (project / "project.json").unlink()
    folder = tmp_path_factory.mktemp("kept")
    session(cache_folder=folder).open()
    assert not (project / CACHE_FOLDER).exists()
    again = session(cache_folder=folder)
    assert again.open().state == "ready"
    assert again.imports == []


def change_source(asset_file):
    asset_file.write_text(asset_file.read_text() + "\n")


def change_side_file(asset_file):
    side = asset_file.with_name("side.bin")
    data = bytearray(side.read_bytes())
    data[-1] ^= 1
    side.write_bytes(bytes(data))


def find_lost_picture(asset_file):
    shutil.copy(asset_file, asset_file.with_name("lost.png"))


@pytest.mark.parametrize("change", [change_source, change_side_file, find_lost_picture])
def test_what_changed_is_imported_again(asset_file, session, change):
    session().open()
    change(asset_file)
    again = session()
    assert again.open().state == "ready"
    assert len(again.imports) == 1
    last = session()
    last.open()
    assert last.imports == []


def test_the_same_contents_with_another_time_are_the_same(asset_file, session):
    session().open()
    os.utime(asset_file, (1, 1))
    again = session()
    again.open()
    assert again.imports == []


@pytest.fixture
def settled(monkeypatch):
    """Have files count as written long ago: nobody can set when one was last changed."""
    now = contents._now
    monkeypatch.setattr(contents, "_now", lambda: now() + 60_000_000_000)


@pytest.mark.skipif(os.name != "posix", reason="the system does not tell of every write")
def test_files_that_were_left_alone_are_not_read_again(asset_file, session, settled, monkeypatch):
    session().open()
    monkeypatch.setattr(import_cache, "digest_of", pytest.fail)
    again = session()
    assert again.open().state == "ready"
    assert again.imports == []


def test_a_file_made_to_look_as_it_did_is_another_one(asset_file, session, settled):
    session().open()
    before = asset_file.with_name("side.bin").stat()
    change_side_file(asset_file)
    os.utime(asset_file.with_name("side.bin"), ns=(before.st_atime_ns, before.st_mtime_ns))
    assert asset_file.with_name("side.bin").stat().st_size == before.st_size
    again = session()
    again.open()
    assert len(again.imports) == 1


def test_what_was_written_just_now_is_known_by_what_it_holds(asset_file, session, monkeypatch):
    """Until the file system's clock ticks, a second write may look like the first."""
    session().open()
    change_side_file(asset_file)
    monkeypatch.setattr(contents, "_stamp", lambda path: (1, 2, 3, 4))
    monkeypatch.setattr(contents, "_now", lambda: 5)
    session().open()
    change_side_file(asset_file)
    again = session()
    again.open()
    assert len(again.imports) == 1


def test_another_importer_imports_again(asset_file, session, monkeypatch):
    session().open()
    monkeypatch.setattr(import_cache, "cooker", lambda: "another")
    again = session()
    again.open()
    assert len(again.imports) == 1


def broken_entries(data):
    return {
        "cut": data[: len(data) // 2],
        "empty": b"",
        "longer": data + b"\0",
        "another version": data[:4] + b"\x63\0\0\0" + data[8:],
        "another format": b"CMSH" + data[4:],
        "a flipped bit": data[:-70] + bytes([data[-70] ^ 4]) + data[-69:],
        "noise": os.urandom(500),
    }


def test_damaged_entries_are_imported_again_and_mended(project, asset_file, session):
    one = session().open()
    (entry,) = kept(project)
    good = entry.read_bytes()
    for name, data in broken_entries(good).items():
        entry.write_bytes(data)
        again = session()
        other = again.open()
        assert (name, len(again.imports), other.state) == (name, 1, "ready")
        assert differences(one.asset, other.asset) == []
        mended = session()
        mended.open()
        assert (name, mended.imports) == (name, [])


def test_a_fault_in_the_reader_of_entries_costs_an_import(asset_file, session, monkeypatch):
    session().open()

    def broken(file):
        raise ZeroDivisionError

    monkeypatch.setattr(import_cache, "CookedAssetFile", broken)
    again = session()
    assert again.open().state == "ready"
    assert len(again.imports) == 1


def test_a_folder_in_the_place_of_an_entry_costs_that_one_only(
    project, asset_file, session, caplog
):
    session().open()
    (entry,) = kept(project)
    entry.unlink()
    (entry / "mine").mkdir(parents=True)
    shutil.copy(asset_file, asset_file.with_name("other.gltf"))
    caplog.set_level(logging.WARNING, "cinder.assets")
    again = session()
    assert again.open().state == "ready"
    again.open("props/sub dir/other.gltf")
    assert caplog.records == []
    assert len(kept(project)) == 2
    assert (entry / "mine").is_dir()


def test_a_disk_that_puts_no_file_in_the_place_of_another_keeps_the_newest(
    project, asset_file, session, monkeypatch
):
    session().open()
    change_source(asset_file)
    real = os.replace

    def replace(source, target):
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "File exists")
        real(source, target)

    monkeypatch.setattr(import_cache.os, "replace", replace)
    session().open()
    last = session()
    last.open()
    assert last.imports == []


def test_an_entry_that_somebody_holds_is_left_to_them(
    project, asset_file, session, monkeypatch, caplog
):
    """As on Windows, where a file that is being read can neither be replaced nor removed."""
    session().open()
    (entry,) = kept(project)
    before = entry.read_bytes()
    change_source(asset_file)

    def refuse(*paths, **options):
        raise PermissionError(errno.EACCES, "in use")

    monkeypatch.setattr(import_cache.os, "replace", refuse)
    real = pathlib.Path.unlink
    monkeypatch.setattr(
        pathlib.Path, "unlink", lambda p, **o: refuse() if p == entry else real(p, **o)
    )
    caplog.set_level(logging.WARNING, "cinder.assets")
    assert session().open().state == "ready"
    assert caplog.records == []
    assert entry.read_bytes() == before
    assert list((project / CACHE_FOLDER).glob(".*.part")) == []


def test_a_full_disk_is_told_of_once_and_leaves_nothing_behind(
    project, asset_file, session, caplog
):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        _expect_one_warning(session, caplog)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in (project / CACHE_FOLDER).iterdir()] == [".gitignore"]


def test_what_was_exchanged_unseen_before_it_was_cooked_is_not_kept(asset_file, session):
    """Archives and copies may bring a file of the same size with the same time."""
    one = session()
    before = asset_file.stat()
    entry = one.library.get(ASSET)
    one.library.wait()
    one.library.poll()
    assert entry.state == "ready"
    text = asset_file.read_bytes()
    asset_file.write_bytes(text.replace(b"worn", b"torn"))
    assert asset_file.stat().st_size == before.st_size
    os.utime(asset_file, ns=(before.st_atime_ns, before.st_mtime_ns))
    one.library.cache.wait()
    again = session()
    again.open()
    assert len(again.imports) == 1


def test_the_folder_may_go_at_any_time(project, asset_file, session):
    running = session()
    one = running.open()
    shutil.rmtree(project / CACHE_FOLDER)
    again = session()
    assert differences(one.asset, again.open().asset) == []
    assert len(again.imports) == 1
    assert len(kept(project)) == 1


def test_an_open_asset_outlives_its_entry_cut_short(project, asset_file, session):
    session().open()
    again = session()
    other = again.open()
    (entry,) = kept(project)
    entry.write_bytes(b"")
    assert other.asset.meshes[0].primitives[0].mesh.positions.sum() != 0


def test_a_folder_that_cannot_be_written_to_is_told_of_once(
    project, asset_file, session, caplog, monkeypatch
):
    made = pathlib.Path.mkdir

    def refuse(folder, *arguments, **more):
        # An administrator may write anywhere, so permissions alone would not do.
        if CACHE_FOLDER in folder.parts:
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        made(folder, *arguments, **more)

    monkeypatch.setattr(pathlib.Path, "mkdir", refuse)
    _expect_one_warning(session, caplog)
    assert not (project / CACHE_FOLDER).exists()


def _expect_one_warning(session, caplog):
    running = session()
    with caplog.at_level(logging.WARNING, "cinder.assets"):
        assert running.open().state == "ready"
        running.library.check_for_changes(force=True)
        running.open()
    assert [r.message for r in caplog.records if "cannot be written" in r.message] != []
    assert len(caplog.records) == 1


def test_a_file_in_the_folders_place_is_told_of_once(project, asset_file, session, caplog):
    (project / CACHE_FOLDER).write_text("mine")
    _expect_one_warning(session, caplog)
    assert (project / CACHE_FOLDER).read_text() == "mine"


def test_a_link_that_leads_out_of_the_project_is_not_followed(
    project, asset_file, session, caplog, tmp_path_factory
):
    outside = tmp_path_factory.mktemp("outside")
    (project / CACHE_FOLDER).symlink_to(outside)
    _expect_one_warning(session, caplog)
    assert list(outside.iterdir()) == []


def test_a_part_that_lies_outside_of_the_project_by_now_is_not_taken_from_the_folder(
    project, asset_file, session, tmp_path_factory
):
    session().open()
    side = asset_file.with_name("side.bin")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "side.bin"
    side.rename(elsewhere)
    side.symlink_to(elsewhere)
    again = session()
    entry = again.open()
    assert len(again.imports) == 1
    assert (entry.asset, entry.state) == (None, "failed")


def test_entries_are_named_by_the_path_in_the_project(project, asset_file, session):
    session().open()
    logical = "props%2Fsub%20dir%2F%C3%BC%25made.gltf#asset"
    assert [path.name for path in kept(project)] == [asset_file_name(logical, "casset")]


def test_what_changed_since_it_was_read_is_not_kept(project, asset_file, session, monkeypatch):
    one = session()
    entry = one.library.get(ASSET)
    one.library.wait()
    change_source(asset_file)
    os.utime(asset_file, (5, 5))
    one.library.poll()
    one.library.cache.wait()
    assert entry.state == "ready"
    assert not kept(project)


def test_closing_gives_up_what_is_being_cooked(project, asset_file, session, monkeypatch):
    one = session()
    began, may_go_on = threading.Event(), threading.Event()
    real = import_cache.write_asset

    def slow(asset, origin, file, proceed):
        began.set()
        may_go_on.wait()
        real(asset, origin, file, proceed)

    monkeypatch.setattr(import_cache, "write_asset", slow)
    monkeypatch.setattr(import_cache, "_REST_SECONDS", 0.0)
    one.library.get(ASSET)
    one.library.wait()
    one.library.poll()
    assert began.wait(30)
    one.end()
    may_go_on.set()
    one.library.cache.wait()
    assert list((project / CACHE_FOLDER).glob("*.casset")) == []
    assert list((project / CACHE_FOLDER).glob(".*.part")) == []


def test_closing_at_once_keeps_nothing(project, asset_file, session):
    one = session()
    one.library.get(ASSET)
    one.library.wait()
    one.library.poll()
    one.end()
    one.library.cache.wait()
    assert not (project / CACHE_FOLDER).exists()


def test_the_folder_stays_within_its_bounds(project, gltf):
    names = ["a.gltf", "b.gltf", "c.gltf"]
    for name in names:
        gltf.folder = project
        gltf.triangle().write(name)
    small = AssetLibrary(project)
    for name in names:
        keep(small, ImportCache(project), name)
    sizes = [path.stat().st_size for path in kept(project)]
    for path in kept(project):
        os.utime(path, (time.time() - 1000, time.time() - 1000))
    used = ImportCache(project, most_bytes=sum(sizes) - 1)
    assert used.load("b.gltf") is not None
    gltf.write("d.gltf")
    keep(small, used, "d.gltf")
    assert used.load("b.gltf") is not None
    assert used.load("d.gltf") is not None
    assert sum(path.stat().st_size for path in kept(project)) < sum(sizes)
    small.close()


def test_entries_of_a_clock_that_was_ahead_go_first(project, gltf):
    gltf.folder = project
    gltf.triangle().write("a.gltf")
    gltf.write("b.gltf")
    library = AssetLibrary(project)
    keep(library, ImportCache(project), "a.gltf")
    (old,) = kept(project)
    ahead = time.time() + 1e6
    os.utime(old, (ahead, ahead))
    part = project / CACHE_FOLDER / ".x.part"
    part.touch()
    os.utime(part, (ahead, ahead))
    bounded = ImportCache(project, most_bytes=old.stat().st_size + 10)
    keep(library, bounded, "b.gltf")
    assert bounded.load("b.gltf") is not None
    assert not old.exists()
    assert not part.exists()
    library.close()


def test_what_is_in_use_is_never_thrown_out_for_more(project, gltf):
    gltf.folder = project
    gltf.triangle().write("a.gltf")
    gltf.write("b.gltf")
    library = AssetLibrary(project)
    keep(library, ImportCache(project), "a.gltf")
    full = ImportCache(project, most_bytes=kept(project)[0].stat().st_size + 10)
    assert full.load("a.gltf") is not None
    keep(library, full, "b.gltf")
    assert full.load("a.gltf") is not None
    assert full.load("b.gltf") is None
    library.close()


def keep(library, cache, name):
    asset = load_gltf(library.root / name, root=library.root)
    status = (library.root / name).stat()
    signature = ((str(library.root / name), status.st_mtime_ns, status.st_size),)
    cache.store(name, asset, signature)
    cache.wait()


def test_programs_that_share_the_folder_see_whole_entries(project, asset_file, session):
    one = session().open()
    signature = tuple(
        (str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in one.asset.source_files
    )
    caches = [ImportCache(project) for _ in range(3)]
    problems = []

    def work(cache):
        for _ in range(8):
            cache.store(ASSET, one.asset, signature)
            found = cache.load(ASSET)
            if found is None or differences(one.asset, found.asset):
                problems.append(found)

    threads = [threading.Thread(target=work, args=(cache,)) for cache in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for cache in caches:
        cache.wait()
        cache.close()
    assert problems == []
    assert len(list((project / CACHE_FOLDER).iterdir())) == 2


def test_digests_are_those_that_the_library_tells_changes_by(project, asset_file, session):
    imported, cached = session(), session()
    first = imported.open()
    again = cached.open()
    assert len(first._digests) == 3
    assert again._digests == first._digests


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own")
def test_nothing_is_written_through_a_link_to_the_ignore_file(
    project, asset_file, session, tmp_path_factory
):
    outside = tmp_path_factory.mktemp("outside") / "made"
    (project / CACHE_FOLDER).mkdir()
    (project / CACHE_FOLDER / ".gitignore").symlink_to(outside)
    session().open()
    assert not outside.exists()
    assert len(kept(project)) == 1


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own")
def test_a_link_that_leads_nowhere_keeps_the_folder_in_its_bounds(
    project, asset_file, monkeypatch, caplog
):
    (project / CACHE_FOLDER).mkdir()
    (project / CACHE_FOLDER / "0.casset").symlink_to("nix")
    caplog.set_level(logging.INFO, "cinder.assets")
    session = Session(project, monkeypatch)
    session.open()
    session.end()
    assert "is not kept" not in caplog.text

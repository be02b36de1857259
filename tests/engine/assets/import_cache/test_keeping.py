"""What opens from the cache is what was imported; what changed since is imported again."""

import os
import pathlib
import shutil
import threading

import pytest

from engine.assets import cache_origin, contents, import_cache
from engine.assets.asset_ids import asset_file_name
from engine.assets.cache_folder import CACHE_FOLDER, shared_folder
from tests.engine.assets.asset_likeness import differences
from tests.engine.assets.import_cache.conftest import ASSET, change_side_file, change_source, kept
from tests.patience import PATIENCE_S


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


@pytest.fixture
def plain_folder(project):
    """A folder with assets that is no project."""
    (project / "project.json").unlink()
    return project


def test_a_folder_that_is_no_project_opens_quicker_too(plain_folder, asset_file, session):
    before = sorted(plain_folder.rglob("*"))
    one = session().open()
    again = session()
    other = again.open()
    assert again.imports == []
    assert differences(one.asset, other.asset, but=()) == []
    assert sorted(plain_folder.rglob("*")) == before


def test_folders_that_are_no_projects_are_told_apart(
    plain_folder, asset_file, session, tmp_path_factory
):
    session().open()
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    shutil.copytree(plain_folder, elsewhere, dirs_exist_ok=True)
    change_source(elsewhere / ASSET)
    other = session(project=elsewhere)
    other.open()
    assert len(other.imports) == 1
    for folder in (plain_folder, elsewhere):
        again = session(project=folder)
        again.open()
        assert again.imports == []
    assert len(list(shared_folder().iterdir())) == 2


def test_a_folder_and_one_below_it_keep_the_same_file_each_for_itself(
    plain_folder, asset_file, session
):
    below, _, path = ASSET.partition("/")
    session().open()
    inner = session(project=plain_folder / below)
    assert inner.open(path).state == "ready"
    again = session()
    again.open()
    assert again.imports == []
    inner_again = session(project=plain_folder / below)
    inner_again.open(path)
    assert inner_again.imports == []


def test_a_folder_that_becomes_a_project_keeps_its_imports_itself(
    plain_folder, asset_file, session
):
    session().open()
    (plain_folder / "project.json").write_text("{}")
    session().open()
    assert len(kept(plain_folder)) == 1


def test_nothing_is_kept_where_the_user_has_no_home(
    plain_folder, asset_file, session, monkeypatch, caplog
):
    monkeypatch.delenv("CINDER_CACHE_DIR")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(pathlib.Path, "home", homeless)
    running = session()
    assert running.open().state == "ready"
    running.library.cache.drop(ASSET)
    assert caplog.records == []


def test_another_folder_may_be_named(project, asset_file, session, tmp_path_factory):
    (project / "project.json").unlink()
    folder = tmp_path_factory.mktemp("kept")
    session(cache_folder=folder).open()
    assert not (project / CACHE_FOLDER).exists()
    again = session(cache_folder=folder)
    assert again.open().state == "ready"
    assert again.imports == []


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


@pytest.mark.parametrize("name", ["points", "points.dat", "points.tmp"])
def test_buffers_count_whatever_they_are_called(asset_file, session, name):
    text = asset_file.read_text()
    asset_file.with_name("side.bin").rename(asset_file.with_name(name))
    asset_file.write_text(text.replace("side.bin", name))
    session().open()
    again = session()
    again.open()
    assert again.imports == []
    asset_file.with_name(name).write_bytes(asset_file.with_name(name).read_bytes() + b"more")
    last = session()
    last.open()
    assert len(last.imports) == 1


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
    monkeypatch.setattr(cache_origin, "digest_of", pytest.fail)
    again = session()
    assert again.open().state == "ready"
    assert again.imports == []


def wait_for_a_tick(path):
    """Return when a file that is written now has another time than the one at `path`."""
    probe = path.with_name("probe.tmp")
    while not probe.exists() or probe.stat().st_ctime_ns <= path.stat().st_ctime_ns:
        probe.write_text("x")
    probe.unlink()


def test_a_file_made_to_look_as_it_did_is_another_one(asset_file, session, settled):
    session().open()
    before = asset_file.with_name("side.bin").stat()
    # Nobody can set when a file was changed; that may be the only thing which differs.
    wait_for_a_tick(asset_file.with_name("side.bin"))
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
    monkeypatch.setattr(cache_origin, "cooker", lambda: "another")
    again = session()
    again.open()
    assert len(again.imports) == 1


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
    assert began.wait(PATIENCE_S)
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


def test_digests_are_those_that_the_library_tells_changes_by(project, asset_file, session):
    imported, cached = session(), session()
    first = imported.open()
    again = cached.open()
    assert len(first.reading.digests) == 3
    assert again.reading.digests == first.reading.digests

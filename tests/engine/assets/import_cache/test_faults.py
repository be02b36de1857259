"""Entries, folders and disks that are damaged, full or held: it costs an import at most."""

import errno
import logging
import os
import pathlib
import shutil

import pytest

from engine.assets import import_cache
from engine.assets.cache_folder import CACHE_FOLDER
from engine.assets.cooked.asset_write import FIXED_HEAD
from tests.engine.assets.asset_likeness import differences
from tests.engine.assets.import_cache.conftest import change_source, kept


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]


def broken_entries(data):
    arrays_size = FIXED_HEAD.unpack_from(data)[3]
    return {
        "cut": data[: len(data) // 2],
        "empty": b"",
        "longer": data + b"\0",
        "another version": data[:4] + b"\x63\0\0\0" + data[8:],
        "another format": b"CMSH" + data[4:],
        "a flipped bit": flipped(data, len(data) - 70),
        "a flipped bit before the arrays": flipped(data, len(data) - arrays_size - 1),
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


def test_a_user_cache_that_cannot_be_written_to_is_told_of_once(
    project, asset_file, session, caplog, tmp_path, monkeypatch
):
    (project / "project.json").unlink()
    (tmp_path / "a file").touch()
    monkeypatch.setenv("CINDER_CACHE_DIR", str(tmp_path / "a file"))
    _expect_one_warning(session, caplog)


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

"""How large the folder becomes, what goes first, and who else writes into it."""

import errno
import logging
import os
import pathlib
import threading
import time

import pytest

from engine.assets import load_gltf
from engine.assets.cache_folder import CACHE_FOLDER
from engine.assets.import_cache import ImportCache
from engine.assets.library import AssetLibrary
from tests.engine.assets.asset_likeness import differences
from tests.engine.assets.import_cache.conftest import ASSET, Session, kept


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


def test_what_another_program_reads_stays_and_the_next_oldest_goes(
    project, gltf, monkeypatch, caplog
):
    """As on Windows, where a file that is open can't be removed."""
    library = AssetLibrary(project)
    gltf.folder = project
    gltf.triangle()
    for name in ("a.gltf", "b.gltf"):
        gltf.write(name)
        keep(library, ImportCache(project), name)
    held, next_oldest = kept(project)
    for path, age_s in ((held, 2000), (next_oldest, 1000)):
        os.utime(path, (time.time() - age_s, time.time() - age_s))
    remove = pathlib.Path.unlink

    def unlink(path, **options):
        if path == held:
            raise PermissionError(errno.EACCES, "in use")
        remove(path, **options)

    monkeypatch.setattr(pathlib.Path, "unlink", unlink)
    caplog.set_level(logging.INFO, "cinder.assets")
    size = held.stat().st_size
    cache = ImportCache(project, most_bytes=2 * size + size // 2)
    gltf.write("c.gltf")
    keep(library, cache, "c.gltf")
    assert caplog.messages == []
    assert cache.load("c.gltf") is not None
    assert held in kept(project)
    assert next_oldest not in kept(project)
    library.close()


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

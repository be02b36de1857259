"""Environment images that were read before are read again in a moment, while they are good."""

import errno
import logging
import os
import pathlib

import numpy as np
import pytest

from engine.errors import AssetError
from engine.scene import light_cache
from engine.scene.light_cache import LightCache

HEAD = b"#?RADIANCE\n\n-Y 3 +X 6\n"
SKY = HEAD + bytes(range(110, 110 + 18 * 4))


@pytest.fixture
def project(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    (tmp_path / "sky.hdr").write_bytes(SKY)
    return tmp_path


@pytest.fixture
def decoded(monkeypatch):
    """How often a file was decoded."""
    times = []
    real = light_cache.read_light

    def read(path):
        times.append(path)
        return real(path)

    monkeypatch.setattr(light_cache, "read_light", read)
    return times


def read(project):
    return LightCache(project).read(project / "sky.hdr", "sky.hdr")


def test_the_second_reading_decodes_nothing_and_gives_the_same(project, decoded):
    first, again = read(project), read(project)
    assert len(decoded) == 1
    assert again.name == "sky.hdr"
    assert all(np.array_equal(a, b) for a, b in zip(first.levels, again.levels, strict=True))
    np.testing.assert_array_equal(first.irradiance, again.irradiance)
    assert (project / ".cinder/.gitignore").read_text() == "*\n"


def test_other_content_of_the_same_size_and_age_is_decoded_anew(project, decoded):
    first = read(project)
    (project / "sky.hdr").write_bytes(HEAD + bytes(range(111, 111 + 18 * 4)))
    assert not np.array_equal(read(project).levels[0], first.levels[0])
    assert len(decoded) == 2


@pytest.mark.parametrize("damage", [b"", b"nonsense" * 20, None])
def test_a_damaged_entry_is_as_good_as_none(project, decoded, damage):
    first = read(project)
    (entry,) = (project / ".cinder").glob("*.ktx2")
    entry.write_bytes(entry.read_bytes()[:-40] if damage is None else damage)
    assert np.array_equal(read(project).levels[0], first.levels[0])
    assert len(decoded) == 2
    read(project)
    assert len(decoded) == 2


def test_any_flipped_bit_of_an_entry_is_noticed(project):
    first = read(project)
    (entry,) = (project / ".cinder").glob("*.ktx2")
    good = entry.read_bytes()
    for at in range(0, len(good), 7):
        entry.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :])
        again = read(project)
        assert all(np.array_equal(a, b) for a, b in zip(first.levels, again.levels, strict=True))
        np.testing.assert_array_equal(first.irradiance, again.irradiance)


def test_a_link_that_leads_nowhere_keeps_no_entry_from_going(project, monkeypatch):
    monkeypatch.setattr(light_cache, "_KEPT", 1)
    read(project)
    try:
        (project / ".cinder/x.light.ktx2").symlink_to("nowhere")
    except OSError:
        return
    (project / "other.hdr").write_bytes(SKY)
    LightCache(project).read(project / "other.hdr", "other.hdr")
    assert len(list((project / ".cinder").glob("*.ktx2"))) == 1


def test_in_a_locked_project_nothing_is_kept(project, decoded):
    (project / ".cinder").write_text("a file, where the folder should be")
    read(project)
    read(project)
    assert len(decoded) == 2


def test_outside_of_a_project_the_light_is_kept_elsewhere(project, decoded):
    (project / "project.json").unlink()
    read(project)
    read(project)
    assert len(decoded) == 1
    assert [path.name for path in project.iterdir()] == ["sky.hdr"]


def test_a_link_that_leads_out_of_the_project_is_not_followed(project, decoded, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    try:
        (project / ".cinder").symlink_to(outside)
    except OSError:
        # Windows asks for a right; it has nothing to follow then.
        return
    read(project)
    assert list(outside.iterdir()) == []
    assert len(decoded) == 1


def test_a_broken_or_missing_image_is_told_and_leaves_no_entry(project):
    (project / "sky.hdr").write_bytes(b"no light")
    with pytest.raises(AssetError, match=r"sky\.hdr: found"):
        read(project)
    (project / "sky.hdr").unlink()
    with pytest.raises(AssetError, match=r"sky\.hdr: No such file"):
        read(project)
    assert not (project / ".cinder").exists()


def test_only_the_latest_entries_stay(project, monkeypatch):
    monkeypatch.setattr(light_cache, "_KEPT", 2)
    for k in range(4):
        (project / f"sky{k}.hdr").write_bytes(SKY)
        LightCache(project).read(project / f"sky{k}.hdr", f"sky{k}.hdr")
    assert len(list((project / ".cinder").glob("*.ktx2"))) == 2


def test_an_entry_that_another_program_reads_keeps_no_other_from_going(
    project, monkeypatch, caplog
):
    """As on Windows, where a file that is open can't be removed."""
    caplog.set_level(logging.INFO, "cinder.assets")
    for k in range(3):
        (project / f"sky{k}.hdr").write_bytes(SKY)
        LightCache(project).read(project / f"sky{k}.hdr", f"sky{k}.hdr")
        for entry in (project / ".cinder").glob("*.ktx2"):
            os.utime(entry, (entry.stat().st_atime, entry.stat().st_mtime - 1000))
    held, oldest, _ = sorted((project / ".cinder").glob("*.ktx2"), key=os.path.getmtime)
    remove = pathlib.Path.unlink

    def unlink(path, **options):
        if path == held:
            raise PermissionError(errno.EACCES, "in use")
        remove(path, **options)

    monkeypatch.setattr(pathlib.Path, "unlink", unlink)
    monkeypatch.setattr(light_cache, "_KEPT", 2)
    read(project)
    assert held.exists()
    assert not oldest.exists()
    assert caplog.messages == []

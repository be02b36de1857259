"""The kept types of wgpu-native are those of its header, and a damaged file of them is not used."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import engine.render.c_types as c_types

ROOT = Path(__file__).resolve().parents[3]
DRAW = """
import sys
import pycparser
if {forbids}:
    pycparser.CParser.parse = None
from engine.render.renderer import Renderer
from engine.render.scene import Camera, RenderScene
scene = RenderScene(Camera.look_at((0, 0, 1), (0, 0, 0)))
assert Renderer().snapshot(scene, 8, 8).shape == (8, 8, 4)
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(c_types, "cache_dir", lambda: folder)
    return folder


@pytest.fixture
def read_anew():
    """What cffi makes of the header by itself."""
    import cffi
    from wgpu._coreutils import get_header_filename

    ffi = cffi.FFI()
    ffi.cdef(Path(get_header_filename("combined_header.h")).read_text())
    return ffi


def layout(ffi, name):
    kind = ffi.typeof(name)
    if kind.kind != "struct" or kind.fields is None:
        return kind.kind, kind.kind in ("struct", "void") or ffi.sizeof(kind)
    fields = [(key, field.offset, ffi.sizeof(field.type)) for key, field in kind.fields]
    return ffi.sizeof(kind), fields


def test_kept_types_are_laid_out_as_the_header_says(cache, read_anew):
    made = c_types._ready_types()
    kept = c_types._ready_types()
    names = [name for name in read_anew.list_types()[0] if name.startswith("WGPU")]
    assert len(names) > 300
    # cffi reads the header again for every name, so that all of them would take half a minute.
    for name in names[::15]:
        expected = layout(read_anew, name)
        assert layout(made, name) == expected, name
        assert layout(kept, name) == expected, name


@pytest.mark.parametrize(
    "content", ["", "{'_types': ", "[1, 2]", "__import__('os')", "{}", "{'_types': 3}"]
)
def test_a_damaged_file_is_made_anew(cache, content):
    c_types._ready_types()
    [file] = cache.iterdir()
    whole = file.read_text()
    file.write_text(content)
    assert c_types._ready_types().sizeof("WGPULimits") > 0
    assert file.read_text() == whole


def test_one_other_character_in_the_file_is_damage(cache):
    """cffi believes its tables: with most of them the program would end later on."""
    c_types._ready_types()
    [file] = cache.iterdir()
    whole = file.read_text()
    for at in np.random.default_rng(4).integers(0, len(whole), 3).tolist():
        file.write_text(whole[:at] + ("0" if whole[at] == "1" else "1") + whole[at + 1 :])
        assert c_types._ready_types().sizeof("WGPULimits") > 0
        assert file.read_text() == whole


def test_a_new_file_takes_the_place_of_those_of_other_versions(cache):
    cache.mkdir()
    other = cache / f"wgpu-types-{'0' * 24}.txt"
    broken_off = cache / f".wgpu-types-{'1' * 24}.txt.01234567.part"
    strange = cache / "wgpu-types-mine.txt"
    for path in (other, broken_off, strange):
        path.write_text("")
        os.utime(path, (1e9, 1e9))
    c_types._ready_types()
    assert not other.exists()
    assert not broken_off.exists()
    [kept] = set(cache.iterdir()) - {strange}
    other.write_text("")
    os.utime(other, (1e9, 1e9))
    c_types._ready_types()
    assert set(cache.iterdir()) == {kept, strange, other}, "only who writes looks for old ones"


def test_types_are_there_where_nothing_can_be_kept(cache):
    cache.write_text("a file where the folder should be")
    assert c_types._ready_types().sizeof("WGPULimits") > 0


def test_another_cffi_is_left_alone(monkeypatch):
    monkeypatch.setattr(c_types, "_BACKEND", "not.loaded")
    monkeypatch.setattr(c_types, "_ready_types", lambda: 1 / 0)
    c_types.prepare_c_types()


@pytest.mark.gpu
def test_a_second_start_draws_without_reading_the_header(tmp_path):
    environment = {**os.environ, "CINDER_CACHE_DIR": str(tmp_path)}
    for forbids in (False, True):
        code = DRAW.format(forbids=forbids)
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == ""

"""Whatever lies where a file is expected: a pipe is never waited for, and told of in words."""

import ast
import os
import pathlib
import signal

import pytest

import engine
from editor.document import LevelDocument
from editor.document.project_reading import read_project
from editor.model.journal import read_header, read_journal
from editor.model.stored_json import read_json
from editor.panels.assets.import_report import extensions_of
from engine.app import App
from engine.assets.asset_ids import hash_file
from engine.assets.cache_folder import CACHE_FOLDER, CachePlace
from engine.assets.cook_manifest import CookManifest
from engine.assets.cooked.asset_read import read_asset
from engine.assets.exr import read_exr
from engine.assets.hdr import read_hdr
from engine.assets.import_cache import ImportCache
from engine.assets.ktx2 import load_ktx2
from engine.assets.light import read_light
from engine.assets.texture_files import TextureFiles
from engine.assets.watch.wholeness import looks_whole
from engine.errors import EngineError
from engine.plain_file import holds_the_same, open_plain, read_plain
from engine.scene.levels.atomic_file import read_file

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture
def pipe(tmp_path):
    def make(name="pipe"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        os.mkfifo(path)
        made.append(path)
        return path

    def waited(*_):
        raise TimeoutError("it waits for somebody to write to the pipe")

    made = []
    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(10)
    yield make
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    for path in made:
        # Whoever waits all the same, on some thread, reads an empty file.
        os.close(os.open(path, os.O_RDWR))


@needs_pipes
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("p", read_plain),
        ("p", open_plain),
        ("p", hash_file),
        ("p.hdr", read_hdr),
        ("p.hdr", read_light),
        ("p.ktx2", read_light),
        ("p.ktx2", lambda path: load_ktx2(path, False)),
        ("p.exr", read_exr),
        ("p.scene", read_file),
        ("p.casset", lambda path: read_asset(path, path.parent)),
        ("manifest.txt", CookManifest.load),
        ("p.journal", read_header),
        ("p.journal", read_journal),
    ],
)
def test_a_pipe_is_refused_in_words(pipe, name, read):
    path = pipe(name)
    with pytest.raises((EngineError, OSError), match=r"not a file|expected a file|OpenEXR"):
        read(path)


@needs_pipes
def test_a_pipe_is_as_good_as_nothing_where_nothing_may_be(pipe, tmp_path):
    assert not looks_whole(str(pipe("a.png")))
    assert extensions_of(pipe("a.glb")) == []
    assert read_json(pipe("settings.json"))[0] == {}
    assert read_project(tmp_path, {}, {}) == {}


@needs_pipes
def test_a_pipe_in_place_of_a_cached_asset_is_as_good_as_absent(pipe, tmp_path):
    (tmp_path / "project.json").write_text("{}")
    cache = ImportCache(tmp_path)
    pipe(CachePlace(pathlib.Path(CACHE_FOLDER)).file("a.glb", "asset", ".casset"))
    assert cache.load("a.glb") is None


@needs_pipes
def test_a_pipe_for_a_picture_is_told_of(pipe, tmp_path):
    textures = TextureFiles(lambda path: tmp_path / path)
    pipe("wood.png")
    textures.use(["wood.png"])
    textures.wait()
    textures.poll()
    assert "not a file" in textures.problem("wood.png")
    textures.close()


@pytest.mark.parametrize("name", ["a\0b", "\udfff\ud800"])
def test_a_name_that_no_file_can_have_is_a_fault_of_the_system(tmp_path, name):
    with pytest.raises(OSError, match="no file has such a name"):
        open_plain(os.path.join(tmp_path, name))


def test_no_file_of_a_project_is_opened_without_a_look_at_what_it_is():
    """What is left out is the program's own files."""
    own = {
        "engine/plain_file.py",
        "editor/qt/glyph_font.py",
        "engine/render/c_types.py",
        "engine/render/mesh_streams.py",
        "engine/render/shader_source.py",
        "engine/assets/cache_origin.py",
    }
    root = pathlib.Path(engine.__file__).parents[1]
    found = [
        f"{name}:{node.lineno}"
        for package in ("engine", "editor")
        for file in (root / package).rglob("*.py")
        if (name := file.relative_to(root).as_posix()) not in own
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Call) and _reads_unseen(node)
    ]
    assert found == []


def _reads_unseen(call):
    if isinstance(call.func, ast.Attribute) and call.func.attr in ("read_bytes", "read_text"):
        return True
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return name == "open" and any(
        isinstance(argument, ast.Constant) and argument.value == "rb" for argument in call.args
    )


def test_nothing_is_asked_of_a_path_that_raises_for_a_name_too_long():
    """`Path.is_file` and its like raise where a name is too long; those of `os.path` tell."""
    root = pathlib.Path(engine.__file__).parents[1]
    found = [
        f"{file.relative_to(root).as_posix()}:{node.lineno}"
        for package in ("engine", "editor")
        for file in (root / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_bytes()))
        if isinstance(node, ast.Call) and _may_raise(node)
    ]
    assert found == []


def _may_raise(call):
    """What folders are listed by has no such fault, and is called an entry or item by all."""
    asked = isinstance(call.func, ast.Attribute) and call.func.attr in (
        "exists",
        "is_file",
        "is_dir",
    )
    listed = ("entry", "item", "e")
    return asked and not call.args and getattr(call.func.value, "id", "") not in listed


@pytest.mark.parametrize("name", ["n" * 300, "n/" * 3000 + "n"])
def test_a_name_too_long_for_a_file_is_told_of_wherever_it_stands(tmp_path, name):
    (tmp_path / "project.json").write_text("{}")
    level = tmp_path / "a.scene"
    level.write_text(
        f'cinder-scene 2\nentity 0\n  GltfInstance asset="{name}.glb"\n'
        f'entity 1\n  MaterialOverride normal_texture="{name}.png"\n'
        f'entity 2\n  Environment image="{name}.hdr"\n'
        f'entity 3\n  SceneInstance level="{name}.scene"\n'
    )
    document = LevelDocument(App(tmp_path))
    document.open(level)
    assert set(document.missing_assets()) >= {f"{name}.glb", f"{name}.scene"}
    assert len(document.app.problems()) == 4
    for wrong in (document.app.load, document.open, document.place):
        with pytest.raises(EngineError):
            wrong(name)
    document.close()


def test_files_of_one_size_and_time_may_hold_different_bytes(tmp_path):
    one, other = tmp_path / "a", tmp_path / "b"
    one.write_bytes(b"x" * 300_000)
    other.write_bytes(b"x" * 300_000)
    os.utime(one, (5, 5))
    os.utime(other, (5, 5))
    assert holds_the_same(one, other)
    other.write_bytes(b"x" * 299_999 + b"y")
    os.utime(other, (5, 5))
    assert not holds_the_same(one, other)
    assert not holds_the_same(one, tmp_path / "none")
    assert not holds_the_same(one, tmp_path)

"""`cinder-cook` as it is called: statuses, names, clashes, and the rest still cooking."""

import base64
import json
import os
import struct
import subprocess
import sys

import pytest

from engine.assets.asset_ids import asset_file_name
from engine.assets.cook_manifest import CookManifest
from engine.cli import cook
from tests.patience import PATIENCE_S


def write_triangle(path, side=1.0):
    path.parent.mkdir(parents=True, exist_ok=True)
    positions = struct.pack("<9f", 0, 0, 0, side, 0, 0, 0, side, 0)
    uri = "data:application/octet-stream;base64," + base64.b64encode(positions).decode()
    accessor = {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": 36, "uri": uri}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{**accessor, "min": [0, 0, 0], "max": [side, side, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }
    path.write_text(json.dumps(document))
    return str(path)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def logical_paths(out):
    return sorted(e.logical for e in CookManifest.load(out / "manifest.txt").entries())


def test_sources_are_cooked_once(tmp_path, out, capsys):
    source = write_triangle(tmp_path / "models" / "Fox.gltf")
    assert cook.main([str(out), source]) == 0
    assert logical_paths(out) == ["Fox#", "Fox#mesh0/prim0"]
    assert (out / asset_file_name("Fox#mesh0/prim0", "cmesh")).is_file()
    told = capsys.readouterr().out.splitlines()
    assert told == ["  Fox#mesh0/prim0", "  Fox#", f"[1/1] {source}: 2 cooked, 0 up to date"]
    assert cook.main([str(out), source]) == 0
    assert "0 cooked, 2 up to date" in capsys.readouterr().out
    assert cook.main([str(out), source, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_one_that_fails_stops_no_other(tmp_path, out, capsys):
    good = write_triangle(tmp_path / "good.gltf")
    bad = tmp_path / "bad.glb"
    bad.write_bytes(b"{")
    absent = str(tmp_path / "absent.glb")
    assert cook.main([str(out), str(bad), absent, good]) == 1
    assert logical_paths(out) == ["good#", "good#mesh0/prim0"]
    problems = capsys.readouterr().err
    assert "bad.glb: parse failed" in problems
    assert "absent.glb: cooked source" in problems


def test_two_sources_of_one_name_are_refused(tmp_path, out, capsys):
    first, second = (write_triangle(tmp_path / d / "Fox.gltf") for d in ("a", "b"))
    third = write_triangle(tmp_path / "Owl.gltf")
    assert cook.main([str(out), first, second, third]) == 1
    assert logical_paths(out) == ["Owl#", "Owl#mesh0/prim0"]
    problems = capsys.readouterr().err
    assert problems.count("cooked prefix 'Fox' is also that of") == 2
    assert "--prefix" in problems
    assert cook.main([str(out), first, second, "--prefix", "a/Fox", "--prefix", "b/Fox"]) == 0
    assert "b/Fox#mesh0/prim0" in logical_paths(out)
    assert cook.main([str(out), first, first]) == 0


def test_a_name_that_an_earlier_run_gave_is_refused_while_its_file_is_there(tmp_path, out, capsys):
    first, second = (write_triangle(tmp_path / d / "Fox.gltf") for d in ("a", "b"))
    assert cook.main([str(out), first]) == 0
    assert cook.main([str(out), second]) == 1
    assert f"is also that of {first}" in capsys.readouterr().err
    (tmp_path / "a" / "Fox.gltf").unlink()
    assert cook.main([str(out), second]) == 0


def test_a_name_with_a_space_needs_a_prefix(tmp_path, out, capsys):
    source = write_triangle(tmp_path / "old fox.gltf")
    assert cook.main([str(out), source]) == 1
    assert "--prefix old_fox" in capsys.readouterr().err
    assert cook.main([str(out), source, "--prefix", "fox"]) == 0
    assert logical_paths(out) == ["fox#", "fox#mesh0/prim0"]


def test_arguments_that_make_no_sense_give_status_2(tmp_path, out, capsys):
    source = write_triangle(tmp_path / "a.gltf")
    assert cook.main([str(out), source, "--prefix", "a", "--prefix", "b"]) == 2
    assert "2 prefixes for 1 sources" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        cook.main([str(out)])


def test_programs_that_cook_into_one_folder_remember_each_other_s(tmp_path, out, monkeypatch):
    first, second = (write_triangle(tmp_path / f"{name}.gltf") for name in "ab")
    real = cook.cook_library

    def meanwhile(*arguments):
        monkeypatch.setattr(cook, "cook_library", real)
        assert cook.main([str(out), second, "--quiet"]) == 0
        yield from real(*arguments)

    monkeypatch.setattr(cook, "cook_library", meanwhile)
    assert cook.main([str(out), first, "--quiet"]) == 0
    assert logical_paths(out) == ["a#", "a#mesh0/prim0", "b#", "b#mesh0/prim0"]


def test_an_interrupt_keeps_what_was_cooked_and_is_told_in_a_line(
    tmp_path, out, monkeypatch, capsys
):
    sources = [write_triangle(tmp_path / f"{name}.gltf") for name in "abc"]
    real = cook._tell

    def interrupted(result, *more):
        real(result, *more)
        if result.source.prefix == "b":
            raise KeyboardInterrupt

    monkeypatch.setattr(cook, "_tell", interrupted)
    # What is printed from then on goes nowhere.
    monkeypatch.setattr("engine.cli.console._print_nowhere", lambda: None)
    assert cook.main([str(out), *sources]) == 130
    assert capsys.readouterr().err == "cinder-cook: stopped\n"
    assert logical_paths(out) == ["a#", "a#mesh0/prim0", "b#", "b#mesh0/prim0"]
    monkeypatch.setattr(cook, "_tell", real)
    assert cook.main([str(out), *sources]) == 0
    assert "c#" in logical_paths(out)


HOSTILE = {
    "of others": b"a#gone 0 notes.txt\na#gone2 0 manifest.txt\na#gone3 0 .hidden\n",
    "outside": b"a#gone 0 ../notes.txt\na# 0 ../../notes.txt\na#x 0 /etc/passwd\na#y 0 ..\n",
    "no names": b"a#gone 0 a\0b\na# 0 \0\n \n  \na#\na# 0\na# 0 x y\n",
    "long": b"".join(b"x#%d 0 %d.cmesh\n" % (k, k) for k in range(20_000)),
    "folders": b"a# 0 folder\na#gone 0 folder\n",
}


@pytest.mark.parametrize("manifest", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_manifest_costs_nobody_a_file(tmp_path, out, manifest):
    (out / "folder").mkdir(parents=True)
    kept = [tmp_path / "notes.txt", out / "notes.txt", out / ".hidden", out / "folder" / "x"]
    for path in kept:
        path.write_text("mine")
    (out / "manifest.txt").write_bytes(manifest)
    source = write_triangle(tmp_path / "a.gltf")
    assert cook.main([str(out), source, "--quiet"]) == 0
    assert [path.read_text() for path in kept] == ["mine"] * len(kept)
    assert {"a#", "a#mesh0/prim0"} <= set(logical_paths(out))
    assert not any("gone" in logical for logical in logical_paths(out))
    made = {path.name for path in out.iterdir()} - {
        "manifest.txt",
        "notes.txt",
        ".hidden",
        "folder",
    }
    assert made == {asset_file_name("a#", "root"), asset_file_name("a#mesh0/prim0", "cmesh")}


def test_a_manifest_behind_a_link_leaves_what_that_leads_to(tmp_path, out):
    out.mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    try:
        (out / "manifest.txt").symlink_to(tmp_path / "notes.txt")
    except OSError:
        return
    assert cook.main([str(out), write_triangle(tmp_path / "a.gltf"), "--quiet"]) == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert "a#" in logical_paths(out)


def test_processes_cook_the_same_bytes(tmp_path, out, monkeypatch):
    sources = [write_triangle(tmp_path / f"m{k}.gltf", k + 1.0) for k in range(3)]
    pools, make_pool = [], cook.ProcessPoolExecutor

    def counted(processes, **more):
        pools.append(processes)
        return make_pool(processes, **more)

    monkeypatch.setattr(cook, "ProcessPoolExecutor", counted)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert cook.main([str(out), *sources]) == 0
    assert not pools, "so little is cooked sooner than a process starts"
    monkeypatch.setattr(cook, "_WORTH_A_POOL", 0)
    other = tmp_path / "other"
    assert cook.main([str(other), *sources]) == 0
    assert pools == [2]
    assert {p.name: p.read_bytes() for p in out.iterdir()} == {
        p.name: p.read_bytes() for p in other.iterdir()
    }


def test_the_module_runs_without_qt_and_wgpu(tmp_path, out):
    source = write_triangle(tmp_path / "a.gltf")
    script = (
        "import sys; from engine.cli.cook import main; "
        f"status = main([{str(out)!r}, {source!r}]); "
        "print(status, [m for m in ('wgpu', 'PySide6') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "0 []", done.stderr


@pytest.fixture
def distributed():
    return pytest.importorskip("distributed", reason="dask.distributed is not installed")


@pytest.mark.filterwarnings("default")
def test_a_cluster_cooks_the_same_bytes(tmp_path, out, capfd, monkeypatch, distributed):
    """A scheduler and two workers, each a process of its own."""
    monkeypatch.chdir(tmp_path)
    sources = [write_triangle(tmp_path / f"{k}.gltf", side=k + 1) for k in range(4)]
    relative = [os.path.relpath(source) for source in sources]
    assert cook.main([str(tmp_path / "here"), *relative, "--jobs", "1"]) == 0
    bad = tmp_path / "bad.glb"
    bad.write_bytes(b"{")
    capfd.readouterr()
    local = {"host": "127.0.0.1", "dashboard_address": ":0"}
    patience = {f"distributed.comm.timeouts.{kind}": PATIENCE_S for kind in ("connect", "tcp")}
    with (
        pytest.importorskip("dask").config.set({"temporary-directory": str(tmp_path), **patience}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **local) as workers,
    ):
        address = ["--scheduler", workers.scheduler_address]
        assert cook.main(["out", *relative, *address]) == 0
        found = capfd.readouterr().out
        assert found.count("2 cooked, 0 up to date") == len(sources)
        assert cook.main(["out", *relative, *address]) == 0
        assert cook.main(["out", str(bad), write_triangle(tmp_path / "new.gltf"), *address]) == 1
        assert "bad.glb: " in capfd.readouterr().err
    assert "new#" in logical_paths(out)
    for path in (tmp_path / "here").iterdir():
        if path.suffix == ".cmesh":
            assert (out / path.name).read_bytes() == path.read_bytes()


@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("distributed")
def test_a_scheduler_that_is_not_there_is_status_2(tmp_path, out, capfd):
    source = write_triangle(tmp_path / "a.gltf")
    with pytest.importorskip("dask").config.set({"distributed.comm.timeouts.connect": "200ms"}):
        assert cook.main([str(out), source, "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "no scheduler at tcp://127.0.0.1:9" in capfd.readouterr().err

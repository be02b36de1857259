"""The cooker with real files: what it makes, what it skips, what it forgets, what it refuses."""

import os
import shutil
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest

from engine.assets import AssetError, load_gltf
from engine.assets import cook as cook_module
from engine.assets.asset_ids import asset_file_name, hash_file
from engine.assets.cook import COOKER_VERSION, CookReport, cook_gltf
from engine.assets.cook_library import Source, cook_library, name_sources
from engine.assets.cook_manifest import CookManifest
from engine.assets.cooked import read_clip, read_material, read_mesh, read_skeleton
from engine.assets.jobs import JobSystem
from engine.assets.ktx2 import can_compress, cook_texture_ktx2, load_ktx2
from engine.assets.ktx2.container import Container
from engine.assets.server import AssetServer
from tests.patience import PATIENCE_S

WHOLE = [
    "Box#mesh0/prim0",
    "Box#mesh1/prim0",
    "Box#material0",
    "Box#image0",
    "Box#image1",
    "Box#skeleton0",
    "Box#anim0",
    "Box#",
]
TANGENT_TRIANGLE = {"NORMAL": [[0, 0, 1]] * 3, "TEXCOORD_0": [[0, 0], [1, 0], [0, 1]]}


@pytest.fixture
def box(gltf, make_png):
    """A file with two meshes, a material with two external images, a skin and an animation."""
    (gltf.folder / "color.png").write_bytes(make_png())
    (gltf.folder / "bumps.png").write_bytes(make_png())
    extra = {name: gltf.accessor(values) for name, values in TANGENT_TRIANGLE.items()}
    material = {
        "name": "paint",
        "alphaMode": "MASK",
        "alphaCutoff": 0.25,
        "doubleSided": True,
        "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.25, 1, 1],
            "baseColorTexture": {
                "index": 0,
                "extensions": {"KHR_texture_transform": {"scale": [2, 3], "offset": [0.5, 0]}},
            },
        },
        "normalTexture": {"index": 1},
    }
    gltf.add("materials", **material)
    gltf.add("samplers", magFilter=9728, wrapS=33648)
    for name in ("color.png", "bumps.png", "unused.png"):
        gltf.add("images", uri=name)
    gltf.add("textures", source=0, sampler=0)
    gltf.add("textures", source=1)
    gltf.node(mesh=gltf.mesh(indices=[0, 1, 2], attributes=extra, material=0))
    plain = gltf.mesh(indices=[0, 1, 2])
    points = {"attributes": {"POSITION": gltf.accessor([[0, 0, 0]])}, "mode": 0}
    gltf.json["meshes"][plain]["primitives"].append(points)
    joint = gltf.node(name="hip", mesh=plain)
    gltf.add("skins", joints=[joint])
    sampler = {"input": gltf.accessor([0.0, 1.0]), "output": gltf.accessor([[0, 0, 0], [1, 0, 0]])}
    channel = {"sampler": 0, "target": {"node": joint, "path": "translation"}}
    gltf.add("animations", name="walk", samplers=[sampler], channels=[channel])
    return gltf


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def cooked_bytes(out, logical, ext):
    return (out / asset_file_name(logical, ext)).read_bytes()


def test_everything_in_a_file_is_cooked(box, out):
    source, manifest = box.write(), CookManifest()
    report = cook_gltf(source, "Box", out, manifest)
    assert report.outputs == WHOLE
    assert (report.cooked, report.skipped) == (len(WHOLE), 0)
    assert [e.logical for e in manifest.entries()] == WHOLE
    assert {e.source_hash for e in manifest.entries()} == {hash_file(source)}
    assert sorted(e.file for e in manifest.entries()) == sorted(contents(out))

    mesh = read_mesh(cooked_bytes(out, "Box#mesh0/prim0", "cmesh"))
    assert (mesh.vertex_count, len(mesh.lods), mesh.material) == (3, 1, "Box#material0")
    assert read_mesh(cooked_bytes(out, "Box#mesh1/prim0", "cmesh")).material == ""
    assert read_clip(cooked_bytes(out, "Box#anim0", "cclip")).name == "walk"
    skeleton = read_skeleton(cooked_bytes(out, "Box#skeleton0", "cskel"))
    assert [joint.name for joint in skeleton.joints] == ["hip"]

    material = read_material(cooked_bytes(out, "Box#material0", "cmat"))
    assert [slot.image for slot in material.slots] == ["Box#image0", "", "Box#image1", "", ""]
    assert (material.name, material.alpha_mode, material.double_sided) == ("paint", "mask", True)
    assert (material.uv_scale, material.uv_offset) == ((2, 3), (0.5, 0))
    assert (material.linear_filter, material.address_mode) == (False, "mirror")


def test_images_are_cooked_as_they_are_used(box, out):
    cook_gltf(box.write(), "Box", out, CookManifest())
    assert load_ktx2(out / asset_file_name("Box#image0", "ktx2"), False).srgb
    normal = Container(cooked_bytes(out, "Box#image1", "ktx2"), "image1")
    assert not normal.srgb
    if can_compress():
        import opengl_basisu

        codecs = [
            opengl_basisu.open(cooked_bytes(out, f"Box#image{k}", "ktx2")).codec.name
            for k in (0, 1)
        ]
        assert codecs[0] == "ETC1S"
        assert codecs[1].startswith("UASTC")


def test_the_root_file_names_source_cooker_and_side_files(box, out):
    source = box.write()
    cook_gltf(source, "Box", out, CookManifest())
    lines = cooked_bytes(out, "Box#", "root").decode().splitlines()
    assert lines[:2] == [str(source), f"cooker {COOKER_VERSION}"]
    folder = source.parent
    assert lines[2:] == [
        f"{hash_file(folder / 'bumps.png')} bumps.png",
        f"{hash_file(folder / 'color.png')} color.png",
        f"{'-' * 16} unused.png",
    ]


def test_what_did_not_change_is_not_even_parsed(box, out, monkeypatch):
    source, manifest = box.write(), CookManifest()
    first = cook_gltf(source, "Box", out, manifest)
    before = contents(out)
    monkeypatch.setattr("engine.assets.cook.load_gltf", None)
    again = cook_gltf(source, "Box", out, manifest)
    assert again == CookReport(0, len(WHOLE), first.outputs)
    assert contents(out) == before


def test_one_more_byte_cooks_everything_again(box, out):
    source, manifest = box.write(), CookManifest()
    cook_gltf(source, "Box", out, manifest)
    source.write_bytes(source.read_bytes() + b" ")
    assert cook_gltf(source, "Box", out, manifest).cooked == len(WHOLE)
    assert cook_gltf(source, "Box", out, manifest).skipped == len(WHOLE)


@pytest.mark.parametrize(
    "change",
    [
        lambda box, out: (box.folder / "color.png").write_bytes(b"no picture"),
        lambda box, out: (box.folder / "unused.png").write_bytes(b"now there"),
        lambda box, out: (box.folder / "bumps.png").unlink(),
        lambda box, out: (out / asset_file_name("Box#anim0", "cclip")).unlink(),
        lambda box, out: (out / asset_file_name("Box#", "root")).unlink(),
        lambda box, out: (out / asset_file_name("Box#", "root")).write_bytes(b"\xff\nx"),
    ],
)
def test_side_files_and_lost_outputs_cook_again(box, out, change):
    source, manifest = box.write(), CookManifest()
    cook_gltf(source, "Box", out, manifest)
    change(box, out)
    assert cook_gltf(source, "Box", out, manifest).cooked == len(WHOLE)
    assert cook_gltf(source, "Box", out, manifest).cooked == 0


@pytest.mark.parametrize("name", ["points", "points.dat", ".points"])
def test_buffers_cook_again_whatever_they_are_called(box, out, name):
    data = bytes(box.blob)
    (box.folder / name).write_bytes(data)
    box.json["buffers"] = [{"byteLength": len(data), "uri": name}]
    source, manifest = box.write(), CookManifest()
    cook_gltf(source, "Box", out, manifest)
    assert cook_gltf(source, "Box", out, manifest).cooked == 0
    (box.folder / name).write_bytes(data + b"more")
    assert cook_gltf(source, "Box", out, manifest).cooked == len(WHOLE)


def test_another_cooker_cooks_again(box, out, monkeypatch):
    source, manifest = box.write(), CookManifest()
    cook_gltf(source, "Box", out, manifest)
    monkeypatch.setattr("engine.assets.cook.COOKER_VERSION", COOKER_VERSION + 1)
    assert cook_gltf(source, "Box", out, manifest).cooked == len(WHOLE)


def test_what_a_source_lost_is_pruned(box, out):
    source, manifest = box.write(), CookManifest()
    manifest.record("Boxes#mesh0/prim0", "0" * 16, "other.cmesh")
    cook_gltf(source, "Box", out, manifest)
    del box.json["animations"]
    box.write()
    report = cook_gltf(source, "Box", out, manifest)
    assert "Box#anim0" not in report.outputs
    assert manifest.find("Box#anim0") is None
    assert not (out / asset_file_name("Box#anim0", "cclip")).exists()
    assert manifest.find("Boxes#mesh0/prim0") is not None
    assert cook_gltf(source, "Box", out, manifest).skipped == len(WHOLE) - 1


def test_what_sources_lost_is_pruned_when_others_cook_them(box, out):
    paths = [box.write(name) for name in ("a.gltf", "b.gltf")]
    sources = name_sources([str(path) for path in paths])
    manifest = CookManifest()

    def cook():
        with ThreadPoolExecutor(2) as pool:
            done = list(cook_library(sources, str(out), manifest, lambda: pool))
        assert [result.error for result in done] == [None, None]

    cook()
    assert manifest.find("b#anim0") is not None
    del box.json["animations"]
    for path in paths:
        box.write(path.name)
    cook()
    assert not [e for e in manifest.entries() if "anim" in e.logical]
    assert sorted(e.file for e in manifest.entries()) == sorted(contents(out))


def test_what_a_cook_left_that_was_killed_goes_with_the_next(box, out):
    source = box.write()
    out.mkdir()
    ours = [
        f".{asset_file_name('Box#mesh0/prim0', 'cmesh')}.0123abcd.part",
        f"..{asset_file_name('Box#image0', 'ktx2')}.0123abcd.part.4567cdef.part",
        ".manifest.txt.89abcdef.part",
    ]
    others = [".notes.part", "download.0123abcd.part", f".{'0' * 16}.cmesh.part"]
    for name in (*ours, *others):
        (out / name).touch()
        os.utime(out / name, (1, 1))
    fresh = out / f".{'0' * 16}.cmesh.0123abcd.part"
    fresh.touch()
    (result,) = cook_library([Source(str(source), "Box")], str(out), CookManifest())
    assert result.error is None
    left = {name for name in os.listdir(out) if name.endswith(".part")}
    assert left == {*others, fresh.name}


def test_a_source_that_fails_leaves_everything_as_it_was(box, out):
    source, manifest = box.write(), CookManifest()
    cook_gltf(source, "Box", out, manifest)
    before, entries = contents(out), manifest.entries()
    source.write_bytes(b"{")
    with pytest.raises(AssetError, match="parse failed"):
        cook_gltf(source, "Box", out, manifest)
    with pytest.raises(AssetError, match=r"^cooked source .*cannot be read"):
        cook_gltf(source.with_name("absent.glb"), "Box", out, manifest)
    assert (contents(out), manifest.entries()) == (before, entries)


def test_numbers_that_are_not_finite_fail_their_source_and_say_where(box, out):
    positions = [[0, 0, 0], [1, 0, 0], [0, float("nan"), 0]]
    attributes = {"POSITION": box.accessor(positions)}
    box.json["meshes"][1]["primitives"].append({"attributes": attributes})
    manifest = CookManifest()
    with pytest.raises(
        AssetError, match=r"^cooked mesh: vertex 2: its position .*Box#mesh1/prim2$"
    ):
        cook_gltf(box.write(), "Box", out, manifest)
    assert len(manifest) == 0
    assert not list(out.iterdir())


def test_an_output_that_fails_leaves_everything_as_it_was(box, out, monkeypatch):
    source, manifest = box.write(), CookManifest()
    cook_gltf(source, "Box", out, manifest)
    before, entries = contents(out), manifest.entries()

    def refuse(*args, **kwargs):
        raise AssetError("cooked texture: no")

    monkeypatch.setattr("engine.assets.cook_tasks.cook_texture_ktx2", refuse)
    source.write_bytes(source.read_bytes() + b" ")
    with pytest.raises(AssetError, match="cooked texture: no"):
        cook_gltf(source, "Box", out, manifest)
    assert (contents(out), manifest.entries()) == (before, entries)


def test_an_output_that_fails_waits_for_those_that_are_being_made(box, out, monkeypatch):
    failed = threading.Event()
    real = cook_module.run_task

    def run(task, path):
        if task.logical == "Box#":
            failed.set()
            raise AssetError("cooked root: no")
        assert failed.wait(PATIENCE_S)
        real(task, path)

    monkeypatch.setattr(cook_module, "run_task", run)
    with ThreadPoolExecutor(8) as pool, pytest.raises(AssetError, match="cooked root: no"):
        cook_gltf(box.write(), "Box", out, CookManifest(), executor=pool)
    assert contents(out) == {}


@pytest.mark.parametrize("place", ["file", "file/below", "no\0name"])
def test_a_folder_that_cannot_be_written_to_is_told_of_in_words(box, tmp_path, place):
    (tmp_path / "file").write_text("in the way")
    manifest, wanted = CookManifest(), tmp_path / place
    with pytest.raises(AssetError, match=r"^cooked file.* cannot be written"):
        cook_gltf(box.write(), "Box", wanted, manifest)
    assert not manifest.entries()
    with pytest.raises(AssetError, match=r"^cooked file.* cannot be written"):
        manifest.save(wanted / "manifest.txt")
    with pytest.raises(AssetError, match=r"^cooked file.* cannot be written"):
        cook_texture_ktx2(np.zeros((1, 1, 4), np.uint8), wanted / "a.ktx2", srgb=True)
    with (
        JobSystem(0) as jobs,
        pytest.raises(AssetError, match=r"run cinder-cook|cannot be read"),
        AssetServer(jobs, None, wanted) as server,
    ):
        server.load_mesh("Box#mesh0/prim0")


class MortalPool(ThreadPoolExecutor):
    """Ends for good with a task that names what kills it, and takes what waits down with it."""

    made = 0

    def __init__(self):
        super().__init__(1)
        type(self).made += 1
        self._is_broken = False

    def submit(self, task, *arguments):
        future = Future()
        self._is_broken |= "deadly" in str(task.args[0].path)
        if self._is_broken:
            future.set_exception(BrokenProcessPool("killed"))
        else:
            future.set_result(task(*arguments))
        return future


def test_a_source_that_kills_its_process_stops_no_other(box, out, tmp_path):
    good = box.write()
    paths = [good.with_name(f"{name}.gltf") for name in ("a", "deadly", "b", "c")]
    for path in paths:
        shutil.copy(good, path)
    MortalPool.made = 0
    manifest = CookManifest()
    results = list(
        cook_library(name_sources(list(map(str, paths))), str(out), manifest, MortalPool)
    )
    assert [result.error is None for result in results] == [True, False, True, True]
    assert "a cooking process ended early (killed)" in str(results[1].error)
    assert MortalPool.made == 3
    assert {entry.logical.split("#")[0] for entry in manifest.entries()} == {"a", "b", "c"}


def test_a_fault_of_the_cooker_stops_no_other(box, out, monkeypatch):
    good = box.write()
    paths = [good.with_name(f"{name}.gltf") for name in "ab"]
    for path in paths:
        shutil.copy(good, path)
    real = cook_module.load_gltf

    def load(source, **options):
        if str(source).endswith("a.gltf"):
            raise MemoryError("no room")
        return real(source, **options)

    monkeypatch.setattr(cook_module, "load_gltf", load)
    first, second = cook_library(name_sources(list(map(str, paths))), str(out), CookManifest())
    assert "a.gltf: MemoryError: no room" in str(first.error)
    assert second.error is None


def test_the_bytes_do_not_depend_on_who_cooks(box, out, tmp_path):
    source, told = box.write(), []
    cook_gltf(source, "Box", out, CookManifest())
    with ThreadPoolExecutor(4) as pool:
        other = tmp_path / "other"
        cook_gltf(source, "Box", other, CookManifest(), executor=pool, progress=told.append)
    assert contents(other) == contents(out)
    assert sorted(told) == sorted(WHOLE)


@pytest.mark.parametrize("prefix", ["", "a b", "a#b", "a\tb"])
def test_prefixes_that_are_no_names_are_refused(box, out, prefix):
    with pytest.raises(AssetError, match=r"^cooked prefix"):
        cook_gltf(box.write(), prefix, out, CookManifest())
    assert not out.exists()


def test_large_meshes_get_levels_and_small_ones_do_not(shared, tmp_path):
    source = shared / "assets/khronos/Fox/glTF-Binary/Fox.glb"
    shutil.copy(source, tmp_path / "Fox.glb")
    cook_gltf(tmp_path / "Fox.glb", "Fox", tmp_path / "out", CookManifest())
    mesh = read_mesh(cooked_bytes(tmp_path / "out", "Fox#mesh0/prim0", "cmesh"))
    assert len(mesh.skin_bytes) == mesh.vertex_count * 24
    built = load_gltf(source).meshes[0].primitives[0].mesh.build_lods()[1]
    assert [lod.index_count for lod in mesh.lods] == [lod.index_count for lod in built]


def test_a_manifest_is_text_of_three_fields(tmp_path):
    path = tmp_path / "deep" / "manifest.txt"
    manifest = CookManifest.load(path)
    assert len(manifest) == 0
    manifest.record("a#", "00ff", "x.root")
    manifest.record("a#mesh0/prim0", "00ff", "y.cmesh")
    manifest.record("a#", "11ff", "x.root")
    manifest.save(path)
    assert path.read_bytes() == b"a# 11ff x.root\na#mesh0/prim0 00ff y.cmesh\n"
    assert os.listdir(path.parent) == ["manifest.txt"]
    path.write_bytes(
        path.read_bytes() + b"two fields\none two three four\n\nc# 1 ../out\nd#  f\nb# 1 f\r\n"
    )
    again = CookManifest.load(path)
    assert [e.logical for e in again.entries()] == ["a#", "a#mesh0/prim0", "b#"]
    assert again.find("b#").file == "f"


def test_a_manifest_refuses_what_it_could_not_read_back(tmp_path):
    manifest = CookManifest()
    for fields in (("a b", "1", "f"), ("a", "", "f"), ("a", "1", "../f"), ("a", "1", "x/f")):
        with pytest.raises(AssetError, match=r"^cooked manifest"):
            manifest.record(*fields)
    (tmp_path / "manifest.txt").write_bytes(b"\xff")
    with pytest.raises(AssetError, match=r"^cooked manifest .*UTF-8"):
        CookManifest.load(tmp_path / "manifest.txt")
    with pytest.raises(AssetError, match=r"^cooked manifest .*cannot be read"):
        CookManifest.load(tmp_path)


def test_up_to_date_needs_the_hash_and_the_file(tmp_path):
    manifest = CookManifest()
    manifest.record("a#", "1", "f")
    assert not manifest.up_to_date("a#", "1", tmp_path)
    (tmp_path / "f").write_bytes(b"")
    assert manifest.up_to_date("a#", "1", tmp_path)
    assert not manifest.up_to_date("a#", "2", tmp_path)
    assert not manifest.up_to_date("b#", "1", tmp_path)

"""A whole asset cooked into one file: it comes back as it was, or an AssetError says why not."""

import copy
import io
import random
import re
import struct
import zlib
from pathlib import Path

import msgspec
import numpy as np
import pytest

from engine.assets import AssetError, MeshData, load_gltf
from engine.assets.cooked.asset_layout import (
    AssetHead,
    AssetOrigin,
    AssetRecord,
    MeshRecord,
    RenderRecord,
)
from engine.assets.cooked.asset_read import read_asset
from engine.assets.cooked.asset_write import ASSET_VERSION, FIXED_HEAD, write_asset
from engine.assets.gltf import GltfAsset, GltfMesh, GltfPrimitive
from engine.ecs import World
from engine.scene import collision_triangles, propagate_transforms, spawn_gltf
from tests.engine.assets.asset_likeness import differences
from tests.engine.assets.rich_gltf import richer_file
from tests.engine.assets.test_fuzz import holder_of, mutated_bytes, mutated_json, places

SAMPLE = Path(__file__).resolve().parents[3] / "resources/sample/props"
MUTANTS = 300


def origin_of(asset, root):
    sources = [(path.relative_to(root).as_posix(), "1") for path in asset.source_files]
    sources += [(path.relative_to(root).as_posix(), "") for path in asset.missing_files]
    return AssetOrigin("a.gltf", "tests", sources)


def cooked_bytes(asset, root):
    out = io.BytesIO()
    write_asset(asset, origin_of(asset, root), out)
    return out.getvalue()


def reopened(asset, root, tmp_path):
    path = tmp_path / "made.casset"
    path.write_bytes(cooked_bytes(asset, root))
    return read_asset(path, root)


@pytest.fixture
def rich(gltf, make_png):
    return richer_file(gltf, make_png).load()


@pytest.fixture
def cooked(rich, tmp_path):
    return cooked_bytes(rich, tmp_path)


def test_everything_that_a_file_holds_comes_back(rich, tmp_path):
    assert rich.missing_files
    assert {p.mesh.topology for m in rich.meshes for p in m.primitives} == {
        "triangles",
        "lines",
        "points",
    }
    assert any(node.instances is not None for node in rich.nodes)
    assert any(channel.pointer for clip in rich.animations for channel in clip.channels)
    assert any(part.variants for mesh in rich.meshes for part in mesh.primitives)
    assert differences(rich, reopened(rich, tmp_path, tmp_path), but=()) == []


def test_an_empty_asset_comes_back(tmp_path):
    asset = GltfAsset("nothing")
    assert differences(asset, reopened(asset, tmp_path, tmp_path)) == []


@pytest.mark.parametrize("name", ["windmill.glb", "stream.glb", "grass.glb"])
def test_props_of_the_sample_come_back(name, tmp_path):
    asset = load_gltf(SAMPLE / name)
    assert differences(asset, reopened(asset, SAMPLE, tmp_path)) == []


def test_what_is_drawn_need_not_be_derived_again(rich, tmp_path, monkeypatch):
    again = reopened(rich, tmp_path, tmp_path)
    monkeypatch.setattr("engine.assets.geometry.derive_render_mesh", pytest.fail)
    monkeypatch.setattr("engine.assets.lods.build_lods", pytest.fail)
    for mesh in (part.mesh for group in again.meshes for part in group.primitives):
        mesh.render_mesh(mesh.tangents is not None)
        mesh.build_lods()


def test_what_parts_share_they_share_again(tmp_path):
    mesh = MeshData(positions=[[0, 0, 0], [1, 0, 0], [0, 1, 0]], normals=[[0, 0, 1]] * 3)
    parts = [GltfPrimitive(mesh), GltfPrimitive(mesh)]
    asset = GltfAsset("twice", meshes=[GltfMesh("m", parts, np.zeros(0, np.float32))])
    first, second = reopened(asset, tmp_path, tmp_path).meshes[0].primitives
    assert first.mesh is second.mesh
    assert first.mesh.positions is first.mesh.render_mesh(False).positions


def test_filler_takes_no_room(tmp_path):
    points = np.random.default_rng(1).random((6000, 3), np.float32)
    normals = np.tile(np.float32([0, 0, 1]), (6000, 1))
    mesh = MeshData(positions=points, normals=normals, morph_targets=[])
    group = GltfMesh("m", [GltfPrimitive(mesh)], np.zeros(0, np.float32))
    asset = GltfAsset("m", meshes=[group])
    data = cooked_bytes(asset, tmp_path)
    assert len(data) < points.nbytes + 2 * mesh.indices.nbytes + 4096
    assert differences(asset, reopened(asset, tmp_path, tmp_path)) == []


def test_the_same_asset_gives_the_same_bytes(gltf, make_png, tmp_path):
    path = richer_file(gltf, make_png).write()
    one, other = load_gltf(path), load_gltf(path)
    other.seconds = one.seconds
    assert cooked_bytes(one, tmp_path) == cooked_bytes(other, tmp_path)


def test_what_cannot_be_stored_is_refused(tmp_path):
    asset = GltfAsset("odd", extras={"huge": 1 << 70})
    with pytest.raises(AssetError, match="cooked asset: odd: cannot be stored"):
        cooked_bytes(asset, tmp_path)


def shared_paths(shared):
    found = (shared / "assets").rglob("*.gl*")
    return sorted(path for path in found if path.suffix in (".gltf", ".glb"))


def wrong_after_reopening(paths, shared, tmp_path):
    wrong = {}
    for path in paths:
        try:
            asset = load_gltf(path, root=shared)
        except AssetError:
            continue
        found = differences(asset, reopened(asset, shared, tmp_path), but=("missing_files",))
        if found:
            wrong[str(path)] = found[:3]
    return wrong


def test_shared_files_come_back(shared, tmp_path):
    paths = [path for path in shared_paths(shared) if path.stat().st_size < 200_000]
    assert wrong_after_reopening(paths[::25], shared, tmp_path) == {}


@pytest.mark.full
def test_every_shared_file_comes_back(shared, tmp_path):
    assert wrong_after_reopening(shared_paths(shared), shared, tmp_path) == {}


# -- damaged files ---------------------------------------------------------------------------


def sealed(head, arrays):
    """Return a file with right sizes and checksums around whatever is in it."""
    fixed = (
        b"CAST",
        ASSET_VERSION,
        len(head),
        len(arrays),
        zlib.adler32(head),
        zlib.adler32(arrays),
    )
    filling = bytes(-(FIXED_HEAD.size + len(head)) % 64)
    return FIXED_HEAD.pack(*fixed) + head + filling + arrays


def opened(data):
    """Return head and arrays of a file."""
    _, _, head, arrays, _, _ = FIXED_HEAD.unpack_from(data)
    return data[FIXED_HEAD.size : FIXED_HEAD.size + head], data[len(data) - arrays :]


def refusal(data, tmp_path):
    path = tmp_path / "bad.casset"
    path.write_bytes(data)
    with pytest.raises(AssetError) as error:
        read_asset(path, tmp_path)
    return str(error.value)


def test_sealing_and_opening_change_nothing(cooked):
    assert sealed(*opened(cooked)) == cooked


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: b"CMSH" + d[4:], "bad magic"),
        (lambda d: d[:4] + struct.pack("<I", 9) + d[8:], "version 9 .this engine reads 2."),
        (lambda d: d[:20], "truncated"),
        (lambda d: d[:-1], "truncated"),
        (lambda d: d + b"\0", "trailing bytes"),
        (lambda d: b"", "bad magic"),
        (lambda d: d[:60] + bytes([d[60] ^ 1]) + d[61:], "checksum of the head"),
        (lambda d: d[:-5] + bytes([d[-5] ^ 1]) + d[-4:], "checksum of the arrays"),
    ],
)
def test_files_that_are_not_whole_are_refused(cooked, tmp_path, change, message):
    found = refusal(change(cooked), tmp_path)
    assert found.startswith("cooked asset")
    assert re.search(message, found)


def test_every_truncation_is_refused(cooked, tmp_path):
    for size in range(0, len(cooked), 97):
        assert refusal(cooked[:size], tmp_path).startswith("cooked asset")


def test_a_file_that_is_not_there_is_an_asset_error(tmp_path):
    with pytest.raises(AssetError, match=r"cooked asset .*cannot be read"):
        read_asset(tmp_path / "none.casset", tmp_path)


def changed_head(data, change):
    head, arrays = opened(data)
    record = msgspec.msgpack.decode(head)
    change(record)
    return sealed(msgspec.msgpack.encode(record), arrays)


def put(record, name, value):
    """Change a field of the asset's record."""
    asset = AssetHead.__struct_fields__.index("asset")
    record[asset][AssetRecord.__struct_fields__.index(name)] = value


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("roots", [99], "node 99 out of range"),
        ("default_scene", 5, "scene 5 out of range"),
        ("textures", [{"image": 9, "sampler": {}, "name": ""}], "image 9 out of range"),
        ("name", 7, "head cannot be read"),
        ("groups", [["m", [[55, -1, {}]], 0, [], None]], "mesh 55 out of range"),
    ],
)
def test_numbers_that_name_nothing_are_refused(cooked, tmp_path, name, value, message):
    mutant = changed_head(cooked, lambda record: put(record, name, value))
    found = refusal(mutant, tmp_path)
    assert found.startswith("cooked asset")
    assert message in found


def record_of(head, name):
    """Return the part of a decoded head that describes `name` of the asset."""
    asset = head[AssetHead.__struct_fields__.index("asset")]
    return asset[AssetRecord.__struct_fields__.index(name)]


def entry_of(head, number):
    return head[AssetHead.__struct_fields__.index("arrays")][number]


def endless_channels(head):
    """One channel, repeated as often as the file likes."""
    entry = entry_of(head, record_of(head, "animations")[0][1])
    entry[1], entry[3] = [1, 7], 1 << 31


def drawn_part(head, field):
    return record_of(head, "meshes")[0][MeshRecord.__struct_fields__.index(field)]


def cut_triangle(head):
    numbers = drawn_part(head, "render"), RenderRecord.__struct_fields__.index("indices")
    entry_of(head, numbers[0][numbers[1]])[1][0] -= 1


def cut_source_triangle(head):
    entry_of(head, drawn_part(head, "indices"))[1][0] -= 1


def third_uv_set(head):
    record_of(head, "materials")[0]["material"]["base_color_texture"]["texcoord"] = 2


def a_weight_too_few(head):
    entry_of(head, record_of(head, "groups")[0][2])[1][0] = 0


def a_shape_that_no_array_has(head):
    entry_of(head, record_of(head, "images")[0][1])[1] = [1 << 40, 1 << 40, 0, 4]


def strange_joints(head, arrays):
    """Joints to draw that are not those of the file, on which nothing else depends."""
    entries = head[AssetHead.__struct_fields__.index("arrays")]
    code, shape, _, rows = entry_of(head, drawn_part(head, "joints"))
    arrays.extend(bytes(-len(arrays) % 64))
    entries.append([code, shape, len(arrays), rows])
    arrays.extend(b"\xff" * int(np.prod(shape)) * np.dtype(code).itemsize)
    render = drawn_part(head, "render")
    render[RenderRecord.__struct_fields__.index("joints")] = len(entries) - 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (endless_channels, "a repeated row of any length"),
        (cut_triangle, "are not whole triangles"),
        (cut_source_triangle, "are not whole triangles"),
        (third_uv_set, "UV set 2 out of range of 2"),
        (a_weight_too_few, "0 weights, expected 1"),
        (a_shape_that_no_array_has, "is no shape"),
    ],
)
def test_what_no_importer_makes_is_refused(cooked, tmp_path, change, message):
    found = refusal(changed_head(cooked, change), tmp_path)
    assert found.startswith("cooked asset")
    assert message in found


def test_joints_to_draw_that_the_skin_lacks_are_refused(cooked, tmp_path):
    head, arrays = opened(cooked)
    record, longer = msgspec.msgpack.decode(head), bytearray(arrays)
    strange_joints(record, longer)
    found = refusal(sealed(msgspec.msgpack.encode(record), bytes(longer)), tmp_path)
    assert "joint 65535 out of range" in found


def use(asset):
    """Do what a program does with an asset; numbers that are odd are no errors."""
    with np.errstate(all="ignore"):
        world = World()
        spawn_gltf(None, None, asset, world)
        propagate_transforms(world)
        collision_triangles(asset)
        asset.world_bounds()
        asset.world_bounds(posed=True)
        for at in asset.reachable_nodes():
            asset.joint_matrices(at)
        for part in (part for mesh in asset.meshes for part in mesh.primitives):
            mesh = part.mesh
            drawn = mesh.render_mesh(mesh.tangents is not None)
            assert not len(drawn.indices) or int(drawn.indices.max()) < len(drawn.positions)
            mesh.build_lods()
            corners = {"triangles": 3, "lines": 2, "points": 1}[mesh.topology]
            assert len(mesh.indices) % corners == len(drawn.indices) % corners == 0
        for node in (n for n in asset.nodes if n.mesh is not None and n.skin is not None):
            for part in asset.meshes[node.mesh].primitives:
                drawn = part.mesh.render_mesh(part.mesh.tangents is not None)
                most = len(asset.skins[node.skin].joints)
                assert drawn.joints is None or not drawn.joints.size or drawn.joints.max() < most
        assert asset.report().lines()


ODD_NUMBERS = (-1, 0, 1, 2, 3, 7, 64, 255, 65535, 2**31, 2**32 - 1, 2**40, 2**62, -(2**63))


def mutated_number(rng, head):
    """Return the head with one number that is off by a little, or by all that there is."""
    head = copy.deepcopy(head)
    found = [path for path in places(head) if is_number(*holder_of(head, path))]
    holder, key = holder_of(head, rng.choice(found))
    holder[key] = rng.choice([holder[key] + rng.choice([-2, -1, 1, 2]), rng.choice(ODD_NUMBERS)])
    return head


def is_number(holder, key):
    return type(holder[key]) is int


def mutated_items(rng, head, arrays):
    """Return the arrays with some items of them that are off."""
    arrays = bytearray(arrays)
    for _ in range(rng.randint(1, 4)):
        code, shape, offset, _ = rng.choice(head[AssetHead.__struct_fields__.index("arrays")])
        items = np.frombuffer(arrays, code, int(np.prod(shape)), offset)
        if len(items) and items.dtype.kind == "f":
            items[rng.randrange(len(items))] = rng.choice([0, -1, 3e38, np.inf, -np.inf, np.nan])
        elif len(items):
            limits = np.iinfo(items.dtype)
            value = rng.choice([*ODD_NUMBERS, int(limits.max)])
            items[rng.randrange(len(items))] = min(max(value, int(limits.min)), int(limits.max))
    return bytes(arrays)


def outcomes(rng, data, count, tmp_path):
    """Read mutants whose checksums fit; return how many were assets still."""
    head, arrays = opened(data)
    plain = msgspec.msgpack.decode(head, ext_hook=lambda code, data: [code, bytes(data)])
    exact = msgspec.msgpack.decode(head)
    path, whole = tmp_path / "mutant.casset", 0
    for _ in range(count):
        kind = rng.randrange(5)
        if kind == 0:
            mutant = sealed(msgspec.msgpack.encode(mutated_json(rng, plain)), arrays)
        elif kind == 3:
            mutant = sealed(msgspec.msgpack.encode(mutated_number(rng, exact)), arrays)
        elif kind == 4:
            mutant = sealed(head, mutated_items(rng, exact, arrays))
        elif kind == 1:
            mutant = sealed(mutated_bytes(rng, head), arrays)
        else:
            mutant = sealed(head, mutated_bytes(rng, arrays))
        path.write_bytes(mutant)
        whole += survives(path, tmp_path)
    return whole


def survives(path, root):
    """Read a file and use what comes out; anything but AssetError escapes."""
    try:
        asset = read_asset(path, root)
    except AssetError as error:
        problem = str(error)
    else:
        use(asset)
        return True
    assert problem.startswith("cooked asset")
    return False


def test_mutants_are_assets_or_asset_errors(cooked, tmp_path):
    assert 0 < outcomes(random.Random(5), cooked, MUTANTS, tmp_path) < MUTANTS


@pytest.mark.full
def test_many_mutants_are_assets_or_asset_errors(cooked, tmp_path):
    outcomes(random.Random(6), cooked, 20_000, tmp_path)


@pytest.mark.full
def test_mutants_of_shared_files_are_assets_or_asset_errors(shared, tmp_path):
    names = ("SimpleSkin", "SimpleMorph", "AnimatedMorphCube", "InterpolationTest", "RiggedSimple")
    for seed, name in enumerate(names):
        asset = load_gltf(shared / f"assets/khronos/{name}/glTF/{name}.gltf")
        data = cooked_bytes(asset, shared)
        outcomes(random.Random(seed), data, 4000, tmp_path)


def test_bytes_that_are_damaged_raise_nothing_but_asset_errors(cooked, tmp_path):
    rng, path = random.Random(7), tmp_path / "damaged.casset"
    for _ in range(MUTANTS):
        path.write_bytes(mutated_bytes(rng, cooked))
        survives(path, tmp_path)

"""A whole asset cooked into one file comes back as it was."""

import numpy as np
import pytest

from engine.assets import AssetError, MeshData, load_gltf
from engine.assets.gltf import GltfAsset, GltfMesh, GltfPrimitive
from tests.engine.assets.asset_likeness import differences
from tests.engine.assets.cooked_asset.conftest import SAMPLE
from tests.engine.assets.cooked_asset.opened import cooked_bytes, reopened, shared_paths
from tests.engine.assets.rich_gltf import richer_file


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

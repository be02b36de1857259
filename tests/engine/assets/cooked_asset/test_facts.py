"""What a renderer found out of a mesh is kept with it, and believed of the same bytes only."""

import math

import numpy as np
import pytest

from engine.assets import AssetError, MeshData
from engine.assets.gltf import GltfAsset, GltfMesh, GltfPrimitive
from engine.render import mesh_streams
from engine.render.mesh_streams import prepare_mesh
from engine.stream_facts import StreamFacts
from tests.engine.assets.cooked_asset.opened import reopened


def test_what_a_renderer_found_out_need_not_be_found_out_again(rich, tmp_path, monkeypatch):
    meshes = [part.mesh for group in rich.meshes for part in group.primitives]
    found = [prepare_mesh(mesh, mesh.build_lods()) for mesh in meshes]
    again = reopened(rich, tmp_path, tmp_path)
    monkeypatch.setattr(mesh_streams, "crc32", pytest.fail)
    monkeypatch.setattr(mesh_streams, "_uv_density", pytest.fail)
    for streams, mesh in zip(
        found, (part.mesh for group in again.meshes for part in group.primitives), strict=True
    ):
        other = prepare_mesh(mesh, mesh.build_lods())
        assert (other.digest, other.uv_density) == (streams.digest, streams.uv_density)
        assert np.array_equal(other.block, streams.block)


def test_facts_of_other_bytes_are_found_out_anew():
    """Without its levels a mesh is drawn from fewer indices."""
    mesh = grid_mesh(40)
    all_levels = prepare_mesh(mesh, mesh.build_lods())
    assert len(all_levels.levels) > 1
    assert all_levels.uv_density == pytest.approx(1.0)
    plain = prepare_mesh(mesh)
    assert plain.digest != all_levels.digest
    assert prepare_mesh(mesh, mesh.build_lods()).digest == all_levels.digest


def test_facts_that_other_code_found_out_are_not_believed():
    mesh = grid_mesh(2)
    true = prepare_mesh(mesh)
    kept = mesh.render_mesh(False)
    kept.facts = kept.facts._replace(uv_density=7.0)
    assert prepare_mesh(mesh).uv_density == 7.0
    kept.facts = kept.facts._replace(maker=kept.facts.maker ^ 1)
    assert prepare_mesh(mesh).uv_density == true.uv_density


@pytest.mark.parametrize(
    "facts",
    [(3, -1, 0, 0.0), (3, 9, 1 << 33, 0.0), (3, 9, 1, math.nan), (3, 9, 1, -1.0), (-1, 9, 1, 1.0)],
)
def test_facts_of_no_mesh_are_refused(facts, tmp_path):
    mesh = grid_mesh(2)
    mesh.render_mesh(False).facts = StreamFacts(*facts)
    asset = GltfAsset("m", meshes=[GltfMesh("m", [GltfPrimitive(mesh)], np.zeros(0, np.float32))])
    with pytest.raises(AssetError, match=r"cooked asset: .* of a mesh"):
        reopened(asset, tmp_path, tmp_path)


def grid_mesh(side):
    axis = np.linspace(0, 1, side + 1, dtype=np.float32)
    u, v = (a.reshape(-1) for a in np.meshgrid(axis, axis))
    corner = np.arange((side + 1) ** 2).reshape(side + 1, side + 1)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    return MeshData(
        positions=np.stack([u, v, 0 * u], axis=1),
        normals=np.tile(np.float32([0, 0, 1]), (len(u), 1)),
        uv0=np.stack([u, v], axis=1),
        indices=np.stack([a, b, c, a, c, d], axis=-1).reshape(-1),
    )

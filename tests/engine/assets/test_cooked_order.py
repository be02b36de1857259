"""Cooked meshes in drawing order: the same triangles, with all that belongs to their vertices."""

import numpy as np

from engine.assets import MeshData, MorphTarget
from engine.assets.cooked.mesh import cook_mesh, read_mesh, write_mesh
from engine.assets.cooked.order import in_drawing_order
from engine.assets.shapes import shape_mesh


def test_every_corner_keeps_its_vertex_skin_and_targets():
    rng = np.random.default_rng(3)
    count = 200
    mesh = MeshData(
        positions=rng.random((count, 3)),
        normals=rng.random((count, 3)),
        joints=rng.integers(0, 9, (count, 4)),
        weights=rng.random((count, 4)),
        indices=rng.integers(0, count - 10, 900),
        morph_targets=[MorphTarget(positions=rng.random((count, 3), np.float32))] * 2,
    )
    cooked = cook_mesh(mesh)
    ordered = in_drawing_order(cooked)
    assert ordered.vertex_count == len(np.unique(mesh.indices)) < count

    def triangles(cooked):
        rows = [
            np.concatenate(
                [
                    cooked.vertices()["position"],
                    cooked.skin()["joints"],
                    *cooked.morphs()["position"],
                ],
                axis=1,
            )[t]
            for t in cooked.indices().reshape(-1, 3)
        ]
        return sorted(np.roll(r, -r[:, 0].argmin(), axis=0).tolist() for r in rows)

    assert triangles(ordered) == triangles(cooked)
    assert read_mesh(write_mesh(ordered)).vertex_bytes == ordered.vertex_bytes


def test_levels_keep_their_ranges():
    sphere = shape_mesh("sphere")
    cooked = cook_mesh(sphere, sphere.build_lods())
    ordered = in_drawing_order(cooked)
    assert len(cooked.lods) > 1
    assert ordered.lods == cooked.lods
    for lod in cooked.lods:
        part = slice(lod.first_index, lod.first_index + lod.index_count)
        before, after = (
            sorted(map(sorted, c.vertices()["position"][c.indices()[part]].reshape(-1, 9).tolist()))
            for c in (cooked, ordered)
        )
        assert before == after

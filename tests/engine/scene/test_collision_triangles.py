"""The triangles that a spawned asset stands on."""

import numpy as np

from engine.assets import (
    MeshData,
)
from engine.math import compose
from engine.scene import (
    collision_triangles,
)
from tests.engine.scene.gltf_parts import asset_of, mesh, node, skinned_asset


def test_collision_triangles_are_in_world_space_with_offset_indices():
    asset = asset_of(
        [node("a", children=[1], mesh=0, translation=(1, 0, 0)), node("b", 0, mesh=0)],
        meshes=[mesh(-1)],
    )
    asset.nodes[1].world[1, 3] = 5
    lifted = compose((0, 0, 10), (0, 0, 0, 1), (2, 2, 2))
    positions, indices = collision_triangles(asset, lifted)
    assert positions.dtype == np.float32
    assert indices.dtype == np.uint32
    assert positions.tolist() == [
        [2, 0, 10],
        [4, 0, 10],
        [2, 2, 10],
        [2, 10, 10],
        [4, 10, 10],
        [2, 12, 10],
    ]
    assert indices.tolist() == [0, 1, 2, 3, 4, 5]


def test_collision_triangles_pass_skins_lines_and_points_over():
    skinned = skinned_asset()
    assert [len(a) for a in collision_triangles(skinned)] == [0, 0]
    lines = lambda: MeshData(positions=np.zeros((2, 3), np.float32), topology="lines")
    asset = asset_of([node(mesh=0)], meshes=[mesh(-1, data=lines)])
    positions, indices = collision_triangles(asset)
    assert positions.shape == (0, 3)
    assert indices.shape == (0,)

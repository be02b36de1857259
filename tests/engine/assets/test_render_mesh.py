import json
import pathlib

import numpy as np
import pytest

from engine.assets import MeshData, MorphTarget
from engine.assets.tangents import corner_tangents

QUAD = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
QUAD_UV = np.float32([[0, 1], [1, 1], [0, 0], [1, 0]])
CORNERS = [0, 1, 2, 2, 1, 3]
UP = np.float32([[0, 0, 1]] * 4)


def sphere(rings=12, segments=24):
    """A UV sphere with a seam of doubled vertices."""
    v, u = np.meshgrid(np.linspace(0, 1, rings + 1), np.linspace(0, 1, segments + 1), indexing="ij")
    phi, theta = v * np.pi, u * 2 * np.pi
    points = np.stack([np.sin(phi) * np.cos(theta), np.cos(phi), -np.sin(phi) * np.sin(theta)], -1)
    points = points.reshape(-1, 3).astype(np.float32)
    quads = np.arange(rings * (segments + 1)).reshape(rings, -1)[:, :-1].reshape(-1)
    width = segments + 1
    indices = np.stack(
        [quads, quads + width, quads + 1, quads + 1, quads + width, quads + width + 1], 1
    )
    return points, np.stack([u, v], -1).reshape(-1, 2).astype(np.float32), indices.reshape(-1)


def bumpy_globe():
    """A bumpy globe without poles whose UVs are mirrored about the middle meridian."""
    rings, segments = 5, 8
    v, u = np.meshgrid(
        np.linspace(0.1, 0.9, rings + 1), np.linspace(0, 1, segments + 1), indexing="ij"
    )
    radius = 1 + 0.25 * np.sin(9 * v + 5 * np.abs(u - 0.5))
    phi, theta = v * np.pi, u * 2 * np.pi
    points = np.stack([np.sin(phi) * np.cos(theta), np.cos(phi), np.sin(phi) * np.sin(theta)], -1)
    normals = points.reshape(-1, 3).astype(np.float32)
    points = (points * radius[..., None]).reshape(-1, 3).astype(np.float32)
    uv = np.stack([np.abs(u - 0.5) * 3, v * v], -1).reshape(-1, 2).astype(np.float32)
    quads = np.arange(rings * (segments + 1)).reshape(rings, -1)[:, :-1].reshape(-1)
    width = segments + 1
    offsets = np.array([0, 1, width, 1, width + 1, width])
    return points, normals, uv, (quads[:, None] + offsets).reshape(-1).astype(np.uint32)


def test_tangents_agree_with_the_reference_code():
    data = pathlib.Path(__file__).parent / "data/mikktspace_bumpy_globe.json"
    reference = np.array(json.loads(data.read_text())["tangents"])
    tangents = corner_tangents(*bumpy_globe())
    across = np.linalg.norm(np.cross(tangents[:, :3], reference[:, :3]), axis=1)
    along = np.einsum("ij,ij->i", tangents[:, :3], reference[:, :3])
    assert np.arctan2(across, along).max() < 1e-3
    assert np.array_equal(tangents[:, 3], -reference[:, 3])


def test_everything_is_filled_for_a_bare_mesh():
    mesh = MeshData(QUAD, UP, indices=CORNERS).render_mesh()
    assert mesh.uv0.tolist() == [[0, 0]] * 4
    assert mesh.colors.tolist() == [[1, 1, 1, 1]] * 4
    assert mesh.tangents.tolist() == [[1, 0, 0, 1]] * 4
    assert mesh.joints is mesh.weights is mesh.morph_positions is None
    assert not mesh.flat
    assert [corner.tolist() for corner in mesh.bounds] == [[0, 0, 0], [1, 1, 0]]


def test_missing_normals_are_flat_and_split_vertices():
    folded = QUAD.copy()
    folded[3] = (1, 1, 1)
    data = MeshData(folded, uv0=QUAD_UV, indices=CORNERS)
    mesh = data.render_mesh()
    assert mesh.flat
    assert len(mesh.positions) == 6
    assert len(data.positions) == 4
    assert mesh.normals[0].tolist() == [0, 0, 1]
    assert mesh.normals[3].tolist() == pytest.approx(np.float32([-1, -1, 1]) / np.sqrt(3), abs=1e-6)
    assert np.array_equal(mesh.uv0, QUAD_UV[CORNERS])
    assert mesh.source_vertices.tolist() == CORNERS


def test_flat_mesh_ignores_given_tangents_and_survives_degenerate_faces():
    data = MeshData(QUAD, tangents=[[0, 1, 0, 1]] * 4, indices=[0, 0, 1, 0, 1, 2])
    mesh = data.render_mesh(tangents=True)
    assert np.isfinite(mesh.normals).all()
    assert (mesh.tangents == (1, 0, 0, 1)).all()


def test_flat_morph_normals_follow_the_moved_face():
    target = MorphTarget(positions=np.float32([[0, 0, 0], [0, 0, -1], [0, 0, 0], [0, 0, -1]]))
    mesh = MeshData(QUAD, indices=CORNERS, morph_targets=[target]).render_mesh()
    moved = mesh.normals + mesh.morph_normals[0]
    assert moved[0].tolist() == pytest.approx(np.float32([1, 0, 1]) / np.sqrt(2), abs=1e-6)
    assert mesh.morph_positions.shape == (1, 6, 3)


def test_result_is_kept():
    data = MeshData(QUAD, UP, indices=CORNERS)
    assert data.render_mesh() is data.render_mesh(tangents=False)


def test_given_tangents_are_used():
    tangents = np.float32([[0, 1, 0, -1]] * 4)
    mesh = MeshData(QUAD, UP, tangents, QUAD_UV, indices=CORNERS).render_mesh(tangents=True)
    assert np.array_equal(mesh.tangents, tangents)


def test_points_and_lines_are_kept_without_splitting():
    mesh = MeshData(QUAD, indices=[0, 1, 1, 2], topology="lines").render_mesh()
    assert (mesh.topology, mesh.indices.tolist(), len(mesh.positions)) == ("lines", [0, 1, 1, 2], 4)
    assert mesh.flat


def test_needs_tangents_is_asked_when_nothing_is_said():
    data = MeshData(QUAD, UP, uv0=QUAD_UV[:, ::-1].copy(), indices=CORNERS, needs_tangents=True)
    assert abs(data.render_mesh().tangents[0, 1]) == 1


def test_tangents_run_along_u_and_the_sign_points_against_v():
    tangents = corner_tangents(QUAD, UP, QUAD_UV, np.uint32(CORNERS))
    assert np.allclose(tangents, (1, 0, 0, 1))
    bitangent = np.cross(UP[0], tangents[0, :3]) * tangents[0, 3]
    assert bitangent.tolist() == [0, 1, 0]


def test_mirrored_uvs_split_vertices_where_the_halves_meet():
    positions = np.float32([[-1, 0, 0], [-1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]])
    uv = np.float32([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1], [1, 0]])
    indices = np.uint32([0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5])
    data = MeshData(positions, np.float32([[0, 0, 1]] * 6), uv0=uv, indices=indices)
    mesh = data.render_mesh(tangents=True)
    assert len(mesh.positions) == 8
    signs = mesh.tangents[mesh.indices, 3].reshape(-1, 3)
    assert (signs == signs[:, :1]).all()
    assert {tuple(row) for row in mesh.tangents.tolist()} == {(-1, 0, 0, -1), (1, 0, 0, 1)}


def test_sphere_tangents_follow_the_parallels_across_the_seam():
    points, uv, indices = sphere()
    data = MeshData(points, points, uv0=uv, indices=indices)
    mesh = data.render_mesh(tangents=True)
    away_from_poles = np.abs(mesh.positions[:, 1]) < 0.9
    east = np.cross((0, 1, 0), mesh.positions)
    east /= np.maximum(np.linalg.norm(east, axis=1, keepdims=True), 1e-9)
    cosine = np.einsum("ij,ij->i", mesh.tangents[:, :3], east)
    assert cosine[away_from_poles].min() > 0.98
    assert np.allclose(np.einsum("ij,ij->i", mesh.tangents[:, :3], mesh.normals), 0, atol=1e-5)
    assert np.allclose(np.linalg.norm(mesh.tangents[:, :3], axis=1), 1, atol=1e-5)


def test_tangents_do_not_depend_on_how_vertices_are_shared():
    points, uv, indices = sphere()
    shared = corner_tangents(points, points, uv, np.uint32(indices))
    split = np.arange(len(indices), dtype=np.uint32)
    apart = corner_tangents(points[indices], points[indices], uv[indices], split)
    assert np.allclose(shared, apart, atol=1e-6)


@pytest.mark.parametrize("value", [0.0, np.nan, np.inf, 3e38])
def test_tangents_of_broken_geometry_stay_finite(value):
    broken = np.full((4, 3), value, np.float32)
    for positions, normals, uv in (
        (broken, UP, QUAD_UV),
        (QUAD, broken, QUAD_UV),
        (QUAD, UP, np.full((4, 2), value, np.float32)),
    ):
        assert np.isfinite(corner_tangents(positions, normals, uv, np.uint32(CORNERS))).all()


def test_skin_and_morphs_follow_split_vertices():
    target = MorphTarget(QUAD, None, None)
    data = MeshData(
        QUAD, joints=[[n, 0, 0, 0] for n in range(4)], weights=[[1, 0, 0, 0]] * 4,
        indices=CORNERS, morph_targets=[target],
    )  # fmt: skip
    mesh = data.render_mesh()
    assert mesh.joints[:, 0].tolist() == CORNERS
    assert mesh.weights.shape == (6, 4)
    assert np.array_equal(mesh.morph_positions[0], QUAD[CORNERS])

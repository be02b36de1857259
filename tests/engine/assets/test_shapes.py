"""Plain shapes: closed, the right size, facing outwards."""

import numpy as np
import pytest

from engine.assets.shapes import SHAPES, shape_mesh
from engine.errors import AssetError

VOLUMES = {
    "box": 1.0,
    "sphere": np.pi / 6,
    "cylinder": np.pi / 4,
    "cone": np.pi / 12,
    "plane": 0.0,
    "torus": 2 * np.pi**2 * 0.35 * 0.15**2,
}


@pytest.fixture(params=sorted(SHAPES))
def kind(request):
    return request.param


def corners(mesh):
    triangles = mesh.indices.reshape(-1, 3)
    return (mesh.positions[triangles[:, k]].astype(np.float64) for k in range(3))


def test_a_shape_is_one_metre_and_centred(kind):
    low, high = shape_mesh(kind).bounds()
    assert np.allclose(low, -high, atol=1e-6)
    assert np.allclose((high - low).max(), 1.0, atol=1e-6)


def test_triangles_face_the_way_of_their_normals(kind):
    mesh = shape_mesh(kind)
    a, b, c = corners(mesh)
    faces = np.cross(b - a, c - a)
    normals = mesh.normals[mesh.indices.reshape(-1, 3)].mean(axis=1)
    assert (np.einsum("ij,ij->i", faces, normals) > 0).all()
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-6)


def test_a_shape_is_closed_around_its_volume(kind):
    a, b, c = corners(shape_mesh(kind))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
    assert volume == pytest.approx(VOLUMES[kind], rel=0.06, abs=1e-9)


def test_texture_coordinates_cover_the_unit_square(kind):
    uv = shape_mesh(kind).uv0
    assert uv.min(axis=0).tolist() == [0, 0]
    assert uv.max(axis=0).tolist() == [1, 1]


def test_an_unknown_shape_is_an_asset_error():
    with pytest.raises(AssetError, match="teapot"):
        shape_mesh("teapot")

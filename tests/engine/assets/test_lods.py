"""Levels of detail and drawing order."""

import itertools

import numpy as np
import pytest

from engine.assets import MeshData, MeshLod, optimise_order, simplify
from engine.assets import shapes as shape_module
from engine.assets.simplify import Surface, nearest_vertices


def grid(side=20, height=0.0, uv_split=False):
    """A square of side * side quads over 0 to 1, with a bump of `height`."""
    axis = np.linspace(0, 1, side + 1, dtype=np.float32)
    x, z = (a.reshape(-1) for a in np.meshgrid(axis, axis))
    y = height * np.sin(np.pi * x) * np.sin(np.pi * z)
    corner = np.arange((side + 1) ** 2).reshape(side + 1, side + 1)
    a, b, c, d = (
        corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    )  # fmt: skip
    quads = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1)
    return MeshData(
        positions=np.stack([x, y, z], axis=1),
        normals=np.tile(np.float32([0, 1, 0]), (len(x), 1)),
        uv0=np.stack([x, z], axis=1),
        indices=quads,
    )


def area(mesh, indices):
    a, b, c = (mesh.positions[indices[k::3]].astype(np.float64) for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


@pytest.fixture(params=["almeshopt", "opengl_decimate"])
def simplifier(request, monkeypatch):
    """Run with one package only."""
    package = pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    if request.param == "almeshopt":
        if not simplify._has_avx2():
            pytest.skip("this CPU cannot run it")
        found = simplify._with_meshoptimizer(package)
    else:
        found = simplify._with_decimate(package)
    monkeypatch.setattr("engine.assets.lods.find_simplifier", lambda: found)


def test_levels_are_ranges_of_ever_fewer_triangles_over_the_same_vertices(simplifier):
    mesh = grid(height=0.2)
    indices, lods = mesh.build_lods()
    assert lods[0] == MeshLod(0, len(mesh.indices), 0.0)
    assert np.array_equal(indices[: len(mesh.indices)], mesh.indices)
    assert 3 <= len(lods) <= 16
    assert int(indices.max()) < mesh.vertex_count
    starts = [lod.first_index for lod in lods]
    counts = [lod.index_count for lod in lods]
    assert starts == [0, *np.cumsum(counts)[:-1]]
    assert sum(counts) == len(indices)
    assert all(count % 3 == 0 for count in counts)
    assert all(b < 0.85 * a for a, b in itertools.pairwise(counts))
    errors = [lod.error for lod in lods]
    assert errors == sorted(errors)
    assert errors[-1] < 0.2


def test_a_flat_surface_keeps_its_area_and_outline(simplifier):
    mesh = grid()
    indices, lods = mesh.build_lods()
    last = indices[lods[-1].first_index :]
    assert lods[-1].index_count < len(mesh.indices) / 3
    assert area(mesh, last) == pytest.approx(1, abs=0.02)
    assert lods[-1].error < 0.02


def test_triangles_never_cross_a_uv_seam(simplifier):
    left, right = grid(), grid()
    mesh = MeshData(
        positions=np.concatenate([left.positions, right.positions + np.float32([1, 0, 0])]),
        normals=np.concatenate([left.normals, right.normals]),
        uv0=np.concatenate([left.uv0 * 0.1, right.uv0 * 0.1 + 0.8]),
        indices=np.concatenate([left.indices, right.indices + left.vertex_count]),
    )
    indices, lods = mesh.build_lods()
    assert len(lods) > 1
    is_right = (indices >= left.vertex_count).reshape(-1, 3)
    assert (is_right.all(axis=1) | ~is_right.any(axis=1)).all()


@pytest.mark.parametrize(
    "mesh",
    [
        grid(side=5),
        MeshData(),
        MeshData(positions=np.zeros((300, 3)), topology="points"),
        MeshData(positions=np.zeros((300, 3)), topology="lines"),
        MeshData(positions=np.full((300, 3), np.nan)),
        MeshData(positions=np.random.default_rng(1).random((5000, 3)), normals=np.ones((5000, 3))),
    ],
    ids=["few", "empty", "points", "lines", "not finite", "a triangle that is cut"],
)
def test_what_cannot_be_simplified_has_one_level(mesh):
    indices, lods = mesh.build_lods()
    assert lods == [MeshLod(0, len(mesh.render_mesh(False).indices), 0.0)]
    assert len(indices) == lods[0].index_count


def test_degenerate_triangles_do_no_harm(simplifier):
    mesh = MeshData(positions=np.zeros((300, 3)), normals=np.zeros((300, 3)))
    indices, lods = mesh.build_lods()
    assert sum(lod.index_count for lod in lods) == len(indices)


def test_levels_follow_the_vertices_that_tangents_split(simplifier):
    mesh = shape_module.shape_mesh("sphere")
    for tangents in (False, True):
        indices, _ = mesh.build_lods(tangents)
        assert int(indices.max()) < len(mesh.render_mesh(tangents).positions)
    assert mesh.build_lods(True) is mesh.build_lods(True)


def test_painted_stripes_stay_where_they_are(simplifier):
    mesh = grid(side=24)
    corners = mesh.positions[mesh.indices]
    centre = corners.reshape(-1, 3, 3).mean(axis=1)[:, 0]
    is_red = np.repeat((centre * 6).astype(int) % 2 == 0, 3)
    striped = MeshData(
        positions=corners,
        normals=mesh.normals[mesh.indices],
        colors=np.where(is_red[:, None], np.float32([1, 0, 0, 1]), np.float32([1, 1, 1, 1])),
        indices=np.arange(len(corners), dtype=np.uint32),
    )
    indices, lods = striped.build_lods()
    for lod in lods:
        level = indices[lod.first_index : lod.first_index + lod.index_count]
        reds = is_red[level].reshape(-1, 3)
        assert (reds.all(axis=1) | ~reds.any(axis=1)).all()
        painted = level.reshape(-1, 3)[reds[:, 0]].reshape(-1)
        assert area(striped, painted) == pytest.approx(0.5, abs=0.02)


def test_without_a_simplifier_there_is_the_full_mesh(monkeypatch):
    monkeypatch.setattr("engine.assets.lods.find_simplifier", lambda: None)
    assert len(grid().build_lods()[1]) == 1


def test_a_cpu_without_avx2_never_imports_the_avx2_build(monkeypatch):
    asked = []
    monkeypatch.setattr(simplify, "_has_avx2", lambda: False)
    monkeypatch.setattr(simplify, "optional_module", asked.append)
    assert simplify.find_simplifier.__wrapped__() is None
    assert asked == ["opengl_decimate"]


def test_nearest_vertices_tell_seams_apart():
    positions = np.float32([[0, 0, 0], [1, 0, 0], [1, 0, 0]])
    normals, uv = np.zeros((3, 3), np.float32), np.float32([[0, 0], [0.2, 0], [0.9, 0]])
    white = np.ones((3, 4), np.float32)
    surface = Surface(positions, normals, uv, white)
    reduced = Surface(positions[[2, 0]], normals[:2], np.float32([[0.8, 0], [0, 0]]), white[:2])
    assert nearest_vertices(surface, reduced).tolist() == [2, 0]


def test_order_keeps_every_triangle_of_every_level():
    mesh = grid(height=0.2)
    rng = np.random.default_rng(1)
    shuffled = rng.permutation(mesh.indices.reshape(-1, 3)).reshape(-1)
    lods = [MeshLod(0, 1200), MeshLod(1200, 1200)]
    indices, order = optimise_order(shuffled, lods, mesh.vertex_count)
    assert sorted(order.tolist()) == list(range(mesh.vertex_count))
    for lod in lods:
        part = slice(lod.first_index, lod.first_index + lod.index_count)
        before, after = (
            {tuple(np.roll(t, -t.argmin())) for t in np.asarray(i).reshape(-1, 3)}
            for i in (shuffled[part], order[indices[part]])
        )
        assert before == after


def misses(indices, size=16):
    """Vertices that a first-in, first-out cache of `size` has to shade."""
    cache, count = [], 0
    for index in indices.tolist():
        if index not in cache:
            cache = [*cache, index][-size:]
            count += 1
    return count


def test_order_suits_a_vertex_cache_and_reads_vertices_in_sequence():
    mesh = grid(height=0.2)
    shuffled = np.random.default_rng(1).permutation(mesh.indices.reshape(-1, 3)).reshape(-1)
    indices, _ = optimise_order(shuffled, [MeshLod(0, len(shuffled))], mesh.vertex_count)
    assert misses(indices) < 0.5 * misses(shuffled)
    firsts = np.unique(indices, return_index=True)[1]
    assert (np.diff(firsts) > 0).all()


def test_unused_vertices_are_left_out_of_the_order():
    indices = np.uint32([4, 2, 3])
    found, order = optimise_order(indices, [MeshLod(0, 3)], 6)
    assert sorted(order.tolist()) == [2, 3, 4]
    assert sorted(order[found].tolist()) == [2, 3, 4]

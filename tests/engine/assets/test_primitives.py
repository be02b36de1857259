import numpy as np
import pytest

from engine.assets import AssetError

FAN = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [-1, 1, 0]]


def mesh_of(asset, primitive=0):
    return asset.meshes[0].primitives[primitive].mesh


@pytest.mark.parametrize(
    ("mode", "topology", "expected"),
    [
        (0, "points", [0, 1, 2, 3, 4]),
        (1, "lines", [0, 1, 2, 3]),
        (2, "lines", [0, 1, 1, 2, 2, 3, 3, 4, 4, 0]),
        (3, "lines", [0, 1, 1, 2, 2, 3, 3, 4]),
        (4, "triangles", [0, 1, 2]),
        (5, "triangles", [0, 1, 2, 1, 3, 2, 2, 3, 4]),
        (6, "triangles", [1, 2, 0, 2, 3, 0, 3, 4, 0]),
    ],
)
@pytest.mark.parametrize("indexed", [True, False])
def test_each_mode_becomes_a_plain_list(gltf, mode, topology, expected, indexed):
    gltf.mesh(FAN, list(range(5)) if indexed else None, mode=mode)
    mesh = mesh_of(gltf.load())
    assert mesh.topology == topology
    assert mesh.indices.tolist() == expected


@pytest.mark.parametrize("mode", range(7))
def test_modes_with_too_few_vertices_draw_nothing_but_points(gltf, mode):
    gltf.mesh([[0, 0, 0]], mode=mode)
    assert len(mesh_of(gltf.load()).indices) == (1 if mode == 0 else 0)


def test_incomplete_triangle_is_dropped_with_a_warning(gltf):
    gltf.mesh(FAN, [0, 1, 2, 3])
    asset = gltf.load()
    assert mesh_of(asset).indices.tolist() == [0, 1, 2]
    assert any("incomplete" in warning for warning in asset.warnings)


def test_index_out_of_range_names_primitive_and_index(gltf):
    gltf.mesh(indices=[0, 1, 59141])
    with pytest.raises(
        AssetError, match=r"out of range at /meshes/0/primitives/0/indices: index 59141.*3 vertices"
    ):
        gltf.load()


def test_attribute_of_another_length_names_the_attribute(gltf):
    gltf.mesh(attributes={"NORMAL": gltf.accessor([[0, 0, 1]] * 2)})
    with pytest.raises(AssetError, match="/meshes/0/primitives/0/attributes/NORMAL"):
        gltf.load()


def test_attribute_that_names_no_accessor_is_out_of_range(gltf):
    gltf.mesh(attributes={"NORMAL": 40})
    with pytest.raises(
        AssetError, match="out of range at /meshes/0/primitives/0/attributes/NORMAL"
    ):
        gltf.load()


def test_primitive_without_positions_draws_nothing(gltf):
    gltf.add("meshes", primitives=[{"attributes": {"NORMAL": gltf.accessor([[0, 0, 1]] * 3)}}])
    asset = gltf.load()
    assert len(mesh_of(asset).positions) == len(mesh_of(asset).indices) == 0
    assert any("no positions" in warning for warning in asset.warnings)


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [
        ("f4", [0.5, 0.25, 2], [0.5, 0.25, 2, 1]),
        ("f4", [0.5, 0.25, 2, 0.5], [0.5, 0.25, 2, 0.5]),
        ("u1", [255, 0, 255, 0], [1, 0, 1, 0]),
        ("u2", [65535, 0, 65535], [1, 0, 1, 1]),
    ],
)
def test_vertex_colours_become_linear_rgba(gltf, dtype, values, expected):
    colors = gltf.accessor([values] * 3, dtype, normalized=dtype != "f4")
    gltf.mesh(attributes={"COLOR_0": colors})
    assert mesh_of(gltf.load()).colors[0].tolist() == expected


def test_two_uv_sets_stay_apart(gltf):
    sets = {f"TEXCOORD_{n}": gltf.accessor([[n, 0.5]] * 3) for n in range(2)}
    gltf.mesh(attributes=sets)
    mesh = mesh_of(gltf.load())
    assert mesh.uv0[0].tolist() == [0, 0.5]
    assert mesh.uv1[0].tolist() == [1, 0.5]


def test_joint_weights_are_renormalised(gltf):
    gltf.mesh(attributes={
        "JOINTS_0": gltf.accessor([[1, 2, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": gltf.accessor([[1, 1, 0, 0], [0.75, 0.25, 0, 0], [0, 0, 0, 0]]),
    })  # fmt: skip
    mesh = mesh_of(gltf.load())
    assert mesh.has_skin()
    assert mesh.joints.dtype == np.uint16
    assert mesh.weights.tolist() == [[0.5, 0.5, 0, 0], [0.75, 0.25, 0, 0], [0, 0, 0, 0]]


def test_more_than_four_joints_keep_the_strongest_with_a_warning(gltf):
    gltf.mesh(attributes={
        "JOINTS_0": gltf.accessor([[0, 1, 2, 3]] * 3, "u2"),
        "WEIGHTS_0": gltf.accessor([[0.1, 0.2, 0.1, 0.1]] * 3),
        "JOINTS_1": gltf.accessor([[4, 5, 6, 7]] * 3, "u1"),
        "WEIGHTS_1": gltf.accessor([[0.4, 0.0, 0.1, 0.0]] * 3),
    })  # fmt: skip
    asset = gltf.load()
    mesh = mesh_of(asset)
    assert mesh.joints[0].tolist()[:2] == [4, 1]
    assert mesh.weights[0].tolist() == pytest.approx([0.5, 0.25, 0.125, 0.125])
    assert any("strongest four" in warning for warning in asset.warnings)


def test_material_of_a_primitive_is_checked_and_absent_is_minus_one(gltf):
    gltf.mesh()
    assert gltf.load().meshes[0].primitives[0].material == -1
    gltf.json["meshes"][0]["primitives"][0]["material"] = 0
    with pytest.raises(AssetError, match="out of range at /meshes/0/primitives/0/material"):
        gltf.load()


def test_morph_targets_keep_names_and_default_weights(gltf):
    targets = [
        {"POSITION": gltf.accessor([[0, 0, 1]] * 3)},
        {"NORMAL": gltf.accessor([[1, 0, 0]] * 3)},
    ]
    gltf.mesh(targets=targets)
    gltf.json["meshes"][0].update(extras={"targetNames": ["smile", "blink:L"]}, weights=[0.5, 0])
    asset = gltf.load()
    assert asset.meshes[0].target_names == ("smile", "blink:L")
    assert asset.meshes[0].weights.tolist() == [0.5, 0]
    first, second = mesh_of(asset).morph_targets
    assert first.positions.tolist() == [[0, 0, 1]] * 3
    assert first.normals is None
    assert second.name == "blink:L"


def test_morph_target_of_another_length_is_refused(gltf):
    gltf.mesh(targets=[{"POSITION": gltf.accessor([[0, 0, 1]] * 2)}])
    with pytest.raises(AssetError, match="/meshes/0/primitives/0/targets/0/POSITION"):
        gltf.load()


@pytest.mark.parametrize("mode", [-1, 7, "4", 4.5])
def test_mode_that_does_not_exist_is_refused(gltf, mode):
    gltf.mesh(mode=mode)
    with pytest.raises(AssetError, match="validation failed at /meshes/0/primitives/0/mode"):
        gltf.load()

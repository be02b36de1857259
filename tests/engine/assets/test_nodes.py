import numpy as np
import pytest

from engine.assets import AssetError


def translation(node):
    return node.world[:3, 3].tolist()


def test_world_is_the_product_down_the_chain(gltf):
    half = 0.7071067811865476
    gltf.add("nodes", name="a", translation=[1, 0, 0], rotation=[0, 0, half, half], children=[1])
    gltf.add("nodes", name="b", translation=[2, 0, 0], scale=[2, 2, 2], children=[2])
    gltf.add("nodes", name="c", translation=[1, 0, 0])
    nodes = gltf.load().nodes
    assert translation(nodes[2]) == pytest.approx([1, 4, 0], abs=1e-6)
    assert (nodes[2].parent, nodes[0].parent, nodes[0].children) == (1, None, [1])


def test_matrix_is_column_major_and_is_split_into_its_parts(gltf):
    matrix = np.diag([-2.0, 3.0, 4.0, 1.0])
    matrix[:3, 3] = (5, 6, 7)
    gltf.node(matrix=matrix.T.reshape(-1).tolist())
    node = gltf.load().nodes[0]
    assert np.array_equal(node.local, matrix.astype(np.float32))
    assert node.translation.tolist() == [5, 6, 7]
    assert node.scale.tolist() == [-2, 3, 4]
    assert np.abs(node.rotation).tolist() == [0, 0, 0, 1]


def test_sheared_matrix_is_kept_exactly(gltf):
    matrix = np.eye(4, dtype=np.float32)
    matrix[0, 1] = 0.5
    gltf.node(matrix=matrix.T.reshape(-1).tolist())
    assert np.array_equal(gltf.load().nodes[0].world, matrix)


@pytest.mark.parametrize("scale", [[0, 0, 0], [0, 1, 1], [0, 0, 2]])
def test_flat_matrices_load(gltf, scale):
    gltf.node(matrix=np.diag([*scale, 1]).reshape(-1).tolist())
    assert np.isfinite(gltf.load().nodes[0].rotation).all()


def test_rotation_that_is_not_a_unit_is_normalised_with_a_warning(gltf):
    gltf.node(rotation=[0, 0, 2, 2])
    gltf.node(rotation=[0, 0, 0, 0])
    asset = gltf.load()
    assert np.linalg.norm(asset.nodes[0].rotation) == pytest.approx(1)
    assert asset.nodes[1].rotation.tolist() == [0, 0, 0, 1]
    assert any("/nodes/0/rotation" in warning for warning in asset.warnings)


def test_chain_of_thousands_loads_without_recursion(gltf):
    for i in range(5000):
        gltf.add("nodes", translation=[0, 1, 0], children=[i + 1] if i < 4999 else [])
    asset = gltf.load()
    assert translation(asset.nodes[-1]) == [0, 5000, 0]
    assert len(list(asset.reachable_nodes())) == 5000


def test_cycle_keeps_each_node_once_with_a_warning(gltf):
    gltf.node(name="a", children=[1])
    gltf.add("nodes", name="b", children=[2])
    gltf.add("nodes", name="c", children=[0])
    asset = gltf.load()
    assert [node.parent for node in asset.nodes] == [None, 0, 1]
    assert list(asset.reachable_nodes()) == [0, 1, 2]
    assert any("'a'" in warning and "/nodes/2/children" in warning for warning in asset.warnings)


def test_node_that_is_its_own_child_loads(gltf):
    gltf.node(children=[0])
    assert gltf.load().nodes[0].children == []


def test_shared_child_belongs_to_whoever_reaches_it_first(gltf):
    gltf.node(name="left", children=[2])
    gltf.node(name="right", children=[2])
    gltf.add("nodes", name="shared")
    asset = gltf.load()
    assert asset.nodes[2].parent == 0
    assert asset.nodes[1].children == []
    assert any("'shared'" in warning for warning in asset.warnings)


def test_root_that_is_also_a_child_stays_where_it_was_reached_first(gltf):
    gltf.node(name="child")
    gltf.node(name="parent", translation=[1, 0, 0], children=[0])
    asset = gltf.load()
    assert asset.nodes[0].parent is None
    assert translation(asset.nodes[0]) == [0, 0, 0]


def scenes(gltf):
    for name in ("one", "two", "three"):
        gltf.add("nodes", name=name)
    gltf.json["scenes"] = [{"name": "first", "nodes": [0]}, {"name": "second", "nodes": [1, 2]}]
    return gltf


def test_declared_scene_gives_the_roots(gltf):
    scenes(gltf).json["scene"] = 1
    asset = gltf.load()
    assert (asset.roots, asset.default_scene) == ([1, 2], 1)


def test_scene_zero_serves_when_none_is_declared(gltf):
    asset = scenes(gltf).load()
    assert (asset.roots, asset.default_scene, len(asset.scenes)) == ([0], None, 2)


@pytest.mark.parametrize("scene", [1, "second"])
def test_another_scene_can_be_asked_for(gltf, scene):
    assert scenes(gltf).load(scene=scene).roots == [1, 2]


@pytest.mark.parametrize("scene", [2, -1, "third"])
def test_scene_that_does_not_exist_is_refused(gltf, scene):
    with pytest.raises(AssetError, match="out of range at /scenes"):
        scenes(gltf).load(scene=scene)


def test_without_scenes_every_parentless_node_is_a_root(gltf):
    gltf.add("nodes", children=[1])
    gltf.add("nodes")
    gltf.add("nodes")
    assert gltf.load().roots == [0, 2]


def test_scene_without_nodes_is_empty(gltf):
    gltf.json["scenes"] = [{}]
    assert gltf.load().roots == []


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"children": [9]}, "/nodes/0/children/0"),
        ({"mesh": 0}, "/nodes/0/mesh"),
        ({"skin": 0}, "/nodes/0/skin"),
        ({"camera": 3}, "/nodes/0/camera"),
        ({"children": ["x"]}, "/nodes/0/children/0"),
        ({"children": 1}, "/nodes/0/children"),
        ({"matrix": [1, 2]}, "/nodes/0/matrix"),
        ({"translation": [1, 2, "3"]}, "/nodes/0/translation"),
        ({"scale": 1}, "/nodes/0/scale"),
        ({"name": 5}, "/nodes/0/name"),
        ({"extensions": []}, "/nodes/0/extensions"),
    ],
)
def test_malformed_node_raises_with_a_pointer(gltf, change, pointer):
    gltf.node(**change)
    with pytest.raises(AssetError) as error:
        gltf.load()
    assert f"at {pointer}:" in str(error.value)


def test_cameras_and_lights_hang_on_nodes(gltf):
    gltf.add("cameras", type="perspective", perspective={"yfov": 0.7, "znear": 0.5}, name="eye")
    gltf.add(
        "cameras",
        type="orthographic",
        orthographic={"xmag": 2, "ymag": 3, "znear": 0, "zfar": 9},
    )
    lights = [{"type": "spot", "intensity": 5, "spot": {"outerConeAngle": 0.5}}, {"type": "point"}]
    gltf.json["extensions"] = {"KHR_lights_punctual": {"lights": lights}}
    gltf.node(camera=0)
    gltf.node(camera=1, extensions={"KHR_lights_punctual": {"light": 1}})
    asset = gltf.load()
    assert (asset.cameras[0].fov_y, asset.cameras[0].far, asset.cameras[0].name) == (
        0.7,
        None,
        "eye",
    )
    assert (asset.cameras[1].kind, asset.cameras[1].y_mag) == ("orthographic", 3)
    assert (asset.lights[0].outer_angle, asset.lights[0].intensity) == (0.5, 5)
    assert (asset.lights[1].range, asset.lights[1].color) == (0, (1, 1, 1))
    assert (asset.nodes[0].light, asset.nodes[1].light, asset.nodes[1].camera) == (None, 1, 1)


def test_light_that_does_not_exist_is_out_of_range(gltf):
    gltf.json["extensions"] = {"KHR_lights_punctual": {"lights": []}}
    gltf.node(extensions={"KHR_lights_punctual": {"light": 0}})
    with pytest.raises(AssetError, match="out of range at /nodes/0/extensions/KHR_lights_punctual"):
        gltf.load()


@pytest.mark.parametrize("flat", [0, 1])
def test_joints_whose_sizes_leave_the_numbers_end_in_matrices(gltf, flat):
    """LAPACK looks for the inverse of what is endless and flat for ever."""
    big = {"scale": [1e30, flat, 1]}
    gltf.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], attributes=skin_attributes(gltf))
    gltf.node(mesh=0, skin=0, **big)
    gltf.add("nodes", children=[0], **big)
    gltf.json["scenes"][0]["nodes"] = [1]
    gltf.add("skins", joints=[1])
    asset = gltf.load()
    with np.errstate(all="ignore"):
        assert not np.isfinite(asset.nodes[0].world).all()
        assert asset.joint_matrices(0).shape == (1, 4, 4)


def skin_attributes(gltf):
    return {
        "JOINTS_0": gltf.accessor([[0, 0, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": gltf.accessor([[1.0, 0, 0, 0]] * 3),
    }

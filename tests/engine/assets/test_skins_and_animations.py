import numpy as np
import pytest

from engine.assets import AssetError

IDENTITY = np.eye(4, dtype=np.float32)


def skinned(gltf, joint=0, weight=1.0, joints=(1,), **skin):
    gltf.mesh(attributes={
        "JOINTS_0": gltf.accessor([[joint, 0, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": gltf.accessor([[weight, 1 - weight, 0, 0]] * 3),
    })  # fmt: skip
    gltf.node(mesh=0, skin=0, translation=[100, 0, 0])
    gltf.node(translation=[0, 5, 0])
    gltf.add("skins", joints=list(joints), **skin)
    return gltf


def test_missing_inverse_bind_matrices_are_identity(gltf):
    skin = skinned(gltf).load().skins[0]
    assert np.array_equal(skin.inverse_bind, IDENTITY[None])


def test_inverse_bind_matrices_are_column_major(gltf):
    matrix = IDENTITY.copy()
    matrix[:3, 3] = (1, 2, 3)
    accessor = gltf.accessor([matrix.T.reshape(-1)], kind="MAT4")
    assert np.array_equal(
        skinned(gltf, inverseBindMatrices=accessor).load().skins[0].inverse_bind[0], matrix
    )


def test_too_few_inverse_bind_matrices_are_refused(gltf):
    accessor = gltf.accessor([IDENTITY.reshape(-1)], kind="MAT4")
    with pytest.raises(AssetError, match="matrix for each of 2 joints"):
        skinned(gltf, joints=(0, 1), inverseBindMatrices=accessor).load()


def test_palette_undoes_the_nodes_own_transform(gltf):
    asset = skinned(gltf).load()
    palette = asset.joint_matrices(0)
    world = asset.nodes[0].world @ palette[0]
    assert world[:3, 3].tolist() == [0, 5, 0]
    assert asset.joint_matrices(1) is None


def test_posed_bounds_ignore_the_skinned_nodes_transform(gltf):
    asset = skinned(gltf).load()
    assert asset.world_bounds().min.tolist() == [100, 0, 0]
    posed = asset.world_bounds(posed=True)
    assert (posed.min.tolist(), posed.max.tolist()) == ([0, 5, 0], [1, 6, 0])


def test_joint_beyond_the_skin_is_refused_when_it_weighs(gltf):
    with pytest.raises(
        AssetError, match=r"out of range at /meshes/0/.*JOINTS_0: joint 3.*1 joints"
    ):
        skinned(gltf, joint=3).load()


def test_joint_beyond_the_skin_without_weight_is_cleared(gltf):
    asset = skinned(gltf, joint=3, weight=0.0).load()
    assert not asset.meshes[0].primitives[0].mesh.joints.any()


def test_joints_only_in_another_scene_are_refused(gltf):
    skinned(gltf).json["scenes"] = [{"nodes": [0]}, {"nodes": [1]}]
    with pytest.raises(AssetError, match=r"joint 1.*scene"):
        gltf.load()


def test_joints_in_no_scene_are_a_warning(gltf):
    skinned(gltf).json["scenes"] = [{"nodes": [0]}]
    assert any("in no scene" in warning for warning in gltf.load().warnings)


@pytest.mark.parametrize(
    ("skin", "pointer"),
    [({"joints": []}, "/skins/0/joints"), ({"joints": [9]}, "/skins/0/joints/0"),
     ({"joints": [0], "skeleton": 9}, "/skins/0/skeleton")],
)  # fmt: skip
def test_malformed_skin_raises_with_a_pointer(gltf, skin, pointer):
    gltf.node()
    gltf.add("skins", **skin)
    with pytest.raises(AssetError) as error:
        gltf.load()
    assert f"at {pointer}:" in str(error.value)


def animated(gltf, path="translation", values=((0, 0, 0), (1, 2, 3)), times=(0, 2), **sampler):
    gltf.node(mesh=gltf.mesh(targets=[{"POSITION": gltf.accessor([[0, 0, 1]] * 3)}] * 2))
    gltf.add(
        "animations",
        name="move",
        samplers=[
            {"input": gltf.accessor(list(times)), "output": gltf.accessor(values), **sampler}
        ],
        channels=[{"sampler": 0, "target": {"node": 0, "path": path}}],
    )
    return gltf


def test_channel_holds_its_keys_flat(gltf):
    animation = animated(gltf).load().animations[0]
    channel = animation.channels[0]
    assert (animation.name, animation.duration) == ("move", 2)
    assert (channel.node, channel.path, channel.interpolation, channel.components) == (0, 0, 0, 3)
    assert channel.times.tolist() == [0, 2]
    assert channel.values.tolist() == [0, 0, 0, 1, 2, 3]


def test_cubic_spline_has_three_values_a_key(gltf):
    values = np.arange(24).reshape(6, 4)
    channel = animated(gltf, "rotation", values, interpolation="CUBICSPLINE").load()
    channel = channel.animations[0].channels[0]
    assert (channel.interpolation, channel.components, len(channel.values)) == (2, 4, 24)


def test_weights_channel_has_a_number_per_target(gltf):
    channel = animated(gltf, "weights", [0, 1, 0.5, 0.25]).load().animations[0].channels[0]
    assert (channel.path, channel.components) == (3, 2)


def test_normalised_rotations_become_fractions(gltf):
    animated(gltf, "rotation", [[0, 0, 0, 1]] * 2)
    keys = gltf.accessor(np.array([[0, 0, 0, 32767]] * 2), "i2", normalized=True)
    gltf.json["animations"][0]["samplers"][0]["output"] = keys
    assert gltf.load().animations[0].channels[0].values[3] == 1


def test_channel_without_a_node_or_with_a_strange_path_is_ignored(gltf):
    animated(gltf)
    gltf.json["animations"][0]["channels"] += [
        {"sampler": 0, "target": {"path": "translation"}},
        {"sampler": 0, "target": {"node": 0, "path": "mood"}},
    ]
    asset = gltf.load()
    assert len(asset.animations[0].channels) == 1
    assert len(asset.warnings) == 2


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        ({"values": [[0, 0, 0]]}, "/animations/0/samplers/0/output"),
        ({"times": [2, 0]}, "/animations/0/samplers/0/input"),
        ({"times": [0, float("nan")]}, "/animations/0/samplers/0/input"),
        ({"interpolation": "EASE"}, "/animations/0/samplers/0/interpolation"),
        ({"input": 99}, "/animations/0/samplers/0/input"),
    ],
)
def test_malformed_animation_raises_with_a_pointer(gltf, options, pointer):
    with pytest.raises(AssetError) as error:
        animated(gltf, **options).load()
    assert f"at {pointer}:" in str(error.value)


def test_node_weights_override_the_meshs(gltf):
    animated(gltf)
    gltf.json["meshes"][0]["weights"] = [0.25, 0]
    gltf.node(mesh=0, weights=[0, 1])
    asset = gltf.load()
    assert asset.rest_morph_weights(0).tolist() == [0.25, 0]
    assert asset.rest_morph_weights(1).tolist() == [0, 1]
    assert asset.world_bounds(posed=True).max[2] == 1
    assert asset.world_bounds().max[2] == 0


def test_bounds_of_overflowing_positions_do_not_warn(gltf):
    gltf.node(mesh=gltf.mesh([[0, 0, 0], [3e38, 0, 0], [0, 3e38, 0]]), scale=[100, 100, 100])
    asset = gltf.load()
    assert asset.world_bounds().min.tolist() == [0, 0, 0]
    asset.world_bounds(posed=True)

"""Export: what is written comes back by import; what is invalid is repaired."""

import json
import struct

import numpy as np
import pytest

from engine.assets import (
    AssetError,
    GltfAnimation,
    GltfAsset,
    GltfCamera,
    GltfChannel,
    GltfLight,
    GltfMaterial,
    GltfMesh,
    GltfNode,
    GltfPrimitive,
    Image,
    Material,
    MeshData,
    MorphTarget,
    Sampler,
    TextureRef,
    load_gltf,
)
from engine.assets.gltf import GltfSkin, GltfTexture
from engine.assets.gltf_export import export_glb
from engine.assets.gltf_export.repairs import increasing_times, influences
from engine.math import compose

CORNERS = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])


@pytest.fixture
def back(tmp_path):
    """Export an asset and import it again."""

    def load(asset):
        path = tmp_path / "out.glb"
        path.write_bytes(export_glb(asset).data)
        return load_gltf(path)

    return load


def json_of(asset):
    data = export_glb(asset).data
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size])


def node(**fields):
    t, r, s = np.zeros(3, np.float32), np.float32([0, 0, 0, 1]), np.ones(3, np.float32)
    values = {"name": "", "parent": None, "children": [], "mesh": None, "skin": None}
    values |= {"camera": None, "light": None, "translation": t, "rotation": r, "scale": s}
    values |= fields
    parts = (values[key] for key in ("translation", "rotation", "scale"))
    local = fields.get("local", np.asarray(compose(*parts), np.float32))
    return GltfNode(**{**values, "local": local, "world": local})


def drawn(mesh, **fields):
    primitive = GltfPrimitive(mesh, **fields)
    weights = np.zeros(len(mesh.morph_targets), np.float32)
    asset = GltfAsset("a", meshes=[GltfMesh("m", [primitive], weights)], nodes=[node(mesh=0)])
    asset.roots = [0]
    return asset


def test_geometry_of_every_kind_comes_back(back):
    skinned = MeshData(
        positions=CORNERS,
        normals=[[0, 0, 1]] * 3,
        tangents=[[1, 0, 0, -1]] * 3,
        uv0=CORNERS[:, :2],
        uv1=CORNERS[:, 1:],
        colors=[[0.5, 0, 1, 0.25]] * 3,
        joints=[[0, 1, 0, 0]] * 3,
        weights=[[0.75, 0.25, 0, 0]] * 3,
        indices=[2, 1, 0],
        morph_targets=[MorphTarget(positions=CORNERS * 2, normals=CORNERS)],
    )
    asset = drawn(skinned)
    lines = MeshData(positions=CORNERS, indices=[0, 1, 1, 2], topology="lines")
    points = MeshData(positions=CORNERS, topology="points")
    asset.meshes[0].primitives += [GltfPrimitive(lines), GltfPrimitive(points)]
    asset.meshes[0].weights = np.float32([0.5])
    found, line, point = (p.mesh for p in back(asset).meshes[0].primitives)
    for name in (
        "positions", "normals", "tangents", "uv0", "uv1", "colors", "joints", "weights", "indices"
    ):  # fmt: skip
        assert np.array_equal(getattr(found, name), getattr(skinned, name)), name
    assert np.array_equal(found.morph_targets[0].positions, CORNERS * 2)
    assert np.array_equal(found.morph_targets[0].normals, CORNERS)
    assert (line.topology, line.indices.tolist()) == ("lines", [0, 1, 1, 2])
    assert (point.topology, point.indices.tolist()) == ("points", [0, 1, 2])


def test_materials_textures_and_pictures_come_back(back):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 3, 4), np.uint8)
    solid = pixels.copy()
    solid[..., 3] = 255
    ref = TextureRef(1, texcoord=1, offset=(0.5, 0.25), rotation=0.5, scale=(2.0, 3.0))
    material = Material(
        base_color=(0.1, 0.2, 0.3, 0.4),
        metallic=0.5,
        roughness=0.25,
        emissive=(1.0, 0.5, 0.0),
        emissive_strength=4.0,
        normal_scale=0.5,
        occlusion_strength=0.75,
        alpha_mode="mask",
        alpha_cutoff=0.25,
        double_sided=True,
        unlit=True,
        base_color_texture=TextureRef(0),
        metallic_roughness_texture=ref,
        normal_texture=TextureRef(1),
        occlusion_texture=TextureRef(1),
        emissive_texture=TextureRef(0),
        extensions={
            "KHR_materials_ior": {"ior": 1.25},
            "KHR_materials_clearcoat": {
                "clearcoatFactor": 0.5,
                "clearcoatNormalTexture": TextureRef(1),
                "clearcoatNormalScale": 0.5,
            },
        },
    )
    sampler = Sampler("nearest", "nearest", "linear", "clamp", "mirror")
    asset = GltfAsset(
        "a",
        images=[Image("wood", pixels), Image("steel", solid)],
        textures=[GltfTexture(0, sampler, "one"), GltfTexture(1, Sampler())],
        materials=[GltfMaterial(material, "odd", extras={"tags": [], "note": ""})],
    )
    found = back(asset)
    assert [i.name for i in found.images] == ["wood", "steel"]
    assert np.array_equal(found.images[0].pixels, pixels)
    assert np.array_equal(found.images[1].pixels, solid)
    assert found.textures == asset.textures
    assert found.materials[0].material == material
    assert found.materials[0].extras == {"tags": [], "note": ""}


def test_emission_beyond_one_goes_into_the_strength(back):
    asset = GltfAsset("a", materials=[GltfMaterial(Material(emissive=(4.0, 2.0, 0.0)), "hot")])
    material = back(asset).materials[0].material
    assert (material.emissive, material.emissive_strength) == ((1.0, 0.5, 0.0), 4.0)


def test_missing_pictures_are_left_out_and_textures_keep_their_numbers(back):
    asset = GltfAsset(
        "a",
        images=[
            Image("gone", np.zeros((1, 1, 4), np.uint8), True),
            Image("here", np.uint8([[[1] * 4]])),
        ],
        textures=[GltfTexture(0, Sampler()), GltfTexture(1, Sampler())],
    )
    assert any("gone" in text for text in export_glb(asset).warnings)
    found = back(asset)
    assert [t.image for t in found.textures] == [-1, 0]


def test_cameras_lights_variants_instances_and_extras_come_back(back):
    asset = drawn(MeshData(positions=CORNERS), material=0, variants={0: 1, 1: 0})
    asset.materials = [GltfMaterial(Material(), "a"), GltfMaterial(Material(roughness=0), "b")]
    asset.variants = ["red", "blue"]
    asset.cameras = [
        GltfCamera("perspective", "p", 0.5, 0.25, 100.0, 1.5),
        GltfCamera("orthographic", "o", near=0.5, far=9.0, x_mag=2.0, y_mag=3.0),
    ]
    asset.lights = [GltfLight("spot", (1.0, 0.5, 0.0), 3.0, 8.0, 0.25, 0.5, "lamp", True)]
    copies = np.asarray(compose(CORNERS, [[0, 0, 0, 1]] * 3, CORNERS + 1), np.float32)
    asset.nodes[0].children = [1]
    asset.nodes.append(
        node(name="n", parent=0, camera=1, light=0, visible=False, extras={"k": [1]})
    )
    asset.nodes.append(node(mesh=0, instances=copies, translation=np.float32([1, 2, 3])))
    asset.roots = [0, 2]
    asset.extras = {"by": "us"}
    found = back(asset)
    assert (found.cameras, found.lights) == (asset.cameras, asset.lights)
    assert found.variants == ["red", "blue"]
    assert found.meshes[0].primitives[0].variants == {0: 1, 1: 0}
    assert (found.nodes[1].camera, found.nodes[1].light, found.nodes[1].visible) == (1, 0, False)
    assert (found.nodes[1].extras, found.nodes[1].parent) == ({"k": [1]}, 0)
    assert np.allclose(found.nodes[2].instances, copies)
    assert (found.roots, found.extras) == ([0, 2], {"by": "us"})


def test_skins_and_animations_come_back(back):
    mesh = MeshData(positions=CORNERS, joints=[[0, 1, 0, 0]] * 3, weights=[[0.5, 0.5, 0, 0]] * 3)
    asset = drawn(mesh)
    bind = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    bind[1, :3, 3] = (1, 2, 3)
    asset.skins = [GltfSkin([1, 2], bind, 1, "bones")]
    asset.nodes[0].skin = 0
    asset.nodes += [node(children=[2]), node(parent=1)]
    asset.roots = [0, 1]
    times = np.float32([0, 1])
    turns = np.float32([[0, 0, 0, 1], [1, 0, 0, 0]])
    channels = [
        GltfChannel(1, 0, 0, 3, times, CORNERS[:2].reshape(-1)),
        GltfChannel(2, 1, 1, 4, times, turns.reshape(-1)),
        GltfChannel(2, 2, 2, 3, times, np.arange(18, dtype=np.float32)),
        GltfChannel(-1, 4, 0, 1, times, np.float32([0, 1]), "/materials/0/alphaCutoff"),
    ]
    asset.animations = [GltfAnimation("walk", channels)]
    found = back(asset)
    assert (found.skins[0].joints, found.skins[0].skeleton) == ([1, 2], 1)
    assert np.array_equal(found.skins[0].inverse_bind, bind)
    for a, b in zip(channels, found.animations[0].channels, strict=True):
        assert (a.node, a.path, a.interpolation, a.components, a.pointer) == (
            b.node, b.path, b.interpolation, b.components, b.pointer
        )  # fmt: skip
        assert np.array_equal(a.values, b.values)
    assert found.animations[0].channels[0].times is found.animations[0].channels[1].times


def test_a_sheared_node_is_written_as_two_and_stands_the_same(back):
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, :3] = [[1, 0.5, 0], [0, -2, 0.25], [0, 0, 1]]
    matrix[:3, 3] = (1, 2, 3)
    asset = drawn(MeshData(positions=CORNERS))
    asset.nodes = [
        node(name="top", children=[1]),
        node(parent=0, mesh=0, local=matrix, has_matrix=True),
    ]
    asset.nodes[1].world = matrix
    asset.roots = [0]
    assert all("matrix" not in item for item in json_of(asset)["nodes"])
    found = back(asset)
    assert np.allclose(found.nodes[1].world, matrix, atol=1e-5)
    assert found.nodes[1].mesh == 0
    assert len(found.nodes) == 3


def test_a_plain_matrix_stays_one_unless_it_is_animated():
    matrix = np.eye(4, dtype=np.float32)
    matrix[0, 3] = 5
    asset = drawn(MeshData(positions=CORNERS))
    asset.nodes[0] = node(mesh=0, local=matrix, has_matrix=True)
    assert "matrix" in json_of(asset)["nodes"][0]
    channel = GltfChannel(0, 0, 0, 3, np.float32([0]), np.float32([1, 2, 3]))
    asset.animations = [GltfAnimation("a", [channel])]
    assert json_of(asset)["nodes"][0]["translation"] == [5, 0, 0]


def test_a_skin_over_several_roots_gets_one_node_above_them(back):
    mesh = MeshData(positions=CORNERS, joints=[[0, 1, 0, 0]] * 3, weights=[[0.5, 0.5, 0, 0]] * 3)
    asset = drawn(mesh)
    asset.nodes += [node(), node()]
    asset.roots = [0, 1, 2]
    asset.skins = [GltfSkin([1, 2], np.tile(np.eye(4, dtype=np.float32), (2, 1, 1)))]
    asset.nodes[0].skin = 0
    found = back(asset)
    assert found.roots == [3]
    assert sorted(found.nodes[3].children) == [0, 1, 2]


def test_broken_vertex_data_is_repaired(back):
    mesh = MeshData(
        positions=[[0, 0, 0], [np.nan, 0, 0], [0, 1, 0]],
        normals=[[0, 0, 2], [0, 0, 0], [0, np.inf, 0]],
        tangents=[[3, 0, 0, 0.5], [0, 0, 0, -9], [1, 0, 0, 1]],
        colors=[[2, -1, 0, 1]] * 3,
    )
    assert any("not finite" in text for text in export_glb(drawn(mesh)).warnings)
    found = back(drawn(mesh)).meshes[0].primitives[0].mesh
    assert np.isfinite(found.positions).all()
    assert found.normals.tolist() == [[0, 0, 1]] * 3
    assert found.tangents.tolist() == [[1, 0, 0, 1], [1, 0, 0, -1], [1, 0, 0, 1]]
    assert found.colors.tolist() == [[1, 0, 0, 1]] * 3


def test_influences_sum_to_one_and_name_each_joint_once():
    joints = np.uint16([[1, 1, 2, 3], [4, 5, 0, 0], [7, 0, 0, 0]])
    weights = np.float32([[0.25, 0.25, 0.5, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    found, sums = influences(joints, weights)
    assert found.tolist() == [[1, 0, 2, 0], [4, 5, 0, 0], [7, 0, 0, 0]]
    assert sums.tolist() == [[0.5, 0, 0.5, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0]]


def test_key_times_increase_from_zero():
    found = increasing_times(np.float32([-1, 0, 0, 2, 1]))
    assert found[0] == 0
    assert (np.diff(found) > 0).all()


def test_a_spline_of_one_key_is_a_step(back):
    asset = drawn(MeshData(positions=CORNERS))
    channel = GltfChannel(0, 0, 2, 3, np.float32([0]), np.arange(9, dtype=np.float32))
    asset.animations = [GltfAnimation("a", [channel, channel])]
    found = back(asset).animations[0].channels
    assert [(c.interpolation, c.values.tolist()) for c in found] == [(1, [3, 4, 5])]


def test_tangents_that_no_reader_could_compute_are_written(back):
    mesh = MeshData(positions=CORNERS, normals=[[0, 0, 1]] * 3, uv0=CORNERS[:, :2])
    asset = drawn(mesh, material=0)
    body = {"clearcoatNormalTexture": TextureRef(0)}
    material = Material(extensions={"KHR_materials_clearcoat": body})
    asset.textures = [GltfTexture(-1, Sampler())]
    asset.materials = [GltfMaterial(material, "", extensions={"KHR_materials_clearcoat": {}})]
    assert back(asset).meshes[0].primitives[0].mesh.tangents.shape == (3, 4)


def test_meshes_without_vertices_are_left_out(back):
    found = back(drawn(MeshData()))
    assert (found.meshes, found.nodes[0].mesh) == ([], None)


def test_extras_that_are_no_json_are_refused():
    asset = GltfAsset("a", extras={"when": object()})
    with pytest.raises(AssetError, match="extras"):
        export_glb(asset)


def test_an_empty_asset_is_a_file():
    assert json_of(GltfAsset("a"))["asset"]["version"] == "2.0"


SAMPLES = [
    "props/kaykit_adventurers/Characters/gltf/Knight.glb",
    "khronos/Fox/glTF-Binary/Fox.glb",
    "khronos/MorphStressTest/glTF-Binary/MorphStressTest.glb",
]


@pytest.mark.parametrize("name", SAMPLES)
def test_real_files_come_back_with_their_facts(shared, back, name):
    path = shared / "assets" / name
    asset = load_gltf(path)
    found = back(asset)
    for kind in ("nodes", "meshes", "materials", "textures", "images", "skins", "animations"):
        assert len(getattr(found, kind)) == len(getattr(asset, kind)), kind
    assert [n.name for n in found.nodes] == [n.name for n in asset.nodes]
    assert [m.material for m in found.materials] == [m.material for m in asset.materials]
    for posed in (False, True):
        ours, theirs = found.world_bounds(posed), asset.world_bounds(posed)
        assert np.allclose([ours.min, ours.max], [theirs.min, theirs.max], atol=1e-4)

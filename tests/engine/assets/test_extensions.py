import io
import sys

import numpy as np
import PIL.Image
import pytest

from engine.assets import AssetError, TextureRef
from engine.assets.gltf.extensions import EXTENSIONS
from engine.assets.gltf.specular_glossiness import metallic_and_base

TRIANGLE = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])


def require(gltf, name):
    gltf.json["extensionsUsed"] = gltf.json["extensionsRequired"] = [name]
    return gltf


def mesh_of(asset):
    return asset.meshes[0].primitives[0].mesh


def test_list_is_sorted_and_without_doubles():
    names = [extension.name for extension in EXTENSIONS]
    assert names == sorted(set(names))


def test_quantised_positions_stay_in_their_own_units(gltf):
    require(gltf, "KHR_mesh_quantization")
    positions = gltf.accessor([[0, 0, 0], [100, 0, 0], [0, -100, 0]], "i2")
    uv = gltf.accessor([[0, 0], [1, 2], [3, 4]], "u1")
    gltf.add("meshes", primitives=[{"attributes": {"POSITION": positions, "TEXCOORD_0": uv}}])
    mesh = mesh_of(gltf.load())
    assert mesh.positions.tolist() == [[0, 0, 0], [100, 0, 0], [0, -100, 0]]
    assert mesh.uv0.tolist() == [[0, 0], [1, 2], [3, 4]]


def test_webp_source_replaces_the_fallback(gltf, make_png):
    picture = io.BytesIO()
    PIL.Image.new("RGB", (3, 1), (0, 255, 0)).save(picture, "WEBP", lossless=True)
    gltf.add("images", bufferView=gltf.view(make_png()))
    gltf.add("images", bufferView=gltf.view(picture.getvalue()))
    gltf.add("textures", source=0, extensions={"EXT_texture_webp": {"source": 1}})
    asset = require(gltf, "EXT_texture_webp").load()
    assert asset.textures[0].image == 1
    assert asset.images[1].pixels.tolist() == [[[0, 255, 0, 255]] * 3]


def test_picture_that_needs_an_absent_transcoder_is_a_checker(gltf, monkeypatch):
    monkeypatch.setitem(sys.modules, "opengl_basisu", None)
    gltf.add("images", bufferView=gltf.view(b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(80)))
    asset = require(gltf, "KHR_texture_basisu").load()
    assert asset.images[0].missing
    assert any("opengl_basisu" in warning for warning in asset.warnings)


def test_ktx2_picture_is_transcoded(shared):
    from engine.assets import load_gltf

    pytest.importorskip("opengl_basisu", reason="the KTX2 transcoder is not installed")
    folder = shared / "assets/cesium_native/CesiumGltfReader/test/data/CesiumBalloon"
    asset = load_gltf(folder / "CesiumBalloonKTX2.glb")
    assert asset.images
    assert not any(image.missing for image in asset.images)


def meshopt_view(gltf, meshopt, rows, mode="ATTRIBUTES"):
    data = meshopt.encode_gltf_buffer(rows, mode)
    gltf.json.setdefault("buffers", [])
    inner = gltf.view(data)
    body = dict(gltf.json["bufferViews"].pop(inner))
    body |= {"byteStride": rows.itemsize * (rows.shape[1] if rows.ndim == 2 else 1)}
    body |= {"count": len(rows), "mode": mode}
    return gltf.add(
        "bufferViews",
        buffer=1,
        byteLength=rows.nbytes,
        extensions={"EXT_meshopt_compression": body},
    )


def meshopt_file(gltf, meshopt):
    view = meshopt_view(gltf, meshopt, TRIANGLE)
    indices = meshopt_view(gltf, meshopt, np.uint32([0, 1, 2]), "TRIANGLES")
    gltf.add("accessors", bufferView=view, componentType=5126, count=3, type="VEC3")
    gltf.add("accessors", bufferView=indices, componentType=5125, count=3, type="SCALAR")
    gltf.add("meshes", primitives=[{"attributes": {"POSITION": 0}, "indices": 1}])
    del gltf.json["buffers"]
    fallback = {"EXT_meshopt_compression": {"fallback": True}}
    gltf.json["buffers"] = [
        gltf.document()["buffers"][0],
        {"byteLength": 48, "extensions": fallback},
    ]
    return require(gltf, "EXT_meshopt_compression")


def test_meshopt_views_are_decoded(gltf):
    meshopt = pytest.importorskip("meshopt", reason="the meshopt decoder is not installed")
    mesh = mesh_of(meshopt_file(gltf, meshopt).load())
    assert np.array_equal(mesh.positions, TRIANGLE)
    assert sorted(mesh.indices.tolist()) == [0, 1, 2]


@pytest.mark.parametrize(
    "change",
    [
        {"byteStride": 3},
        {"mode": "POINTS"},
        {"filter": "BLUR"},
        {"byteLength": 5},
        {"count": 10**12},
        {"filter": "QUATERNION"},
        {"byteOffset": 10**9},
        {"buffer": 9},
    ],
)
def test_malformed_meshopt_view_is_refused(gltf, change):
    meshopt = pytest.importorskip("meshopt", reason="the meshopt decoder is not installed")
    meshopt_file(gltf, meshopt)
    gltf.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"].update(change)
    with pytest.raises(AssetError, match="/bufferViews/0/extensions/EXT_meshopt_compression"):
        gltf.load()


def test_missing_meshopt_package_is_named(gltf, monkeypatch):
    meshopt = pytest.importorskip("meshopt", reason="the meshopt decoder is not installed")
    meshopt_file(gltf, meshopt)
    monkeypatch.setitem(sys.modules, "meshopt", None)
    with pytest.raises(AssetError, match="needs the Python package meshopt"):
        gltf.load()


def draco_file(gltf, draco):
    data = draco.encode(TRIANGLE, np.uint32([[0, 1, 2]]), quantization_bits=0)
    ids = {a["attribute_type"]: a["unique_id"] for a in draco.decode(data).attributes}
    body = {"bufferView": gltf.view(data), "attributes": {"POSITION": ids[0]}}
    gltf.add("accessors", componentType=5126, count=3, type="VEC3")
    gltf.add("accessors", componentType=5125, count=3, type="SCALAR")
    primitive = {"attributes": {"POSITION": 0}, "indices": 1}
    gltf.add(
        "meshes",
        primitives=[{**primitive, "extensions": {"KHR_draco_mesh_compression": body}}],
    )
    return require(gltf, "KHR_draco_mesh_compression")


def test_draco_primitive_is_decoded(gltf):
    draco = pytest.importorskip("DracoPy", reason="the Draco decoder is not installed")
    mesh = mesh_of(draco_file(gltf, draco).load())
    corners = mesh.positions[mesh.indices]
    assert sorted(corners.tolist()) == sorted(TRIANGLE.tolist())


@pytest.mark.parametrize("cut", [0, 4, 11, 40])
def test_cut_draco_data_is_refused(gltf, cut):
    draco = pytest.importorskip("DracoPy", reason="the Draco decoder is not installed")
    draco_file(gltf, draco).json["bufferViews"][0]["byteLength"] = cut
    with pytest.raises(AssetError, match="parse failed at /meshes/0/primitives/0/extensions"):
        gltf.load()


@pytest.mark.parametrize("method", [0, 1])
def test_draco_stream_that_declares_too_much_is_refused_before_decoding(gltf, method):
    huge = b"\xff\xff\xff\x7f"
    stream = b"DRACO\x02\x02\x01" + bytes([method, 0, 0]) + b"\0" * method + huge * 2 + bytes(64)
    draco_file(gltf, pytest.importorskip("DracoPy", reason="the Draco decoder is not installed"))
    gltf.json["bufferViews"][0]["byteLength"] = len(stream)
    gltf.blob[: len(stream)] = stream
    with pytest.raises(AssetError, match="out of range at /meshes/0/primitives/0/extensions"):
        gltf.load()


def test_draco_attribute_that_is_not_there_is_out_of_range(gltf):
    draco = pytest.importorskip("DracoPy", reason="the Draco decoder is not installed")
    primitive = draco_file(gltf, draco).json["meshes"][0]["primitives"][0]
    primitive["extensions"]["KHR_draco_mesh_compression"]["attributes"]["POSITION"] = 77
    with pytest.raises(AssetError, match=r"out of range at .*attributes/POSITION"):
        gltf.load()


def test_draco_attribute_of_another_width_is_refused(gltf):
    draco = pytest.importorskip("DracoPy", reason="the Draco decoder is not installed")
    draco_file(gltf, draco).json["accessors"][0]["type"] = "VEC4"
    with pytest.raises(AssetError, match="validation failed at /accessors/0/type"):
        gltf.load()


def test_missing_decoder_of_a_merely_used_extension_reads_the_plain_data(gltf, monkeypatch):
    monkeypatch.setitem(sys.modules, "DracoPy", None)
    body = {"bufferView": gltf.view(b"DRACO"), "attributes": {"POSITION": 0}}
    gltf.mesh(indices=[0, 1, 2], extensions={"KHR_draco_mesh_compression": body})
    gltf.json["extensionsUsed"] = ["KHR_draco_mesh_compression"]
    asset = gltf.load()
    assert np.array_equal(mesh_of(asset).positions, TRIANGLE)
    assert any("DracoPy" in warning for warning in asset.warnings)


def test_gpu_instances_become_matrices_and_count_in_posed_bounds(gltf):
    attributes = {
        "TRANSLATION": gltf.accessor([[0, 0, 0], [10, 0, 0]]),
        "SCALE": gltf.accessor([[1, 1, 1], [2, 2, 2]]),
    }
    body = {"EXT_mesh_gpu_instancing": {"attributes": attributes}}
    gltf.node(mesh=gltf.mesh(), extensions=body)
    asset = require(gltf, "EXT_mesh_gpu_instancing").load()
    assert asset.nodes[0].instances.shape == (2, 4, 4)
    assert asset.world_bounds().max.tolist() == [1, 1, 0]
    assert asset.world_bounds(posed=True).max.tolist() == [12, 2, 0]


def test_gpu_instances_of_unequal_counts_are_refused(gltf):
    attributes = {
        "TRANSLATION": gltf.accessor([[0, 0, 0]] * 2),
        "SCALE": gltf.accessor([[1, 1, 1]] * 3),
    }
    gltf.node(mesh=gltf.mesh(), extensions={"EXT_mesh_gpu_instancing": {"attributes": attributes}})
    with pytest.raises(AssetError, match="/nodes/0/extensions/EXT_mesh_gpu_instancing"):
        gltf.load()


def test_variants_name_the_material_of_each_primitive(gltf):
    gltf.json["extensions"] = {
        "KHR_materials_variants": {"variants": [{"name": "red"}, {"name": "blue"}]}
    }
    gltf.add("materials")
    gltf.add("materials")
    mappings = [{"material": 1, "variants": [0, 1]}]
    gltf.mesh(material=0, extensions={"KHR_materials_variants": {"mappings": mappings}})
    asset = gltf.load()
    assert asset.variants == ["red", "blue"]
    assert asset.meshes[0].primitives[0].variants == {0: 1, 1: 1}


def test_material_parameters_are_kept_with_their_textures(gltf, make_png):
    gltf.add("images", bufferView=gltf.view(make_png()))
    gltf.add("textures", source=0)
    coat = {"clearcoatFactor": 0.5, "clearcoatTexture": {"index": 0, "texCoord": 1}}
    extensions = {"KHR_materials_clearcoat": coat, "KHR_materials_ior": {"ior": 1.3}}
    gltf.add("materials", extensions=extensions)
    kept = gltf.load().materials[0].material.extensions
    assert kept["KHR_materials_ior"] == {"ior": 1.3}
    assert kept["KHR_materials_clearcoat"]["clearcoatTexture"] == TextureRef(0, texcoord=1)
    gltf.json["materials"][0]["extensions"]["KHR_materials_clearcoat"]["clearcoatFactor"] = "much"
    with pytest.raises(AssetError, match="/materials/0/extensions/KHR_materials_clearcoat"):
        gltf.load()


@pytest.mark.parametrize(
    ("diffuse", "specular", "metallic"),
    [((0.5, 0.2, 0.1), (0.04, 0.04, 0.04), 0), ((0, 0, 0), (0.9, 0.6, 0.3), 1)],
)
def test_specular_glossiness_converts_dielectrics_and_metals(diffuse, specular, metallic):
    base, found = metallic_and_base(diffuse, specular)
    assert found == pytest.approx(metallic, abs=1e-3)
    assert base == pytest.approx(specular if metallic else diffuse, abs=1e-3)


def test_specular_glossiness_gives_way_to_metallic_roughness(gltf):
    gltf.add(
        "materials",
        pbrMetallicRoughness={"roughnessFactor": 0.1},
        extensions={"KHR_materials_pbrSpecularGlossiness": {"glossinessFactor": 0.5}},
    )
    gltf.add(
        "materials", extensions={"KHR_materials_pbrSpecularGlossiness": {"glossinessFactor": 0.5}}
    )
    asset = gltf.load()
    assert [m.material.roughness for m in asset.materials] == [0.1, 0.5]


def specular_glossiness_file(gltf, make_png, **texture):
    """Two texels each: red plastic beside gold; the glossiness is a quarter."""
    pictures = ([(188, 0, 0, 128), (0, 0, 0, 255)], [(56, 56, 56, 64), (255, 220, 145, 64)])
    for texels in pictures:
        data = io.BytesIO()
        PIL.Image.fromarray(np.uint8([texels])).save(data, "PNG")
        gltf.add("textures", source=gltf.add("images", bufferView=gltf.view(data.getvalue())))
    textures = {
        "diffuseTexture": {"index": 0},
        "specularGlossinessTexture": {"index": 1, **texture},
    }
    for _ in range(2):
        body = {"KHR_materials_pbrSpecularGlossiness": textures}
        gltf.add("materials", extensions=body)
    return gltf


def test_specular_glossiness_textures_are_converted_once(gltf, make_png):
    asset = specular_glossiness_file(gltf, make_png).load()
    assert len(asset.images) == 4
    material = asset.materials[1].material
    base, other = (
        asset.images[asset.textures[ref.texture].image].pixels[0]
        for ref in (material.base_color_texture, material.metallic_roughness_texture)
    )
    assert base[0].tolist() == pytest.approx([188, 0, 0, 128], abs=4)
    assert base[1].tolist() == pytest.approx([255, 220, 145, 255], abs=2)
    assert other[:, 2].tolist() == pytest.approx([0, 255], abs=4)
    assert other[:, 1].tolist() == [191, 191]
    assert (material.base_color, material.metallic, material.roughness) == ((1, 1, 1, 1), 1, 1)
    assert asset.materials[1].textures[:2] == (
        material.base_color_texture.texture,
        material.metallic_roughness_texture.texture,
    )


def test_specular_glossiness_textures_that_lie_differently_keep_the_diffuse_one(gltf, make_png):
    asset = specular_glossiness_file(gltf, make_png, texCoord=1).load()
    material = asset.materials[0].material
    assert material.base_color_texture == TextureRef(0)
    assert material.metallic_roughness_texture.texcoord == 1
    assert any("lie differently" in warning for warning in asset.warnings)


def test_hidden_nodes_and_animation_pointers_are_kept(gltf):
    gltf.node(extensions={"KHR_node_visibility": {"visible": False}})
    pointer = {"KHR_animation_pointer": {"pointer": "/nodes/0/translation"}}
    gltf.add(
        "animations",
        samplers=[{"input": gltf.accessor([0, 1]), "output": gltf.accessor(TRIANGLE[:2])}],
        channels=[{"sampler": 0, "target": {"path": "pointer", "extensions": pointer}}],
    )
    asset = gltf.load()
    assert not asset.nodes[0].visible
    channel = asset.animations[0].channels[0]
    assert (channel.pointer, channel.path, channel.components) == ("/nodes/0/translation", 4, 3)

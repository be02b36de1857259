"""What the cooker makes of materials and of the pictures that they show."""

import json

import numpy as np
import PIL.Image
import pytest

from engine.assets import CookManifest, cook_gltf, load_ktx2, read_material, read_mesh
from engine.assets.asset_ids import asset_file_name
from engine.assets.ktx2.container import Container

SLOTS = ("base", "metal", "normal", "occlusion", "emissive")


@pytest.fixture
def cook(gltf, tmp_path):
    """Write the glTF, cook it, and return what reads an output's bytes."""

    def run(change=lambda document: None):
        path = gltf.write()
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        report = cook_gltf(path, "Box", tmp_path / "out", CookManifest())
        run.report = report
        return lambda name, ext: (
            tmp_path / "out" / asset_file_name(f"Box#{name}", ext)
        ).read_bytes()

    return run


@pytest.fixture
def painted(gltf, make_png):
    """A triangle whose material shows five pictures, one in each slot, on its second UVs."""
    uvs = gltf.accessor([[0, 0], [0, 1], [1, 0]])
    attributes = {
        "NORMAL": gltf.accessor([[0, 0, 1]] * 3),
        "TEXCOORD_0": uvs,
        "TEXCOORD_1": uvs,
    }
    for number in range(5):
        view = gltf.view(make_png((10 + number, 128, 255, 255)))
        gltf.add("images", bufferView=view, mimeType="image/png")
        gltf.add("textures", source=number, sampler=0)
    gltf.add("samplers", magFilter=9728, wrapS=33071, wrapT=10497)

    def shown(number, **more):
        turned = {"offset": [0.5, 0.25], "scale": [2, 4], "rotation": 0.75}
        where = {"extensions": {"KHR_texture_transform": turned}} if number == 0 else {}
        return {"index": number, "texCoord": 1, **where, **more}

    gltf.add(
        "materials",
        name="all of it",
        alphaMode="MASK",
        alphaCutoff=0.125,
        doubleSided=True,
        pbrMetallicRoughness={
            "baseColorFactor": [0.5, 0.25, 1, 0.75],
            "metallicFactor": 0.375,
            "roughnessFactor": 0.625,
            "baseColorTexture": shown(0),
            "metallicRoughnessTexture": shown(1),
        },
        normalTexture=shown(2, scale=0.5),
        occlusionTexture=shown(3, strength=0.25),
        emissiveTexture=shown(4),
        emissiveFactor=[1, 0.5, 0],
        extensions={"KHR_materials_emissive_strength": {"emissiveStrength": 4}},
    )
    gltf.node(mesh=gltf.mesh(indices=[0, 1, 2], attributes=attributes, material=0))
    return gltf


def test_a_material_is_cooked_with_all_that_it_says(painted, cook):
    material = read_material(cook()("material0", "cmat"))
    assert material.name == "all of it"
    assert material.base_color == (0.5, 0.25, 1, 0.75)
    assert (material.metallic, material.roughness) == (0.375, 0.625)
    assert (material.emissive, material.emissive_strength) == ((1, 0.5, 0), 4)
    assert (material.normal_scale, material.occlusion_strength) == (0.5, 0.25)
    assert (material.alpha_mode, material.alpha_cutoff) == ("mask", 0.125)
    assert material.double_sided
    assert (material.uv_offset, material.uv_scale, material.uv_rotation) == (
        (0.5, 0.25),
        (2, 4),
        0.75,
    )
    assert (material.linear_filter, material.address_mode) == (False, "clamp")
    assert [slot.texcoord for slot in material.slots] == [1] * 5
    assert [slot.image for slot in material.slots] == [f"Box#image{k}" for k in range(5)]


def test_colours_are_srgb_and_numbers_are_not(painted, cook):
    read = cook()
    found = [Container(read(f"image{k}", "ktx2"), str(k)).srgb for k in range(5)]
    assert dict(zip(SLOTS, found, strict=True)) == {
        "base": True,
        "metal": False,
        "normal": False,
        "occlusion": False,
        "emissive": True,
    }


def test_without_a_base_colour_texture_the_first_one_tells_the_sampler(painted, cook):
    def drop(document):
        material = document["materials"][0]
        del material["pbrMetallicRoughness"]["baseColorTexture"]
        document["samplers"].append({"magFilter": 9729, "wrapS": 33648})
        document["textures"][1]["sampler"] = 1

    read = cook(drop)
    material = read_material(read("material0", "cmat"))
    assert (material.linear_filter, material.address_mode) == (True, "mirror")
    assert "Box#image0" not in cook.report.outputs


def test_smaller_levels_of_a_normal_map_are_unit_vectors(painted, cook, make_png, tmp_path):
    def slanted(document):
        # One picture of two texels that stand at a right angle.
        pixels = np.array([[[255, 128, 128, 255], [128, 255, 128, 255]]], np.uint8)
        document["images"][2] = {"uri": "slanted.png"}
        PIL.Image.fromarray(pixels).save(tmp_path / "slanted.png")

    cook(slanted)
    loaded = load_ktx2(tmp_path / "out" / asset_file_name("Box#image2", "ktx2"), False)
    normal = loaded.levels[1][0, 0, :3] / 255 * 2 - 1
    assert np.allclose(normal, (0.707, 0.707, 0), atol=0.05)


def test_a_mesh_with_a_normal_map_is_cooked_with_tangents(painted, cook):
    # The UVs run along y first, so the tangents do; without a map nobody needs them.
    mesh = read_mesh(cook()("mesh0/prim0", "cmesh"))
    assert np.allclose(mesh.vertices()["tangent"][:, :3], (0, 1, 0), atol=1e-5)


def test_where_the_encoder_is_missing_it_is_said(painted, cook, monkeypatch):
    monkeypatch.setattr("engine.assets.ktx2.cook.optional_module", lambda name: None)
    read = cook()
    assert any("alktx2" in warning for warning in cook.report.warnings)
    assert Container(read("image0", "ktx2"), "image0").format
    monkeypatch.undo()
    cook()
    assert not any("alktx2" in warning for warning in cook.report.warnings)

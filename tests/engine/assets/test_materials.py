import pytest

from engine.assets import AssetError, Sampler


def textured(gltf, **fields):
    gltf.add("images", bufferView=gltf.view(b"no picture"))
    gltf.add("samplers", magFilter=9728, minFilter=9984, wrapS=33071, wrapT=33648)
    gltf.add("textures", source=0, sampler=0)
    gltf.add("textures", source=0)
    gltf.add("materials", **fields)
    return gltf.load()


def test_default_material_is_gltfs(gltf):
    gltf.add("materials")
    material = gltf.load().materials[0].material
    assert (material.base_color, material.metallic, material.roughness) == ((1, 1, 1, 1), 1, 1)
    assert (material.alpha_mode, material.alpha_cutoff, material.double_sided) == (
        "opaque",
        0.5,
        False,
    )
    assert material.textures() == (None,) * 5


def test_every_factor_and_texture_is_read(gltf):
    asset = textured(
        gltf,
        name="brick",
        pbrMetallicRoughness={
            "baseColorFactor": [0.1, 0.2, 0.3, 0.4],
            "metallicFactor": 0,
            "roughnessFactor": 0.5,
            "baseColorTexture": {"index": 0, "texCoord": 1},
            "metallicRoughnessTexture": {"index": 1},
        },
        normalTexture={"index": 1, "scale": 2},
        occlusionTexture={"index": 1, "strength": 0.25},
        emissiveTexture={"index": 0},
        emissiveFactor=[1, 0.5, 0],
        alphaMode="MASK",
        alphaCutoff=0.7,
        doubleSided=True,
        extensions={
            "KHR_materials_emissive_strength": {"emissiveStrength": 4},
            "KHR_materials_unlit": {},
        },
    )
    found = asset.materials[0]
    material = found.material
    assert found.name == "brick"
    assert found.textures == (0, 1, 1, 1, 0)
    assert material.base_color == (0.1, 0.2, 0.3, 0.4)
    assert (material.metallic, material.roughness) == (0, 0.5)
    assert (material.normal_scale, material.occlusion_strength) == (2, 0.25)
    assert (material.emissive, material.emissive_strength) == ((1, 0.5, 0), 4)
    assert (material.alpha_mode, material.alpha_cutoff) == ("mask", 0.7)
    assert material.double_sided
    assert material.unlit
    assert material.base_color_texture.texcoord == 1


def test_samplers_and_their_defaults(gltf):
    asset = textured(gltf)
    assert asset.textures[0].sampler == Sampler("nearest", "nearest", "nearest", "clamp", "mirror")
    assert asset.textures[1].sampler == Sampler()


def test_texture_transform_scales_then_rotates_then_shifts(gltf):
    info = {
        "index": 0,
        "texCoord": 0,
        "extensions": {
            "KHR_texture_transform": {
                "offset": [1, 2], "rotation": 0.5, "scale": [3, 4], "texCoord": 1,
            }
        },
    }  # fmt: skip
    ref = textured(gltf, emissiveTexture=info).materials[0].material.emissive_texture
    assert (ref.offset, ref.rotation, ref.scale, ref.texcoord) == ((1, 2), 0.5, (3, 4), 1)


def test_uv_set_beyond_the_second_falls_back_with_a_warning(gltf):
    asset = textured(gltf, emissiveTexture={"index": 0, "texCoord": 5})
    assert asset.materials[0].material.emissive_texture.texcoord == 0
    assert any("UV set 5" in warning for warning in asset.warnings)


def test_texture_without_an_image_is_minus_one_with_a_warning(gltf):
    gltf.add("textures")
    asset = gltf.load()
    assert asset.textures[0].image == -1
    assert any("/textures/0" in warning for warning in asset.warnings)


def test_unknown_material_extension_is_kept(gltf):
    gltf.add("materials", extensions={"ACME_glow": {"power": [1, 2]}})
    assert gltf.load().materials[0].extensions == {"ACME_glow": {"power": [1, 2]}}


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"alphaMode": "GLASS"}, "/materials/0/alphaMode"),
        ({"doubleSided": 1}, "/materials/0/doubleSided"),
        ({"emissiveFactor": [1, 1]}, "/materials/0/emissiveFactor"),
        ({"emissiveTexture": {"index": 2}}, "/materials/0/emissiveTexture/index"),
        ({"emissiveTexture": {}}, "/materials/0/emissiveTexture/index"),
        ({"pbrMetallicRoughness": []}, "/materials/0/pbrMetallicRoughness"),
        ({"normalTexture": {"index": 0, "scale": "x"}}, "/materials/0/normalTexture/scale"),
        ({"name": ["x"]}, "/materials/0/name"),
    ],
)
def test_malformed_material_raises_with_a_pointer(gltf, fields, pointer):
    with pytest.raises(AssetError) as error:
        textured(gltf, **fields)
    assert f"at {pointer}:" in str(error.value)


@pytest.mark.parametrize(
    ("kind", "item", "pointer"),
    [
        ("textures", {"source": 4}, "/textures/0/source"),
        ("textures", {"sampler": 0}, "/textures/0/sampler"),
        ("samplers", {"magFilter": 1}, "/samplers/0/magFilter"),
        ("images", {"bufferView": 2}, "/images/0/bufferView"),
        ("images", {"uri": 7}, "/images/0/uri"),
        ("materials", 3, "/materials/0"),
    ],
)
def test_malformed_texture_parts_raise_with_a_pointer(gltf, kind, item, pointer):
    gltf.json[kind] = [item]
    with pytest.raises(AssetError) as error:
        gltf.load()
    assert f"at {pointer}:" in str(error.value)


def test_pointer_escapes_slashes_and_tildes():
    from engine.assets.gltf.reader import JsonObject

    holder = JsonObject({"a/b~c": 1})
    with pytest.raises(AssetError, match="at /a~1b~0c:"):
        holder.fail("a/b~c", "nothing")

"""Warnings that change nothing in what was read, with the pointer that the validator gives."""

import io

import PIL.Image
import pytest

from engine.assets import load_gltf

MATRIX = [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def warned(asset, pointer):
    return [text for text in asset.warnings if text.startswith(pointer + ": ")]


def extensions(**items):
    return {"extensions": {f"KHR_materials_{name}": body for name, body in items.items()}}


@pytest.mark.parametrize(
    ("kind", "item", "pointer"),
    [
        ("materials", {"colour": 1}, "/materials/0/colour"),
        ("materials", {"normalTexture": {"index": 0, "uv": 1}}, "/materials/0/normalTexture/uv"),
        ("materials", {"alphaCutoff": 0.2}, "/materials/0/alphaCutoff"),
        (
            "materials",
            extensions(volume={}),
            "/materials/0/extensions/KHR_materials_volume",
        ),
        (
            "materials",
            {"doubleSided": True, **extensions(volume={}, transmission={})},
            "/materials/0/extensions/KHR_materials_volume",
        ),
        (
            "materials",
            extensions(dispersion={}),
            "/materials/0/extensions/KHR_materials_dispersion",
        ),
        (
            "materials",
            extensions(emissive_strength={}),
            "/materials/0/extensions/KHR_materials_emissive_strength",
        ),
        ("nodes", {"light": 0}, "/nodes/0/light"),
        ("extensionsUsed", "lights", "/extensionsUsed/0"),
        (
            "cameras",
            {"type": "perspective", "perspective": {"yfov": 4, "znear": 1}},
            "/cameras/0/perspective/yfov",
        ),
        (
            "cameras",
            {
                "type": "orthographic",
                "orthographic": {"xmag": -1, "ymag": 1, "zfar": 2, "znear": 0},
            },
            "/cameras/0/orthographic",
        ),
    ],
)
def test_odd_things_are_told_with_their_pointer(gltf, make_png, kind, item, pointer):
    gltf.add("textures", source=gltf.add("images", bufferView=gltf.view(make_png())))
    gltf.json[kind] = [item]
    assert warned(gltf.load(), pointer)


def test_a_clean_file_is_not_warned_of(gltf, make_png):
    gltf.add("textures", source=gltf.add("images", bufferView=gltf.view(make_png())))
    gltf.add("materials", alphaMode="MASK", alphaCutoff=0.1, extras={"anything": 1})
    gltf.triangle()
    assert gltf.load().warnings == []


def test_transforms_that_cannot_move_a_skinned_mesh(gltf):
    attributes = {
        "JOINTS_0": gltf.accessor([[0, 0, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": gltf.accessor([[1, 0, 0, 0]] * 3),
    }
    mesh = gltf.mesh(attributes=attributes)
    gltf.add("skins", joints=[1])
    gltf.node(children=[1, 2])
    gltf.add("nodes")
    gltf.add("nodes", mesh=mesh, skin=0, matrix=MATRIX)
    gltf.node(mesh=mesh)
    asset = gltf.load()
    assert len(warned(asset, "/nodes/2")) == 2
    assert "the node has none" in warned(asset, "/nodes/3")[0]


def test_joints_without_weight_and_tangents_without_normals(gltf):
    attributes = {
        "JOINTS_0": gltf.accessor([[0, 1, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": gltf.accessor([[1, 0, 0, 0]] * 3),
        "TANGENT": gltf.accessor([[1, 0, 0, 1]] * 3),
    }
    gltf.mesh(attributes=attributes)
    asset = gltf.load()
    assert warned(asset, "/meshes/0/primitives/0/attributes/JOINTS_0")
    assert warned(asset, "/meshes/0/primitives/0/attributes/TANGENT")


@pytest.mark.parametrize(("mode", "count"), [(0, 0), (1, 3), (3, 1), (4, 5), (5, 2), (6, 2)])
def test_incomplete_primitives(gltf, mode, count):
    gltf.mesh(TRIANGLE, [0] * count or None, mode=mode)
    asset = gltf.load()
    assert bool(warned(asset, "/meshes/0/primitives/0")) == (count > 0)


def test_computed_tangents_are_told(gltf, make_png):
    gltf.add("textures", source=gltf.add("images", bufferView=gltf.view(make_png())))
    gltf.add("materials", normalTexture={"index": 0})
    attributes = {
        "NORMAL": gltf.accessor([[0, 0, 1]] * 3),
        "TEXCOORD_0": gltf.accessor([[0, 0], [1, 0], [0, 1]]),
    }
    gltf.mesh(attributes=attributes, material=0)
    assert warned(gltf.load(), "/meshes/0/primitives/0/material")


def test_pictures_of_another_kind_or_with_a_profile(gltf, make_png):
    out = io.BytesIO()
    PIL.Image.new("RGB", (2, 2)).save(out, "PNG", icc_profile=b"x" * 200)
    gltf.add("images", bufferView=gltf.view(make_png()), mimeType="image/jpeg")
    gltf.add("images", bufferView=gltf.view(out.getvalue()), mimeType="image/png")
    asset = gltf.load()
    assert "the bytes are image/png" in warned(asset, "/images/0/mimeType")[0]
    assert "colour profile" in warned(asset, "/images/1")[0]


def test_unknown_chunks_and_spare_bytes_of_a_glb(gltf, make_glb, make_chunk):
    text = b'{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 4}]}'
    path = gltf.folder / "odd.glb"
    path.write_bytes(make_glb(text, bytes(12), make_chunk(b"ODD\0", b"1234")))
    gltf.json = {"asset": {"version": "2.1"}}
    asset = load_gltf(path)
    assert any("unknown type 0x0044444f" in text for text in asset.warnings)
    assert "8 bytes" in warned(asset, "/buffers/0")[0]
    assert not warned(asset, "/asset/version")
    assert warned(gltf.load(), "/asset/version")


def test_many_unknown_properties_are_summed_up(gltf):
    gltf.json["nodes"] = [{"odd": 1} for _ in range(50)]
    assert len(gltf.load().warnings) == 21

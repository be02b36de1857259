"""The cooked formats: bytes laid out as documented, and nothing but AssetError on bad input."""

import random
import struct

import numpy as np
import pytest

from engine.assets import AssetError, Material, MeshData, MorphTarget, load_gltf
from engine.assets.cooked import (
    Clip,
    ClipChannel,
    CookedMaterial,
    CookedMesh,
    CookedSlot,
    Joint,
    Skeleton,
    cook_mesh,
    read_clip,
    read_material,
    read_mesh,
    read_skeleton,
    skeleton_from_gltf,
    write_clip,
    write_material,
    write_mesh,
    write_skeleton,
)
from engine.assets.lods import MeshLod
from engine.assets.shapes import shape_mesh

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)


def a_mesh(*, skin=True, targets=1):
    return MeshData(
        positions=SQUARE,
        normals=np.tile(np.float32([0, 0, 1]), (4, 1)),
        tangents=np.tile(np.float32([1, 0, 0, -1]), (4, 1)),
        uv0=SQUARE[:, :2],
        uv1=SQUARE[:, :2] * 2,
        joints=np.arange(16, dtype=np.uint16).reshape(4, 4) if skin else None,
        weights=np.full((4, 4), 0.25, np.float32) if skin else None,
        indices=np.uint32([0, 1, 2, 0, 2, 3]),
        morph_targets=[MorphTarget(SQUARE + k, SQUARE * 3) for k in range(targets)],
    )


def a_clip():
    times, values = np.float32([0, 1, 2]), np.arange(9, dtype=np.float32)
    cubic = np.arange(3 * 3 * 2, dtype=np.float32)
    channels = [ClipChannel(3, 0, 0, 3, times, values), ClipChannel(1, 3, 2, 2, times, cubic)]
    return Clip("wave ü", 2.0, channels)


def a_material():
    slots = (CookedSlot(1, "a#image0"), *(CookedSlot(),) * 3, CookedSlot(0, "a#image1"))
    return CookedMaterial(
        "glass",
        (0.5, 0.25, 0.125, 1),
        0.5,
        0.75,
        (1, 2, 3),
        4.0,
        0.5,
        0.25,
        "mask",
        0.5,
        True,
        (2, 3),
        (0.5, 0.25),
        1.5,
        slots,
        False,
        "mirror",
    )


def a_skeleton():
    def joint(name, node, parent):
        matrix = np.arange(16, dtype=np.float32).reshape(4, 4)
        rest = np.float32([1, 2, 3]), np.float32([0, 0, 0, 1]), np.float32([1, 1, 2])
        return Joint(name, node, parent, matrix, *rest)

    return Skeleton([joint("tip", 4, 1), joint("root", 2, -1)])


def test_a_mesh_is_laid_out_as_documented():
    cooked = cook_mesh(a_mesh(), material="a#material0")
    data = write_mesh(cooked)
    head = struct.pack("<4sIIIIII", b"CMSH", 1, 4, 4 * 56, 4 * 24, 6 * 4, 1)
    head += struct.pack("<6f", 0, 0, 0, 1, 1, 0) + struct.pack("<II", 1, 4 * 32)
    head += struct.pack("<I", 11) + b"a#material0" + struct.pack("<IIf", 0, 6, 0)
    assert data.startswith(head)
    third = struct.pack("<14f", 1, 1, 0, 0, 0, 1, 1, 0, 0, -1, 1, 1, 2, 2)
    assert data[len(head) + 2 * 56 :].startswith(third)
    skin = struct.pack("<4H4f", 4, 5, 6, 7, *[0.25] * 4)
    assert data[len(head) + 4 * 56 + 24 :].startswith(skin)
    assert data[-4 * 32 - 24 : -4 * 32] == struct.pack("<6I", 0, 1, 2, 0, 2, 3)
    assert data[-32:] == struct.pack("<8f", 0, 1, 0, 0, 0, 3, 0, 0)


def test_a_mesh_comes_back_as_it_was():
    sphere = shape_mesh("sphere")
    cooked = cook_mesh(sphere, sphere.build_lods(), "mat")
    assert read_mesh(write_mesh(cooked)) is not cooked
    back = read_mesh(write_mesh(cooked))
    assert back.vertex_bytes == cooked.vertex_bytes
    assert back.index_bytes == cooked.index_bytes
    assert [(x.first_index, x.index_count) for x in back.lods] == [
        (x.first_index, x.index_count) for x in cooked.lods
    ]
    assert back.material == "mat"
    assert write_mesh(back) == write_mesh(cooked)


def test_a_mesh_without_skin_or_targets_has_no_such_bytes():
    cooked = cook_mesh(a_mesh(skin=False, targets=0))
    assert (cooked.skin_bytes, cooked.morph_bytes, cooked.morph_target_count) == (b"", b"", 0)
    assert read_mesh(write_mesh(cooked)).skin() is None


def test_only_triangles_are_cooked():
    with pytest.raises(AssetError, match="cooked mesh: found lines, expected triangles"):
        cook_mesh(MeshData(SQUARE, topology="lines"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.lods.clear(), "0 levels"),
        (lambda m: m.lods.extend([MeshLod(0, 3)] * 16), "17 levels"),
        (lambda m: m.lods.append(MeshLod(1, 3)), "multiple of 3"),
        (lambda m: m.lods.append(MeshLod(3, 6)), "out of range"),
        (lambda m: setattr(m, "index_bytes", struct.pack("<6I", 0, 1, 2, 0, 2, 4)), "index 4"),
        (lambda m: setattr(m, "index_bytes", b"\0" * 8), "whole triangles"),
        (lambda m: setattr(m, "skin_bytes", b"\0" * 24), "24 skin bytes"),
        (lambda m: setattr(m, "vertex_count", 5), "vertex bytes"),
        (lambda m: setattr(m, "morph_target_count", 2), "morph bytes"),
    ],
)
def test_meshes_that_contradict_themselves_are_refused(change, message):
    mesh = cook_mesh(a_mesh())
    change(mesh)
    with pytest.raises(AssetError, match=f"^cooked mesh: .*{message}"):
        write_mesh(mesh)


def test_a_clip_is_laid_out_as_documented():
    data = write_clip(a_clip())
    assert data.startswith(struct.pack("<4sII", b"CCLP", 1, 7) + "wave ü".encode())
    assert struct.pack("<fI6I3f", 2.0, 2, 3, 0, 0, 3, 3, 9, 0, 1, 2) in data
    back = read_clip(data)
    assert (back.name, back.duration, len(back.channels)) == ("wave ü", 2.0, 2)
    assert np.array_equal(back.channels[1].values, a_clip().channels[1].values)
    assert write_clip(back) == data


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        (ClipChannel(0, 4, 0, 3, np.float32([0]), np.float32([0, 0, 0])), "path 4"),
        (ClipChannel(0, 0, 3, 3, np.float32([0]), np.float32([0, 0, 0])), "interpolation 3"),
        (ClipChannel(0, 1, 0, 3, np.float32([0]), np.float32([0, 0, 0])), "expected 4"),
        (ClipChannel(0, 0, 2, 3, np.float32([0]), np.float32([0, 0, 0])), "expected 9"),
        (ClipChannel(0, 3, 0, 1, np.float32([1, 0]), np.float32([0, 0])), "not sorted"),
        (ClipChannel(0, 3, 0, 1, np.float32([np.nan]), np.float32([0])), "not finite"),
    ],
)
def test_bad_channels_are_refused(channel, message):
    with pytest.raises(AssetError, match=f"^cooked clip: channel 0: .*{message}"):
        write_clip(Clip("", 0.0, [channel]))


def test_a_material_is_laid_out_as_documented():
    data = write_material(a_material())
    expected = struct.pack("<4sII", b"CMAT", 1, 5) + b"glass"
    expected += struct.pack("<12f", 0.5, 0.25, 0.125, 1, 0.5, 0.75, 1, 2, 3, 4, 0.5, 0.25)
    expected += struct.pack("<IfI5f", 1, 0.5, 1, 2, 3, 0.5, 0.25, 1.5)
    expected += struct.pack("<BI", 1, 8) + b"a#image0" + struct.pack("<BI", 0, 0) * 3
    expected += struct.pack("<BI", 0, 8) + b"a#image1" + struct.pack("<II", 0, 2)
    assert data == expected
    assert read_material(data) == a_material()


def test_a_material_with_ids_in_its_slots():
    material = a_material().material({"a#image0": 7, "a#image1": 8}, 3)
    assert isinstance(material, Material)
    assert material.base_color_texture.texture == 7
    assert material.base_color_texture.texcoord == 1
    assert material.base_color_texture.scale == (2, 3)
    assert material.emissive_texture.texture == 8
    assert material.normal_texture is None


def test_a_skeleton_is_laid_out_as_documented():
    data = write_skeleton(a_skeleton())
    expected = struct.pack("<4sIII", b"CSKL", 1, 2, 3) + b"tip" + struct.pack("<Ii", 4, 1)
    expected += np.arange(16, dtype="<f4").reshape(4, 4).T.tobytes()
    expected += struct.pack("<10f", 1, 2, 3, 0, 0, 0, 1, 1, 1, 2)
    assert data.startswith(expected)
    back = read_skeleton(data)
    assert [(j.name, j.node, j.parent) for j in back.joints] == [("tip", 4, 1), ("root", 2, -1)]
    assert np.array_equal(back.joints[0].inverse_bind, a_skeleton().joints[0].inverse_bind)


@pytest.mark.parametrize(("parents", "message"), [((5, -1), "parent 5"), ((1, 0), "ancestor")])
def test_impossible_skeletons_are_refused(parents, message):
    skeleton = a_skeleton()
    for joint, parent in zip(skeleton.joints, parents, strict=True):
        joint.parent = parent
    with pytest.raises(AssetError, match=f"^cooked skeleton: .*{message}"):
        write_skeleton(skeleton)


def test_joint_parents_skip_the_nodes_between(gltf):
    leaf = gltf.add("nodes", name="leaf", translation=[0, 0, 1])
    between = gltf.add("nodes", name="between", translation=[0, 2, 0], children=[leaf])
    top = gltf.node(name="top", translation=[3, 0, 0], children=[between])
    gltf.add("skins", joints=[leaf, top])
    skeleton = skeleton_from_gltf(load_gltf(gltf.write()), 0)
    assert [(j.name, j.parent) for j in skeleton.joints] == [("leaf", 1), ("top", -1)]
    assert skeleton.joints[0].translation.tolist() == [0, 2, 1]
    with pytest.raises(AssetError, match="cooked skeleton: skin 1"):
        skeleton_from_gltf(load_gltf(gltf.write()), 1)


FORMATS = {
    "mesh": (lambda: write_mesh(cook_mesh(a_mesh(), material="m")), read_mesh),
    "clip": (lambda: write_clip(a_clip()), read_clip),
    "material": (lambda: write_material(a_material()), read_material),
    "skeleton": (lambda: write_skeleton(a_skeleton()), read_skeleton),
}


@pytest.mark.parametrize("what", FORMATS)
def test_heads_that_are_not_ours_are_refused(what):
    write, read = FORMATS[what]
    data = write()
    with pytest.raises(AssetError, match=f"^cooked {what}.*bad magic"):
        read(b"NOPE" + data[4:])
    with pytest.raises(AssetError) as caught:
        read(data[:4] + struct.pack("<I", 7) + data[8:])
    assert str(caught.value).startswith(f"cooked {what} version 7 (this engine reads 1)")
    assert "cinder-cook" in str(caught.value)
    with pytest.raises(AssetError, match=f"^cooked {what}.*1 trailing"):
        read(data + b"\0")
    with pytest.raises(AssetError, match=f"^cooked {what}.*truncated"):
        read(b"")


@pytest.mark.parametrize("what", FORMATS)
def test_every_truncation_is_refused(what):
    write, read = FORMATS[what]
    data = write()
    for size in range(len(data)):
        with pytest.raises(AssetError, match=f"^cooked {what}"):
            read(data[:size])


@pytest.mark.parametrize("what", FORMATS)
def test_damaged_bytes_raise_nothing_but_asset_errors(what):
    fuzz(what, 1500)


@pytest.mark.full
@pytest.mark.parametrize("what", FORMATS)
def test_many_damaged_bytes_raise_nothing_but_asset_errors(what):
    fuzz(what, 100_000)


def fuzz(what, rounds):
    write, read = FORMATS[what]
    data, dice = write(), random.Random(what)
    for _ in range(rounds):
        damaged = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(damaged))
            damaged[at] = dice.choice((0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)))
        if dice.random() < 0.2:
            del damaged[dice.randrange(len(damaged)) :]
        problem = "cooked but readable"
        try:
            read(bytes(damaged))
        except AssetError as error:
            problem = str(error)
        assert problem.startswith("cooked ")


def test_text_that_is_not_utf8_is_refused():
    data = bytearray(write_material(a_material()))
    data[12] = 0xFF
    with pytest.raises(AssetError, match=r"^cooked material.*UTF-8"):
        read_material(bytes(data))
    with pytest.raises(AssetError, match=r"^cooked mesh.*UTF-8"):
        write_mesh(cook_mesh(a_mesh(), material="\ud800"))


def test_an_empty_mesh_has_one_empty_level():
    cooked = cook_mesh(MeshData(np.zeros((0, 3), np.float32)))
    assert read_mesh(write_mesh(cooked)).lods == [MeshLod(0, 0, 0.0)]
    with pytest.raises(AssetError, match="0 levels"):
        write_mesh(CookedMesh())

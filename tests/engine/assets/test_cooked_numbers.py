"""Numbers that are not finite neither come out of a cooked file nor go into one."""

import struct

import numpy as np
import pytest

from engine.assets import AssetError, MeshData, MorphTarget
from engine.assets.cooked import (
    Clip,
    ClipChannel,
    CookedMaterial,
    Joint,
    Skeleton,
    cook_mesh,
    read_clip,
    read_material,
    read_mesh,
    read_skeleton,
    write_clip,
    write_material,
    write_mesh,
    write_skeleton,
)
from tests.engine.assets.cooked_files import (
    channel,
    clip_file,
    material_file,
    mesh_file,
    skeleton_file,
)

VERTICES = 3
MESH = mesh_file(skins=VERTICES, targets=2)
CLIP = clip_file(channel(), channel(path=1, components=4, values=(1,) * 8))
FORMATS = {
    "mesh": (MESH, read_mesh, write_mesh),
    "clip": (CLIP, read_clip, write_clip),
    "material": (material_file(), read_material, write_material),
    "skeleton": (skeleton_file(), read_skeleton, write_skeleton),
}
MORPHS = len(MESH) - 2 * VERTICES * 32
SKIN = MORPHS - 3 * 4 - VERTICES * 24
STREAM = SKIN - VERTICES * 56


def with_number(data, at, value):
    return data[:at] + struct.pack("<f", value) + data[at + 4 :]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("at", "where"),
    [
        (STREAM + 56 * 2 + 4, "vertex 2: its position"),
        (STREAM + 56 + 12, "vertex 1: its normal"),
        (STREAM + 36, "vertex 0: its tangent"),
        (STREAM + 40, "vertex 0: its uv0"),
        (SKIN - 4, "vertex 2: its uv1"),
        (SKIN + 24 + 20, "skin of vertex 1: its weights"),
        (MORPHS + 32 * 3 + 16, "morph of target 1, vertex 0: its normal"),
        (MORPHS + 32 + 4, "morph of target 0, vertex 1: its position"),
    ],
)
def test_a_stream_is_refused_by_vertex_and_field(at, where, value):
    with pytest.raises(AssetError, match=rf"^cooked mesh: byte \d+: {where} is not finite"):
        read_mesh(with_number(MESH, at, value))


def test_what_is_no_float_may_look_like_one_that_is_not_finite():
    filling = read_mesh(with_number(MESH, MORPHS + 12, np.nan))
    assert filling.morph_target_count == 2
    joints = read_mesh(MESH[:SKIN] + struct.pack("<2H", 0, 0x7FC0) + MESH[SKIN + 4 :])
    assert joints.skin()["joints"][0].tolist() == [0, 0x7FC0, 2, 3]


@pytest.mark.parametrize("what", FORMATS)
def test_whichever_number_is_none_what_can_be_read_can_be_written(what):
    """The writers refuse every number that is not finite, and so vouch for the readers."""
    data, read, write = FORMATS[what]
    refused = 0
    for at in range(8, len(data) - 3):
        try:
            found = read(with_number(data, at, np.nan))
        except AssetError as error:
            refused += "not finite" in str(error)
        else:
            write(found)
    assert refused > 10


def test_the_byte_of_a_number_is_told():
    at = len(skeleton_file()) - 4
    with pytest.raises(AssetError, match=f"^cooked skeleton: byte {at}: nan is not finite"):
        read_skeleton(with_number(skeleton_file(), at, np.nan))


@pytest.fixture(params=[np.nan, -np.inf, 1e39])
def odd(request):
    return request.param


def test_no_material_with_one_is_written(odd):
    with pytest.raises(AssetError, match=r"^cooked material: .* is not finite"):
        write_material(CookedMaterial(roughness=odd))


def test_no_clip_with_one_is_written(odd):
    with np.errstate(over="ignore"):
        values = np.array([0, 1, odd], np.float32)
    clip = Clip("walk", 1.0, [ClipChannel(0, 0, 0, 3, np.float32([0]), values)])
    with pytest.raises(AssetError, match=r"^cooked clip: channel 0: value 2 is not finite"):
        write_clip(clip)


def test_no_skeleton_with_one_is_written(odd):
    rest = np.zeros(3, np.float32), np.float32([0, 0, 0, 1]), np.ones(3, np.float32)
    with np.errstate(over="ignore"):
        bind = np.full((4, 4), odd, np.float32)
    with pytest.raises(AssetError, match=r"^cooked skeleton: .* is not finite"):
        write_skeleton(Skeleton([Joint("hip", 0, -1, bind, *rest)]))


def test_no_mesh_with_one_is_cooked(odd):
    corners = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    with np.errstate(over="ignore"):
        broken = corners + np.array([0, odd, 0], np.float32)
    with pytest.raises(AssetError, match=r"^cooked mesh: vertex 0: its position is not finite"):
        cook_mesh(MeshData(positions=broken))
    with pytest.raises(
        AssetError, match=r"^cooked mesh: morph of target 0, vertex 0: its position"
    ):
        cook_mesh(MeshData(positions=corners, morph_targets=[MorphTarget(broken)]))

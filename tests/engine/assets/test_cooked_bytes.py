"""Cooked files that somebody else wrote: what the documentation says is read, all else refused."""

import numpy as np
import pytest

from engine.assets import (
    AssetError,
    MeshLod,
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
    joint,
    material_file,
    mesh_file,
    skeleton_file,
)

HUGE = 0xFFFFFFFF
RICH = mesh_file(skins=3, targets=2, levels=((3, 3, 0.5), (0, 3, 0.0)), indices=(0, 1, 2, 2, 1, 0))
KINDS = {
    "mesh": (mesh_file, read_mesh, write_mesh),
    "clip": (clip_file, read_clip, write_clip),
    "material": (material_file, read_material, write_material),
    "skeleton": (skeleton_file, read_skeleton, write_skeleton),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_packed_by_hand_is_read_and_written_the_same(kind):
    pack, read, write = KINDS[kind]
    assert write(read(pack())) == pack()


def test_every_stream_of_a_mesh_is_where_it_belongs():
    mesh = read_mesh(RICH)
    assert write_mesh(mesh) == RICH
    assert mesh.vertices()["position"].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert mesh.vertices()["uv1"][0].tolist() == [0.75, 1]
    assert mesh.skin()["joints"][2].tolist() == [0, 1, 2, 3]
    assert mesh.morphs()["position"][1, 2].tolist() == [0, 0, 0.5]
    assert mesh.morphs()["normal"][1, 2].tolist() == [0, 1, 0]
    assert mesh.lods == [MeshLod(3, 3, 0.5), MeshLod(0, 3, 0.0)]
    assert len(read_mesh(mesh_file(levels=((0, 3, 0.0),) * 16)).lods) == 16


def test_every_number_of_a_material_is_where_it_belongs():
    material = read_material(material_file())
    assert material.base_color == (0.125, 0.25, 0.375, 0.5)
    assert (material.metallic, material.roughness) == (0.625, 0.75)
    assert (material.emissive, material.emissive_strength) == ((1, 2, 3), 4)
    assert (material.normal_scale, material.occlusion_strength) == (0.875, 0.9375)
    assert (material.alpha_mode, material.alpha_cutoff) == ("mask", 0.3125)
    assert material.double_sided
    assert (material.uv_scale, material.uv_offset, material.uv_rotation) == ((2, 3), (4, 5), 0.5)
    assert (material.linear_filter, material.address_mode) == (False, "mirror")
    assert [slot.texcoord for slot in material.slots] == [0, 1, 0, 0, 1]


def test_keys_may_stand_at_one_time_and_a_cubic_key_has_three_values():
    clip = read_clip(clip_file(channel(times=(1, 1)), channel(interpolation=2, values=(5,) * 18)))
    assert [c.times.tolist() for c in clip.channels] == [[1, 1], [0, 1]]
    assert len(clip.channels[1].values) == 18


def test_a_joint_is_read_whole():
    hip, knee = read_skeleton(skeleton_file()).joints
    assert (hip.name, hip.node, hip.parent, knee.parent) == ("hip", 4, -1, 0)
    assert np.array_equal(hip.inverse_bind, np.eye(4))
    assert (hip.translation.tolist(), hip.scale.tolist()) == ([1, 2, 3], [1, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", [0, 2, HUGE])
def test_another_version_is_named_with_what_to_do(kind, version):
    pack, read, _ = KINDS[kind]
    message = rf"^cooked {kind} version {version} \(this engine reads 1\); .*cook"
    with pytest.raises(AssetError, match=message):
        read(pack(version=version))


@pytest.mark.parametrize("kind", KINDS)
def test_heads_and_tails_and_pieces_are_refused(kind):
    pack, read, _ = KINDS[kind]
    for data in (b"", pack(magic=b"CXXX"), pack(tail=b"\0"), *(pack()[:n] for n in (3, 7, -1))):
        with pytest.raises(AssetError, match=f"^cooked {kind}: "):
            read(data)


@pytest.mark.parametrize(
    "data",
    [
        mesh_file(counts=(2, 168, 0, 12, 1)),
        mesh_file(counts=(4, 168, 0, 12, 1)),
        mesh_file(counts=(HUGE, 168, 0, 12, 1)),
        mesh_file(counts=(3, HUGE, 0, 12, 1)),
        mesh_file(counts=(3, 112, 56, 12, 1)),
        mesh_file(counts=(3, 168, 0, 12, HUGE)),
        mesh_file(skins=2),
        mesh_file(skins=4),
        mesh_file(targets=1, morphs=0),
        mesh_file(targets=0, morphs=3),
        mesh_file(targets=2, morphs=3),
        mesh_file(targets=HUGE, morphs=3),
        mesh_file(levels=()),
        mesh_file(levels=((0, 3, 0.0),) * 17),
        mesh_file(levels=((0, 2, 0.0),)),
        mesh_file(levels=((1, 3, 0.0),)),
        mesh_file(levels=((0, 6, 0.0),)),
        mesh_file(levels=((HUGE - 2, 3, 0.0),)),
        mesh_file(indices=(0, 1, 3)),
        mesh_file(indices=(0, 1, 2, 0, 1, HUGE)),
        mesh_file(indices=(0, 1, 2, 0)),
        mesh_file(material=b"\xff"),
    ],
)
def test_meshes_that_contradict_themselves_are_refused(data):
    with pytest.raises(AssetError, match=r"^cooked mesh: "):
        read_mesh(data)


@pytest.mark.parametrize(
    "data",
    [
        clip_file(channel(times=(1, 0))),
        clip_file(channel(times=(float("nan"), 0))),
        clip_file(channel(counts=(2, HUGE))),
        clip_file(channel(counts=(HUGE, 6))),
        clip_file(channel(values=(0,) * 5)),
        clip_file(channel(interpolation=2)),
        clip_file(channel(interpolation=3)),
        clip_file(channel(path=4)),
        clip_file(channel(path=1)),
        clip_file(count=2),
        clip_file(count=HUGE),
        clip_file(duration=float("nan")),
        clip_file(name=b"\xc3"),
    ],
)
def test_clips_that_contradict_themselves_are_refused(data):
    with pytest.raises(AssetError, match=r"^cooked clip: "):
        read_clip(data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 3},
        {"double_sided": 2},
        {"linear": 2},
        {"address": 3},
        {"name": b"\xff"},
        {"slots": ((0, b"\xff"), *((0, b""),) * 4)},
        {"slots": ((2, b"a"), *((0, b""),) * 4)},
    ],
)
def test_materials_with_numbers_that_mean_nothing_are_refused(wrong):
    with pytest.raises(AssetError, match=r"^cooked material: "):
        read_material(material_file(**wrong))


@pytest.mark.parametrize(
    "data",
    [
        skeleton_file(joint(parent=0)),
        skeleton_file(joint(parent=-2)),
        skeleton_file(joint(parent=2), joint()),
        skeleton_file(joint(parent=1), joint(parent=0)),
        skeleton_file(count=3),
        skeleton_file(count=HUGE),
        skeleton_file(joint(name=b"\xff")),
    ],
)
def test_skeletons_that_hang_nowhere_are_refused(data):
    with pytest.raises(AssetError, match=r"^cooked skeleton: "):
        read_skeleton(data)

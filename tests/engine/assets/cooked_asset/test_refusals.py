"""Cooked files that are cut, damaged or say what no importer makes."""

import re
import struct

import msgspec
import numpy as np
import pytest

from engine.assets import AssetError
from engine.assets.cooked.asset_layout import (
    AssetHead,
    AssetRecord,
    MeshRecord,
    RenderRecord,
)
from engine.assets.cooked.asset_read import read_asset
from tests.engine.assets.cooked_asset.opened import opened, sealed


def refusal(data, tmp_path):
    path = tmp_path / "bad.casset"
    path.write_bytes(data)
    with pytest.raises(AssetError) as error:
        read_asset(path, tmp_path)
    return str(error.value)


def test_sealing_and_opening_change_nothing(cooked):
    assert sealed(*opened(cooked)) == cooked


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: b"CMSH" + d[4:], "bad magic"),
        (lambda d: d[:4] + struct.pack("<I", 9) + d[8:], "version 9 .this engine reads 3."),
        (lambda d: d[:20], "truncated"),
        (lambda d: d[:-1], "truncated"),
        (lambda d: d + b"\0", "trailing bytes"),
        (lambda d: b"", "bad magic"),
        (lambda d: d[:60] + bytes([d[60] ^ 1]) + d[61:], "checksum of the head"),
        (lambda d: d[:-5] + bytes([d[-5] ^ 1]) + d[-4:], "checksum of the arrays"),
    ],
)
def test_files_that_are_not_whole_are_refused(cooked, tmp_path, change, message):
    found = refusal(change(cooked), tmp_path)
    assert found.startswith("cooked asset")
    assert re.search(message, found)


def test_every_truncation_is_refused(cooked, tmp_path):
    for size in range(0, len(cooked), 97):
        assert refusal(cooked[:size], tmp_path).startswith("cooked asset")


def test_a_file_that_is_not_there_is_an_asset_error(tmp_path):
    with pytest.raises(AssetError, match=r"cooked asset .*cannot be read"):
        read_asset(tmp_path / "none.casset", tmp_path)


def changed_head(data, change):
    head, arrays = opened(data)
    record = msgspec.msgpack.decode(head)
    change(record)
    return sealed(msgspec.msgpack.encode(record), arrays)


def put(record, name, value):
    """Change a field of the asset's record."""
    asset = AssetHead.__struct_fields__.index("asset")
    record[asset][AssetRecord.__struct_fields__.index(name)] = value


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("roots", [99], "node 99 out of range"),
        ("default_scene", 5, "scene 5 out of range"),
        ("textures", [{"image": 9, "sampler": {}, "name": ""}], "image 9 out of range"),
        ("name", 7, "head cannot be read"),
        ("groups", [["m", [[55, -1, {}]], 0, [], None]], "mesh 55 out of range"),
    ],
)
def test_numbers_that_name_nothing_are_refused(cooked, tmp_path, name, value, message):
    mutant = changed_head(cooked, lambda record: put(record, name, value))
    found = refusal(mutant, tmp_path)
    assert found.startswith("cooked asset")
    assert message in found


def record_of(head, name):
    """Return the part of a decoded head that describes `name` of the asset."""
    asset = head[AssetHead.__struct_fields__.index("asset")]
    return asset[AssetRecord.__struct_fields__.index(name)]


def entry_of(head, number):
    return head[AssetHead.__struct_fields__.index("arrays")][number]


def endless_channels(head):
    """One channel, repeated as often as the file likes."""
    entry = entry_of(head, record_of(head, "animations")[0][1])
    entry[1], entry[3] = [1, 7], 1 << 31


def drawn_part(head, field):
    return record_of(head, "meshes")[0][MeshRecord.__struct_fields__.index(field)]


def cut_triangle(head):
    numbers = drawn_part(head, "render"), RenderRecord.__struct_fields__.index("indices")
    entry_of(head, numbers[0][numbers[1]])[1][0] -= 1


def cut_source_triangle(head):
    entry_of(head, drawn_part(head, "indices"))[1][0] -= 1


def third_uv_set(head):
    record_of(head, "materials")[0]["material"]["base_color_texture"]["texcoord"] = 2


def a_weight_too_few(head):
    entry_of(head, record_of(head, "groups")[0][2])[1][0] = 0


def a_shape_that_no_array_has(head):
    entry_of(head, record_of(head, "images")[0][1])[1] = [1 << 40, 1 << 40, 0, 4]


def strange_joints(head, arrays):
    """Joints to draw that are not those of the file, on which nothing else depends."""
    entries = head[AssetHead.__struct_fields__.index("arrays")]
    code, shape, _, rows = entry_of(head, drawn_part(head, "joints"))
    arrays.extend(bytes(-len(arrays) % 64))
    entries.append([code, shape, len(arrays), rows])
    arrays.extend(b"\xff" * int(np.prod(shape)) * np.dtype(code).itemsize)
    render = drawn_part(head, "render")
    render[RenderRecord.__struct_fields__.index("joints")] = len(entries) - 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (endless_channels, "a repeated row of any length"),
        (cut_triangle, "are not whole triangles"),
        (cut_source_triangle, "are not whole triangles"),
        (third_uv_set, "UV set 2 out of range of 2"),
        (a_weight_too_few, "0 weights, expected 1"),
        (a_shape_that_no_array_has, "is no shape"),
    ],
)
def test_what_no_importer_makes_is_refused(cooked, tmp_path, change, message):
    found = refusal(changed_head(cooked, change), tmp_path)
    assert found.startswith("cooked asset")
    assert message in found


def test_joints_to_draw_that_the_skin_lacks_are_refused(cooked, tmp_path):
    head, arrays = opened(cooked)
    record, longer = msgspec.msgpack.decode(head), bytearray(arrays)
    strange_joints(record, longer)
    found = refusal(sealed(msgspec.msgpack.encode(record), bytes(longer)), tmp_path)
    assert "joint 65535 out of range" in found

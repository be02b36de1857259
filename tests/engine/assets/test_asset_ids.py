"""The hash behind asset ids, against its published values and its definition."""

import random

import pytest

from engine.assets.asset_ids import asset_file_name, asset_id, fnv1a64, hash_file


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", 0xCBF29CE484222325),
        (b"a", 0xAF63DC4C8601EC8C),
        (b"foobar", 0x85944171F73967E8),
    ],
)
def test_published_values(data, expected):
    assert fnv1a64(data) == expected


@pytest.mark.parametrize("size", [511, 512, 513, 5000, (1 << 18) - 1, 1 << 18, (1 << 18) + 700])
def test_long_data_hash_as_the_definition_says(size, tmp_path):
    data = random.Random(size).randbytes(size)
    expected = 0xCBF29CE484222325
    for byte in data:
        expected = ((expected ^ byte) * 0x100000001B3) % (1 << 64)
    assert fnv1a64(data) == expected
    path = tmp_path / "data"
    path.write_bytes(data)
    assert hash_file(path) == f"{expected:016x}"


def test_files_are_named_by_logical_path():
    assert asset_id("Fox#mesh0/prim0") == fnv1a64(b"Fox#mesh0/prim0")
    name = f"{fnv1a64(b'Fox#mesh0/prim0'):016x}.cmesh"
    assert asset_file_name("Fox#mesh0/prim0", "cmesh") == name
    assert asset_file_name("Fox#mesh0/prim0", ".cmesh") == name


def test_names_have_sixteen_digits_whatever_the_id():
    assert asset_file_name("a#image0", "ktx2") == "0f786fd4b1a376f6.ktx2"

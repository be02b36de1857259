"""Environment images of every format, as panoramas."""

import os
import struct
import zlib

import numpy as np
import OpenEXR
import pytest
import zstandard

from engine.assets import exr
from engine.assets.decoders import exr as decoder
from engine.assets.ktx2 import container
from engine.assets.ktx2.container import write_levels
from engine.assets.ktx2.light import (
    PackedLight,
    packed_light_bytes,
    read_light_ktx2,
    read_packed_light,
)
from engine.assets.light import read_light, unfolded
from engine.errors import AssetError
from engine.math import BRIGHTEST, pack_light, unpack_light

LIGHT = np.random.default_rng(5).gamma(0.7, 2.0, (4, 8, 3)).astype(np.float32)


def ktx2(path, body, vk_format, faces=1, size=(8, 4), scheme=0):
    data = bytearray(write_levels([(body, *size)], vk_format, b"\0" * 16, {}, 4, faces))
    data[44:48] = struct.pack("<I", scheme)
    path.write_bytes(bytes(data))
    return path


def with_alpha(light):
    return np.concatenate([light, np.ones((*light.shape[:-1], 1), light.dtype)], axis=-1)


def small_floats(light):
    """Texels of B10G11R11: the first bits of half floats."""
    bits = light.astype(np.float16).view(np.uint16).astype(np.uint32)
    return bits[..., 0] >> 4 | bits[..., 1] >> 4 << 11 | bits[..., 2] >> 5 << 22


FORMATS = {
    "half floats": (97, lambda a: with_alpha(a.astype(np.float16)), 1e-3),
    "half floats without alpha": (90, lambda a: a.astype(np.float16), 1e-3),
    "floats": (109, with_alpha, 0),
    "floats without alpha": (106, lambda a: a, 0),
    "small floats": (122, small_floats, 0.04),
}


@pytest.mark.parametrize(("number", "encode", "off"), FORMATS.values(), ids=FORMATS)
def test_panoramas_in_ktx2(tmp_path, number, encode, off):
    path = ktx2(tmp_path / "sky.ktx2", encode(LIGHT).tobytes(), number)
    np.testing.assert_allclose(read_light(path), LIGHT, rtol=off, atol=off / 10)


def test_shared_exponents_are_off_by_a_small_share_of_the_brightest_channel(tmp_path):
    path = ktx2(tmp_path / "sky.ktx2", pack_light(LIGHT).tobytes(), 123)
    off = np.abs(read_light(path) - LIGHT) / LIGHT.max(axis=-1, keepdims=True)
    assert off.max() < 1 / 512
    extremes = np.array([[0, 0, 0], [BRIGHTEST] * 3, [1.0, 0.0, 1e-9], [511.9, 1, 1]], np.float32)
    np.testing.assert_allclose(unpack_light(pack_light(extremes)), extremes, rtol=2e-3, atol=1)
    assert (unpack_light(pack_light(extremes[:1])) == 0).all()


def test_bytes_are_taken_by_their_transfer_function(tmp_path):
    pixels = np.full((4, 8, 4), 128, np.uint8)
    plain = read_light(ktx2(tmp_path / "a.ktx2", pixels.tobytes(), 37))
    assert plain == pytest.approx(128 / 255)
    assert read_light(ktx2(tmp_path / "b.ktx2", pixels.tobytes(), 43)) == pytest.approx(
        0.2159, 1e-3
    )


@pytest.mark.parametrize(("scheme", "pack"), [(3, zlib.compress), (2, zstandard.compress)])
def test_packed_levels(tmp_path, scheme, pack):
    path = ktx2(tmp_path / "sky.ktx2", pack(LIGHT.tobytes()), 106, scheme=scheme)
    np.testing.assert_array_equal(read_light(path), LIGHT)
    broken = ktx2(tmp_path / "bad.ktx2", pack(LIGHT.tobytes())[:-9], 106, scheme=scheme)
    with pytest.raises(AssetError, match=r"environment image bad\.ktx2"):
        read_light(broken)


def test_what_packs_by_zstd_names_the_package_it_lacks(tmp_path, monkeypatch):
    path = ktx2(tmp_path / "sky.ktx2", zstandard.compress(LIGHT.tobytes()), 106, scheme=2)
    monkeypatch.setattr(container, "optional_module", lambda name: None)
    with pytest.raises(AssetError, match="Python package zstandard"):
        read_light(path)


@pytest.mark.parametrize(
    ("number", "message"), [(131, "BC6H"), (0, "Basis Universal"), (9, "VkFormat 9")]
)
def test_other_texels_are_refused_with_what_would_do(tmp_path, number, message):
    path = ktx2(tmp_path / "sky.ktx2", b"\0" * 512, number)
    with pytest.raises(AssetError, match=f"sky.ktx2: found {message}.*expected half floats"):
        read_light(path)


def test_a_cube_lies_as_its_faces_say(tmp_path):
    """Each face has a colour of its own and is brighter towards its first row."""
    faces = np.zeros((6, 8, 8, 3), np.float32)
    faces += (np.arange(6, dtype=np.float32) + 1)[:, None, None, None]
    faces += np.linspace(0.4, -0.4, 8, dtype=np.float32)[None, :, None, None]
    path = ktx2(tmp_path / "cube.ktx2", with_alpha(faces).tobytes(), 109, 6, (8, 8))
    panorama = read_light(path)[..., 0]
    assert panorama.shape == (16, 32)
    # Middles of +X, +Z, -X, -Z; columns turn from +X towards +Z.
    assert panorama[7:9, [16, 24, 0, 8]].mean(axis=0) == pytest.approx([1, 5, 2, 6], abs=0.1)
    assert panorama[0].mean() == pytest.approx(3, abs=0.1)
    assert panorama[-1].mean() == pytest.approx(4, abs=0.1)
    # Rows of the side faces run down; the first row of the top is at -Z.
    assert panorama[5, 16] > panorama[10, 16] + 0.2
    assert panorama[1, 8] > panorama[1, 24]
    light = unfolded(np.ones((6, 4, 4, 3), np.float32))
    assert (light == 1).all()


def test_oblong_faces_and_truncated_files_are_refused(tmp_path):
    body = b"\0" * (6 * 8 * 4 * 16)
    with pytest.raises(AssetError, match="expected squares"):
        read_light(ktx2(tmp_path / "a.ktx2", body, 109, 6))
    whole = ktx2(tmp_path / "b.ktx2", LIGHT.tobytes(), 106).read_bytes()
    for cut in range(0, len(whole), 7):
        (tmp_path / "c.ktx2").write_bytes(whole[:cut])
        with pytest.raises(AssetError, match=r"c\.ktx2"):
            read_light(tmp_path / "c.ktx2")
    with pytest.raises(AssetError, match=r"none\.ktx2"):
        read_light(tmp_path / "none.ktx2")


def test_filtered_light_comes_back_as_it_was_written(tmp_path):
    levels = [
        np.random.default_rng(n).integers(0, 1 << 32, (6, n, n), np.uint32) for n in (4, 2, 1)
    ]
    harmonics = np.random.default_rng(1).normal(size=(9, 4)).astype(np.float32)
    path = tmp_path / "cube.ktx2"
    path.write_bytes(packed_light_bytes(PackedLight(levels, harmonics, "of what?")))
    again = read_packed_light(path)
    assert all(np.array_equal(a, b) for a, b in zip(levels, again.levels, strict=True))
    np.testing.assert_array_equal(again.irradiance[:, :3], harmonics[:, :3])
    assert again.source == "of what?"
    # It is a KTX2 cube like any other.
    assert read_light_ktx2(path).shape == (6, 4, 4, 3)
    with pytest.raises(AssetError, match="expected packed light"):
        read_packed_light(ktx2(tmp_path / "sky.ktx2", LIGHT.tobytes(), 106))


def write_exr(path, channels):
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, channels).write(str(path))
    return path


@pytest.mark.parametrize("prefix", ["", "beauty."])
def test_colours_of_an_exr(tmp_path, prefix):
    channels = {prefix + name: np.ascontiguousarray(LIGHT[..., k]) for k, name in enumerate("RGB")}
    channels[f"{prefix}A"] = np.ones((4, 8), np.float32)
    np.testing.assert_array_equal(read_light(write_exr(tmp_path / "sky.exr", channels)), LIGHT)


def test_an_exr_of_luminance_is_grey_and_one_without_colours_is_refused(tmp_path):
    grey = np.ascontiguousarray(LIGHT[..., 0])
    light = read_light(write_exr(tmp_path / "grey.exr", {"Y": grey}))
    np.testing.assert_array_equal(light, np.stack([grey] * 3, axis=-1))
    with pytest.raises(AssetError, match=r"depth\.exr: found Z, expected R, G and B"):
        read_light(write_exr(tmp_path / "depth.exr", {"Z": grey}))


@pytest.mark.parametrize(
    ("sides", "channels", "size", "is_refused"),
    [
        ((8192, 4096), 4, 1_000, False),
        ((12_000, 12_000), 3, 900_000, True),
        ((12_000, 12_000), 3, 9_000_000, False),
        ((8192, 4096), 500, 1_000_000, True),
        ((60_000, 60_000), 3, 1 << 30, True),
        ((1 << 31, 1 << 31), 1, 1_000, True),
    ],
)
def test_an_exr_that_would_fill_the_memory_is_not_decoded(sides, channels, size, is_refused):
    """One of 0.9 MB and one colour would take 4 GB."""
    corners = (-5, -5), (sides[0] - 6, sides[1] - 6)
    header = {"dataWindow": corners, "channels": [None] * channels}
    assert bool(decoder.too_large([header], size)) == is_refused
    assert decoder.too_large([header] * 5, size), "all pictures in it count"


def test_an_exr_is_asked_for_its_size_before_it_is_decoded(tmp_path, monkeypatch):
    monkeypatch.setattr(decoder, "_LARGE", 10)
    monkeypatch.setattr(decoder, "_MOST_PER_BYTE", 0)
    file = write_exr(tmp_path / "sky.exr", {"Y": np.ascontiguousarray(LIGHT[..., 0])})
    told, arrays = decoder.answer(os.fsencode(file))
    assert "expected at most 10" in told["error"]
    assert arrays == []


def test_a_broken_exr_and_a_missing_package_are_told_by_name(tmp_path, monkeypatch):
    whole = write_exr(tmp_path / "sky.exr", {"Y": np.ascontiguousarray(LIGHT[..., 0])}).read_bytes()
    for damaged in (b"", b"not light", whole[: len(whole) // 2]):
        (tmp_path / "bad.exr").write_bytes(damaged)
        with pytest.raises(AssetError, match=r"bad\.exr"):
            read_light(tmp_path / "bad.exr")
    monkeypatch.setattr(exr, "optional_module", lambda name: None)
    with pytest.raises(AssetError, match=r"sky\.exr: .*pip install OpenEXR"):
        read_light(tmp_path / "sky.exr")


def test_other_files_are_refused(tmp_path):
    with pytest.raises(AssetError, match=r"sky\.png: .*\.hdr, \.exr, \.ktx2"):
        read_light(tmp_path / "sky.png")

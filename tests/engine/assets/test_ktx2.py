"""KTX2: every level of what was cooked comes back, and damage is an AssetError."""

import random
import struct
import zlib

import numpy as np
import pytest

from engine.assets import AssetError, load_gltf
from engine.assets.ktx2 import cook, cook_texture_ktx2, load_ktx2, upload_loaded
from engine.assets.ktx2.container import Container, write_levels, write_rgba8
from engine.assets.ktx2.mipmaps import mip_chain

needs_encoder = pytest.mark.skipif(
    not cook.can_compress(), reason="the encoder alktx2 has no wheel for this system"
)


def picture(width, height):
    across = (np.arange(width) * 2 % 256).astype(np.uint8)
    down = (255 - np.arange(height) * 2 % 256).astype(np.uint8)
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., 0], pixels[..., 1], pixels[..., 2] = across, down[:, None], 64
    return pixels


def sizes(width, height):
    count = max(width, height).bit_length()
    return [(max(height >> k, 1), max(width >> k, 1), 4) for k in range(count)]


@needs_encoder
@pytest.mark.parametrize("uastc", [False, True])
@pytest.mark.parametrize("size", [(64, 32), (50, 37), (1, 1), (7, 1), (3, 5)])
def test_a_cooked_picture_comes_back_with_every_level(tmp_path, size, uastc):
    path = tmp_path / "picture.ktx2"
    pixels = picture(*size)
    cook_texture_ktx2(pixels, path, srgb=True, uastc=uastc, quality=255)
    loaded = load_ktx2(path, prefer_bc7=False)
    assert (loaded.width, loaded.height, loaded.bc7, loaded.srgb) == (*size, False, True)
    assert [level.shape for level in loaded.levels] == sizes(*size)
    error = np.abs(loaded.levels[0].astype(int) - pixels).mean()
    assert error < (2 if uastc else 12)


@needs_encoder
def test_a_higher_quality_takes_more_room_and_comes_nearer(tmp_path):
    noise = np.random.default_rng(5).integers(0, 256, (128, 128, 4), np.uint8)
    room, error = [], []
    for quality in (1, 128, 255):
        path = tmp_path / "noise.ktx2"
        cook_texture_ktx2(noise, path, srgb=False, quality=quality)
        room.append(path.stat().st_size)
        level = load_ktx2(path, prefer_bc7=False).levels[0]
        error.append(np.abs(level.astype(int) - noise).mean())
    assert room == sorted(set(room))
    assert error == sorted(set(error), reverse=True)


@needs_encoder
def test_bc7_is_whole_blocks_or_not_bc7(tmp_path):
    path = tmp_path / "picture.ktx2"
    cook_texture_ktx2(picture(64, 32), path, srgb=False)
    loaded = load_ktx2(path, prefer_bc7=True)
    assert (loaded.bc7, loaded.srgb, len(loaded.levels)) == (True, False, 7)
    assert [level.shape for level in loaded.levels[:3]] == [(8, 16, 16), (4, 8, 16), (2, 4, 16)]
    assert loaded.levels[-1].shape == (1, 1, 16)
    cook_texture_ktx2(picture(62, 32), path, srgb=False)
    assert not load_ktx2(path, prefer_bc7=True).bc7


@needs_encoder
@pytest.mark.parametrize("uastc", [False, True])
def test_the_same_picture_cooks_to_the_same_bytes(tmp_path, uastc):
    first, second = tmp_path / "a.ktx2", tmp_path / "b.ktx2"
    for path in (first, second):
        cook_texture_ktx2(picture(200, 100), path, srgb=True, uastc=uastc)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("srgb", [False, True])
def test_without_the_encoder_levels_are_written_uncompressed(tmp_path, monkeypatch, srgb):
    monkeypatch.setattr(cook, "optional_module", lambda name: None)
    path = tmp_path / "picture.ktx2"
    cook_texture_ktx2(picture(12, 6), path, srgb=srgb)
    assert not cook.can_compress()
    loaded = load_ktx2(path, prefer_bc7=True)
    assert (loaded.bc7, loaded.srgb) == (False, srgb)
    assert np.array_equal(loaded.levels[0], picture(12, 6))
    assert [level.shape for level in loaded.levels] == sizes(12, 6)


def test_levels_average_in_linear_light_and_keep_odd_rows():
    pixels = np.zeros((1, 2, 4), np.uint8)
    pixels[0, 1] = 255
    assert mip_chain(pixels, srgb=True)[1][0, 0].tolist() == [188, 188, 188, 128]
    assert mip_chain(pixels, srgb=False)[1][0, 0].tolist() == [128] * 4
    row = np.zeros((1, 3, 4), np.uint8)
    row[0, 2] = 255
    assert mip_chain(row, srgb=False)[1][0, 0].tolist() == [85] * 4


@pytest.mark.parametrize("srgb", [False, True])
def test_a_plain_picture_stays_plain_on_every_level(srgb):
    for value in range(256):
        pixels = np.full((5, 7, 4), value, np.uint8)
        assert all((level == value).all() for level in mip_chain(pixels, srgb))


def bumps(width, height):
    """A normal map of waves, each a few dozen texels long."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    slopes = np.dstack([np.cos(x * 0.25), np.sin(y * 0.2 + x * 0.1), np.ones(x.shape)])
    unit = slopes / np.linalg.norm(slopes, axis=2, keepdims=True)
    alpha = np.full(x.shape, 255)
    return np.dstack([np.rint(unit * 127.5 + 127.5), alpha]).astype(np.uint8)


def directions(level):
    return level[..., :3].astype(float) / 127.5 - 1


def degrees_off(levels, expected):
    """The mean angle between what two chains of levels point at, over all texels."""
    pairs = [
        np.stack([directions(level), directions(wanted)], 2).reshape(-1, 2, 3)
        for level, wanted in zip(levels, expected, strict=True)
    ]
    found = np.concatenate(pairs)
    unit = found / np.linalg.norm(found, axis=2, keepdims=True)
    return float(np.degrees(np.arccos((unit[:, 0] * unit[:, 1]).sum(1).clip(-1, 1))).mean())


@pytest.mark.parametrize("size", [(2, 2), (64, 64), (37, 50), (7, 1)])
def test_normals_stay_unit_length_on_every_level(size):
    for level in mip_chain(bumps(*size), srgb=False, normal_map=True):
        lengths = np.linalg.norm(directions(level), axis=2)
        # A byte is off by half a step in each direction at most.
        assert np.abs(lengths - 1).max() <= np.sqrt(3) / 255


def degrees_off_when_cooked(path, **how):
    cook_texture_ktx2(bumps(64, 64), path, **how)
    expected = mip_chain(bumps(64, 64), srgb=False, normal_map=True)
    return degrees_off(load_ktx2(path, prefer_bc7=False).levels, expected)


@pytest.mark.parametrize("encoder", [pytest.param("alktx2", marks=needs_encoder), None])
def test_a_normal_map_is_linear_and_keeps_its_directions(tmp_path, monkeypatch, encoder):
    if encoder is None:
        monkeypatch.setattr(cook, "optional_module", lambda name: None)
    colours = degrees_off_when_cooked(tmp_path / "colours.ktx2", srgb=True)
    path = tmp_path / "normals.ktx2"
    normals = degrees_off_when_cooked(path, srgb=True, normal_map=True, uastc=True)
    assert normals < colours
    assert not load_ktx2(path, prefer_bc7=False).srgb
    if encoder is None:
        assert normals == pytest.approx(0, abs=1e-4)


@needs_encoder
def test_uastc_is_the_same_and_the_best_whatever_the_quality(tmp_path):
    files = []
    for quality in (1, 128, 255):
        files.append(tmp_path / f"{quality}.ktx2")
        cook_texture_ktx2(bumps(64, 64), files[-1], srgb=False, uastc=True, quality=quality)
    assert len({path.read_bytes() for path in files}) == 1
    loaded = load_ktx2(files[0], prefer_bc7=False)
    assert degrees_off(loaded.levels[:1], [bumps(64, 64)]) < 4.0


def test_bc7_of_an_odd_size_is_decoded(shared):
    loaded = load_ktx2(shared / "bugcases" / "47_bc7_6x5_mips.ktx2", prefer_bc7=True)
    assert not loaded.bc7
    assert [level.shape for level in loaded.levels] == [(5, 6, 4), (2, 3, 4), (1, 1, 4)]


def bc7_file(width, height):
    blocks = b"\x20" + bytes(15)
    data = write_rgba8([(blocks * (-(-width // 4) * -(-height // 4)), width, height)], True)
    return data[:12] + struct.pack("<I", 146) + data[16:]


def test_bc7_of_whole_blocks_is_taken_as_it_is(tmp_path):
    path = tmp_path / "blocks.ktx2"
    path.write_bytes(bc7_file(8, 4))
    loaded = load_ktx2(path, prefer_bc7=True)
    assert (loaded.bc7, loaded.srgb, loaded.levels[0].shape) == (True, True, (1, 2, 16))
    assert load_ktx2(path, prefer_bc7=False).levels[0].shape == (4, 8, 4)


def test_zlib_levels_are_inflated(tmp_path):
    pixels = picture(4, 4)
    data = bytearray(write_rgba8([(zlib.compress(pixels.tobytes()), 4, 4)], False))
    data[44:48] = struct.pack("<I", 3)
    path = tmp_path / "zlib.ktx2"
    path.write_bytes(bytes(data))
    assert np.array_equal(load_ktx2(path, False).levels[0], pixels)


def bytes_file(vk_format, levels, swizzle=None, pack=bytes, scheme=0):
    values = {} if swizzle is None else {"KTXswizzle": swizzle}
    rows = [(pack(level.tobytes()), level.shape[1], level.shape[0]) for level in levels]
    data = bytearray(write_levels(rows, vk_format, bytes(44), values))
    data[44:48] = struct.pack("<I", scheme)
    return bytes(data)


@pytest.mark.parametrize(
    ("vk_format", "stored", "srgb"),
    [
        (9, "r", False), (15, "r", True), (16, "rg", False), (22, "rg", True),
        (23, "rgb", False), (29, "rgb", True), (30, "bgr", False), (36, "bgr", True),
        (37, "rgba", False), (43, "rgba", True), (44, "bgra", False), (50, "bgra", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("packer", ["", "zlib", "zstandard"])
def test_pictures_of_fewer_bytes_are_filled_up(tmp_path, vk_format, stored, srgb, packer):
    given = [picture(7, 5), picture(3, 2), picture(1, 1)]
    for level in given:
        level[..., 3] = 40
    levels = [level[..., ["rgba".index(name) for name in stored]] for level in given]
    pack, scheme = bytes, 0
    if packer:
        module = pytest.importorskip(packer)
        pack, scheme = module.compress, 3 if packer == "zlib" else 2
    path = tmp_path / "x.ktx2"
    path.write_bytes(bytes_file(vk_format, levels, pack=pack, scheme=scheme))
    loaded = load_ktx2(path, prefer_bc7=True)
    assert (loaded.width, loaded.height, loaded.bc7, loaded.srgb) == (7, 5, False, srgb)
    for level, whole in zip(loaded.levels, given, strict=True):
        for channel, name in enumerate("rgba"):
            expected = whole[..., channel] if name in stored else 255 * (name == "a")
            assert (level[..., channel] == expected).all(), name


def test_what_channels_stand_for_is_what_the_file_says(tmp_path):
    path, pixels = tmp_path / "x.ktx2", picture(5, 3)
    path.write_bytes(bytes_file(16, [pixels[..., :2]], b"rrrg"))
    (level,) = load_ktx2(path, False).levels
    assert (level[..., :3] == pixels[..., :1]).all()
    assert (level[..., 3] == pixels[..., 1]).all()
    path.write_bytes(bytes_file(37, [pixels], b"01ab"))
    (level,) = load_ktx2(path, False).levels
    assert level[0, 0].tolist() == [0, 255, 255, 64]
    path.write_bytes(bytes_file(9, [pixels[..., :1]], b"rgbx"))
    with pytest.raises(AssetError, match=r"^cooked texture .*x\.ktx2: KTXswizzle 'rgbx'"):
        load_ktx2(path, False)


@pytest.mark.parametrize(("name", "levels"), [("image-2d-mips", 2)])
def test_plain_pictures_of_other_tools_load(shared, name, levels):
    loaded = load_ktx2(shared / "assets" / "magnum_importer_tests" / f"{name}.ktx2", False)
    assert (len(loaded.levels), loaded.srgb) == (levels, True)
    assert loaded.levels[0].shape == (3, 4, 4)
    assert (loaded.levels[0][..., 3] == 255).all()


@pytest.mark.parametrize("name", ["image-2d-array", "image-2d-array-mips"])
def test_layers_are_refused_by_name(shared, name):
    path = shared / "assets" / "magnum_importer_tests" / f"{name}.ktx2"
    with pytest.raises(AssetError, match=f"^cooked texture .*{name}.*3 layers"):
        load_ktx2(path, False)


def test_pictures_of_the_khronos_tools_load(shared, tmp_path):
    folder = shared / "assets/cesium_native/CesiumGltfReader/test/data/CesiumBalloon"
    data = (folder / "CesiumBalloonKTX2.glb").read_bytes()
    assert load_gltf(folder / "CesiumBalloonKTX2.glb").images
    starts = [at for at in range(len(data)) if data.startswith(b"\xabKTX 20\xbb\r\n\x1a\n", at)]
    assert starts
    for start in starts:
        path = tmp_path / "balloon.ktx2"
        path.write_bytes(data[start:])
        loaded = load_ktx2(path, prefer_bc7=True)
        assert loaded.levels
        assert loaded.bc7 == (loaded.width % 4 == 0 and loaded.height % 4 == 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: b"", "bad magic"),
        (lambda d: d[:60], "truncated"),
        (lambda d: d[:-1], "truncated"),
        (lambda d: d[:24] + struct.pack("<I", 0) + d[28:], "one 2D picture"),
        (lambda d: d[:36] + struct.pack("<I", 6) + d[40:], "one 2D picture"),
        (lambda d: d[:20] + struct.pack("<2I", 1 << 20, 1 << 20) + d[28:], "pixels need more"),
        (lambda d: d[:40] + struct.pack("<I", 9) + d[44:], "9 levels"),
        (lambda d: d[:44] + struct.pack("<I", 4) + d[48:], "supercompression"),
        (lambda d: d[:44] + struct.pack("<I", 2) + d[48:], "zstd"),
        (lambda d: d[:20] + struct.pack("<I", 9) + d[24:], "expected 144 for 9 x 4"),
        (lambda d: d[:12] + struct.pack("<I", 97) + d[16:], "VkFormat 97"),
        (lambda d: d[:12] + struct.pack("<I", 9) + d[16:], "128 bytes, expected 32 for 8 x 4"),
    ],
)
def test_damaged_files_are_refused_with_a_reason(tmp_path, change, message):
    data = write_rgba8([(picture(8, 4).tobytes(), 8, 4)], True)
    path = tmp_path / "x.ktx2"
    path.write_bytes(change(data))
    with pytest.raises(AssetError, match=f"^cooked texture .*x.ktx2.*{message}"):
        load_ktx2(path, True)
    with pytest.raises(AssetError, match=r"^cooked texture .*cannot be read"):
        load_ktx2(tmp_path / "absent.ktx2", True)


def fuzz(path, data, rounds):
    dice = random.Random(1)
    for _ in range(rounds):
        damaged = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(min(len(damaged), 400) if dice.random() < 0.7 else len(damaged))
            damaged[at] = dice.choice((0, 1, 0x7F, 0xFF, dice.randrange(256)))
        if dice.random() < 0.2:
            del damaged[dice.randrange(len(damaged)) :]
        path.write_bytes(damaged)
        problem = "cooked texture but readable"
        try:
            load_ktx2(path, dice.random() < 0.5)
        except AssetError as error:
            problem = str(error)
        assert problem.startswith("cooked texture ")


@needs_encoder
@pytest.mark.parametrize("kind", ["etc1s", "uastc"])
def test_damaged_basis_files_raise_nothing_but_asset_errors(tmp_path, kind):
    path = tmp_path / "picture.ktx2"
    cook_texture_ktx2(picture(20, 12), path, srgb=True, uastc=kind == "uastc")
    fuzz(path, path.read_bytes(), 400)


@pytest.mark.full
@needs_encoder
@pytest.mark.parametrize("kind", ["etc1s", "uastc"])
def test_many_damaged_basis_files_raise_nothing_but_asset_errors(tmp_path, kind):
    path = tmp_path / "picture.ktx2"
    cook_texture_ktx2(picture(20, 12), path, srgb=True, uastc=kind == "uastc")
    fuzz(path, path.read_bytes(), 20_000)


def test_damaged_plain_files_raise_nothing_but_asset_errors(tmp_path):
    levels = [(x.tobytes(), x.shape[1], x.shape[0]) for x in mip_chain(picture(8, 8), True)]
    fuzz(tmp_path / "x.ktx2", write_rgba8(levels, True), 600)


def test_bad_pictures_are_refused(tmp_path):
    with pytest.raises(AssetError, match=r"^cooked texture .*shape"):
        cook_texture_ktx2(np.zeros((0, 4, 4), np.uint8), tmp_path / "x.ktx2", True)
    with pytest.raises(AssetError, match=r"^cooked texture .*quality 0"):
        cook_texture_ktx2(picture(4, 4), tmp_path / "x.ktx2", True, quality=0)
    assert not list(tmp_path.iterdir())


def test_the_head_says_what_was_written():
    container = Container(write_rgba8([(bytes(64), 4, 4)], True), "x")
    assert (container.format, container.width, container.height, container.srgb) == (43, 4, 4, True)


@pytest.mark.gpu
@needs_encoder
def test_levels_reach_the_renderer(tmp_path):
    from engine.render import Renderer

    resources = Renderer().resources
    path = tmp_path / "picture.ktx2"
    for size in ((64, 32), (50, 37)):
        cook_texture_ktx2(picture(*size), path, srgb=True)
        for prefer in {False, resources.bc_supported}:
            texture, view = upload_loaded(resources, "x", load_ktx2(path, prefer))
            assert resources.has(texture)
            assert view is resources.view(texture)
            resources.remove_texture(texture)

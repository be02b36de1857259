import json
import os

import pytest

from engine.assets import AssetError, load_gltf
from engine.assets.gltf.limits import ImportLimits

MAGENTA = [255, 0, 255, 255]


def with_buffer(gltf, uri, name="made.gltf"):
    gltf.triangle()
    gltf.json["buffers"] = [{"byteLength": len(gltf.blob), "uri": uri}]
    return gltf.write(name)


def with_image(gltf, **image):
    gltf.add("images", **image)
    return gltf.load()


def test_relative_uri_is_percent_decoded(gltf, tmp_path):
    folder = tmp_path / "mit Ü"
    folder.mkdir()
    path = with_buffer(gltf, "mit%20%C3%9C/a%23b.bin")
    (folder / "a#b.bin").write_bytes(gltf.blob)
    asset = load_gltf(path)
    assert len(asset.meshes[0].primitives[0].mesh.positions) == 3
    assert [file.name for file in asset.source_files] == ["made.gltf", "a#b.bin"]


@pytest.mark.parametrize(
    "kind", ["application/octet-stream", "application/gltf-buffer", "text/whatever", ""]
)
def test_data_uri_of_any_media_type_is_a_buffer(gltf, kind):
    document = gltf.triangle().document()
    uri = document["buffers"][0]["uri"].replace("application/octet-stream", kind)
    path = gltf.folder / "made.gltf"
    document["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(document))
    assert len(load_gltf(path).meshes) == 1


def test_missing_buffer_is_an_error_that_names_it(gltf):
    with pytest.raises(AssetError, match=r"missing buffer.*/buffers/0/uri.*absent\.bin"):
        load_gltf(with_buffer(gltf, "absent.bin"))


@pytest.mark.parametrize("uri", ["data:,", "data:;base64,%%%", "data:;base64,A", "data:"])
def test_broken_or_short_data_uri_is_refused(gltf, uri):
    with pytest.raises(AssetError):
        load_gltf(with_buffer(gltf, uri))


OUTSIDE = (
    "../outside.bin",
    "%2e%2e/outside.bin",
    "a/../../outside.bin",
    "/etc/passwd",
    "%2Fetc%2Fpasswd",
    "http://example.com/x.bin",
    "file:///etc/passwd",
    "//host/share.bin",
    "x%00.bin",
)


@pytest.mark.parametrize("uri", OUTSIDE)
@pytest.mark.parametrize("kind", ["buffers", "images"])
def test_uris_that_leave_the_root_are_refused(gltf, tmp_path, uri, kind):
    gltf.folder = tmp_path / "inner"
    gltf.folder.mkdir()
    (tmp_path / "outside.bin").write_bytes(b"0" * 100)
    gltf.add(kind, uri=uri, **({"byteLength": 4} if kind == "buffers" else {}))
    with pytest.raises(AssetError, match="refused"):
        gltf.load()


def test_root_widens_what_uris_may_reach(gltf, tmp_path):
    gltf.folder = tmp_path / "inner"
    gltf.folder.mkdir()
    path = with_buffer(gltf, "../shared.bin")
    (tmp_path / "shared.bin").write_bytes(gltf.blob)
    assert load_gltf(path, root=tmp_path).meshes
    with pytest.raises(AssetError, match="leaves the asset's root"):
        load_gltf(path)


def test_symbolic_link_out_of_the_root_is_refused(gltf, tmp_path):
    gltf.folder = tmp_path / "inner"
    gltf.folder.mkdir()
    path = with_buffer(gltf, "link.bin")
    (tmp_path / "outside.bin").write_bytes(gltf.blob)
    os.symlink(tmp_path / "outside.bin", gltf.folder / "link.bin")
    with pytest.raises(AssetError, match="refused"):
        load_gltf(path)


def test_folder_and_pipe_are_refused(gltf, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for uri in ("folder", "pipe", "."):
        with pytest.raises(AssetError, match="not a file"):
            load_gltf(with_buffer(gltf, uri))


def test_missing_image_becomes_a_checker_and_a_warning(gltf):
    asset = with_image(gltf, uri="gone/brick.png")
    assert asset.images[0].missing
    assert MAGENTA in asset.images[0].pixels.reshape(-1, 4).tolist()
    assert any("gone/brick.png" in warning for warning in asset.warnings)
    assert asset.missing_files == [gltf.folder / "gone/brick.png"]


@pytest.mark.parametrize("uri", ["Brick.PNG", "Textures/brick.png", "TEXTURES/Brick.png"])
def test_name_in_another_case_is_told_exactly(gltf, tmp_path, make_png, uri):
    if (tmp_path.parent / tmp_path.name.upper()).exists():
        pytest.skip("this disk does not tell cases apart")
    (tmp_path / "textures").mkdir()
    (tmp_path / "brick.png").write_bytes(make_png())
    (tmp_path / "textures/brick.png").write_bytes(make_png())
    asset = with_image(gltf, uri=uri)
    assert asset.images[0].missing
    assert any("the case of the letters differs" in warning for warning in asset.warnings)


def test_buffer_in_another_case_is_an_exact_error(gltf, tmp_path):
    (tmp_path / "Mesh.bin").write_bytes(bytes(36))
    gltf.json["buffers"] = [{"byteLength": 36, "uri": "mesh.bin"}]
    with pytest.raises(AssetError, match=r"'mesh.bin' does not exist, but 'Mesh.bin' does"):
        gltf.load()


def test_one_file_under_two_names_is_read_and_decoded_once(gltf, tmp_path, make_png):
    (tmp_path / "wood.png").write_bytes(make_png())
    for uri in ("wood.png", "./wood.png", "w%6Fod.png"):
        gltf.add("images", uri=uri)
    asset = gltf.load()
    assert asset.source_files.count((tmp_path / "wood.png").resolve()) == 1
    assert all(image.pixels is asset.images[0].pixels for image in asset.images)


def test_undecodable_image_becomes_a_checker_and_a_warning(gltf, tmp_path, make_png):
    (tmp_path / "text.png").write_bytes(b"not a picture")
    (tmp_path / "cut.png").write_bytes(make_png(size=(64, 64))[:-30])
    for name in ("text.png", "cut.png"):
        asset = with_image(gltf, uri=name)
        assert asset.images[-1].missing
        assert any(name in warning for warning in asset.warnings)


def test_image_from_file_data_uri_and_buffer_view(gltf, tmp_path, make_png):
    data = make_png()
    (tmp_path / "wood.png").write_bytes(data)
    gltf.add("images", uri="wood.png")
    gltf.add("images", bufferView=gltf.view(data), mimeType="image/png", name="embedded")
    asset = gltf.load()
    assert [image.name for image in asset.images] == ["wood.png", "embedded"]
    for image in asset.images:
        assert image.pixels.shape == (2, 4, 4)
        assert image.pixels[0, 0].tolist() == [10, 20, 30, 255]
    assert (tmp_path / "wood.png").resolve() in asset.source_files


def test_image_of_the_wrong_media_type_loads_by_content(gltf, make_png):
    asset = with_image(gltf, bufferView=gltf.view(make_png()), mimeType="image/jpeg")
    assert not asset.images[0].missing


def test_image_larger_than_the_limit_is_not_decoded(gltf, tmp_path, make_png):
    (tmp_path / "big.png").write_bytes(make_png(size=(100, 100)))
    gltf.add("images", uri="big.png")
    asset = gltf.load(limits=ImportLimits(image_bytes=39_999))
    assert asset.images[0].missing
    assert any("100 x 100" in warning for warning in asset.warnings)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_picture_of_more_pixels_than_its_bytes_can_hold_is_not_decoded(gltf, tmp_path, kind):
    import io

    import PIL.Image

    out = io.BytesIO()
    PIL.Image.new("RGB", (16, 16)).save(out, kind)
    data = bytearray(out.getvalue())
    at = data.index(b"IHDR") + 4 if kind == "PNG" else data.index(b"\xff\xc0") + 5
    width = 4 if kind == "PNG" else 2
    data[at : at + 2 * width] = (12_000).to_bytes(width, "big") * 2
    if kind == "PNG":
        import zlib

        data[at + 13 : at + 17] = zlib.crc32(data[at - 4 : at + 13]).to_bytes(4, "big")
    (tmp_path / "bomb").write_bytes(data)
    asset = with_image(gltf, uri="bomb")
    assert asset.images[0].missing
    assert any("12000 x 12000 pixels" in warning for warning in asset.warnings)


def test_total_limit_covers_every_image(gltf, tmp_path, make_png):
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(make_png(size=(100, 100)))
        gltf.add("images", uri=name)
    with pytest.raises(AssetError, match="limit"):
        gltf.load(limits=ImportLimits(total_bytes=50_000))


def test_total_limit_is_checked_by_headers_before_decoding(gltf, tmp_path, make_png):
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes(make_png(size=(1000, 1000))[:3000])
        gltf.add("images", uri=name)
    with pytest.raises(AssetError, match="out of range at /images/1/uri"):
        gltf.load(limits=ImportLimits(total_bytes=7_000_000))


def test_total_limit_covers_files_and_data_uris(gltf, tmp_path):
    (tmp_path / "big.bin").write_bytes(bytes(5000))
    gltf.json["buffers"] = [{"byteLength": 4, "uri": "big.bin"}]
    with pytest.raises(AssetError, match="out of range at /buffers/0/uri"):
        gltf.load(limits=ImportLimits(total_bytes=4000))


def test_sixteen_bit_grey_keeps_its_high_byte(gltf, tmp_path):
    import numpy as np
    import PIL.Image

    PIL.Image.fromarray(np.full((2, 2), 0x8040, np.uint16)).save(tmp_path / "grey.png")
    asset = with_image(gltf, uri="grey.png")
    assert asset.images[0].pixels[0, 0].tolist() == [0x80, 0x80, 0x80, 255]

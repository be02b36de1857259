import json
import struct

import pytest

from engine.assets import AssetError, load_gltf

EMPTY = json.dumps({"asset": {"version": "2.0"}, "nodes": [{"name": "only"}]}).encode()


def write(tmp_path, data, name="file.glb"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_glb_binary_chunk_is_the_first_buffer(gltf):
    asset = load_gltf(gltf.triangle().glb())
    assert asset.meshes[0].primitives[0].mesh.positions.tolist() == [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
    ]


def test_kind_is_decided_by_content_not_by_suffix(gltf):
    assert load_gltf(gltf.triangle().glb("misnamed.gltf")).meshes
    assert load_gltf(gltf.write("misnamed.glb")).meshes


@pytest.mark.parametrize("order", ["unknown only", "empty bin", "unknown last", "unknown first"])
def test_unknown_and_empty_chunks_are_skipped(tmp_path, make_glb, make_chunk, order):
    odd, empty = make_chunk(b"ODD\0", b"1234"), make_chunk(b"BIN\0", b"")
    more = {
        "unknown only": [odd],
        "empty bin": [empty],
        "unknown last": [empty, odd],
        "unknown first": [odd, empty],
    }[order]
    asset = load_gltf(write(tmp_path, make_glb(EMPTY, None, *more)))
    assert asset.nodes[0].name == "only"


def test_bytes_after_the_end_are_ignored_with_a_warning(tmp_path, make_glb):
    asset = load_gltf(write(tmp_path, make_glb(EMPTY) + b"tail"))
    assert any("after the end" in warning for warning in asset.warnings)


def broken_glbs(make_glb, make_chunk):
    whole = make_glb(EMPTY, b"12345678")
    yield "cut header", whole[:9], "header"
    yield "version 1", whole[:4] + struct.pack("<I", 1) + whole[8:], "version 1"
    yield "length past the end", whole[:8] + struct.pack("<I", 10**6) + whole[12:], "length"
    yield "cut chunk", whole[:8] + struct.pack("<I", len(whole) - 4) + whole[12:-4], "chunk"
    yield "cut chunk header", struct.pack("<4sII", b"glTF", 2, 16) + whole[12:16], "chunk header"
    binary = make_chunk(b"BIN\0", b"1234")
    yield "no JSON", struct.pack("<4sII", b"glTF", 2, 12 + len(binary)) + binary, "JSON"
    yield "two binaries", make_glb(EMPTY, b"1234", binary), "more than one BIN"
    yield "broken JSON", make_glb(b'{"asset":'), "JSON"


def test_every_broken_glb_is_refused_as_parse_failed(tmp_path, make_glb, make_chunk):
    for name, data, word in broken_glbs(make_glb, make_chunk):
        with pytest.raises(AssetError, match="parse failed") as error:
            load_gltf(write(tmp_path, data))
        assert word in str(error.value), name


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'{"a": NaN}'])
def test_text_that_is_no_json_object_is_refused(tmp_path, text):
    with pytest.raises(AssetError, match="parse failed"):
        load_gltf(write(tmp_path, text, "file.gltf"))


def test_json_nested_without_end_is_refused(tmp_path):
    deep = b'{"asset":{"version":"2.0"},"extras":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(AssetError, match="parse failed"):
        load_gltf(write(tmp_path, deep, "file.gltf"))


def test_byte_order_mark_is_skipped(tmp_path):
    assert load_gltf(write(tmp_path, b"\xef\xbb\xbf" + EMPTY, "file.gltf")).nodes


@pytest.mark.parametrize("version", ["1.0", "3.0", "", "two", 2.0, None, "2.0.1-dev"])
def test_other_versions_are_refused_with_a_pointer(tmp_path, version):
    text = json.dumps({"asset": {"version": version}}).encode()
    with pytest.raises(AssetError, match=r"validation failed at /asset/version"):
        load_gltf(write(tmp_path, text, "file.gltf"))


def test_newer_minor_version_loads_unless_it_is_the_minimum(tmp_path):
    newer = json.dumps({"asset": {"version": "2.1"}}).encode()
    assert load_gltf(write(tmp_path, newer, "file.gltf")).asset_info["version"] == "2.1"
    needed = json.dumps({"asset": {"version": "2.1", "minVersion": "2.1"}}).encode()
    with pytest.raises(AssetError, match="minVersion"):
        load_gltf(write(tmp_path, needed, "file.gltf"))


def test_missing_file_and_folder_are_refused_by_name(tmp_path):
    with pytest.raises(AssetError, match=r"^absent\.glb: there is no such file$"):
        load_gltf(tmp_path / "absent.glb")
    with pytest.raises(AssetError, match="is no file"):
        load_gltf(tmp_path)


def test_required_extension_that_is_unknown_is_refused_by_name(gltf):
    gltf.json["extensionsUsed"] = gltf.json["extensionsRequired"] = ["ACME_teapot"]
    with pytest.raises(AssetError, match="ACME_teapot"):
        gltf.load()


def test_optional_extension_that_is_unknown_is_a_warning(gltf):
    gltf.json["extensionsUsed"] = ["ACME_teapot"]
    assert any("ACME_teapot" in warning for warning in gltf.load().warnings)


@pytest.mark.parametrize("place", ["extras", "extensions", "nodes", "scene", "asset"])
def test_deep_nesting_never_overflows_the_stack(gltf, place):
    deep = "[" * 1000 + "]" * 1000
    value = f'{{"ACME": {deep}}}' if place == "extensions" else deep
    head = '"asset": {"version": "2.0", "extras": ' + (deep if place == "asset" else "0") + "}"
    path = gltf.folder / "deep.gltf"
    path.write_text("{" + head + ("" if place == "asset" else f', "{place}": {value}') + "}")
    if place in ("nodes", "scene"):
        with pytest.raises(AssetError, match=f"/{place}"):
            load_gltf(path)
    else:
        load_gltf(path)


def test_nesting_beyond_the_parser_is_a_parse_error(gltf):
    path = gltf.folder / "deep.gltf"
    path.write_text('{"extras": ' + "[" * 5000 + "]" * 5000 + "}")
    with pytest.raises(AssetError, match="parse failed"):
        load_gltf(path)

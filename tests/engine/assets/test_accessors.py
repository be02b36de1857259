import numpy as np
import pytest

from engine.assets import AssetError
from engine.assets.gltf.limits import ImportLimits

QUAD = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)


def mesh_of(asset):
    return asset.meshes[0].primitives[0].mesh


def use(gltf, attributes, **primitive):
    gltf.add("meshes", primitives=[{"attributes": attributes, **primitive}])
    return gltf


def test_plain_float_accessor_is_a_view_of_its_buffer(gltf):
    positions = mesh_of(use(gltf, {"POSITION": gltf.accessor(QUAD)}).load()).positions
    assert np.array_equal(positions, QUAD)
    assert positions.base is not None


def test_interleaved_attributes_follow_the_stride(gltf):
    rows = np.zeros(4, [("p", "<f4", 3), ("n", "<f4", 3), ("uv", "<f4", 2)])
    rows["p"], rows["n"], rows["uv"] = QUAD, (0, 0, 1), QUAD[:, :2]
    view = gltf.view(rows.tobytes(), byteStride=32)
    make = lambda at, kind: gltf.add(
        "accessors", bufferView=view, byteOffset=at, componentType=5126, count=4, type=kind
    )
    names = {"POSITION": (0, "VEC3"), "NORMAL": (12, "VEC3"), "TEXCOORD_0": (24, "VEC2")}
    mesh = mesh_of(use(gltf, {name: make(*value) for name, value in names.items()}).load())
    assert np.array_equal(mesh.positions, QUAD)
    assert np.array_equal(mesh.normals, np.tile((0, 0, 1), (4, 1)))
    assert np.array_equal(mesh.uv0, QUAD[:, :2])


@pytest.mark.parametrize(
    ("dtype", "values", "expected"),
    [("u1", [0, 255], [0, 1]), ("u2", [0, 65535], [0, 1]), ("f4", [0.25, 2], [0.25, 2])],
)
def test_normalised_integers_become_fractions(gltf, dtype, values, expected):
    uv = gltf.accessor(np.array([values] * 4), dtype, normalized=dtype != "f4")
    mesh = mesh_of(use(gltf, {"POSITION": gltf.accessor(QUAD), "TEXCOORD_0": uv}).load())
    assert mesh.uv0[0].tolist() == expected


@pytest.mark.parametrize(("dtype", "limit"), [("i1", 127), ("i2", 32767)])
def test_signed_normalised_integers_are_clamped_at_minus_one(gltf, dtype, limit):
    normals = gltf.accessor(np.array([[limit, 0, -limit - 1]] * 4), dtype, normalized=True)
    mesh = mesh_of(use(gltf, {"POSITION": gltf.accessor(QUAD), "NORMAL": normals}).load())
    assert mesh.normals[0].tolist() == [1, 0, -1]


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_every_index_type_becomes_uint32(gltf, dtype):
    indices = gltf.accessor([0, 1, 2, 2, 1, 3], dtype)
    mesh = mesh_of(use(gltf, {"POSITION": gltf.accessor(QUAD)}, indices=indices).load())
    assert mesh.indices.dtype == np.uint32
    assert mesh.indices.tolist() == [0, 1, 2, 2, 1, 3]


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_sparse_values_replace_elements_of_the_base(gltf, dtype):
    base = gltf.accessor(QUAD)
    gltf.json["accessors"][base]["sparse"] = sparse(gltf, [1, 3], [[5, 5, 5], [6, 6, 6]], dtype)
    positions = mesh_of(use(gltf, {"POSITION": base}).load()).positions
    assert positions.tolist() == [[0, 0, 0], [5, 5, 5], [0, 1, 0], [6, 6, 6]]


def sparse(gltf, at, values, dtype="u2"):
    component = {"u1": 5121, "u2": 5123, "u4": 5125}[dtype]
    return {
        "count": len(at),
        "indices": {
            "bufferView": gltf.view(np.array(at, "<" + dtype).tobytes()),
            "componentType": component,
        },
        "values": {"bufferView": gltf.view(np.array(values, "<f4").tobytes())},
    }


def test_sparse_without_a_base_starts_from_zeros(gltf):
    accessor = gltf.add(
        "accessors", componentType=5126, count=3, type="VEC3", sparse=sparse(gltf, [2], [[1, 2, 3]])
    )
    positions = mesh_of(use(gltf, {"POSITION": accessor}).load()).positions
    assert positions.tolist() == [[0, 0, 0], [0, 0, 0], [1, 2, 3]]


def test_accessor_without_a_view_is_zeros(gltf):
    accessor = gltf.add("accessors", componentType=5126, count=3, type="VEC3")
    asset = use(gltf, {"POSITION": accessor}).load()
    assert not mesh_of(asset).positions.any()
    assert any("every value is zero" in warning for warning in asset.warnings)


def test_sparse_index_past_the_end_is_refused(gltf):
    base = gltf.accessor(QUAD)
    gltf.json["accessors"][base]["sparse"] = sparse(gltf, [4], [[1, 1, 1]])
    with pytest.raises(AssetError, match=r"out of range at /accessors/0/sparse/indices.*index 4"):
        use(gltf, {"POSITION": base}).load()


def test_padded_columns_of_small_matrices_are_skipped(gltf):
    from pathlib import Path

    from engine.assets.gltf.accessors import Accessors
    from engine.assets.gltf.buffers import Buffers
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.reader import JsonObject

    columns = [[1, 2, 3, 99], [4, 5, 6, 99], [7, 8, 9, 99]]
    view = gltf.view(np.array(columns, np.uint8).tobytes())
    gltf.add("accessors", bufferView=view, componentType=5121, count=1, type="MAT3")
    root = JsonObject(gltf.document())
    document = Document(Path("made.gltf"), gltf.folder, root, ImportLimits())
    values = Accessors(document, Buffers(document, None)).read(0).values
    assert values.tolist() == [[1, 2, 3, 4, 5, 6, 7, 8, 9]]


CASES = {
    "count past the view": ({"count": 5}, "out of range at /accessors/0/count"),
    "offset past the view": ({"byteOffset": 4}, "out of range at /accessors/0/count"),
    "huge count": ({"count": 2**62}, "out of range"),
    "negative count": ({"count": -1}, "validation failed at /accessors/0/count"),
    "negative offset": ({"byteOffset": -4}, "validation failed at /accessors/0/byteOffset"),
    "unknown component": (
        {"componentType": 5124},
        "validation failed at /accessors/0/componentType",
    ),
    "unknown type": ({"type": "VEC5"}, "validation failed at /accessors/0/type"),
    "wrong type": ({"type": "VEC2"}, "validation failed at /accessors/0/type"),
    "text for a number": ({"count": "4"}, "validation failed at /accessors/0/count"),
    "no such view": ({"bufferView": 7}, "out of range at /accessors/0/bufferView"),
    "true for an index": ({"bufferView": True}, "validation failed at /accessors/0/bufferView"),
}


@pytest.mark.parametrize("case", CASES)
def test_malformed_accessor_raises_with_a_pointer(gltf, case):
    change, message = CASES[case]
    accessor = gltf.accessor(QUAD)
    gltf.json["accessors"][accessor].update(change)
    with pytest.raises(AssetError) as error:
        use(gltf, {"POSITION": accessor}).load()
    assert message in str(error.value)


def test_view_past_its_buffer_and_buffer_past_its_data_raise(gltf):
    use(gltf, {"POSITION": gltf.accessor(QUAD)})
    document = gltf.document()
    gltf.json["buffers"] = document["buffers"]
    gltf.json["buffers"][0]["byteLength"] = 47
    with pytest.raises(AssetError, match="out of range at /bufferViews/0/byteLength"):
        gltf.load()
    gltf.json["buffers"][0]["byteLength"] = 4800
    with pytest.raises(AssetError, match="out of range at /buffers/0/byteLength"):
        gltf.load()


def test_hostile_count_without_data_is_refused_before_allocating(gltf):
    accessor = gltf.add("accessors", componentType=5126, count=10**12, type="VEC3")
    with pytest.raises(AssetError, match="without a bufferView"):
        use(gltf, {"POSITION": accessor}).load()


def test_zeros_without_data_are_limited(gltf):
    gltf.add("accessors", componentType=5126, count=20_000_000, type="VEC3")
    gltf.add("meshes", primitives=[{"attributes": {"POSITION": 0}}])
    with pytest.raises(AssetError, match="out of range at /accessors/0/count"):
        gltf.load()
    gltf.json["accessors"][0]["count"] = 100
    with pytest.raises(AssetError, match="out of range at /accessors/0/count"):
        gltf.load(limits=ImportLimits(zero_bytes=1199))
    assert len(gltf.load().meshes[0].primitives[0].mesh.positions) == 100

"""Every shared glTF file against what independent readers say of it.

The facts are in `expected.json` beside the files; without them these tests cannot run.
"""

import json
import time

import numpy as np
import pytest

from engine.assets import AssetError, load_gltf

GROUPS = [
    "aframe", "asset_generator", "assimp", "blender_io", "cesium_native", "cgltf", "draco",
    "fastgltf", "gdx_gltf", "gltf_pipeline", "gltf_rs", "gltf_sdk", "gltf_transform", "khronos",
    "magnum_importer_tests", "meshoptimizer", "panda3d", "playcanvas", "props/kaykit",
    "props/kenney", "props/quaternius", "scenes", "sharpgltf", "tinygltf", "trimesh",
    "validator_suite/base/data/a", "validator_suite/base", "validator_suite/ext",
]  # fmt: skip
# Of computing, which other work on the machine takes nothing of.
SECONDS = 10.0
LARGEST = "props/kaykit"
DECODERS = ("DracoPy", "meshopt", "opengl_basisu")
WHOLE_FILE = (
    "nodes_total",
    "meshes_total",
    "materials",
    "textures",
    "images",
    "skins",
    "animations",
)


def drawn(asset):
    for index in asset.reachable_nodes():
        if asset.nodes[index].mesh is not None:
            yield from asset.meshes[asset.nodes[index].mesh].primitives


def facts_of(asset):
    primitives = [primitive.mesh for primitive in drawn(asset)]
    counts = {
        "nodes_total": len(asset.nodes),
        "meshes_total": len(asset.meshes),
        "materials": len(asset.materials),
        "textures": len(asset.textures),
        "images": len(asset.images),
        "skins": len(asset.skins),
        "joints": [len(skin.joints) for skin in asset.skins],
        "animations": len(asset.animations),
        "primitives_total": sum(len(mesh.primitives) for mesh in asset.meshes),
        "nodes": len(list(asset.reachable_nodes())),
        "roots": len(asset.roots),
        "primitives_drawn": len(primitives),
        "triangles": sum(mesh.triangle_count for mesh in primitives),
        "vertices": sum(mesh.vertex_count for mesh in primitives),
    }
    for topology, corners in (("lines", 2), ("points", 1)):
        found = [mesh for mesh in primitives if mesh.topology == topology]
        counts[topology] = sum(len(mesh.indices) for mesh in found) // corners
    return counts


def bounds_differ(found, expected):
    low, high = np.array(expected["min"]), np.array(expected["max"])
    tolerance = 1e-4 * max(1e-3, float(np.linalg.norm(high - low)))
    off = max(np.abs(found.min - low).max(), np.abs(found.max - high).max())
    return off > tolerance


def differences(asset, expected):
    """Facts that do not agree; a file without scenes has only whole-file facts."""
    found = facts_of(asset)
    keys = found if expected["scenes"] else WHOLE_FILE
    wrong = [
        f"{key}: {expected[key]} expected, {found[key]} found"
        for key in keys
        if key in expected and expected[key] != found[key]
    ]
    if not expected["scenes"]:
        return wrong
    for key, posed in (("bounds", False), ("bounds_posed", True)):
        if expected.get(key) and bounds_differ(asset.world_bounds(posed=posed), expected[key]):
            wrong.append(key)
    return wrong


def complaint(path, expected):
    """Return what is wrong with how one file loads, or None."""
    start = time.process_time()
    try:
        asset = load_gltf(path)
    except AssetError as error:
        refused = str(error)
        if any(f"package {package}" in refused for package in DECODERS):
            return None
        return (
            f"raised {refused}"
            if expected["verdict"] in ("must_load", "load_if_supported")
            else None
        )
    if time.process_time() - start > SECONDS:
        return "too slow"
    if expected["verdict"] == "must_raise":
        return f"did not raise: {expected['why']}"
    if expected["verdict"] == "tolerate":
        return None
    return "; ".join(differences(asset, expected)) or None


def group_of(path):
    return next((group for group in GROUPS if path.startswith(group)), "")


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "assets/expected.json").read_bytes())


def test_every_file_belongs_to_a_group(expected):
    assert [path for path in expected if not group_of(path)] == []


def complaints(shared, files):
    return {
        path: problem
        for path, facts in files.items()
        if (problem := complaint(shared / "assets" / path, facts))
    }


def files_of(expected, group):
    files = {path: facts for path, facts in expected.items() if group_of(path) == group}
    assert files
    return files


@pytest.mark.parametrize("group", GROUPS)
def test_files_load_with_the_expected_facts_or_are_refused(shared, expected, group):
    files = files_of(expected, group)
    if group == LARGEST:
        files = dict(list(files.items())[::8])
    assert complaints(shared, files) == {}


@pytest.mark.full
def test_every_file_of_the_largest_group_loads(shared, expected):
    assert complaints(shared, files_of(expected, LARGEST)) == {}


def test_bug_cases_load_or_raise_as_they_should(shared):
    index = json.loads((shared / "bugcases/index.json").read_bytes())
    wrong = []
    for name, case in index.items():
        if not name.endswith((".gltf", ".glb")):
            continue
        try:
            load_gltf(shared / "bugcases" / name)
            outcome = "loads"
        except AssetError:
            outcome = "raises"
        if case["expect"] not in (outcome, "loads_or_raises"):
            wrong.append((name, outcome))
    assert wrong == []


def test_refusals_of_bug_cases_name_what_is_wrong(shared):
    index = json.loads((shared / "bugcases/index.json").read_bytes())
    for name, case in index.items():
        words = case["facts"].get("message_should_name", [])
        if not name.endswith(".gltf") or not words:
            continue
        with pytest.raises(AssetError) as error:
            load_gltf(shared / "bugcases" / name)
        assert all(word in str(error.value) for word in words)


def test_texture_transform_order_of_the_bug_case(shared):
    index = json.loads((shared / "bugcases/index.json").read_bytes())
    case = index["64_texture_transform_order.gltf"]["facts"]
    asset = load_gltf(shared / "bugcases/64_texture_transform_order.gltf")
    ref = asset.materials[0].material.base_color_texture
    cosine, sine = np.cos(ref.rotation), np.sin(ref.rotation)
    rotation = np.array([[cosine, sine], [-sine, cosine]])
    uv = asset.meshes[0].primitives[0].mesh.uv0 * ref.scale
    assert np.allclose(uv @ rotation.T + ref.offset, case["uv_out"], atol=1e-5)

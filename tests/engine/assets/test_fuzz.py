"""Mutants of small files: whatever they hold, they load or raise AssetError."""

import copy
import json
import random

import numpy as np
import pytest

from engine.assets import AssetError, load_gltf
from engine.assets.gltf.limits import ImportLimits

LIMITS = ImportLimits(image_bytes=1 << 20, total_bytes=1 << 24)
ODD_VALUES = (
    None, True, -1, 0, 1, 2, 3, 255, 65535, 2**31, 2**32 - 1, 2**63, 1e308, -0.5, 1.5, "", "x",
    "VEC3", "data:;base64,AAAA", "../x", [], {}, [0], [None], [[]], {"x": 1}, [1e30] * 16,
)  # fmt: skip
MUTANTS = 150


def rich_file(gltf, make_png):
    """One file with most of what the importer reads."""
    gltf.add("images", bufferView=gltf.view(make_png()))
    gltf.add("samplers", wrapS=33071)
    gltf.add("textures", source=0, sampler=0)
    transform = {"extensions": {"KHR_texture_transform": {"offset": [0.5, 0]}}}
    gltf.add(
        "materials",
        pbrMetallicRoughness={"baseColorTexture": {"index": 0, **transform}},
        normalTexture={"index": 0, "texCoord": 1},
        extensions={"KHR_materials_clearcoat": {"clearcoatFactor": 0.5}},
    )
    attributes = {
        "NORMAL": gltf.accessor([[0, 0, 1]] * 4),
        "TEXCOORD_0": gltf.accessor([[0, 255]] * 4, "u1", normalized=True),
        "COLOR_0": gltf.accessor([[0, 255, 0, 255]] * 4, "u1", normalized=True),
        "JOINTS_0": gltf.accessor([[0, 1, 0, 0]] * 4, "u1"),
        "WEIGHTS_0": gltf.accessor([[0.5, 0.5, 0, 0]] * 4),
    }
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    targets = [{"POSITION": gltf.accessor(corners)}]
    gltf.mesh(corners, [0, 1, 2, 3], attributes=attributes, mode=5, material=0, targets=targets)
    gltf.json["meshes"][0]["weights"] = [0.5]
    sparse = {
        "count": 1,
        "indices": {"bufferView": gltf.view(b"\2\0"), "componentType": 5123},
        "values": {"bufferView": gltf.view(np.float32([1, 2, 3]).tobytes())},
    }
    gltf.json["accessors"][targets[0]["POSITION"]]["sparse"] = sparse
    gltf.json["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "spot", "spot": {}}]}}
    gltf.add("cameras", type="perspective", perspective={"yfov": 1, "znear": 0.1})
    gltf.node(mesh=0, skin=0, weights=[0.25], children=[2])
    gltf.node(matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], camera=0)
    gltf.add("nodes", scale=[1, 2, 3], extensions={"KHR_lights_punctual": {"light": 0}})
    matrices = gltf.accessor(np.tile(np.eye(4).reshape(-1), (2, 1)), kind="MAT4")
    gltf.add("skins", joints=[1, 2], inverseBindMatrices=matrices)
    sampler = {"input": gltf.accessor([0, 1]), "output": gltf.accessor([[0, 0, 0]] * 2)}
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    gltf.add("animations", samplers=[sampler], channels=[channel])
    return gltf


def places(value, path=()):
    """Yield the path of every value inside a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from places(item, (*path, key))


def holder_of(document, path):
    for key in path[:-1]:
        document = document[key]
    return document, path[-1]


def mutated_json(rng, document):
    document = copy.deepcopy(document)
    for _ in range(rng.randint(1, 3)):
        holder, key = holder_of(document, rng.choice(list(places(document))))
        choice = rng.randrange(4)
        if choice == 0:
            del holder[key]
        elif choice == 1 and isinstance(holder[key], (int, float)):
            holder[key] = holder[key] + rng.choice([-1, 1, 4, 1000])
        else:
            holder[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return document


def mutated_bytes(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data))
        choice = rng.randrange(4)
        if choice == 0:
            data[at] = rng.randrange(256)
        elif choice == 1:
            del data[at : at + rng.randint(1, 8)]
        elif choice == 2:
            data[at:at] = rng.choice([b"\xff\xff\xff\xff", b"\0" * 4, b'"', b"]", b"9" * 20])
        else:
            data = data[: max(at, 1)]
    return bytes(data)


def survives(path):
    """Load and use a file as far as it goes; anything but AssetError escapes."""
    try:
        asset = load_gltf(path, limits=LIMITS)
    except AssetError:
        return
    asset.world_bounds()
    asset.world_bounds(posed=True)
    for mesh in asset.meshes:
        for primitive in mesh.primitives:
            primitive.mesh.render_mesh(tangents=True)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_json_loads_or_raises_asset_error(gltf, make_png, seed):
    rng = random.Random(seed)
    document = rich_file(gltf, make_png).document()
    path = gltf.folder / "mutant.gltf"
    for _ in range(MUTANTS):
        path.write_text(json.dumps(mutated_json(rng, document)))
        survives(path)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_bytes_load_or_raise_asset_error(gltf, make_png, seed):
    rng = random.Random(seed)
    data = rich_file(gltf, make_png).glb().read_bytes()
    path = gltf.folder / "mutant.glb"
    for _ in range(MUTANTS):
        path.write_bytes(mutated_bytes(rng, data))
        survives(path)


def test_every_truncation_raises_asset_error(gltf, make_png):
    data = rich_file(gltf, make_png).glb().read_bytes()
    path = gltf.folder / "cut.glb"
    for end in range(0, len(data), 7):
        path.write_bytes(data[:end])
        with pytest.raises(AssetError):
            load_gltf(path)

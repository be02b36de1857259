"""Mutants of small files: whatever they hold, they load or raise AssetError."""

import copy
import json
import random

import pytest

from engine.assets import AssetError, load_gltf
from engine.assets.gltf.limits import ImportLimits
from tests.engine.assets.rich_gltf import rich_file

LIMITS = ImportLimits(image_bytes=1 << 20, total_bytes=1 << 24)
ODD_VALUES = (
    None, True, -1, 0, 1, 2, 3, 255, 65535, 2**31, 2**32 - 1, 2**63, 1e308, -0.5, 1.5, "", "x",
    "VEC3", "data:;base64,AAAA", "../x", [], {}, [0], [None], [[]], {"x": 1}, [1e30] * 16,
)  # fmt: skip
MUTANTS = 150


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
        at = rng.randrange(max(len(data), 1))
        choice = rng.randrange(4)
        if choice == 0:
            data[at : at + 1] = [rng.randrange(256)]
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

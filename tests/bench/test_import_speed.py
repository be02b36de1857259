"""Importing glTF, against the least work there is: read, parse, decode pictures, copy accessors.

`pytest -m bench tests/bench`; the budgets are those of the project's performance table.
"""

import base64
import io
import json
import os
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import orjson
import PIL.Image
import pytest

from engine.assets import load_gltf

pytestmark = pytest.mark.bench
FILES = [
    "khronos/DamagedHelmet/glTF-Binary/DamagedHelmet.glb",
    "khronos/LightsPunctualLamp/glTF/LightsPunctualLamp.gltf",
    "scenes/godot/3d/antialiasing/polyhaven/dutch_ship_medium_1k.gltf",
]
RATIO = 1.5
NODES, PARSES = 10_000, 15
SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def best(work, rounds=5):
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def floor(path):
    """Do what no importer can leave out."""
    data, blob = path.read_bytes(), None
    if data[:4] == b"glTF":
        length = int.from_bytes(data[12:16], "little")
        document, blob = orjson.loads(data[20 : 20 + length]), data[28 + length :]
    else:
        document = orjson.loads(data)

    def fetch(uri):
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        return (path.parent / urllib.parse.unquote(uri)).read_bytes()

    buffers = [fetch(b["uri"]) if "uri" in b else blob for b in document.get("buffers", [])]

    def viewed(item, size=None):
        view = document["bufferViews"][item["bufferView"]]
        start = view.get("byteOffset", 0) + item.get("byteOffset", 0)
        end = start + (view["byteLength"] if size is None else size)
        return memoryview(buffers[view["buffer"]])[start:end]

    images = [fetch(i["uri"]) if "uri" in i else viewed(i) for i in document.get("images", [])]

    def decode(data):
        PIL.Image.open(io.BytesIO(data)).convert("RGBA").load()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(decode, images))
    for item in document.get("accessors", []):
        if "bufferView" in item:
            width = SIZES[item["componentType"]] * WIDTHS[item["type"]]
            bytes(viewed(item, item["count"] * width))


@pytest.mark.parametrize("name", FILES)
def test_files_with_large_pictures_take_little_more_than_their_pictures(shared, name):
    path = shared / "assets" / name
    ours, least = best(lambda: load_gltf(path)), best(lambda: floor(path))
    print(f"{path.name}: {ours * 1e3:.1f} ms, {ours / least:.2f} x the floor")
    assert ours <= RATIO * least


def test_many_nodes_are_quick(tmp_path):
    nodes = [
        {"name": f"node {i}", "translation": [i, 0, 0], "rotation": [0, 0.6, 0, 0.8], "mesh": 0}
        for i in range(NODES)
    ]
    document = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": list(range(NODES))}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3"}],
    }
    path = tmp_path / "many.gltf"
    path.write_text(json.dumps(document))
    seconds, parse = best(lambda: load_gltf(path)), best(lambda: json.loads(path.read_bytes()))
    print(f"{NODES} nodes: {seconds * 1e3:.0f} ms, {seconds / parse:.1f} x reading their JSON")
    assert seconds < PARSES * parse

"""A small glTF writer for inputs made in the tests."""

import base64
import copy
import io
import json
import struct

import numpy as np
import PIL.Image
import pytest

from engine.assets import load_gltf

COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


class GltfWriter:
    """Collects JSON and bytes; the bytes become one data URI or a GLB's BIN chunk."""

    def __init__(self, folder):
        self.folder = folder
        self.json = {"asset": {"version": "2.0"}}
        self.blob = bytearray()

    def add(self, kind, **item):
        self.json.setdefault(kind, []).append(item)
        return len(self.json[kind]) - 1

    def view(self, data, **fields):
        self.blob.extend(b"\0" * (-len(self.blob) % 4))
        offset = len(self.blob)
        self.blob.extend(data)
        return self.add("bufferViews", buffer=0, byteOffset=offset, byteLength=len(data), **fields)

    def accessor(self, values, dtype="f4", *, kind=None, **fields):
        array = np.asarray(values, "<" + dtype)
        array = array.reshape(len(array), -1) if array.ndim != 1 else array[:, None]
        return self.add(
            "accessors",
            bufferView=self.view(array.tobytes()),
            componentType=COMPONENTS[dtype],
            count=len(array),
            type=kind or TYPES[array.shape[1]],
            **fields,
        )

    def mesh(self, positions=TRIANGLE, indices=None, *, attributes=None, **fields):
        primitive = {"attributes": {"POSITION": self.accessor(positions)}, **fields}
        primitive["attributes"].update(attributes or {})
        if indices is not None:
            primitive["indices"] = self.accessor(indices, "u2")
        return self.add("meshes", primitives=[primitive])

    def node(self, **fields):
        index = self.add("nodes", **fields)
        self.json.setdefault("scenes", [{"nodes": []}])[0]["nodes"].append(index)
        return index

    def triangle(self):
        self.node(mesh=self.mesh(indices=[0, 1, 2]))
        return self

    def document(self):
        document = copy.deepcopy(self.json)
        if self.blob and "buffers" not in document:
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.blob).decode()
            document["buffers"] = [{"byteLength": len(self.blob), "uri": uri}]
        return document

    def write(self, name="made.gltf"):
        path = self.folder / name
        path.write_text(json.dumps(self.document()), "utf-8")
        return path

    def glb(self, name="made.glb"):
        document = copy.deepcopy(self.json)
        document.setdefault("buffers", [{"byteLength": len(self.blob)}])
        path = self.folder / name
        path.write_bytes(glb_bytes(json.dumps(document).encode(), bytes(self.blob)))
        return path

    def load(self, **options):
        return load_gltf(self.write(), **options)


def chunk(kind, data):
    fill = b" " if kind == b"JSON" else b"\0"
    data += fill * (-len(data) % 4)
    return struct.pack("<I4s", len(data), kind) + data


def glb_bytes(text, binary=None, *more):
    chunks = [chunk(b"JSON", text), *([] if binary is None else [chunk(b"BIN\0", binary)]), *more]
    body = b"".join(chunks)
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def png(color=(10, 20, 30, 255), size=(4, 2)):
    out = io.BytesIO()
    PIL.Image.new("RGBA", size, color).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def gltf(tmp_path):
    return GltfWriter(tmp_path)


@pytest.fixture
def make_glb():
    return glb_bytes


@pytest.fixture
def make_chunk():
    return chunk


@pytest.fixture
def make_png():
    return png

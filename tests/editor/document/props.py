"""Small glTF props, written by the tests that place them."""

import base64
import io
import json

import numpy as np
import PIL.Image

from engine.scene import GltfInstance

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32).tobytes()
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


def picture(color):
    """Return a PNG of one RGBA pixel."""
    out = io.BytesIO()
    PIL.Image.new("RGBA", (1, 1), tuple(color)).save(out, "PNG")
    return out.getvalue()


def gltf(nodes=None, buffer="data:application/octet-stream;base64,", image=None):
    """The JSON of a triangle below the node tree Body/Arm, or below `nodes`."""
    if buffer.startswith("data:"):
        buffer += base64.b64encode(TRIANGLE).decode()
    nodes = nodes or [{"name": "Body", "mesh": 0, "children": [1]}, {"name": "Arm", "mesh": 0}]
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{"name": "paint"}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": 3,
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [1, 1, 0],
            }
        ],
        "bufferViews": [{"buffer": 0, "byteLength": len(TRIANGLE)}],
        "buffers": [{"byteLength": len(TRIANGLE), "uri": buffer}],
    }
    if image is not None:
        document["images"] = [{"uri": image}]
        document["textures"] = [{"source": 0}]
        document["materials"][0]["pbrMetallicRoughness"] = {"baseColorTexture": {"index": 0}}
    return document


def write_prop(folder, name="crate", **options):
    """Write a prop into `folder` and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.gltf"
    path.write_text(json.dumps(gltf(**options)))
    return path


def write_pack(folder, name="crate", colour=PNG):
    """Write a prop with a .bin and a texture in a folder below it, as packs have them."""
    path = write_prop(folder, name, buffer=f"{name}.bin", image="Textures/colormap.png")
    (folder / f"{name}.bin").write_bytes(TRIANGLE)
    (folder / "Textures").mkdir(exist_ok=True)
    (folder / "Textures" / "colormap.png").write_bytes(colour)
    return path


def asset_of(document, entity):
    return document.world.get(entity, GltfInstance).asset


def files_below(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def write_corners(folder, name, corners):
    """Write a prop that is one triangle with these corners, (3, 3) metres."""
    document = gltf([{"name": "Body", "mesh": 0}])
    points = np.asarray(corners, np.float32)
    encoded = base64.b64encode(points.tobytes()).decode()
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{encoded}"
    document["accessors"][0]["min"] = points.min(axis=0).tolist()
    document["accessors"][0]["max"] = points.max(axis=0).tolist()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.gltf"
    path.write_text(json.dumps(document))
    return path

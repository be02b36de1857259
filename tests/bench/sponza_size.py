"""A prop the size of Sponza: 260 000 triangles in 103 parts, 25 materials, 70 pictures of 1024²."""

import io
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import PIL.Image

PARTS, MATERIALS, PICTURES, SIDE = 103, 25, 70, 1024
QUADS = 36


def write_sponza(folder: Path) -> Path:
    """Write the prop with its pictures beside it, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda k: _write_picture(folder / f"{k}.png", k), range(PICTURES)))
    blob, views, accessors, primitives = bytearray(), [], [], []

    def accessor(values, component, kind, **bounds):
        blob.extend(b"\0" * (-len(blob) % 4))
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": values.nbytes})
        blob.extend(values.tobytes())
        accessors.append(
            {
                "bufferView": len(views) - 1,
                "componentType": component,
                "count": len(values),
                "type": kind,
                **bounds,
            }
        )
        return len(accessors) - 1

    for part in range(PARTS):
        positions, normals, uv, indices = _part(part)
        corners = {"min": positions.min(0).tolist(), "max": positions.max(0).tolist()}
        attributes = {
            "POSITION": accessor(positions, 5126, "VEC3", **corners),
            "NORMAL": accessor(normals, 5126, "VEC3"),
            "TEXCOORD_0": accessor(uv, 5126, "VEC2"),
        }
        primitives.append(
            {
                "attributes": attributes,
                "indices": accessor(indices, 5125, "SCALAR"),
                "material": part % MATERIALS,
            }
        )
    (folder / "sponza.bin").write_bytes(blob)
    document = {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": len(blob), "uri": "sponza.bin"}],
        "bufferViews": views,
        "accessors": accessors,
        "images": [{"uri": f"{k}.png"} for k in range(PICTURES)],
        "textures": [{"source": k} for k in range(PICTURES)],
        "materials": [_material(k) for k in range(MATERIALS)],
        "meshes": [{"primitives": primitives}],
        "nodes": [{"mesh": 0, "name": "sponza"}],
        "scenes": [{"nodes": [0]}],
    }
    path = folder / "sponza.gltf"
    path.write_text(json.dumps(document))
    return path


def write_project(root: Path) -> Path:
    """Write a project with the prop in its only level, and return the level's path."""
    write_sponza(root / "props")
    level = root / "hall.scene"
    root.joinpath("project.json").write_text(json.dumps({"root_scene_path": level.name}))
    level.write_text(
        'cinder-scene 2\nentity 0\n  Name text="Hall"\n  GltfInstance asset="props/sponza.gltf"\n'
    )
    return level


def _material(number):
    three = [(3 * number + k) % PICTURES for k in range(3)]
    return {
        "pbrMetallicRoughness": {
            "baseColorTexture": {"index": three[0]},
            "metallicRoughnessTexture": {"index": three[1]},
        },
        "normalTexture": {"index": three[2]},
    }


def _part(number):
    axis = np.linspace(0, 1, QUADS + 1, dtype=np.float32)
    u, v = (a.reshape(-1) for a in np.meshgrid(axis, axis))
    bump = 0.1 * np.sin(9 * u + number) * np.cos(7 * v)
    x, z = u * 2 + 2.2 * (number % 10), v * 2 + 2.2 * (number // 10)
    positions = np.stack([x, bump, z], axis=1).astype("<f4")
    normals = np.stack([-0.9 * np.cos(9 * u + number), np.ones_like(u), np.sin(7 * v)], axis=1)
    normals = (normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype("<f4")
    corner = np.arange((QUADS + 1) ** 2).reshape(QUADS + 1, QUADS + 1)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    indices = np.stack([a, b, c, a, c, d], axis=-1).reshape(-1).astype("<u4")
    return positions, normals, np.stack([u, v], axis=1).astype("<f4"), indices


def _write_picture(path, number):
    rng = np.random.default_rng(number)
    axis = np.linspace(0, 8 + number % 5, SIDE)
    wave = np.sin(axis)[:, None] * np.cos(1.3 * axis)[None, :] * 90 + 128
    noise = rng.integers(-6, 7, (SIDE, SIDE))
    pixels = np.stack([wave + noise, wave * 0.8 + 20, 255 - wave], axis=-1)
    out = io.BytesIO()
    PIL.Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(out, "PNG", compress_level=1)
    path.write_bytes(out.getvalue())

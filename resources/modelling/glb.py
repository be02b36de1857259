"""Write a model as a .glb file with pygltflib."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pygltflib as gltf
from numpy.typing import NDArray

from resources.modelling.mesh import Mesh, Points, Vertices, vertices_of

# base colour factor, metallic, roughness, emissive factor, emissive strength, alpha mode
MATERIALS: dict[str, dict[str, Any]] = {
    "cloth": {"roughness": 0.95, "double_sided": True},
    "earth": {"roughness": 1.0},
    "flame": {"roughness": 0.6, "emissive": (1.0, 0.5, 0.14), "strength": 2.2},
    "foliage": {"roughness": 0.9},
    "iron": {"roughness": 0.48, "metallic": 0.35},
    "plaster": {"roughness": 0.95},
    "roof": {"roughness": 0.8},
    "stone": {"roughness": 0.92},
    "water": {"roughness": 0.12, "alpha": 0.82},
    "window": {"roughness": 0.35, "emissive": (1.0, 0.5, 0.13), "strength": 0.85},
    "wood": {"roughness": 0.78},
}


@dataclass
class Node:
    """A node of the file: a mesh, a place, children."""

    name: str
    mesh: Mesh | None = None
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    children: list[Node] = field(default_factory=list)


@dataclass
class Track:
    """Rotation keys of one node: times in seconds, (n, 4) xyzw quaternions."""

    node: str
    times: list[float]
    rotations: list[tuple[float, float, float, float]]


@dataclass
class Model:
    """Everything that one .glb holds."""

    name: str
    root: Node
    tracks: list[Track] = field(default_factory=list)
    textures: dict[str, bytes] = field(default_factory=dict)  # material -> PNG
    smooth_angle: float = 50.0
    reach: float = 0.6
    ground: bool = True


def single(name: str, mesh: Mesh, **options: Any) -> Model:
    """Return a model of one node."""
    return Model(name, Node(name, mesh), **options)


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.file = gltf.GLTF2(
            asset=gltf.Asset(version="2.0", copyright="Cinder Editor authors, MIT"),
            scene=0,
            scenes=[gltf.Scene(nodes=[0], name=model.name)],
        )
        self.data = bytearray()
        self.materials: dict[str, int] = {}
        self.nodes: dict[str, int] = {}

    def write(self, path: Path) -> None:
        self._node(self.model.root)
        for track in self.model.tracks:
            self._animation(track)
        self.file.buffers = [gltf.Buffer(byteLength=len(self.data))]
        self.file.set_binary_blob(bytes(self.data))
        self.file.save_binary(str(path))

    def _node(self, node: Node) -> int:
        entry = gltf.Node(name=node.name)
        index = len(self.file.nodes)
        self.file.nodes.append(entry)
        self.nodes[node.name] = index
        if node.translation != (0.0, 0.0, 0.0):
            entry.translation = list(node.translation)
        if node.rotation != (0.0, 0.0, 0.0, 1.0):
            entry.rotation = list(node.rotation)
        if node.mesh is not None:
            entry.mesh = self._mesh(node.name, node.mesh)
        children = [self._node(child) for child in node.children]
        if children:
            entry.children = children
        return index

    def _mesh(self, name: str, mesh: Mesh) -> int:
        model = self.model
        found = vertices_of(
            mesh, smooth_angle=model.smooth_angle, reach=model.reach, ground=model.ground
        )
        primitives = [self._primitive(material, part) for material, part in found.items()]
        self.file.meshes.append(gltf.Mesh(name=name, primitives=primitives))
        return len(self.file.meshes) - 1

    def _primitive(self, material: str, part: Vertices) -> Any:
        alpha = np.ones((len(part.colors), 1))
        rgba = np.round(np.clip(np.hstack([part.colors, alpha]), 0, 1) * 65535)
        attributes = gltf.Attributes(
            POSITION=self._accessor(part.positions, "VEC3", bounds=True),
            NORMAL=self._accessor(part.normals, "VEC3"),
            COLOR_0=self._accessor(rgba.astype(np.uint16), "VEC4", normalized=True),
        )
        if part.uvs is not None:
            attributes.TEXCOORD_0 = self._accessor(part.uvs, "VEC2")
        narrow = len(part.positions) < 65535
        indices = part.indices.astype(np.uint16) if narrow else part.indices
        return gltf.Primitive(
            attributes=attributes,
            indices=self._accessor(indices, "SCALAR", target=gltf.ELEMENT_ARRAY_BUFFER),
            material=self._material(material),
        )

    def _material(self, name: str) -> int:
        if name not in self.materials:
            self.materials[name] = len(self.file.materials)
            self.file.materials.append(self._new_material(name, MATERIALS[name]))
        return self.materials[name]

    def _new_material(self, name: str, look: dict[str, Any]) -> Any:
        pbr = gltf.PbrMetallicRoughness(
            baseColorFactor=[1.0, 1.0, 1.0, look.get("alpha", 1.0)],
            metallicFactor=look.get("metallic", 0.0),
            roughnessFactor=look["roughness"],
        )
        if name in self.model.textures:
            pbr.baseColorTexture = gltf.TextureInfo(index=self._texture(name))
        material = gltf.Material(name=name, pbrMetallicRoughness=pbr, alphaCutoff=None)
        material.alphaMode = "BLEND" if "alpha" in look else None
        material.doubleSided = look.get("double_sided")
        if "emissive" in look:
            material.emissiveFactor = list(look["emissive"])
            strength = {"emissiveStrength": look["strength"]}
            material.extensions = {"KHR_materials_emissive_strength": strength}
            self.file.extensionsUsed = ["KHR_materials_emissive_strength"]
        return material

    def _texture(self, material: str) -> int:
        view = self._view(self.model.textures[material], None)
        self.file.images.append(gltf.Image(name=material, bufferView=view, mimeType="image/png"))
        self.file.samplers = [
            gltf.Sampler(
                magFilter=gltf.LINEAR,
                minFilter=gltf.LINEAR_MIPMAP_LINEAR,
                wrapS=gltf.CLAMP_TO_EDGE,
                wrapT=gltf.CLAMP_TO_EDGE,
            )
        ]
        self.file.textures.append(gltf.Texture(source=len(self.file.images) - 1, sampler=0))
        return len(self.file.textures) - 1

    def _animation(self, track: Track) -> None:
        times = np.array(track.times, np.float32)[:, None]
        keys = np.round(np.array(track.rotations), 6).astype(np.float32)
        if not self.file.animations:
            self.file.animations.append(gltf.Animation(name="idle", samplers=[], channels=[]))
        animation = self.file.animations[0]
        animation.samplers.append(
            gltf.AnimationSampler(
                input=self._accessor(times, "SCALAR", bounds=True, target=None),
                output=self._accessor(keys, "VEC4", target=None),
                interpolation="LINEAR",
            )
        )
        target = gltf.AnimationChannelTarget(node=self.nodes[track.node], path="rotation")
        animation.channels.append(
            gltf.AnimationChannel(sampler=len(animation.samplers) - 1, target=target)
        )

    def _accessor(
        self,
        array: NDArray[Any],
        kind: str,
        *,
        bounds: bool = False,
        normalized: bool = False,
        target: int | None = gltf.ARRAY_BUFFER,
    ) -> int:
        types = {"float32": gltf.FLOAT, "uint16": gltf.UNSIGNED_SHORT, "uint32": gltf.UNSIGNED_INT}
        accessor = gltf.Accessor(
            bufferView=self._view(array.tobytes(), target),
            componentType=types[array.dtype.name],
            count=len(array),
            type=kind,
            normalized=normalized or None,
        )
        if bounds:
            accessor.min = [float(v) for v in array.min(axis=0)]
            accessor.max = [float(v) for v in array.max(axis=0)]
        self.file.accessors.append(accessor)
        return len(self.file.accessors) - 1

    def _view(self, data: bytes, target: int | None) -> int:
        while len(self.data) % 4:
            self.data.append(0)
        view = gltf.BufferView(buffer=0, byteOffset=len(self.data), byteLength=len(data))
        view.target = target
        self.data += data
        self.file.bufferViews.append(view)
        return len(self.file.bufferViews) - 1


def write_glb(model: Model, path: Path) -> None:
    """Write the model; the same model gives the same bytes."""
    _Writer(model).write(path)


def bounds(mesh: Mesh) -> tuple[Points, Points]:
    """Return the lowest and the highest corner."""
    points = np.concatenate([face.points for face in mesh.faces])
    return points.min(axis=0), points.max(axis=0)

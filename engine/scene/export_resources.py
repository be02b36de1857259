"""What an exported level draws: meshes and materials of its assets, merged into one file.

Each asset is a block: its meshes, materials, textures and pictures are taken over once, however
many instances there are, and renumbered. Shapes get meshes and materials of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from engine.assets import (
    GltfAsset,
    GltfMaterial,
    GltfMesh,
    GltfPrimitive,
    GltfTexture,
    Material,
    TextureRef,
)
from engine.assets.shapes import SHAPES, shape_mesh

_SLOTS = (
    "base_color_texture",
    "metallic_roughness_texture",
    "normal_texture",
    "occlusion_texture",
    "emissive_texture",
)


class AssetBlock:
    """One source asset's part of the exported file."""

    def __init__(self, source: GltfAsset, target: GltfAsset) -> None:
        self.source = source
        self._target = target
        self._images: dict[int, int] = {}
        self._textures: dict[int, int] = {}
        self._materials: dict[int, int] = {}
        self._meshes: dict[tuple[int, int, str], int] = {}
        self._variants = [_place_of(target.variants, name) for name in source.variants]

    def take_all(self) -> None:
        """Take over every mesh, material, texture and picture, used or not, in file order."""
        for index in range(len(self.source.images)):
            self._image(index)
        for index in range(len(self.source.textures)):
            self._texture(index)
        for index in range(len(self.source.materials)):
            self.material(index)
        for index in range(len(self.source.meshes)):
            self.mesh(index, "")

    def mesh(self, index: int, variant: str) -> int:
        """Return the new index of a mesh, drawn with a variant's materials."""
        return self._mesh(index, -1, variant)

    def part(self, index: int, primitive: int, variant: str) -> int:
        """Return the new index of a mesh that is one primitive of a mesh."""
        return self._mesh(index, primitive, variant)

    def _mesh(self, index: int, only: int, variant: str) -> int:
        source = self.source
        chosen = source.variants.index(variant) if variant in source.variants else -1
        if all(chosen not in p.variants for p in source.meshes[index].primitives):
            variant, chosen = "", -1
        key = (index, only, variant)
        if key not in self._meshes:
            mesh = source.meshes[index]
            parts = mesh.primitives if only < 0 else [mesh.primitives[only]]
            primitives = [self._primitive(part, chosen) for part in parts]
            self._meshes[key] = len(self._target.meshes)
            self._target.meshes.append(replace(mesh, primitives=primitives))
        return self._meshes[key]

    def _primitive(self, source: GltfPrimitive, chosen: int) -> GltfPrimitive:
        variants = {self._variants[v]: self.material(m) for v, m in source.variants.items()}
        material = source.variants.get(chosen, source.material)
        return GltfPrimitive(
            source.mesh, self.material(material) if material >= 0 else -1, variants
        )

    def material(self, index: int) -> int:
        """Return the new index of a material."""
        if index not in self._materials:
            source = self.source.materials[index]
            surface = source.material
            slots: dict[str, Any] = {name: self._ref(getattr(surface, name)) for name in _SLOTS}
            extensions = {
                name: {
                    key: self._ref(value) if isinstance(value, TextureRef) else value
                    for key, value in body.items()
                }
                for name, body in surface.extensions.items()
            }
            moved = replace(surface, **slots, extensions=extensions)
            self._materials[index] = len(self._target.materials)
            self._target.materials.append(replace(source, material=moved))
        return self._materials[index]

    def _ref(self, ref: TextureRef | None) -> TextureRef | None:
        return None if ref is None else replace(ref, texture=self._texture(ref.texture))

    def _texture(self, index: int) -> int:
        if index not in self._textures:
            source = self.source.textures[index]
            image = self._image(source.image) if source.image >= 0 else -1
            self._textures[index] = len(self._target.textures)
            self._target.textures.append(GltfTexture(image, source.sampler, source.name))
        return self._textures[index]

    def _image(self, index: int) -> int:
        if index not in self._images:
            self._images[index] = len(self._target.images)
            self._target.images.append(self.source.images[index])
        return self._images[index]

    def pointer(self, pointer: str, nodes: dict[int, int]) -> str | None:
        """Return an animated property's JSON pointer in the new file; None when it is not there."""
        parts = pointer.split("/")
        kinds: dict[str, dict[int, int]] = {
            "nodes": nodes,
            "materials": self._materials,
            "textures": self._textures,
            "meshes": {index: at for (index, only, _), at in self._meshes.items() if only < 0},
        }
        if len(parts) < 3 or parts[1] not in kinds or not parts[2].isdecimal():
            return None
        at = kinds[parts[1]].get(int(parts[2]))
        return None if at is None else "/".join([*parts[:2], str(at), *parts[3:]])


class ShapeBlock:
    """Plain shapes: a mesh per kind and colour."""

    def __init__(self, target: GltfAsset) -> None:
        self._target = target
        self._meshes: dict[tuple[str, tuple[float, ...]], int] = {}

    def mesh(self, kind: str, color: tuple[float, ...]) -> int:
        """Return the index of the mesh of a shape in a linear colour; an unknown kind is a box."""
        kind = kind if kind in SHAPES else "box"
        key = (kind, color)
        if key not in self._meshes:
            surface = Material(
                base_color=(color[0], color[1], color[2], 1.0), metallic=0.0, roughness=0.8
            )
            primitive = GltfPrimitive(shape_mesh(kind), len(self._target.materials))
            self._target.materials.append(GltfMaterial(surface, kind))
            self._meshes[key] = len(self._target.meshes)
            self._target.meshes.append(GltfMesh(kind, [primitive], np.zeros(0, np.float32)))
        return self._meshes[key]


def _place_of(names: list[str], name: str) -> int:
    """Return the index of a name, appended when it is new."""
    if name not in names:
        names.append(name)
    return names.index(name)

"""What material overrides make of the meshes of an exported level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.assets import GltfAsset, GltfMaterial, GltfTexture, Material, TextureRef
from engine.assets.image import Image
from engine.assets.material import Sampler
from engine.assets.texture_files import TextureFiles
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.material_looks import AS_IT_IS, Look, look_of, overridden


class LookBlock:
    """Meshes with other materials, each pair of a mesh and its looks once.

    Parameters
    ----------
    world : World
    target : GltfAsset
        The asset that is made; its meshes are changed by making others beside them.
    textures : TextureFiles, optional
        Where the pictures are that overrides name; without them materials keep their own.
    """

    def __init__(self, world: World, target: GltfAsset, textures: TextureFiles | None) -> None:
        self._world = world
        self._target = target
        self._files = textures
        self._meshes: dict[tuple[int, tuple[Look, ...]], int] = {}
        self._materials: dict[tuple[int, Look], int] = {}
        self._images: dict[str, int] = {}
        self._textures: dict[tuple[int, Sampler], int] = {}

    def mesh(self, index: int, drawn: Sequence[Entity]) -> int:
        """Return the index of a mesh as it is drawn.

        Parameters
        ----------
        index : int
            In the target.
        drawn : sequence of Entity
            What draws its primitives, one for each, or one for all.
        """
        looks = tuple(look_of(self._world, entity) for entity in drawn)
        if all(look == AS_IT_IS for look in looks):
            return index
        key = (index, looks)
        if key not in self._meshes:
            mesh = self._target.meshes[index]
            each = looks if len(looks) == len(mesh.primitives) else looks[:1] * len(mesh.primitives)
            primitives = [
                replace(
                    primitive,
                    material=self._material(primitive.material, look),
                    variants={v: self._material(m, look) for v, m in primitive.variants.items()},
                )
                for primitive, look in zip(mesh.primitives, each, strict=True)
            ]
            self._meshes[key] = len(self._target.meshes)
            self._target.meshes.append(replace(mesh, primitives=primitives))
        return self._meshes[key]

    def _material(self, index: int, look: Look) -> int:
        if look == AS_IT_IS:
            return index
        key = (index, look)
        if key not in self._materials:
            materials = self._target.materials
            base = materials[index] if index >= 0 else GltfMaterial(Material(), "")
            surface = overridden(base.material, look, self._reference)
            self._materials[key] = len(materials)
            materials.append(replace(base, material=surface))
        return self._materials[key]

    def _reference(self, path: str, srgb: bool, old: TextureRef | None) -> TextureRef | None:
        image = self._image(path)
        if image is None:
            return old
        sampler = Sampler() if old is None else self._target.textures[old.texture].sampler
        key = (image, sampler)
        if key not in self._textures:
            self._textures[key] = len(self._target.textures)
            self._target.textures.append(GltfTexture(image, sampler))
        texture = self._textures[key]
        return TextureRef(texture) if old is None else replace(old, texture=texture)

    def _image(self, path: str) -> int | None:
        if path not in self._images:
            pixels = self._files.pixels(path) if self._files is not None else None
            if pixels is None:
                return None
            self._images[path] = len(self._target.images)
            self._target.images.append(Image(path, pixels))
        return self._images[path]

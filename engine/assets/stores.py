"""What assets know of a renderer: protocols for whatever takes meshes, materials and textures."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.assets.material import Material, Sampler
from engine.assets.mesh import MeshData

TextureKey = tuple[int, bool]
"""An image of an asset, and whether its texture is sRGB."""


@runtime_checkable
class TextureStore(Protocol):
    """Where pictures and samplers go; the `resources` of a renderer."""

    def add_texture(self, pixels: NDArray[np.uint8], srgb: bool, label: str) -> int:
        """Upload (h, w, 4) uint8, sRGB or linear; return the id."""

    def remove_texture(self, texture: int) -> None:
        """Free a texture."""

    def add_sampler(self, sampler: Sampler) -> int:
        """Return the id of a sampler, which equal ones share."""


@runtime_checkable
class SteppedTextureStore(TextureStore, Protocol):
    """One that takes large pictures piece by piece: a generator that returns the id."""

    def texture_steps(
        self, pixels: NDArray[np.uint8], srgb: bool, label: str
    ) -> Generator[None, None, int]:
        """Upload (h, w, 4) uint8 a piece at a step; the generator returns the id."""


@runtime_checkable
class MeshStore(Protocol):
    """Where meshes and materials go; a renderer.

    One that draws levels of detail takes what `MeshData.build_lods` gives as `lods` of `add_mesh`.
    One that has much to do before it can take a mesh also has ``prepare_mesh(mesh, lods)``, which
    may be called on any thread, and takes what that gives as `prepared` of `add_mesh` and
    `replace_mesh`.
    """

    @property
    def resources(self) -> Any:
        """Where textures and samplers go; a `TextureStore`."""

    def add_mesh(self, mesh: MeshData) -> int:
        """Upload a mesh; return its id."""

    def remove_mesh(self, mesh: int) -> None:
        """Free a mesh."""

    def add_material(self, material: Material) -> int:
        """Upload a material whose slots name uploaded textures; return its id."""

    def remove_material(self, material: int) -> None:
        """Free a material."""


@runtime_checkable
class ReplacingStore(MeshStore, Protocol):
    """A renderer that puts other contents under an id."""

    def replace_mesh(self, mesh: int, data: MeshData) -> None:
        """Draw other contents under an id from now on."""

    def replace_material(self, material: int, source: Material) -> None:
        """Draw with another material under an id from now on."""


class InstanceSink(Protocol):
    """A render scene: sequences that take instances and joint matrices."""

    @property
    def instances(self) -> Any:
        """The instances, a sequence with `append`."""

    @property
    def joints(self) -> Any:
        """The joint matrices of all skins, a sequence with `append`."""


@dataclass(slots=True)
class UploadedGltf:
    """The renderer's ids of an asset's meshes, materials and textures.

    ``mesh_ids[mesh][primitive]``, ``material_ids[material]``; `default_material` serves primitives
    without one; `textures` are those of `texture_ids` by what they show. All are -1 when there was
    no renderer.
    """

    mesh_ids: list[list[int]]
    material_ids: list[int]
    default_material: int
    texture_ids: list[int] = field(default_factory=list)
    textures: dict[TextureKey, int] = field(default_factory=dict)

    def material_of(self, material: int) -> int:
        """Return the id for a primitive's `material` (-1: the default material)."""
        return self.default_material if material < 0 else self.material_ids[material]

    def release(self, renderer: MeshStore | None) -> None:
        """Remove everything from `renderer`; the ids become -1."""
        if renderer is not None:
            for mesh in (m for primitives in self.mesh_ids for m in primitives if m >= 0):
                renderer.remove_mesh(mesh)
            for material in (*self.material_ids, self.default_material):
                if material >= 0:
                    renderer.remove_material(material)
            for texture in self.texture_ids:
                renderer.resources.remove_texture(texture)
        self.mesh_ids = [[-1] * len(primitives) for primitives in self.mesh_ids]
        self.material_ids = [-1] * len(self.material_ids)
        self.default_material = -1
        self.texture_ids = []
        self.textures = {}

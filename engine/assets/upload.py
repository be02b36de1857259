"""From a `GltfAsset` to a renderer, through protocols that this module defines.

Assets never import the renderer: whatever adds meshes, materials and textures can take them. Each
image is uploaded once per colour space (base colour and emissive as sRGB, the rest linear), each
distinct sampler once. A renderer of None uploads nothing and gives ids of -1.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import GltfAsset
from engine.assets.material import Material, Sampler, TextureRef
from engine.assets.mesh import MeshData

_SLOTS = (
    ("base_color_texture", True),
    ("metallic_roughness_texture", False),
    ("normal_texture", False),
    ("occlusion_texture", False),
    ("emissive_texture", True),
)
_SRGB_PARAMETERS = {"sheenColorTexture", "specularColorTexture", "diffuseTransmissionColorTexture"}


@runtime_checkable
class TextureStore(Protocol):
    """Where pictures and samplers go; the `resources` of a renderer."""

    def add_texture(self, pixels: NDArray[np.uint8], srgb: bool, label: str) -> int: ...

    def remove_texture(self, texture: int) -> None: ...

    def add_sampler(self, sampler: Sampler) -> int: ...


@runtime_checkable
class MeshStore(Protocol):
    """Where meshes and materials go; a renderer.

    One that draws levels of detail takes what `MeshData.build_lods` gives as `lods` of `add_mesh`.
    """

    @property
    def resources(self) -> Any: ...

    def add_mesh(self, mesh: MeshData) -> int: ...

    def remove_mesh(self, mesh: int) -> None: ...

    def add_material(self, material: Material) -> int: ...

    def remove_material(self, material: int) -> None: ...


class InstanceSink(Protocol):
    """A render scene: sequences that take instances and joint matrices."""

    @property
    def instances(self) -> Any: ...

    @property
    def joints(self) -> Any: ...


@dataclass(slots=True)
class AssetInstance:
    """One primitive at one place; has the fields of the renderer's own instance."""

    mesh: int
    material: int
    world_from_local: NDArray[np.float32]
    cast_shadows: bool = True
    joint_offset: int = -1
    morph_weights: tuple[float, ...] = ()
    entity: int = 0


@dataclass(slots=True)
class UploadedGltf:
    """The renderer's ids of an asset's meshes, materials and textures.

    ``mesh_ids[mesh][primitive]``, ``material_ids[material]``; `default_material` serves primitives
    without one. All are -1 when there was no renderer.
    """

    mesh_ids: list[list[int]]
    material_ids: list[int]
    default_material: int
    texture_ids: list[int] = field(default_factory=list)

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


class _TextureUploads:
    """Uploads an asset's images and samplers on demand, each once."""

    def __init__(self, store: TextureStore, asset: GltfAsset) -> None:
        self._store = store
        self._asset = asset
        self._textures: dict[tuple[int, bool], int] = {}
        self._samplers: dict[Sampler, int] = {}

    @property
    def ids(self) -> list[int]:
        return list(self._textures.values())

    def _texture(self, image: int, srgb: bool) -> int:
        key = (image, srgb)
        if key not in self._textures:
            picture = self._asset.images[image]
            self._textures[key] = self._store.add_texture(picture.pixels, srgb, picture.name)
        return self._textures[key]

    def _sampler(self, sampler: Sampler) -> int:
        if sampler not in self._samplers:
            self._samplers[sampler] = self._store.add_sampler(sampler)
        return self._samplers[sampler]

    def reference(self, ref: TextureRef | None, srgb: bool) -> TextureRef | None:
        if ref is None:
            return None
        texture = self._asset.textures[ref.texture]
        if texture.image < 0:
            return None
        return replace(
            ref,
            texture=self._texture(texture.image, srgb),
            sampler=self._sampler(texture.sampler),
        )

    def material(self, material: Material) -> Material:
        slots = {slot: self.reference(getattr(material, slot), srgb) for slot, srgb in _SLOTS}
        extensions = {name: self._parameters(body) for name, body in material.extensions.items()}
        return replace(material, extensions=extensions, **slots)  # type: ignore[arg-type]

    def _parameters(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return an extension's parameters with uploaded textures; absent ones are left out."""
        prepared = {
            key: self.reference(value, key in _SRGB_PARAMETERS)
            if isinstance(value, TextureRef)
            else value
            for key, value in body.items()
        }
        return {key: value for key, value in prepared.items() if value is not None}


def upload_gltf(
    renderer: MeshStore | None,
    resources: TextureStore | None,
    asset: GltfAsset,
    lods: bool = True,
) -> UploadedGltf:
    """Upload every mesh, material and texture of `asset`.

    Parameters
    ----------
    renderer : MeshStore or None
        None uploads nothing; every id is -1.
    resources : TextureStore or None
        Where textures go; None means ``renderer.resources``.
    asset : GltfAsset
    lods : bool
        Build levels of detail for meshes of more than 64 triangles, where the renderer draws them.

    Returns
    -------
    UploadedGltf
    """
    if renderer is None:
        none = [[-1] * len(mesh.primitives) for mesh in asset.meshes]
        return UploadedGltf(none, [-1] * len(asset.materials), -1)
    textures = _TextureUploads(renderer.resources if resources is None else resources, asset)
    uploaded = UploadedGltf([], [], -1)
    add_mesh = _mesh_adder(renderer, lods)
    try:
        for material in asset.materials:
            prepared = textures.material(material.material)
            uploaded.material_ids.append(renderer.add_material(prepared))
        uploaded.default_material = renderer.add_material(Material())
        for mesh in asset.meshes:
            uploaded.mesh_ids.append([])
            for primitive in mesh.primitives:
                uploaded.mesh_ids[-1].append(add_mesh(primitive.mesh))
    except BaseException:
        uploaded.texture_ids = textures.ids
        uploaded.release(renderer)
        raise
    uploaded.texture_ids = textures.ids
    return uploaded


def _mesh_adder(renderer: MeshStore, lods: bool) -> Callable[[MeshData], int]:
    """Return how to add a mesh; with its levels where they are wanted and can be drawn."""
    add: Callable[..., int] = renderer.add_mesh
    if lods and "lods" in inspect.signature(add).parameters:
        return lambda mesh: add(mesh, lods=mesh.build_lods())
    return add


def _drawn_nodes(asset: GltfAsset) -> Iterator[int]:
    for index in asset.reachable_nodes():
        if asset.nodes[index].mesh is not None:
            yield index


def instantiate(
    renderer: MeshStore | None,
    resources: TextureStore | None,
    asset: GltfAsset,
    scene: InstanceSink,
) -> int:
    """Upload `asset` and append one instance per (node, primitive) to `scene`, at rest pose.

    Skinned nodes get their joint matrices ``inverse(node.world) * joint.world * inverse_bind``
    appended to ``scene.joints``; morphed ones their default weights.

    Returns
    -------
    int
        The number of instances added.
    """
    uploaded = upload_gltf(renderer, resources, asset)
    before = len(scene.instances)
    for index in _drawn_nodes(asset):
        _append_node(asset, index, uploaded, scene)
    return len(scene.instances) - before


def _append_node(asset: GltfAsset, index: int, uploaded: UploadedGltf, scene: InstanceSink) -> None:
    node = asset.nodes[index]
    assert node.mesh is not None
    joint_offset = -1
    palette = asset.joint_matrices(index)
    if palette is not None:
        joint_offset = len(scene.joints)
        for matrix in palette:
            scene.joints.append(matrix)
    weights = tuple(float(w) for w in asset.rest_morph_weights(index))
    worlds = [node.world] if node.instances is None else node.world @ node.instances
    ids = uploaded.mesh_ids[node.mesh]
    for mesh, primitive in zip(ids, asset.meshes[node.mesh].primitives, strict=True):
        material = uploaded.material_of(primitive.material)
        for world in worlds:
            instance = AssetInstance(mesh, material, world)
            if primitive.mesh.has_skin():
                instance.joint_offset = joint_offset
            if primitive.mesh.has_morph():
                instance.morph_weights = weights
            scene.instances.append(instance)

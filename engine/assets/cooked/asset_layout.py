"""What the head of a ``.casset`` file says; arrays are named by their numbers, -1 for none.

msgspec checks on reading that every value has the type that is written here; what numbers may be
is checked by `asset_check`. Parts without arrays are stored as the dataclasses that they are.
"""

from typing import Any

import msgspec

from engine.assets.contents import FileStamp
from engine.assets.cooked.array_table import ArrayEntry
from engine.assets.gltf.asset import (
    GltfCamera,
    GltfLight,
    GltfMaterial,
    GltfScene,
    GltfTexture,
)
from engine.assets.mesh import Topology
from engine.stream_facts import StreamFacts


class ImageRecord(msgspec.Struct, array_like=True):
    """A picture; ``pixels`` is (h, w, 4) uint8."""

    name: str
    pixels: int
    missing: bool


class TargetRecord(msgspec.Struct, array_like=True):
    """A morph target; each array (n, 3) float32 or absent."""

    name: str
    positions: int
    normals: int
    tangents: int


class VertexRecord(msgspec.Struct, array_like=True):
    """The arrays that every mesh has, a row per vertex, and its indices."""

    positions: int
    normals: int
    tangents: int
    uv0: int
    uv1: int
    colors: int
    joints: int
    weights: int
    indices: int


class RenderRecord(VertexRecord, array_like=True):
    """A `RenderMesh`: its arrays in the order of its fields, (2, 3) ``bounds`` last."""

    morph_positions: int
    morph_normals: int
    morph_tangents: int
    source_vertices: int
    bounds: int
    flat: bool
    facts: StreamFacts | None = None


class LodRecord(msgspec.Struct, array_like=True):
    """Levels of detail: per level first index, index count and error."""

    indices: int
    levels: list[tuple[int, int, float]]


class MeshRecord(VertexRecord, array_like=True):
    """A `MeshData` as the file has it, and what is derived from it for drawing."""

    targets: list[TargetRecord]
    topology: Topology
    needs_tangents: bool
    extensions: dict[str, Any]
    render: RenderRecord
    lods: LodRecord


class GroupRecord(msgspec.Struct, array_like=True):
    """A `GltfMesh`; each part is a mesh, a material and the materials of variants."""

    name: str
    parts: list[tuple[int, int, dict[int, int]]]
    weights: int
    target_names: tuple[str, ...]
    extras: Any


class NodeTable(msgspec.Struct, array_like=True):
    """All nodes, a column per property.

    ``parents`` (n,) int32; ``children`` (m,) int32, ``child_counts`` of them per node;
    ``links`` (n, 4) int32: mesh, skin, camera and light, -1 for none; ``flags`` (n,) uint8:
    1 has a matrix, 2 is visible. Rare properties are pairs with the node's number.
    """

    names: list[str]
    parents: int
    children: int
    child_counts: int
    links: int
    flags: int
    translations: int
    rotations: int
    scales: int
    local_matrices: int
    world_matrices: int
    morph_weights: list[tuple[int, int]]
    instances: list[tuple[int, int]]
    extras: list[tuple[int, Any]]
    extensions: list[tuple[int, dict[str, Any]]]


class SkinRecord(msgspec.Struct, array_like=True):
    """A `GltfSkin`; ``inverse_bind`` is (k, 4, 4)."""

    name: str
    joints: list[int]
    inverse_bind: int
    skeleton: int | None


class AnimationRecord(msgspec.Struct, array_like=True):
    """An animation: a row per channel.

    ``channels`` (k, 7) int64: node, path, interpolation, components, where its times begin in
    ``times``, how many there are, how many values; values follow each other in ``values``.
    """

    name: str
    channels: int
    times: int
    values: int
    pointers: list[tuple[int, str]]


class AssetRecord(msgspec.Struct, array_like=True):
    """A `GltfAsset`, but for the paths of its files."""

    name: str
    images: list[ImageRecord]
    textures: list[GltfTexture]
    materials: list[GltfMaterial]
    meshes: list[MeshRecord]
    groups: list[GroupRecord]
    nodes: NodeTable
    skins: list[SkinRecord]
    animations: list[AnimationRecord]
    roots: list[int]
    scenes: list[GltfScene]
    default_scene: int | None
    cameras: list[GltfCamera]
    lights: list[GltfLight]
    variants: list[str]
    extras: Any
    asset_info: dict[str, Any]
    extensions: dict[str, Any]
    warnings: list[str]
    changed: list[str]
    not_understood: list[str]
    seconds: float


class AssetOrigin(msgspec.Struct, array_like=True):
    """What an asset was made of, and by what.

    Parameters
    ----------
    prefix : str
        The project-relative path, percent-encoded; begins every logical path of the asset.
    cooker : str
        What made the file; another one makes another.
    sources : list of (path, digest)
        The file and its side files, relative to the project with "/", and the digest of their
        contents; empty for one that was missing.
    stamps : list of FileStamp
        What each of them looked like; `NO_STAMP` where that tells nothing.
    """

    prefix: str
    cooker: str
    sources: list[tuple[str, str]]
    stamps: list[FileStamp] = []


class AssetHead(msgspec.Struct, array_like=True):
    """The whole head."""

    origin: AssetOrigin
    asset: AssetRecord
    arrays: list[ArrayEntry]

"""``.casset``: a whole `GltfAsset`, with all that versions 1 of the other formats cannot hold.

Layout (version 3, little-endian): the magic ``CAST``, u32 version, u64 head bytes, u64 array bytes,
u32 Adler-32 of the head, u32 checksum of the arrays (see `page_sums`), the head (MessagePack, see
`asset_layout`), zeros up to a multiple of 64, the arrays. Pictures are stored decoded and meshes
with the vertices of their file beside what is derived for drawing, so that opening one draws the
picture of the import.
"""

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO

import msgspec
import numpy as np

from engine.assets.cooked.array_table import ALIGNMENT, Array, ArrayTableWriter
from engine.assets.cooked.asset_layout import (
    AnimationRecord,
    AssetHead,
    AssetOrigin,
    AssetRecord,
    GroupRecord,
    ImageRecord,
    LodRecord,
    MeshRecord,
    NodeTable,
    RenderRecord,
    SkinRecord,
    TargetRecord,
    VertexRecord,
)
from engine.assets.cooked.page_sums import PageSums
from engine.assets.gltf.asset import GltfAnimation, GltfAsset, GltfMaterial, GltfMesh, GltfNode
from engine.assets.material import TextureRef
from engine.assets.mesh import MeshData, RenderMesh
from engine.errors import AssetError

ASSET_MAGIC = b"CAST"
ASSET_VERSION = 3
FIXED_HEAD = struct.Struct("<4sIQQII")
TUPLE, REFERENCE = 1, 2
_CHUNK = 1 << 22
_AFTER_POSITIONS = VertexRecord.__struct_fields__[1:]


def write_asset(
    asset: GltfAsset,
    origin: AssetOrigin,
    file: BinaryIO,
    proceed: Callable[[], None] = lambda: None,
) -> None:
    """Write `asset` to an open file.

    Parameters
    ----------
    asset : GltfAsset
    origin : AssetOrigin
    file : binary file
    proceed : callable
        Called between pieces of work; whatever it raises ends the writing.

    Raises
    ------
    AssetError
        ``cooked asset``: it holds something that the format does not.
    OSError
        The file cannot be written.
    """
    table = ArrayTableWriter()
    record = _Recorder(table, proceed).asset(asset)
    try:
        head = msgspec.msgpack.encode(AssetHead(origin, record, table.entries))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise AssetError(f"cooked asset: {asset.name}: cannot be stored ({error})") from None
    sums = PageSums(table.size)
    for offset, array in table.stored():
        proceed()
        sums.add(offset, array)
    fixed = (ASSET_MAGIC, ASSET_VERSION, len(head), table.size, zlib.adler32(head), sums.checksum)
    file.write(FIXED_HEAD.pack(*fixed))
    file.write(head)
    file.write(bytes(-(FIXED_HEAD.size + len(head)) % ALIGNMENT))
    for block in table.blocks():
        for at in range(0, len(block), _CHUNK):
            proceed()
            file.write(block[at : at + _CHUNK])


class _Recorder:
    """Turns the parts of an asset into records, and their arrays into numbers."""

    def __init__(self, table: ArrayTableWriter, proceed: Callable[[], None]) -> None:
        self._table = table
        self._proceed = proceed
        self._meshes: dict[int, int] = {}
        self._records: list[MeshRecord] = []

    def asset(self, asset: GltfAsset) -> AssetRecord:
        return AssetRecord(
            name=asset.name,
            images=[
                ImageRecord(i.name, self._table.add(i.pixels), i.missing) for i in asset.images
            ],
            textures=asset.textures,
            materials=[_storable(material) for material in asset.materials],
            groups=[self._group(mesh) for mesh in asset.meshes],
            meshes=self._records,
            nodes=self._nodes(asset.nodes),
            skins=[
                SkinRecord(s.name, s.joints, self._table.add(s.inverse_bind), s.skeleton)
                for s in asset.skins
            ],
            animations=[self._animation(animation) for animation in asset.animations],
            roots=asset.roots,
            scenes=asset.scenes,
            default_scene=asset.default_scene,
            cameras=asset.cameras,
            lights=asset.lights,
            variants=asset.variants,
            extras=asset.extras,
            asset_info=asset.asset_info,
            extensions=asset.extensions,
            warnings=asset.warnings,
            changed=asset.changed,
            not_understood=asset.not_understood,
            seconds=asset.seconds,
        )

    def _group(self, mesh: GltfMesh) -> GroupRecord:
        parts = [(self._mesh(p.mesh), p.material, p.variants) for p in mesh.primitives]
        weights = self._table.add(np.asarray(mesh.weights, np.float32))
        return GroupRecord(mesh.name, parts, weights, tuple(mesh.target_names), mesh.extras)

    def _mesh(self, mesh: MeshData) -> int:
        """Return the number of a mesh's record; one that several parts share has one."""
        number = self._meshes.get(id(mesh))
        if number is None:
            self._proceed()
            record = self._mesh_record(mesh)
            number = self._meshes[id(mesh)] = len(self._records)
            self._records.append(record)
        return number

    def _vertices(self, mesh: MeshData | RenderMesh) -> dict[str, int]:
        """Return the numbers of what `VertexRecord` holds."""
        numbers = {"positions": self._table.add(mesh.positions, whole=True)}
        for name in _AFTER_POSITIONS:
            numbers[name] = self._table.optional(getattr(mesh, name))
        return numbers

    def _mesh_record(self, mesh: MeshData) -> MeshRecord:
        number = self._table.optional
        indices, lods = mesh.build_lods()
        levels = [(lod.first_index, lod.index_count, float(lod.error)) for lod in lods]
        return MeshRecord(
            **self._vertices(mesh),
            targets=[
                TargetRecord(t.name, number(t.positions), number(t.normals), number(t.tangents))
                for t in mesh.morph_targets
            ],
            topology=mesh.topology,
            needs_tangents=mesh.needs_tangents,
            extensions=mesh.extensions,
            render=self._render(mesh.render_mesh(mesh.tangents is not None)),
            lods=LodRecord(number(indices), levels),
        )

    def _render(self, mesh: RenderMesh) -> RenderRecord:
        number = self._table.optional
        return RenderRecord(
            **self._vertices(mesh),
            morph_positions=number(mesh.morph_positions),
            morph_normals=number(mesh.morph_normals),
            morph_tangents=number(mesh.morph_tangents),
            source_vertices=number(mesh.source_vertices),
            bounds=number(np.array(mesh.bounds, np.float32).reshape(2, 3)),
            flat=mesh.flat,
            facts=mesh.facts,
        )

    def _nodes(self, nodes: list[GltfNode]) -> NodeTable:
        def column(values: list[Any], dtype: str, *shape: int) -> int:
            return self._table.add(np.array(values, dtype).reshape(-1, *shape))

        def number(index: int | None) -> int:
            return -1 if index is None else index

        links = [[number(i) for i in (n.mesh, n.skin, n.camera, n.light)] for n in nodes]
        add = self._table.add
        return NodeTable(
            names=[n.name for n in nodes],
            parents=column([number(n.parent) for n in nodes], "<i4"),
            children=column([child for n in nodes for child in n.children], "<i4"),
            child_counts=column([len(n.children) for n in nodes], "<i4"),
            links=self._table.add(np.array(links, "<i4").reshape(-1, 4)),
            flags=column([n.has_matrix + 2 * n.visible for n in nodes], "|u1"),
            translations=column([n.translation for n in nodes], "<f4", 3),
            rotations=column([n.rotation for n in nodes], "<f4", 4),
            scales=column([n.scale for n in nodes], "<f4", 3),
            local_matrices=column([n.local for n in nodes], "<f4", 4, 4),
            world_matrices=column([n.world for n in nodes], "<f4", 4, 4),
            morph_weights=[
                (at, add(n.morph_weights))
                for at, n in enumerate(nodes)
                if n.morph_weights is not None
            ],
            instances=[
                (at, add(n.instances)) for at, n in enumerate(nodes) if n.instances is not None
            ],
            extras=[(at, n.extras) for at, n in enumerate(nodes) if n.extras is not None],
            extensions=[(at, n.extensions) for at, n in enumerate(nodes) if n.extensions],
        )

    def _animation(self, animation: GltfAnimation) -> AnimationRecord:
        starts: dict[int, int] = {}
        times: list[Array] = []
        values: list[Array] = []
        rows = []
        end = 0
        for channel in animation.channels:
            if id(channel.times) not in starts:
                starts[id(channel.times)] = end
                times.append(channel.times)
                end += len(channel.times)
            values.append(channel.values)
            head = (channel.node, channel.path, channel.interpolation, channel.components)
            counts = (starts[id(channel.times)], len(channel.times), len(channel.values))
            rows.append([*head, *counts])
        add = self._table.add
        return AnimationRecord(
            name=animation.name,
            channels=add(np.array(rows, "<i8").reshape(-1, 7), whole=True),
            times=add(_joined(times)),
            values=add(_joined(values)),
            pointers=[(at, c.pointer) for at, c in enumerate(animation.channels) if c.pointer],
        )


def _joined(arrays: list[Array]) -> Array:
    if not arrays:
        return np.zeros(0, np.float32)
    return np.concatenate(arrays).astype(np.float32, copy=False)


def _storable(material: GltfMaterial) -> GltfMaterial:
    """Return the material with tuples and texture references of its parameters told apart."""
    plain = material.material
    if not plain.extensions:
        return material
    kept = {name: _tagged(body) for name, body in plain.extensions.items()}
    return replace(material, material=replace(plain, extensions=kept))


def _tagged(value: Any) -> Any:
    if isinstance(value, TextureRef):
        return msgspec.msgpack.Ext(REFERENCE, msgspec.msgpack.encode(value))
    if isinstance(value, tuple):
        return msgspec.msgpack.Ext(TUPLE, msgspec.msgpack.encode([_tagged(v) for v in value]))
    if isinstance(value, dict):
        return {key: _tagged(item) for key, item in value.items()}
    return value

"""Reading ``.casset``: first the head, which tells whether the file is of use, then the rest.

Every number is checked before anything is made of it, so that what comes out is an asset that the
importer could have made, or an error that begins with ``cooked asset``.
"""

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.assets.cooked import asset_check as check
from engine.assets.cooked.array_table import ALIGNMENT, Array, ArrayTable
from engine.assets.cooked.asset_layout import (
    AnimationRecord,
    AssetHead,
    AssetOrigin,
    GroupRecord,
    MeshRecord,
    NodeTable,
    RenderRecord,
    VertexRecord,
)
from engine.assets.cooked.asset_write import (
    ASSET_MAGIC,
    ASSET_VERSION,
    FIXED_HEAD,
    REFERENCE,
    TUPLE,
)
from engine.assets.cooked.page_sums import checksum_of, padded_to_pages
from engine.assets.gltf.asset import (
    GltfAnimation,
    GltfAsset,
    GltfChannel,
    GltfMesh,
    GltfNode,
    GltfPrimitive,
    GltfSkin,
)
from engine.assets.image import Image
from engine.assets.lods import MeshLod
from engine.assets.material import TextureRef
from engine.assets.mesh import MeshData, MorphTarget, RenderMesh
from engine.collector import paused_collector
from engine.errors import AssetError
from engine.plain_file import open_plain

_F32, _U32, _I32, _U8 = (np.dtype(code) for code in ("<f4", "<u4", "<i4", "|u1"))
_I64, _U16 = np.dtype("<i8"), np.dtype("<u2")


class CookedAssetFile:
    """An open ``.casset`` file whose head was read.

    Attributes
    ----------
    origin : AssetOrigin
        What the asset was made of.

    Raises
    ------
    AssetError
        ``cooked asset``: bad magic, another version, truncation, trailing bytes, a checksum that
        does not fit, or a head that says something impossible.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        size = os.fstat(file.fileno()).st_size
        fixed = file.read(FIXED_HEAD.size)
        if fixed[:4] != ASSET_MAGIC:
            _fail(f"bad magic {fixed[:4]!r}, expected {ASSET_MAGIC!r}")
        if len(fixed) < FIXED_HEAD.size:
            _fail("truncated: the head is cut")
        _, version, head_size, self._size, head_sum, self._sum = FIXED_HEAD.unpack(fixed)
        if version != ASSET_VERSION:
            raise AssetError(
                f"cooked asset version {version} (this engine reads {ASSET_VERSION}); it has to be "
                "cooked again"
            )
        self._start = -(-(FIXED_HEAD.size + head_size) // ALIGNMENT) * ALIGNMENT
        if self._start + self._size != size:
            what = "truncated" if self._start + self._size > size else "trailing bytes"
            _fail(f"{what}: {size} bytes, expected {self._start + self._size}")
        head = file.read(head_size)
        if zlib.adler32(head) != head_sum:
            _fail("the checksum of the head does not fit")
        if any(file.read(self._start - FIXED_HEAD.size - head_size)):
            _fail("something other than zeros between the head and the arrays")
        self._head = _decoded(head)
        self.origin: AssetOrigin = self._head.origin

    def read(self, root: Path) -> GltfAsset:
        """Read the asset, with the paths of its files below `root`.

        Raises
        ------
        AssetError
            ``cooked asset``: see above.
        """
        pages = padded_to_pages(self._size)
        data = pages[: self._size]
        self._file.seek(self._start)
        if self._file.readinto(data.data) != self._size:  # type: ignore[attr-defined]
            _fail("truncated: it became shorter")
        if checksum_of(pages) != self._sum:
            _fail("the checksum of the arrays does not fit")
        data.flags.writeable = False
        with paused_collector(), np.errstate(all="ignore"):
            asset = _AssetReader(self._head, ArrayTable(self._head.arrays, data)).asset()
        for path, digest in self.origin.sources:
            (asset.source_files if digest else asset.missing_files).append(root / path)
        return asset


def read_asset(path: str | os.PathLike[str], root: str | os.PathLike[str]) -> GltfAsset:
    """Read a ``.casset`` file, with the paths of its sources below `root`.

    Raises
    ------
    AssetError
        ``cooked asset``: the file cannot be read, or is damaged or of another version.
    """
    try:
        with open_plain(path) as file:
            return CookedAssetFile(file).read(Path(root))
    except OSError as error:
        raise AssetError(f"cooked asset {path}: cannot be read ({error.strerror})") from None


def _fail(problem: str) -> NoReturn:
    raise AssetError(f"cooked asset: {problem}")


def _restored(code: int, data: memoryview) -> Any:
    if code == REFERENCE:
        return msgspec.msgpack.decode(data, type=TextureRef)
    if code == TUPLE:
        return tuple(msgspec.msgpack.decode(data, type=list[Any], ext_hook=_restored))
    raise ValueError(f"extension {code}")


def _decoded(head: bytes) -> AssetHead:
    try:
        with paused_collector():
            return msgspec.msgpack.decode(head, type=AssetHead, ext_hook=_restored)
    except (msgspec.DecodeError, ValueError, RecursionError, TypeError) as error:
        _fail(f"the head cannot be read ({error})")


def _channels(record: VertexRecord, count: int, read: Callable[..., Any]) -> dict[str, Any]:
    """Read what a mesh to draw always has, and a mesh of a file may have, of `count` vertices."""
    return {
        "normals": read(record.normals, _F32, count, 3),
        "tangents": read(record.tangents, _F32, count, 4),
        "uv0": read(record.uv0, _F32, count, 2),
        "uv1": read(record.uv1, _F32, count, 2),
        "colors": read(record.colors, _F32, count, 4),
    }


class _AssetReader:
    def __init__(self, head: AssetHead, table: ArrayTable) -> None:
        self._record = head.asset
        self._table = table
        # Where the file needs no other vertices, several lists of indices are one.
        self._sound_indices: set[tuple[int, int, str]] = set()

    def asset(self) -> GltfAsset:
        record = self._record
        meshes = [self._mesh(mesh) for mesh in record.meshes]
        asset = GltfAsset(
            name=record.name,
            images=[
                Image(i.name, self._table.get(i.pixels, _U8, None, None, 4), i.missing)
                for i in record.images
            ],
            textures=record.textures,
            materials=record.materials,
            meshes=[self._group(group, meshes) for group in record.groups],
            nodes=self._nodes(record.nodes),
            skins=[
                GltfSkin(
                    s.joints,
                    self._table.get(s.inverse_bind, _F32, len(s.joints), 4, 4),
                    s.skeleton,
                    s.name,
                )
                for s in record.skins
            ],
            animations=[self._animation(animation) for animation in record.animations],
            roots=record.roots,
            scenes=record.scenes,
            default_scene=record.default_scene,
            cameras=record.cameras,
            lights=record.lights,
            variants=record.variants,
            extras=record.extras,
            asset_info=record.asset_info,
            extensions=record.extensions,
            warnings=record.warnings,
            changed=record.changed,
            not_understood=record.not_understood,
            seconds=record.seconds,
        )
        check.check_asset(asset)
        return asset

    def _optional(self, number: int, dtype: np.dtype[Any], *shape: int | None) -> Any:
        return None if number < 0 else self._table.get(number, dtype, *shape)

    def _positions(self, number: int) -> Any:
        # Whole, because its length is what the other arrays are held to.
        return self._table.get(number, _F32, None, 3)

    def _group(self, group: GroupRecord, meshes: list[MeshData]) -> GltfMesh:
        parts = []
        for number, material, variants in group.parts:
            if not 0 <= number < len(meshes):
                _fail(f"mesh {number} out of range of {len(meshes)}")
            parts.append(GltfPrimitive(meshes[number], material, variants))
        weights = self._table.get(group.weights, _F32, None)
        return GltfMesh(group.name, parts, weights, group.target_names, group.extras)

    def _mesh(self, record: MeshRecord) -> MeshData:
        positions = self._positions(record.positions)
        count, optional = len(positions), self._optional
        mesh = MeshData(
            positions=positions,
            **_channels(record, count, optional),
            joints=optional(record.joints, _U16, count, 4),
            weights=optional(record.weights, _F32, count, 4),
            indices=self._indices(record.indices, count, record.topology),
            morph_targets=[
                MorphTarget(
                    optional(t.positions, _F32, count, 3),
                    optional(t.normals, _F32, count, 3),
                    optional(t.tangents, _F32, count, 3),
                    t.name,
                )
                for t in record.targets
            ],
            topology=record.topology,
            needs_tangents=record.needs_tangents,
            extensions=record.extensions,
        )
        if (mesh.joints is None) != (mesh.weights is None):
            _fail("joints without weights, or weights without joints")
        render = self._render(record.render, mesh)
        lods = self._lods(record, len(render.positions))
        mesh.keep_derived(render, lods)
        return mesh

    def _indices(self, number: int, vertices: int, topology: str) -> Any:
        indices = self._table.get(number, _U32, None)
        what = (number, vertices, topology)
        if what not in self._sound_indices:
            check.check_indices(indices, vertices)
            check.check_corners(indices, topology)
            self._sound_indices.add(what)
        return indices

    def _lods(self, record: MeshRecord, vertices: int) -> tuple[Array, list[MeshLod]]:
        indices = self._indices(record.lods.indices, vertices, record.topology)
        levels = [MeshLod(*level) for level in record.lods.levels]
        check.check_levels(levels, len(indices), record.topology)
        return indices, levels

    def _render(self, record: RenderRecord, mesh: MeshData) -> RenderMesh:
        positions = self._positions(record.positions)
        count, targets, get = len(positions), len(mesh.morph_targets), self._table.get
        optional = self._optional
        source = optional(record.source_vertices, _I64, count)
        if source is not None:
            check.check_indices(source, mesh.vertex_count)
        elif count != mesh.vertex_count:
            _fail(f"{count} vertices to draw, expected {mesh.vertex_count}")
        low, high = get(record.bounds, _F32, 2, 3)
        joints = optional(record.joints, _U16, count, 4)
        weights = optional(record.weights, _F32, count, 4)
        if (joints is None) != (mesh.joints is None) or (weights is None) != (joints is None):
            _fail("skin data to draw, but none in the mesh, or the other way round")
        drawn = RenderMesh(
            positions=positions,
            **_channels(record, count, get),
            joints=joints,
            weights=weights,
            indices=self._indices(record.indices, count, mesh.topology),
            morph_positions=optional(record.morph_positions, _F32, targets, count, 3),
            morph_normals=optional(record.morph_normals, _F32, targets, count, 3),
            morph_tangents=optional(record.morph_tangents, _F32, targets, count, 3),
            topology=mesh.topology,
            flat=record.flat,
            bounds=(low, high),
            source_vertices=source,
        )
        check.check_facts(record.facts)
        drawn.facts = record.facts
        return drawn

    def _nodes(self, table: NodeTable) -> list[GltfNode]:
        count, get = len(table.names), self._table.get
        parents = get(table.parents, _I32, count).tolist()
        counts = get(table.child_counts, _I32, count).tolist()
        flat = get(table.children, _I32, None).tolist()
        children = check.split_children(parents, counts, flat)
        links = get(table.links, _I32, count, 4).tolist()
        columns = (
            get(table.translations, _F32, count, 3),
            get(table.rotations, _F32, count, 4),
            get(table.scales, _F32, count, 3),
            get(table.local_matrices, _F32, count, 4, 4),
            get(table.world_matrices, _F32, count, 4, 4),
        )
        nodes = [
            GltfNode(name, parent, below, *link, *values)
            for name, parent, below, link, *values in zip(
                table.names,
                _indices_or_none(parents),
                children,
                map(_indices_or_none, links),
                *columns,
                strict=True,
            )
        ]
        for node, flags in zip(nodes, get(table.flags, _U8, count).tolist(), strict=True):
            node.has_matrix, node.visible = bool(flags & 1), bool(flags & 2)
        self._rare(nodes, table)
        return nodes

    def _rare(self, nodes: list[GltfNode], table: NodeTable) -> None:
        pairs = (table.morph_weights, table.instances, table.extras, table.extensions)
        for at, _ in (pair for found in pairs for pair in found):
            if not 0 <= at < len(nodes):
                _fail(f"node {at} out of range of {len(nodes)}")
        for at, number in table.morph_weights:
            nodes[at].morph_weights = self._table.get(number, _F32, None)
        for at, number in table.instances:
            nodes[at].instances = self._table.get(number, _F32, None, 4, 4)
        for at, extras in table.extras:
            nodes[at].extras = extras
        for at, extensions in table.extensions:
            nodes[at].extensions = extensions

    def _animation(self, record: AnimationRecord) -> GltfAnimation:
        times, values = (self._table.get(n, _F32, None) for n in (record.times, record.values))
        rows = self._table.get(record.channels, _I64, None, 7)
        check.check_channels(rows, len(times), len(values))
        shared: dict[tuple[int, int], NDArray[np.float32]] = {}
        channels, end = [], 0
        for node, path, interpolation, components, start, keys, size in rows.tolist():
            own = shared.setdefault((start, keys), times[start : start + keys])
            head = (node, path, interpolation, components)
            channels.append(GltfChannel(*head, own, values[end : end + size]))
            end += size
        for at, pointer in record.pointers:
            if not 0 <= at < len(channels):
                _fail(f"channel {at} out of range of {len(channels)}")
            channels[at].pointer = pointer
        return GltfAnimation(record.name, channels)


def _indices_or_none(numbers: list[int]) -> list[int | None]:
    return [None if number < 0 else number for number in numbers]

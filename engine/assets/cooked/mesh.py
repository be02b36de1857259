"""``.cmesh``: the vertex, skin, index and morph streams of one primitive, ready to upload.

Layout (version 1, after the magic ``CMSH`` and the version): u32 vertex_count, vertex_bytes,
skin_bytes, index_bytes, lod_count; vec3 bounds_min, bounds_max; u32 morph_target_count,
morph_bytes; string material; per level u32 first_index, index_count, f32 error; then the four
blocks. Version 1 holds triangles only, and no vertex colours.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.assets.cooked.finite import odd_field
from engine.assets.cooked.stream import F32, CookedReader, CookedWriter
from engine.assets.lods import MeshLod
from engine.assets.mesh import MeshData, RenderMesh
from engine.errors import AssetError

MESH_MAGIC = b"CMSH"
MESH_VERSION = 1
MAX_LODS = 16
VERTEX = np.dtype(
    [
        ("position", "<f4", 3),
        ("normal", "<f4", 3),
        ("tangent", "<f4", 4),
        ("uv0", "<f4", 2),
        ("uv1", "<f4", 2),
    ]
)
SKIN = np.dtype([("joints", "<u2", 4), ("weights", "<f4", 4)])
MORPH = np.dtype([("position", "<f4", 3), ("pad0", "<f4"), ("normal", "<f4", 3), ("pad1", "<f4")])


@dataclass(slots=True)
class CookedMesh:
    """One triangle mesh as the bytes that a renderer uploads.

    ``vertex_bytes`` holds `VERTEX` records, ``skin_bytes`` `SKIN` records or nothing,
    ``index_bytes`` u32 indices of all levels, ``morph_bytes`` `MORPH` records of each target in
    turn. Bounds are (3,) float32. ``material`` is a logical path or empty.
    """

    vertex_count: int = 0
    vertex_bytes: bytes = b""
    skin_bytes: bytes = b""
    index_bytes: bytes = b""
    morph_bytes: bytes = b""
    morph_target_count: int = 0
    lods: list[MeshLod] = field(default_factory=list)
    bounds_min: F32 = field(default_factory=lambda: np.zeros(3, np.float32))
    bounds_max: F32 = field(default_factory=lambda: np.zeros(3, np.float32))
    material: str = ""

    def vertices(self) -> NDArray[np.void]:
        """Return the (n,) records of the vertex stream, a view."""
        return np.frombuffer(self.vertex_bytes, VERTEX)

    def skin(self) -> NDArray[np.void] | None:
        """Return the (n,) records of the skin stream, None without one."""
        return np.frombuffer(self.skin_bytes, SKIN) if self.skin_bytes else None

    def indices(self) -> NDArray[np.uint32]:
        """Return the indices of all levels, (m,)."""
        return np.frombuffer(self.index_bytes, "<u4").astype(np.uint32, copy=False)

    def morphs(self) -> NDArray[np.void] | None:
        """Return the (targets, n) records of the morph stream, None without one."""
        if not self.morph_target_count:
            return None
        return np.frombuffer(self.morph_bytes, MORPH).reshape(self.morph_target_count, -1)


def cook_mesh(
    data: MeshData,
    lods: tuple[ArrayLike, Sequence[MeshLod]] | None = None,
    material: str = "",
    *,
    tangents: bool | None = None,
) -> CookedMesh:
    """Turn `data` into what version 1 of the format holds.

    Parameters
    ----------
    data : MeshData
        Triangles.
    lods : (indices, list of MeshLod), optional
        What ``data.build_lods()`` gave; without it there is the one level of full detail.
    material : str
        Logical path of the material, empty for the default one.
    tangents : bool, optional
        Which `MeshData.render_mesh` the levels are for; None as in ``build_lods``: the one with
        tangents if the file has any.

    Raises
    ------
    AssetError
        ``cooked mesh``: not triangles, or levels that are not within the mesh.
    """
    if data.topology != "triangles":
        raise AssetError(f"cooked mesh: found {data.topology}, expected triangles")
    mesh = data.render_mesh(data.tangents is not None if tangents is None else tangents)
    indices, levels = (mesh.indices, [MeshLod(0, len(mesh.indices))]) if lods is None else lods
    stream = np.ascontiguousarray(indices, "<u4").reshape(-1)
    cooked = CookedMesh(
        vertex_count=len(mesh.positions),
        vertex_bytes=_vertex_bytes(mesh),
        skin_bytes=_skin_bytes(mesh),
        index_bytes=stream.tobytes(),
        lods=list(levels),
        bounds_min=np.asarray(mesh.bounds[0], np.float32),
        bounds_max=np.asarray(mesh.bounds[1], np.float32),
        material=material,
    )
    if mesh.morph_positions is not None or mesh.morph_normals is not None:
        cooked.morph_target_count = len(data.morph_targets)
        cooked.morph_bytes = _morph_bytes(mesh, cooked.morph_target_count)
    problem = _problem(cooked)
    if problem:
        raise AssetError(f"cooked mesh: {problem}")
    return cooked


def _vertex_bytes(mesh: RenderMesh) -> bytes:
    vertices = np.empty(len(mesh.positions), VERTEX)
    vertices["position"], vertices["normal"] = mesh.positions, mesh.normals
    vertices["tangent"], vertices["uv0"], vertices["uv1"] = mesh.tangents, mesh.uv0, mesh.uv1
    return vertices.tobytes()


def _skin_bytes(mesh: RenderMesh) -> bytes:
    if mesh.joints is None or mesh.weights is None:
        return b""
    skin = np.empty(len(mesh.positions), SKIN)
    skin["joints"], skin["weights"] = mesh.joints, mesh.weights
    return skin.tobytes()


def _morph_bytes(mesh: RenderMesh, targets: int) -> bytes:
    morphs = np.zeros((targets, len(mesh.positions)), MORPH)
    if mesh.morph_positions is not None:
        morphs["position"] = mesh.morph_positions
    if mesh.morph_normals is not None:
        morphs["normal"] = mesh.morph_normals
    return morphs.tobytes()


def write_mesh(mesh: CookedMesh) -> bytes:
    """Return the bytes of a ``.cmesh`` file.

    Raises
    ------
    AssetError
        ``cooked mesh``: blocks, counts or ranges that `read_mesh` would refuse.
    """
    problem = _problem(mesh)
    if problem:
        raise AssetError(f"cooked mesh: {problem}")
    out = CookedWriter(MESH_MAGIC, MESH_VERSION, "mesh")
    out.u32(mesh.vertex_count, len(mesh.vertex_bytes), len(mesh.skin_bytes))
    out.u32(len(mesh.index_bytes), len(mesh.lods))
    out.floats(mesh.bounds_min)
    out.floats(mesh.bounds_max)
    out.u32(mesh.morph_target_count, len(mesh.morph_bytes))
    out.string(mesh.material)
    for lod in mesh.lods:
        out.u32(lod.first_index, lod.index_count)
        out.floats([lod.error])
    for block in (mesh.vertex_bytes, mesh.skin_bytes, mesh.index_bytes, mesh.morph_bytes):
        out.raw(block)
    return out.finish()


def read_mesh(data: bytes) -> CookedMesh:
    """Read a ``.cmesh`` file.

    Raises
    ------
    AssetError
        ``cooked mesh``: bad magic, another version, truncation, trailing bytes, inconsistent
        counts, an index out of range, or numbers that are not finite.
    """
    source = CookedReader(data, MESH_MAGIC, MESH_VERSION, "mesh")
    mesh = CookedMesh(vertex_count=source.u32())
    vertex_size, skin_size, index_size = source.u32(), source.u32(), source.u32()
    lod_count = source.u32()
    mesh.bounds_min, mesh.bounds_max = source.floats(3), source.floats(3)
    mesh.morph_target_count, morph_size = source.u32(), source.u32()
    mesh.material = source.string()
    if not 1 <= lod_count <= MAX_LODS:
        source.fail(f"{lod_count} levels, expected 1 to {MAX_LODS}")
    mesh.lods = [MeshLod(source.u32(), source.u32(), source.f32()) for _ in range(lod_count)]
    mesh.vertex_bytes = bytes(source.take(vertex_size))
    mesh.skin_bytes = bytes(source.take(skin_size))
    mesh.index_bytes = bytes(source.take(index_size))
    mesh.morph_bytes = bytes(source.take(morph_size))
    source.end()
    problem = _problem(mesh)
    if problem:
        source.fail(problem)
    return mesh


def _problem(mesh: CookedMesh) -> str:
    """Return what contradicts itself in `mesh`, empty when nothing does."""
    count, targets = mesh.vertex_count, mesh.morph_target_count
    blocks = [
        ("vertex", len(mesh.vertex_bytes), count * VERTEX.itemsize),
        ("morph", len(mesh.morph_bytes), targets * count * MORPH.itemsize),
    ]
    if mesh.skin_bytes:
        blocks.append(("skin", len(mesh.skin_bytes), count * SKIN.itemsize))
    for name, found, expected in blocks:
        if found != expected:
            return f"{found} {name} bytes, expected {expected} for {count} vertices"
    if len(mesh.index_bytes) % 12:
        return f"{len(mesh.index_bytes)} index bytes are not whole triangles"
    if not 1 <= len(mesh.lods) <= MAX_LODS:
        return f"{len(mesh.lods)} levels, expected 1 to {MAX_LODS}"
    return _range_problem(mesh)


def _range_problem(mesh: CookedMesh) -> str:
    indices = mesh.indices()
    for at, lod in enumerate(mesh.lods):
        if lod.first_index % 3 or lod.index_count % 3:
            return f"level {at}: its range is not a multiple of 3"
        if lod.first_index + lod.index_count > len(indices):
            return f"level {at}: its range is out of range of {len(indices)} indices"
    if len(indices) and int(indices.max()) >= mesh.vertex_count:
        return f"index {int(indices.max())} out of range of {mesh.vertex_count} vertices"
    return _number_problem(mesh)


def _number_problem(mesh: CookedMesh) -> str:
    skin, morphs = mesh.skin(), mesh.morphs()
    for place, records in (
        ("", mesh.vertices()),
        ("skin of ", skin),
        ("morph of ", None if morphs is None else morphs.reshape(-1)),
    ):
        found = None if records is None else odd_field(records)
        if found is not None:
            target, vertex = divmod(found[0], mesh.vertex_count)
            where = f"target {target}, " if place.startswith("morph") else ""
            return f"{place}{where}vertex {vertex}: its {found[1]} is not finite"
    return ""

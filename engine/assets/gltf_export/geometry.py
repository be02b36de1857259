"""Meshes on their way into a file."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import GltfAsset, GltfMesh, GltfPrimitive
from engine.assets.gltf_export import repairs
from engine.assets.gltf_export.draft import (
    TRIANGLES,
    VERTICES,
    Draft,
    Json,
    named,
    with_extensions,
    with_extras,
)
from engine.assets.mesh import MeshData, MorphTarget

_PER_VERTEX = ("normals", "uv0", "uv1", "colors", "joints", "weights")
_MODES = {"points": 0, "lines": 1, "triangles": 4}


def write_mesh(draft: Draft, asset: GltfAsset, source: GltfMesh) -> int | None:
    """Write a mesh; return its index, or None when nothing of it can be drawn."""
    primitives = [
        _primitive(draft, asset, primitive)
        for primitive in source.primitives
        if len(primitive.mesh.positions)
    ]
    if not primitives:
        if source.primitives:
            draft.warn(f"the mesh '{source.name}' has no vertices and is left out")
        return None
    item: Json = {"primitives": primitives}
    if len(source.weights) and bool(source.weights.any()):
        item["weights"] = source.weights.tolist()
    return draft.add("meshes", named(source.name, with_extras(_extras(source), item)))


def _extras(source: GltfMesh) -> object:
    """Return a mesh's extras; the names of morph targets are kept there by convention."""
    if not any(source.target_names) or source.extras is not None:
        return source.extras
    return {"targetNames": list(source.target_names)}


def _primitive(draft: Draft, asset: GltfAsset, source: GltfPrimitive) -> Json:
    mesh = source.mesh
    if _needs_computed_tangents(asset, source):
        mesh = _with_tangents(mesh)
    item: Json = {"attributes": _attributes(draft, mesh), "mode": _MODES[mesh.topology]}
    indices = _indices(mesh)
    if indices is not None:
        item["indices"] = draft.accessor(indices, "SCALAR", TRIANGLES)
    if source.material >= 0:
        item["material"] = source.material
    targets = [_target(draft, mesh, target) for target in mesh.morph_targets]
    if targets:
        item["targets"] = targets
    by_material: dict[int, list[int]] = {}
    for variant, material in sorted(source.variants.items()):
        if variant < len(asset.variants):
            by_material.setdefault(material, []).append(variant)
    mappings = [{"material": m, "variants": v} for m, v in by_material.items()]
    extensions = {draft.use("KHR_materials_variants"): {"mappings": mappings}} if mappings else {}
    return with_extensions(extensions, item)


def _needs_computed_tangents(asset: GltfAsset, source: GltfPrimitive) -> bool:
    """Tell whether a reader could not compute the tangents, for want of a normal map to follow."""
    mesh = source.mesh
    if mesh.topology != "triangles" or mesh.normals is None or mesh.uv0 is None:
        return False
    used = [asset.materials[m] for m in (source.material, *source.variants.values()) if m >= 0]
    return mesh.tangents is None and any(
        material.needs_tangents() and material.material.normal_texture is None for material in used
    )


def _with_tangents(mesh: MeshData) -> MeshData:
    """Return the mesh with the tangents that are computed for drawing."""
    drawn = mesh.render_mesh(tangents=True)
    source = drawn.source_vertices
    rows = slice(None) if source is None else source

    def taken(values: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
        return None if values is None else values[rows]

    carried: dict[str, Any] = {name: taken(getattr(mesh, name)) for name in _PER_VERTEX}
    return replace(
        mesh,
        **carried,
        positions=drawn.positions,
        tangents=drawn.tangents,
        indices=drawn.indices,
        morph_targets=[
            MorphTarget(taken(t.positions), taken(t.normals), taken(t.tangents), t.name)
            for t in mesh.morph_targets
        ],
    )


def _indices(mesh: MeshData) -> NDArray[np.uint16] | NDArray[np.uint32] | None:
    """Return indices as narrow as they go; None where they only count up."""
    count = len(mesh.positions)
    indices = mesh.indices
    if len(indices) == count and bool((indices == np.arange(count)).all()):
        return None
    if not len(indices):
        # No index is no accessor: one element that draws nothing stands for it.
        size = {"points": 1, "lines": 2, "triangles": 3}[mesh.topology]
        return np.zeros(size, np.uint16)
    # The largest value of a type restarts a primitive and may not be used.
    return indices.astype(np.uint16) if count < 0xFFFF else indices


def _attributes(draft: Draft, mesh: MeshData) -> Json:
    if not bool(np.isfinite(mesh.positions).all()):
        draft.warn("positions that are not finite were written as 0")
    positions = repairs.finite(mesh.positions)
    found: Json = {"POSITION": draft.accessor(positions, "VEC3", VERTICES, bounds=True)}
    if mesh.normals is not None:
        normals = repairs.unit_vectors(mesh.normals, (0.0, 0.0, 1.0))
        found["NORMAL"] = draft.accessor(normals, "VEC3", VERTICES)
        if mesh.tangents is not None:
            found["TANGENT"] = draft.accessor(repairs.tangents(mesh.tangents), "VEC4", VERTICES)
    for name, values in zip(("TEXCOORD_0", "TEXCOORD_1"), _uv_sets(mesh), strict=False):
        found[name] = draft.accessor(repairs.finite(values), "VEC2", VERTICES)
    if mesh.colors is not None:
        found["COLOR_0"] = draft.accessor(repairs.colors(mesh.colors), "VEC4", VERTICES)
    if mesh.joints is not None and mesh.weights is not None:
        joints, weights = repairs.influences(mesh.joints, mesh.weights)
        narrow = joints.astype(np.uint8) if int(joints.max(initial=0)) < 256 else joints
        found["JOINTS_0"] = draft.accessor(narrow, "VEC4", VERTICES)
        found["WEIGHTS_0"] = draft.accessor(weights, "VEC4", VERTICES)
    return found


def _uv_sets(mesh: MeshData) -> Sequence[NDArray[np.float32]]:
    """Return the UV sets from the first on; they must be numbered without a gap."""
    if mesh.uv1 is None:
        return [] if mesh.uv0 is None else [mesh.uv0]
    first = np.zeros_like(mesh.uv1) if mesh.uv0 is None else mesh.uv0
    return [first, mesh.uv1]


def _target(draft: Draft, mesh: MeshData, target: MorphTarget) -> Json:
    found: Json = {}
    if target.positions is not None:
        positions = repairs.finite(target.positions)
        found["POSITION"] = draft.accessor(positions, "VEC3", VERTICES, bounds=True)
    for name, values, base in (
        ("NORMAL", target.normals, mesh.normals),
        ("TANGENT", target.tangents, None if mesh.normals is None else mesh.tangents),
    ):
        if values is not None and base is not None:
            found[name] = draft.accessor(repairs.finite(values), "VEC3", VERTICES)
    if not found:
        still = np.zeros_like(mesh.positions)
        found["POSITION"] = draft.accessor(still, "VEC3", VERTICES, bounds=True)
    return found

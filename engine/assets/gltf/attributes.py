"""Vertex attributes: which layouts are allowed, and how they become `MeshData` arrays.

glTF 2.0, 3.7.2.1 allows floats nearly everywhere, normalised unsigned integers for UVs, colours
and weights; KHR_mesh_quantization adds signed and unnormalised integers. The integer layouts of
positions and normals are accepted whether or not the file names that extension: the data is clear.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.accessors import AccessorData, as_floats
from engine.assets.gltf.document import Document

F32 = NDArray[np.float32]


@dataclass(slots=True)
class Influences:
    """The four strongest joints of each vertex."""

    joints: NDArray[np.uint16]
    weights: F32


def _require(data: AccessorData, types: tuple[str, ...], kinds: str, where: str) -> None:
    if data.type not in types:
        data.source.fail("type", f"{' or '.join(types)} for {where}")
    if data.values.dtype.kind not in kinds:
        expected = {"f": "float", "u": "unsigned integer"}.get(kinds, "float or small integer")
        data.source.fail("componentType", f"a {expected} type for {where}")
    if data.values.dtype == np.dtype("<u4") and where != "JOINTS":
        data.source.fail("componentType", f"a float or small integer type for {where}")


def vectors(data: AccessorData, types: tuple[str, ...], where: str) -> F32:
    """Return a float attribute, (n, width) float32."""
    _require(data, types, "fiu", where)
    return as_floats(data.values, data.normalized)


def texcoords(data: AccessorData, where: str) -> F32:
    """Return UVs, (n, 2) float32."""
    return vectors(data, ("VEC2",), where)


def colors(data: AccessorData, where: str) -> F32:
    """Return linear RGBA, (n, 4) float32; integers count as normalised, alpha defaults to 1."""
    _require(data, ("VEC3", "VEC4"), "fiu", where)
    rgb = as_floats(data.values, True)
    if rgb.shape[1] == 4:
        return rgb
    rgba = np.ones((len(rgb), 4), np.float32)
    rgba[:, :3] = rgb
    return rgba


def influences(
    document: Document, sets: list[tuple[AccessorData, AccessorData]], pointer: str
) -> Influences:
    """Combine JOINTS_n and WEIGHTS_n: the strongest four of each vertex, weights summing to 1."""
    joints, weights = [], []
    for joint_data, weight_data in sets:
        _require(joint_data, ("VEC4",), "u", "JOINTS")
        _require(weight_data, ("VEC4",), "fu", "WEIGHTS")
        joints.append(joint_data.values)
        weights.append(as_floats(weight_data.values, True))
    all_joints = joints[0] if len(joints) == 1 else np.concatenate(joints, axis=1)
    all_weights = weights[0] if len(weights) == 1 else np.concatenate(weights, axis=1)
    if len(all_joints) and int(all_joints.max()) > 0xFFFF:
        sets[0][0].source.fail_range("componentType", detail="a joint index above 65535")
    if bool((all_joints[all_weights == 0] != 0).any()):
        document.warn(pointer, "joints that are named with a weight of zero")
    if len(sets) > 1:
        if bool((np.count_nonzero(all_weights, axis=1) > 4).any()):
            document.change(
                pointer, "more than four joints per vertex: the strongest four are kept"
            )
        strongest = np.argsort(-all_weights, axis=1, kind="stable")[:, :4]
        all_joints = np.take_along_axis(all_joints, strongest, axis=1)
        all_weights = np.take_along_axis(all_weights, strongest, axis=1)
    return Influences(all_joints.astype(np.uint16), _normalised(all_weights))


def _normalised(weights: F32) -> F32:
    """Return weights that sum to 1; rows that sum to nothing stay as they are."""
    total = weights.sum(axis=1, keepdims=True)
    usable = np.isfinite(total) & (total > 0)
    if bool((np.abs(total - 1)[usable] < 1e-6).all()) and bool(usable.all()):
        return weights
    out: F32 = np.where(usable, weights / np.where(usable, total, 1), np.nan_to_num(weights))
    return out.astype(np.float32)

"""``.cskel``: the joints of one skin at rest.

Layout (version 1, after the magic ``CSKL`` and the version): u32 joints, then per joint string
name, u32 node, i32 parent, 16 f32 inverse bind (column by column), 3 f32 rest translation, 4 f32
rotation, 3 f32 scale.
"""

from dataclasses import dataclass, field

import numpy as np

from engine.assets.cooked.stream import F32, CookedReader, CookedWriter
from engine.assets.gltf.asset import GltfAsset
from engine.errors import AssetError
from engine.math import decompose

SKELETON_MAGIC = b"CSKL"
SKELETON_VERSION = 1
_JOINT_BYTES = 4 + 4 + 4 + 16 * 4 + 10 * 4


@dataclass(slots=True, eq=False)
class Joint:
    """One joint.

    ``node`` is the glTF node, ``parent`` the number of the nearest joint above it, -1 for none.
    ``inverse_bind`` is (4, 4) float32; ``translation`` (3,), ``rotation`` (4,) and ``scale`` (3,)
    place it at rest in its parent joint.
    """

    name: str
    node: int
    parent: int
    inverse_bind: F32
    translation: F32
    rotation: F32
    scale: F32


@dataclass(slots=True, eq=False)
class Skeleton:
    """Joints in the order that vertices number them."""

    joints: list[Joint] = field(default_factory=list)


def skeleton_from_gltf(asset: GltfAsset, skin: int) -> Skeleton:
    """Return the joints of one skin of `asset`.

    Raises
    ------
    AssetError
        ``cooked skeleton``: there is no such skin.
    """
    if not 0 <= skin < len(asset.skins):
        raise AssetError(f"cooked skeleton: skin {skin}, but the file has {len(asset.skins)}")
    source = asset.skins[skin]
    number_of: dict[int, int] = {}
    for number, node in enumerate(source.joints):
        number_of.setdefault(node, number)
    return Skeleton(
        [
            _joint(asset, node, number_of, inverse_bind)
            for node, inverse_bind in zip(source.joints, source.inverse_bind, strict=True)
        ]
    )


def _joint(asset: GltfAsset, index: int, number_of: dict[int, int], inverse_bind: F32) -> Joint:
    node = asset.nodes[index]
    translation, rotation, scale = node.translation, node.rotation, node.scale
    above, between = node.parent, []
    while above is not None and above not in number_of:
        between.append(asset.nodes[above].local)
        above = asset.nodes[above].parent
    parent = -1 if above is None else number_of[above]
    if above is None:
        between = []
    if between or node.has_matrix:
        parent_from_local = node.local
        for local in between:
            parent_from_local = local @ parent_from_local
        translation, rotation, scale = decompose(parent_from_local)
    return Joint(node.name, index, parent, inverse_bind, translation, rotation, scale)


def write_skeleton(skeleton: Skeleton) -> bytes:
    """Return the bytes of a ``.cskel`` file.

    Raises
    ------
    AssetError
        ``cooked skeleton``: a parent or a number that `read_skeleton` would refuse.
    """
    problem = _parent_problem([joint.parent for joint in skeleton.joints])
    if problem:
        raise AssetError(f"cooked skeleton: {problem}")
    out = CookedWriter(SKELETON_MAGIC, SKELETON_VERSION, "skeleton")
    out.u32(len(skeleton.joints))
    for joint in skeleton.joints:
        out.string(joint.name)
        out.u32(joint.node)
        out.i32(joint.parent)
        out.floats(np.asarray(joint.inverse_bind, np.float32).reshape(4, 4).T)
        out.floats([*joint.translation, *joint.rotation, *joint.scale])
    return out.finish()


def read_skeleton(data: bytes) -> Skeleton:
    """Read a ``.cskel`` file.

    Raises
    ------
    AssetError
        ``cooked skeleton``: bad magic, another version, truncation, trailing bytes, a parent out
        of range, joints that are their own ancestors, or numbers that are not finite.
    """
    source = CookedReader(data, SKELETON_MAGIC, SKELETON_VERSION, "skeleton")
    skeleton = Skeleton()
    for _ in range(source.count("joints", _JOINT_BYTES)):
        name, node, parent = source.string(), source.u32(), source.i32()
        inverse_bind = np.ascontiguousarray(source.floats(16).reshape(4, 4).T)
        rest = source.floats(3), source.floats(4), source.floats(3)
        skeleton.joints.append(Joint(name, node, parent, inverse_bind, *rest))
    source.end()
    problem = _parent_problem([joint.parent for joint in skeleton.joints])
    if problem:
        source.fail(problem)
    return skeleton


def _parent_problem(parents: list[int]) -> str:
    is_settled: set[int] = {-1}
    for start, parent in enumerate(parents):
        if not -1 <= parent < len(parents):
            return f"joint {start}: parent {parent} out of range of {len(parents)} joints"
    for start in range(len(parents)):
        path, at = set[int](), start
        while at not in is_settled:
            if at in path:
                return f"joint {at} is its own ancestor"
            path.add(at)
            at = parents[at]
        is_settled |= path
    return ""

"""How far the vertices of skinned and morphed instances reach, without touching a vertex.

A skin puts a vertex among the places that its joints alone would put it, as its weights sum to
one. So the box of an instance is the union over joints of each joint's matrix times the box of the
vertices it holds. Morph targets widen those boxes by the extents of their deltas times the
weights. The boxes are never too small; they are seldom tight.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.render.columns import InstanceArrays

F32 = NDArray[np.float32]
Int = NDArray[np.int64]
# Room for what rounding of single precision adds, as a share of a box.
_SLACK = 1e-5


class MeshReach(NamedTuple):
    """What bounds a mesh's vertices in every pose.

    Parameters
    ----------
    joints
        (j,) numbers of the joints that hold vertices; empty without a skin.
    lo, hi
        (j, 3) corners of the box at rest of each joint's vertices.
    morph_lo, morph_hi
        (k, 3) smallest and largest delta of each morph target.
    """

    joints: Int
    lo: F32
    hi: F32
    morph_lo: F32
    morph_hi: F32


def mesh_reach(
    positions: F32,
    joints: NDArray[Any] | None,
    weights: F32 | None,
    morph_positions: F32 | None,
) -> MeshReach | None:
    """What bounds a mesh; None for one that does not deform.

    Parameters
    ----------
    positions
        (n, 3).
    joints, weights
        (n, 4) each, weights of a vertex summing to one; None without a skin.
    morph_positions
        (k, n, 3) deltas, None without targets.
    """
    deltas = np.zeros((0, 1, 3), np.float32) if morph_positions is None else morph_positions
    has_skin = joints is not None and weights is not None
    if not len(positions) or not (has_skin or len(deltas)):
        return None
    numbers, lo, hi = np.zeros(0, np.int64), _NO_CORNERS, _NO_CORNERS
    if joints is not None and weights is not None:
        numbers, lo, hi = _joint_boxes(positions, joints, weights)
    return MeshReach(numbers, lo, hi, deltas.min(axis=1), deltas.max(axis=1))


def _joint_boxes(positions: F32, joints: NDArray[Any], weights: F32) -> tuple[Int, F32, F32]:
    if weights.min() < 0.0:
        # Outside of what its joints span: nothing is known, which an infinite box says.
        reach = np.full((1, 3), np.inf, np.float32)
        return np.zeros(1, np.int64), -reach, reach
    vertex, slot = np.nonzero(weights)
    held = joints[vertex, slot].astype(np.int64)
    order = np.argsort(held, kind="stable")
    numbers, starts = np.unique(held[order], return_index=True)
    points = positions[vertex[order]]
    return (
        numbers,
        np.minimum.reduceat(points, starts).astype(np.float32),
        np.maximum.reduceat(points, starts).astype(np.float32),
    )


def full_weights(weights: F32) -> F32:
    """(n, 4) weights that sum to one; a vertex without any follows its first joint."""
    total = np.abs(weights).sum(axis=1, keepdims=True)
    alone = np.array([1.0, 0.0, 0.0, 0.0], np.float32)
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), alone)


class DeformedBoxes:
    """Local boxes of the instances of a scene that a palette or weights deform.

    Attributes
    ----------
    rows
        (r,) the instances, ascending.
    lo, hi
        (r, 3) corners; infinite where nothing is known.
    stretch
        (r,) how much longer than the mesh's own metres a length can be by its joints; infinite
        where a target is on.
    """

    def __init__(self) -> None:
        self.rows: Int = np.zeros(0, np.int64)
        self.lo: F32 = _NO_CORNERS
        self.hi: F32 = _NO_CORNERS
        self.stretch: F32 = np.zeros(0, np.float32)
        self._joints = _Pose((4, 4))
        self._weights = _Pose(())
        self._plan = _Plan.of_nothing()

    def reset(
        self,
        arrays: InstanceArrays,
        reaches: Sequence[MeshReach | None],
        rest: tuple[F32, F32],
        joints: F32,
        weights: F32,
    ) -> None:
        """Take every instance anew.

        Parameters
        ----------
        arrays
            The instances.
        reaches
            By mesh id.
        rest
            (n, 3) corners by mesh id, of meshes at rest.
        joints, weights
            (j, 4, 4) matrices and (w,) morph weights that instances point into.
        """
        self._plan = _Plan.of(arrays, reaches, rest, len(joints), len(weights))
        self.rows = self._plan.rows
        self.lo, self.hi = np.empty((2, len(self.rows), 3), np.float32)
        self.stretch = np.ones(len(self.rows), np.float32)
        self._joints.take(joints)
        self._weights.take(weights)
        self._pose(np.arange(len(self.rows)), joints, weights)

    def follow(self, joints: F32, weights: F32) -> Int:
        """Take new matrices and weights.

        Parameters
        ----------
        joints : (j, 4, 4) float32
        weights : (w,) float32

        Returns
        -------
        (k,) int64
            The positions in `rows` whose boxes are others.
        """
        plan = self._plan
        moved = self._joints.take(joints)
        blended = self._weights.take(weights)
        if not len(plan.rows):
            return plan.rows
        touched = _any_within(moved, plan.first_joint, plan.joint_end)
        touched |= _any_within(blended, plan.first_weight, plan.first_weight + plan.weight_count)
        chosen = np.flatnonzero(touched)
        if len(chosen):
            self._pose(chosen, joints, weights)
        return chosen

    @property
    def moved_joints(self) -> Int:
        """(m,) numbers of the matrices that the last call changed."""
        return self._joints.changed

    @property
    def moved_weights(self) -> Int:
        """(m,) numbers of the morph weights that the last call changed."""
        return self._weights.changed

    def _pose(self, chosen: Int, joints: F32, weights: F32) -> None:
        plan = self._plan
        # What a file holds may be infinite or no number: such a box is not known.
        with np.errstate(all="ignore"):
            wider_lo, wider_hi, blends = plan.morph_extents(chosen, weights)
            lo, hi = plan.rest_lo[chosen] + wider_lo, plan.rest_hi[chosen] + wider_hi
            stretch = np.where(blends, np.float32(np.inf), np.float32(1.0))
            skinned = np.flatnonzero(plan.joint_count[chosen] > 0)
            if len(skinned):
                wider = wider_lo[skinned], wider_hi[skinned]
                found = plan.skinned(chosen[skinned], joints, *wider)
                lo[skinned], hi[skinned] = found[0], found[1]
                stretch[skinned] = np.maximum(stretch[skinned], found[2])
        unknown = ~(np.isfinite(lo) & np.isfinite(hi)).all(axis=1)
        lo[unknown], hi[unknown] = -np.inf, np.inf
        self.lo[chosen], self.hi[chosen], self.stretch[chosen] = lo, hi, stretch


class _Pose:
    """Values as they were last seen, and which of them are others now."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._seen: F32 = np.zeros((0, *shape), np.float32)
        self.changed: Int = np.zeros(0, np.int64)

    def take(self, values: F32) -> NDArray[np.bool_]:
        """(n,) which values differ in a bit from those of the call before."""
        if values.shape != self._seen.shape:
            self._seen = values.copy()
            differs = np.ones(len(values), np.bool_)
        else:
            bits, seen = values.view(np.uint32), self._seen.view(np.uint32)
            differs = bits != seen
            if differs.ndim > 1:
                differs = differs.any(axis=(1, 2))
        self.changed = np.flatnonzero(differs)
        self._seen[self.changed] = values[self.changed]
        return differs


class _Plan(NamedTuple):
    """Which instances deform, and where what bounds each of them stands in flat arrays."""

    rows: Int
    rest_lo: F32
    rest_hi: F32
    first_joint: Int
    joint_end: Int
    joint_start: Int
    joint_count: Int
    first_weight: Int
    weight_count: Int
    target_start: Int
    n_joints: int
    # Of all meshes, one after the other.
    joints: Int
    lo: F32
    hi: F32
    morph_lo: F32
    morph_hi: F32

    @classmethod
    def of_nothing(cls) -> "_Plan":
        boxes = [_NO_CORNERS] * 2
        rows = [_NO_ROWS] * 7
        return cls._make((_NO_ROWS, *boxes, *rows, 0, _NO_ROWS, *boxes, *boxes))

    @classmethod
    def of(
        cls,
        arrays: InstanceArrays,
        reaches: Sequence[MeshReach | None],
        rest: tuple[F32, F32],
        n_joints: int,
        n_weights: int,
    ) -> "_Plan":
        meshes = [k for k, reach in enumerate(reaches) if reach is not None]
        has_pose = (arrays.joint_offset >= 0) | (arrays.morph_count > 0)
        rows = np.flatnonzero(has_pose & np.isin(arrays.mesh, meshes)) if meshes else _NO_ROWS
        if not len(rows):
            return cls.of_nothing()
        shapes = [reach for reach in reaches if reach is not None]
        at = np.searchsorted(meshes, arrays.mesh[rows])
        joints = np.array([len(s.joints) for s in shapes])
        targets = np.array([len(s.morph_lo) for s in shapes])
        ends = np.array([s.joints.max(initial=-1) + 1 for s in shapes])
        offset = arrays.joint_offset[rows].astype(np.int64)
        has_palette = (offset >= 0) & (offset < n_joints)
        first_weight = arrays.morph_offset[rows].astype(np.int64)
        within = (first_weight >= 0) & (first_weight + arrays.morph_count[rows] <= n_weights)
        first_joint = np.where(has_palette, offset, 0)
        return cls(
            rows=rows,
            rest_lo=rest[0][arrays.mesh[rows]],
            rest_hi=rest[1][arrays.mesh[rows]],
            first_joint=first_joint,
            joint_end=np.minimum(np.where(has_palette, first_joint + ends[at], 0), n_joints),
            joint_start=(np.cumsum(joints) - joints)[at],
            joint_count=np.where(has_palette, joints[at], 0),
            first_weight=np.where(within, first_weight, 0),
            weight_count=np.where(within, np.minimum(arrays.morph_count[rows], targets[at]), 0),
            target_start=(np.cumsum(targets) - targets)[at],
            n_joints=n_joints,
            joints=np.concatenate([s.joints for s in shapes]),
            lo=np.concatenate([s.lo for s in shapes]),
            hi=np.concatenate([s.hi for s in shapes]),
            morph_lo=np.concatenate([s.morph_lo for s in shapes]),
            morph_hi=np.concatenate([s.morph_hi for s in shapes]),
        )

    def morph_extents(self, chosen: Int, weights: F32) -> tuple[F32, F32, NDArray[np.bool_]]:
        """(c, 3) by how much the targets widen a box at each end, (c,) whether one is on."""
        count = self.weight_count[chosen]
        lo, hi = np.zeros((2, len(chosen), 3), np.float32)
        blends: NDArray[np.bool_] = np.zeros(len(chosen), np.bool_)
        some = np.flatnonzero(count)
        if not len(some):
            return lo, hi, blends
        chosen, count = chosen[some], count[some]
        at, starts = _flat(self.target_start[chosen], count)
        weight = weights[_flat(self.first_weight[chosen], count)[0]]
        ends = self.morph_lo[at] * weight[:, None], self.morph_hi[at] * weight[:, None]
        lo[some] = np.add.reduceat(np.minimum(*ends), starts)
        hi[some] = np.add.reduceat(np.maximum(*ends), starts)
        blends[some] = np.logical_or.reduceat(weight != 0.0, starts)
        return lo, hi, blends

    def skinned(
        self, chosen: Int, joints: F32, wider_lo: F32, wider_hi: F32
    ) -> tuple[F32, F32, F32]:
        """Corners of the boxes of skinned instances, (c, 3) each, and their (c,) stretch."""
        count = self.joint_count[chosen]
        at, starts = _flat(self.joint_start[chosen], count)
        number = np.repeat(self.first_joint[chosen], count) + self.joints[at]
        matrices = joints[np.minimum(number, self.n_joints - 1)]
        linear = matrices[:, :3, :3]
        lo = self.lo[at] + np.repeat(wider_lo, count, axis=0)
        hi = self.hi[at] + np.repeat(wider_hi, count, axis=0)
        half = 0.5 * (hi - lo)
        middle = np.einsum("nij,nj->ni", linear, 0.5 * (lo + hi)) + matrices[:, :3, 3]
        reach = np.einsum("nij,nj->ni", np.abs(linear), half) * np.float32(1.0 + _SLACK)
        reach += np.abs(middle) * np.float32(_SLACK)
        # A joint that the palette lacks may put its vertices anywhere.
        reach[number >= self.n_joints] = np.inf
        stretch = np.sqrt((linear**2).sum(axis=1).max(axis=1))
        return (
            np.minimum.reduceat(middle - reach, starts),
            np.maximum.reduceat(middle + reach, starts),
            np.maximum.reduceat(stretch, starts),
        )


def _flat(starts: Int, counts: Int) -> tuple[Int, Int]:
    """Indices of ranges one after the other, and where each range begins among them."""
    begins = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(starts - begins, counts), begins


def _any_within(flags: NDArray[np.bool_], first: Int, end: Int) -> NDArray[np.bool_]:
    """(r,) whether a flag is set in each range; ranges that end before they begin have none."""
    before = np.concatenate(([0], np.cumsum(flags)))
    return np.asarray(before[np.maximum(end, first)] > before[first])


_NO_ROWS: Int = np.zeros(0, np.int64)
_NO_CORNERS: F32 = np.zeros((0, 3), np.float32)

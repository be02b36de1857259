"""The triangles behind what is drawn, for rays and bounds on the CPU.

A renderer that remembers the mesh data it was given is the one place that sees every mesh, whoever
made it: props, plain shapes and placeholders alike. The data is shared with its owner, not copied.
Skinned and morphed rows are deformed as the GPU deforms them, when a ray comes near or their
bounds are asked for, so that a character is hit where it is seen and framed as it stands.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from editor.tools.projection import Vector
from editor.tools.raycast import RaycastScene, RayMesh
from engine.render.deformation import DeformedBoxes, MeshReach, full_weights, mesh_reach
from engine.render.scene import RenderScene

_POSED: Final = 1 << 24
"""From here on, geometry numbers are of rows whose shape is their own."""


class GeometryStore:
    """Mesh data by the renderer's ids, and what rays need of it, made on first use."""

    def __init__(self) -> None:
        self._sources: dict[int, Any] = {}
        self._meshes: dict[int, RayMesh] = {}
        self._reaches: dict[int, MeshReach] = {}
        self._boxes = DeformedBoxes()
        self._posed: dict[int, RayMesh] = {}
        self._scene: RaycastScene | None = None
        self._scene_of: RenderScene | None = None
        self._serial = -1
        self._pose_versions = (-1, -1)
        self._is_stale = True

    def add(self, mesh: int, source: Any) -> None:
        """Note the data behind an id."""
        self._drop(mesh)
        self._sources[mesh] = source
        if source.has_skin() or source.has_morph():
            reach = _reach_of(source)
            if reach is not None:
                self._reaches[mesh] = reach

    def remove(self, mesh: int) -> None:
        """Forget an id."""
        self._drop(mesh)
        self._sources.pop(mesh, None)

    def triangle_count(self, mesh: int) -> int:
        """Return how many triangles a mesh has, 0 for one that is not known."""
        return int(getattr(self._sources.get(mesh), "triangle_count", 0))

    def lookup(self, geometry: int) -> RayMesh | None:
        """Return the triangles of a mesh id, or of a row that has a shape of its own."""
        if geometry >= _POSED:
            return self._posed_mesh(geometry - _POSED)
        found = self._meshes.get(geometry)
        if found is None and geometry in self._sources:
            source = self._sources[geometry]
            found = self._meshes[geometry] = _ray_mesh(source, source.positions)
        return found

    def raycaster(self, scene: RenderScene) -> RaycastScene:
        """Return what a render scene draws, brought up to date by what changed since."""
        instances = scene.instances
        changes = instances.changes_since(self._serial)
        is_same = self._scene_of is scene and not self._is_stale and not changes.everything
        if self._scene is None or not is_same:
            columns = instances.columns()
            self._scene = RaycastScene(
                columns.mesh.copy(), columns.world_from_local, columns.entity.copy(), self.lookup
            )
            self._take_poses(scene)
        else:
            for rows in changes.moved:
                self._scene.move(rows, instances.columns().world_from_local[rows])
            self._follow_poses(scene)
        self._scene_of, self._serial, self._is_stale = scene, changes.serial, False
        self._pose_versions = (scene.joints.version, scene.morph_weights.version)
        return self._scene

    def _take_poses(self, scene: RenderScene) -> None:
        self._posed.clear()
        count = 1 + max(self._reaches, default=-1)
        reaches = [self._reaches.get(mesh) for mesh in range(count)]
        rest = np.zeros((2, count, 3), np.float32)
        for mesh, source in ((mesh, self._sources[mesh]) for mesh in self._reaches):
            rest[:, mesh] = source.positions.min(axis=0), source.positions.max(axis=0)
        joints, weights = scene.joints.array, scene.morph_weights.array
        boxes = self._boxes
        boxes.reset(scene.instances.columns(), reaches, (rest[0], rest[1]), joints, weights)
        self._show_poses(np.arange(len(boxes.rows)))

    def _follow_poses(self, scene: RenderScene) -> None:
        if (scene.joints.version, scene.morph_weights.version) == self._pose_versions:
            return
        self._show_poses(self._boxes.follow(scene.joints.array, scene.morph_weights.array))

    def _show_poses(self, chosen: NDArray[np.int64]) -> None:
        """Give rows numbers and loose bounds of their own; their triangles are made when needed."""
        boxes = self._boxes
        rows = boxes.rows[chosen]
        for row in rows.tolist():
            self._posed.pop(row, None)
        if self._scene is not None and len(rows):
            self._scene.reshape(rows, rows + _POSED, boxes.lo[chosen], boxes.hi[chosen])

    def _posed_mesh(self, row: int) -> RayMesh | None:
        found = self._posed.get(row)
        if found is None and self._scene_of is not None:
            scene = self._scene_of
            columns = scene.instances.columns()
            source = self._sources.get(int(columns.mesh[row]))
            if source is None:
                return None
            offset, first = int(columns.joint_offset[row]), int(columns.morph_offset[row])
            palette = scene.joints.array[offset:] if offset >= 0 else None
            weights = scene.morph_weights.array[first : first + int(columns.morph_count[row])]
            positions = posed_positions(source, palette, weights if first >= 0 else ())
            found = self._posed[row] = _ray_mesh(source, positions)
        return found

    def _drop(self, mesh: int) -> None:
        self._is_stale = True
        self._meshes.pop(mesh, None)
        self._reaches.pop(mesh, None)


def posed_positions(source: Any, palette: NDArray[np.float32] | None, weights: Any) -> Vector:
    """Return (n, 3) positions in a pose: morph targets first, then the skin.

    Parameters
    ----------
    source : MeshData
    palette : (j, 4, 4) or None
        What the joints do; None leaves the skin alone.
    weights : (k,)
        Of the morph targets; targets without a weight are off.

    Notes
    -----
    glTF 2.0, 3.7.2.2 Morph targets and 3.7.3.3 Skinned mesh attributes.
    """
    points = _positions(source)
    for target, weight in zip(source.morph_targets, np.asarray(weights).tolist(), strict=False):
        if target.positions is not None:
            points = points + weight * np.asarray(target.positions, np.float64)
    if palette is None or len(palette) == 0 or not source.has_skin():
        return points
    joints = np.minimum(np.asarray(source.joints, np.int64), len(palette) - 1)
    used, at = np.unique(joints, return_inverse=True)
    matrices = np.asarray(palette[used], np.float64)[at.reshape(joints.shape)]
    blended = np.einsum("nk,nkij->nij", full_weights(source.weights), matrices)
    return np.asarray(np.einsum("nij,nj->ni", blended[:, :3, :3], points) + blended[:, :3, 3])


def _reach_of(source: Any) -> MeshReach | None:
    deltas = None
    if source.has_morph():
        still = np.zeros_like(source.positions)
        moved = [still if t.positions is None else t.positions for t in source.morph_targets]
        deltas = np.stack(moved)
    if not source.has_skin():
        return mesh_reach(source.positions, None, None, deltas)
    return mesh_reach(source.positions, source.joints, full_weights(source.weights), deltas)


def _positions(source: Any) -> Vector:
    return np.asarray(source.positions, np.float64)


def _ray_mesh(source: Any, positions: NDArray[Any]) -> RayMesh:
    is_solid = source.topology == "triangles"
    indices = np.asarray(source.indices if is_solid else (), np.uint32)
    faces = indices[: len(indices) // 3 * 3].reshape(-1, 3)
    return RayMesh.build(positions, faces)

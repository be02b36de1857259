"""The triangles behind what is drawn, for rays and bounds on the CPU.

A renderer that remembers the mesh data it was given is the one place that sees every mesh, whoever
made it: props, plain shapes and placeholders alike. The data is shared with its owner, not copied.
Skinned rows are deformed by their joint matrices, so that a character is hit where it is seen.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from editor.tools.projection import Vector
from editor.tools.raycast import RaycastScene, RayMesh
from engine.render.scene import RenderScene

_SKINNED_BASE = 1 << 24


class GeometryStore:
    """Mesh data by the renderer's ids, and what rays need of it, made on first use."""

    def __init__(self) -> None:
        self._sources: dict[int, Any] = {}
        self._meshes: dict[int, RayMesh] = {}
        self._skinned: dict[tuple[int, bytes], int] = {}
        self._skinned_meshes: dict[int, RayMesh] = {}
        self._scene: RaycastScene | None = None
        self._scene_of: object = None
        self._serial = -1
        self._is_stale = True

    def add(self, mesh: int, source: Any) -> None:
        """Note the data behind an id."""
        self._sources[mesh] = source
        self._drop(mesh)

    def remove(self, mesh: int) -> None:
        """Forget an id."""
        self._sources.pop(mesh, None)
        self._drop(mesh)

    def triangle_count(self, mesh: int) -> int:
        """Return how many triangles a mesh has, 0 for one that is not known."""
        return int(getattr(self._sources.get(mesh), "triangle_count", 0))

    def lookup(self, geometry: int) -> RayMesh | None:
        """Return the triangles of a mesh id, or of a skinned row as `raycaster` numbers them."""
        if geometry >= _SKINNED_BASE:
            return self._skinned_meshes.get(geometry)
        found = self._meshes.get(geometry)
        if found is None and geometry in self._sources:
            source = self._sources[geometry]
            found = self._meshes[geometry] = _ray_mesh(source, _positions(source))
        return found

    def raycaster(self, scene: RenderScene) -> RaycastScene:
        """Return what a render scene draws, brought up to date by what moved since."""
        instances = scene.instances
        changes = instances.changes_since(self._serial)
        is_same = self._scene_of is scene and not self._is_stale and not changes.everything
        if self._scene is None or not is_same:
            columns = instances.columns()
            self._scene = RaycastScene(
                self._numbered(scene), columns.world_from_local, columns.entity.copy(), self.lookup
            )
        else:
            for rows in changes.moved:
                self._scene.move(rows, instances.columns().world_from_local[rows])
        self._scene_of, self._serial, self._is_stale = scene, changes.serial, False
        return self._scene

    def _numbered(self, scene: RenderScene) -> NDArray[np.int32]:
        """Return mesh ids, with a number of its own for every skinned row's shape."""
        columns = scene.instances.columns()
        numbers = columns.mesh.copy()
        for row in np.flatnonzero(columns.joint_offset >= 0).tolist():
            source = self._sources.get(int(columns.mesh[row]))
            if source is not None and source.has_skin():
                offset = int(columns.joint_offset[row])
                count = int(np.max(source.joints, initial=0)) + 1
                palette = np.asarray(scene.joints.array[offset : offset + count])
                numbers[row] = self._skinned_number(int(columns.mesh[row]), source, palette)
        return numbers

    def _skinned_number(self, mesh: int, source: Any, palette: NDArray[np.float32]) -> int:
        key = (mesh, palette.tobytes())
        number = self._skinned.get(key)
        if number is None:
            number = self._skinned[key] = _SKINNED_BASE + len(self._skinned)
            self._skinned_meshes[number] = _ray_mesh(source, skinned_positions(source, palette))
        return number

    def _drop(self, mesh: int) -> None:
        self._is_stale = True
        self._meshes.pop(mesh, None)
        for key in [k for k in self._skinned if k[0] == mesh]:
            self._skinned_meshes.pop(self._skinned[key], None)
            del self._skinned[key]
        if not self._skinned:
            self._skinned_meshes.clear()


def skinned_positions(source: Any, palette: NDArray[np.float32]) -> Vector:
    """Return (n, 3) positions under joint matrices: the weighted sum of each joint's move.

    Notes
    -----
    glTF 2.0, 3.7.3.3 Skinned mesh attributes.
    """
    points = np.asarray(source.positions, np.float64)
    weights = np.asarray(source.weights, np.float64)
    if len(palette) == 0:
        return points
    matrices = np.asarray(palette, np.float64)
    joints = np.minimum(np.asarray(source.joints, np.int64), len(matrices) - 1)
    blended = np.einsum("nk,nkij->nij", weights, matrices[joints])
    return np.asarray(np.einsum("nij,nj->ni", blended[:, :3, :3], points) + blended[:, :3, 3])


def _positions(source: Any) -> Vector:
    return np.asarray(source.positions, np.float64)


def _ray_mesh(source: Any, positions: Vector) -> RayMesh:
    is_solid = source.topology == "triangles"
    indices = np.asarray(source.indices if is_solid else (), np.int64)
    faces = indices[: len(indices) // 3 * 3].reshape(-1, 3)
    return RayMesh.build(positions, faces)

"""A scene's arrays on the GPU, following it by version numbers.

One matrix per instance in the scene's own row order, so a moved row is one range to upload; draws
find rows through an order array. Only what changed is written.
"""

from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.batches import BatchKeys, mirrored
from engine.render.bounds import InstanceBounds, SteadyBox
from engine.render.columns import LightArrays
from engine.render.deformation import DeformedBoxes
from engine.render.materials import MaterialTable
from engine.render.meshes import MeshTable
from engine.render.scene import RenderScene
from engine.render.shadow import DIRECTIONAL, shadow_light, shadow_slots

MATRIX_BYTES = 64
LIGHT_FLOATS = 16
_MAX_RANGES = 24


class GrowingBuffer:
    """A storage buffer that is made anew, larger, when its contents outgrow it."""

    def __init__(self, device: Any, label: str, usage: int = wgpu.BufferUsage.STORAGE) -> None:
        self._device = device
        self._label = label
        self._usage = usage | wgpu.BufferUsage.COPY_DST
        self.buffer = device.create_buffer(size=256, usage=self._usage, label=label)

    def reserve(self, size: int) -> bool:
        """Make room for a number of bytes; True when the buffer is another one now."""
        if size <= self.buffer.size:
            return False
        self.buffer.destroy()
        capacity = max(256, int(size * 1.5) // 256 * 256 + 256)
        self.buffer = self._device.create_buffer(
            size=capacity, usage=self._usage, label=self._label
        )
        return True

    def write(self, data: NDArray[Any], offset: int = 0) -> None:
        """Write a contiguous array at a byte offset."""
        if data.size:
            self._device.queue.write_buffer(self.buffer, offset, data)

    def store(self, data: NDArray[Any]) -> bool:
        """Reserve and write from the start; True when the buffer is another one now."""
        grown = self.reserve(data.nbytes)
        self.write(data)
        return grown

    def destroy(self) -> None:
        """Give the memory back."""
        self.buffer.destroy()


class SceneBuffers:
    """Instances, joints, weights and lights of one scene.

    `generation` grows when a buffer is another one (bind groups must be made anew), `batching`
    when instances must be grouped anew.
    """

    def __init__(self, device: Any, meshes: MeshTable, materials: MaterialTable) -> None:
        self._meshes = meshes
        self._materials = materials
        self._matrices = GrowingBuffer(device, "instances")
        self._info = GrowingBuffer(device, "instance info")
        self._joints = GrowingBuffer(device, "joints")
        self._weights = GrowingBuffer(device, "morph weights")
        self._lights = GrowingBuffer(device, "lights")
        self.generation = 0
        self.batching = 0
        self.content = 0
        self.bounds = InstanceBounds()
        self._deformed = DeformedBoxes()
        self._serial = -1
        self._tables = (-1, -1)
        self._pose_versions = (-1, -1)
        self._lights_version = -1
        self._lengths = (0, 0)
        self._used: tuple[NDArray[np.int32], NDArray[np.int32]] = (_NO_IDS, _NO_IDS)
        self._flipped: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.keys = BatchKeys(*_no_instances())
        self.uploaded_bytes = 0
        self._box = SteadyBox()
        self._boxed = (-1, -1)

    @property
    def buffers(self) -> tuple[Any, ...]:
        """The wgpu buffers at bindings 1, 2, 4, 5 and 6 of the frame group."""
        stores = (self._matrices, self._info, self._joints, self._weights, self._lights)
        return tuple(store.buffer for store in stores)

    def update(self, scene: RenderScene) -> None:
        """Upload what changed since the last call."""
        self.uploaded_bytes = 0
        self._update_instances(scene)
        self._update_pose(scene)
        if scene.lights.version != self._lights_version:
            self._lights_version = scene.lights.version
            self.content += 1
            self.generation += self._lights.store(pack_lights(scene.lights.columns()))

    def local_boxes(
        self, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """(n, 3) corners of what instances draw, each in its own space, in their present pose."""
        meshes, posed = self.bounds.meshes[rows], self._deformed
        lo, hi = self._meshes.lo[meshes], self._meshes.hi[meshes]
        at = np.searchsorted(posed.rows, rows)
        within = np.flatnonzero(at < len(posed.rows))
        within = within[posed.rows[at[within]] == rows[within]]
        lo[within], hi[within] = posed.lo[at[within]], posed.hi[at[within]]
        return lo, hi

    def drawn_sphere(self) -> tuple[NDArray[np.float32], float]:
        """Centre and radius of a sphere around everything that is drawn, steady while it moves."""
        stamp = (self.content, self.batching)
        if self._boxed != stamp:
            self._boxed = stamp
            self._box.follow(self.bounds.box(np.flatnonzero(self.keys.keys >= 0)))
        return self._box.sphere()

    def destroy(self) -> None:
        """Give the memory back."""
        for store in (self._matrices, self._info, self._joints, self._weights, self._lights):
            store.destroy()

    def _update_instances(self, scene: RenderScene) -> None:
        tables = (self._meshes.stamps.version, self._materials.stamps.version)
        replaced = tables != self._tables and self._uses_changed()
        lengths = (len(scene.joints), len(scene.morph_weights))
        replaced = replaced or lengths != self._lengths
        changes = scene.instances.changes_since(self._serial)
        if changes.serial == self._serial and not replaced:
            self._tables = tables
            return
        self._lengths = lengths
        if changes.everything or replaced:
            self._take_all(scene)
        else:
            for rows in changes.moved:
                self._move(scene.instances.columns().world_from_local, rows)
        self._serial, self._tables = changes.serial, tables
        self.content += 1

    def _update_pose(self, scene: RenderScene) -> None:
        """Follow joints and weights; what deforms by them has other bounds then."""
        versions = (scene.joints.version, scene.morph_weights.version)
        if versions == self._pose_versions:
            return
        self._pose_versions = versions
        deformed = self._deformed
        chosen = deformed.follow(scene.joints.array, scene.morph_weights.array)
        self._deform(scene, chosen)
        self._store_pose(scene)

    def _deform(self, scene: RenderScene, chosen: NDArray[np.int64]) -> None:
        if not len(chosen):
            return
        found = self._deformed
        self.bounds.deform(
            found.rows[chosen],
            found.lo[chosen],
            found.hi[chosen],
            found.stretch[chosen],
            scene.instances.columns().world_from_local,
        )
        self.content += 1

    def _store_pose(self, scene: RenderScene) -> None:
        """Upload the matrices and weights that changed when they were last followed."""
        for store, data, moved in (
            (self._joints, scene.joints.array, self._deformed.moved_joints),
            (self._weights, scene.morph_weights.array, self._deformed.moved_weights),
        ):
            if store.reserve(data.nbytes):
                self.generation += 1
                moved = np.arange(len(data))
            for first, last in upload_ranges(moved) if len(moved) else ():
                part = data[first:last]
                store.write(part, first * part.itemsize * part[0].size)
                self.uploaded_bytes += part.nbytes

    def _uses_changed(self) -> bool:
        meshes, materials = self._used
        return self._meshes.stamps.changed(meshes, self._tables[0]) or (
            self._materials.stamps.changed(materials, self._tables[1])
        )

    def _take_all(self, scene: RenderScene) -> None:
        arrays = scene.instances.columns()
        self._flipped = mirrored(arrays.world_from_local)
        self.generation += self._matrices.store(arrays.world_from_local)
        self.generation += self._info.store(self._instance_info(scene))
        self.uploaded_bytes += arrays.world_from_local.nbytes
        meshes = self._meshes
        count = max(len(meshes), 1)
        self.bounds.reset(
            arrays.mesh,
            arrays.world_from_local,
            meshes.lo[:count],
            meshes.hi[:count],
        )
        self._take_pose(scene)
        self._used = np.unique(arrays.mesh), np.unique(arrays.material)
        self._group(scene)

    def _take_pose(self, scene: RenderScene) -> None:
        self._pose_versions = (scene.joints.version, scene.morph_weights.version)
        self._deformed.reset(
            scene.instances.columns(),
            self._meshes.reaches,
            (self._meshes.lo, self._meshes.hi),
            scene.joints.array,
            scene.morph_weights.array,
        )
        self._deform(scene, np.arange(len(self._deformed.rows)))
        self._store_pose(scene)

    def _group(self, scene: RenderScene) -> None:
        arrays = scene.instances.columns()
        self.keys = BatchKeys(
            arrays.mesh,
            arrays.material,
            self._flipped,
            self._meshes.alive,
            self._materials.alive,
        )
        self.batching += 1

    def _instance_info(self, scene: RenderScene) -> NDArray[np.int32]:
        """(n, 4) int32: first joint or -1, first weight, weights, vertices of the mesh.

        A palette or weights that the scene doesn't hold are dropped, so that no shader reads past
        the end.
        """
        arrays = scene.instances.columns()
        info = np.empty((len(arrays.mesh), 4), np.int32)
        morphs, vertices = self._mesh_numbers()
        mesh = np.where((arrays.mesh >= 0) & (arrays.mesh < len(morphs)), arrays.mesh, -1)
        within = (arrays.morph_offset >= 0) & (
            arrays.morph_offset + arrays.morph_count <= len(scene.morph_weights)
        )
        info[:, 0] = np.where(arrays.joint_offset < len(scene.joints), arrays.joint_offset, -1)
        info[:, 1] = np.where(within, arrays.morph_offset, 0)
        info[:, 2] = np.where(within, np.minimum(arrays.morph_count, morphs[mesh]), 0)
        info[:, 3] = vertices[mesh]
        return info

    def _mesh_numbers(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        found = [self._meshes.get(k) for k in range(len(self._meshes))]
        morphs = [0 if m is None else m.morph_count for m in found]
        vertices = [
            0 if m is None else m.vertex_count * (4 if m.topology == "points" else 1) for m in found
        ]
        return np.array([*morphs, 0], np.int32), np.array([*vertices, 0], np.int32)

    def _move(self, world_from_local: NDArray[np.float32], rows: NDArray[np.int64]) -> None:
        rows = rows[(rows >= 0) & (rows < len(world_from_local))]
        if not rows.size:
            return
        for first, last in upload_ranges(rows):
            part = world_from_local[first:last]
            self._matrices.write(part, first * MATRIX_BYTES)
            self.uploaded_bytes += part.nbytes
        self.bounds.move(rows, world_from_local)
        flipped = mirrored(world_from_local[rows])
        if np.any(flipped != self._flipped[rows]):
            self._flipped[rows] = flipped
            self.keys.set_flipped(rows, flipped)
            self.batching += 1


def upload_ranges(rows: NDArray[np.int64]) -> list[tuple[int, int]]:
    """A few `(first, last + 1)` ranges that cover the rows: the widest gaps stay out."""
    ordered = rows if np.all(rows[1:] >= rows[:-1]) else np.sort(rows)
    gaps = np.diff(ordered)
    wide = np.flatnonzero(gaps > 32)
    if len(wide) >= _MAX_RANGES:
        wide = np.sort(wide[np.argpartition(gaps[wide], -_MAX_RANGES + 1)[-_MAX_RANGES + 1 :]])
    firsts = ordered[np.concatenate(([0], wide + 1))]
    lasts = ordered[np.concatenate((wide, [len(ordered) - 1]))] + 1
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def pack_lights(lights: LightArrays) -> NDArray[np.float32]:
    """(n, 16) float32 rows in the layout of `Light` in `shaders/lights.wgsl`.

    Directional lights come first, and the one whose shadow is drawn before all.

    References
    ----------
    KHR_lights_punctual: range and the angular falloff between the two cone angles.
    """
    packed = np.zeros((len(lights.kind), LIGHT_FLOATS), np.float32)
    inner, outer = np.cos(lights.inner_angle), np.cos(lights.outer_angle)
    scale = 1.0 / np.maximum(inner - outer, 0.001)
    limited = lights.range > 0.0
    packed[:, 0:3] = lights.position
    packed[:, 3] = lights.kind.astype(np.uint32).view(np.float32)
    packed[:, 4:7] = lights.direction
    packed[limited, 7] = 1.0 / lights.range[limited] ** 2
    packed[:, 8:11] = lights.color * lights.intensity[:, None]
    packed[:, 11] = scale
    packed[:, 12] = -outer * scale
    packed[:, 13] = shadow_slots(lights)
    last = (lights.kind != DIRECTIONAL).astype(np.int64) + 1
    if (shadowed := shadow_light(lights)) >= 0:
        last[shadowed] = 0
    return packed[np.argsort(last, kind="stable")]


_NO_IDS: NDArray[np.int32] = np.zeros(0, np.int32)


def _no_instances() -> tuple[Any, ...]:
    ints, bools = np.zeros(0, np.int32), np.zeros(0, np.bool_)
    return ints, ints, bools, bools, bools

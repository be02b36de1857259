"""Everything a renderer keeps for one scene: its buffers, draw lists and bind groups."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.batches import Batch
from engine.render.blended_draws import BlendedDraws
from engine.render.draw_list import DrawEncoder, DrawList
from engine.render.frame_block import FRAME_LAYOUT, Block
from engine.render.materials import MaterialTable
from engine.render.meshes import MeshTable
from engine.render.pipelines import PipelineCache
from engine.render.scene import RenderScene
from engine.render.scene_buffers import GrowingBuffer, SceneBuffers
from engine.render.textures import TextureTable
from engine.render.visible_draws import View, VisibleDraws


@dataclass(eq=False)
class GpuContext:
    """What all scenes of a renderer share."""

    device: Any
    frame_layout: Any
    textures: TextureTable
    meshes: MeshTable
    materials: MaterialTable
    pipelines: PipelineCache
    encoder: DrawEncoder
    # Bindings 7, 8 and 10 of the frame group: split-sum table, its sampler, shadow comparison.
    dfg_view: Any
    linear_sampler: Any
    shadow_sampler: Any
    # Bound at 9 where a pass reads no shadow map.
    no_shadow_view: Any
    # Bound at 13 where a scene has no environment image.
    no_reflections_view: Any


class FrameReads(NamedTuple):
    """What the passes before left for a pass to read; None where it reads no such thing."""

    shadow_map: Any = None
    shadow_views: Any = None
    behind: Any = None
    reflections: Any = None
    occlusion: Any = None


_READS_NOTHING = FrameReads()


class PassFrame:
    """The uniform block of one pass, and its bind group with a list's order."""

    def __init__(self, gpu: GpuContext) -> None:
        self._gpu = gpu
        use = wgpu.BufferUsage
        self._buffer = gpu.device.create_buffer(
            size=FRAME_LAYOUT.itemsize, usage=use.UNIFORM | use.COPY_DST
        )
        self._groups: dict[int, tuple[tuple[Any, ...], Any]] = {}

    def write(self, block: Block) -> None:
        """Upload the block."""
        self._gpu.device.queue.write_buffer(self._buffer, 0, block.tobytes())

    def group(
        self,
        buffers: SceneBuffers,
        draws: DrawList,
        reads: FrameReads | None = None,
    ) -> Any:
        """The bind group of the frame for a list of draws."""
        gpu = self._gpu
        reads = _READS_NOTHING if reads is None else reads
        stamp = (buffers.generation, draws.generation, reads)
        kept = self._groups.get(id(draws))
        if kept is not None and kept[0] == stamp:
            return kept[1]
        matrices, info, joints, weights, lights = buffers.buffers
        stores = {1: matrices, 2: info, 3: draws.order_buffer, 4: joints, 5: weights, 6: lights}
        resources: dict[int, Any] = {
            0: {"buffer": self._buffer},
            **{k: {"buffer": buffer} for k, buffer in stores.items()},
            7: gpu.dfg_view,
            8: gpu.linear_sampler,
            9: reads.shadow_map or gpu.no_shadow_view,
            10: gpu.shadow_sampler,
            # Glass reads what is behind it, opaque surfaces how open they are.
            11: reads.behind or reads.occlusion or gpu.dfg_view,
            12: {"buffer": reads.shadow_views or lights},
            13: reads.reflections or gpu.no_reflections_view,
        }
        group = gpu.device.create_bind_group(
            layout=gpu.frame_layout,
            entries=[{"binding": k, "resource": r} for k, r in resources.items()],
        )
        self._groups[id(draws)] = (stamp, group)
        return group

    def destroy(self) -> None:
        """Give the memory back."""
        self._buffer.destroy()


class SceneState:
    """One scene on the GPU."""

    def __init__(self, gpu: GpuContext) -> None:
        device = gpu.device
        self._gpu = gpu
        self.buffers = SceneBuffers(device, gpu.meshes, gpu.materials)
        self.opaque = VisibleDraws(device, "opaque", gpu.meshes)
        self.blended = BlendedDraws(device, self.buffers, gpu.materials)
        self.transmitting = DrawList(device, "transmitting")
        self._casters: dict[int, tuple[PassFrame, VisibleDraws, int]] = {}
        self.selected = DrawList(device, "selected")
        self.picked = DrawList(device, "picked")
        self.main_frame = PassFrame(gpu)
        self._part_frames: list[PassFrame] = []
        self.shadow_views = GrowingBuffer(device, "shadow views")
        self.pick_frame = PassFrame(gpu)
        self.caster_rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self.casts: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.selected_rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._blend_rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._clip_from_world: Block | None = None
        self._transmit_rows: NDArray[np.int64] = np.zeros(0, np.int64)
        self._batching = -1
        self._selection: tuple[Any, ...] = ()

    def update(self, scene: RenderScene) -> None:
        """Follow the scene; groups instances anew where that is needed."""
        self._gpu.materials.follow_textures()
        self.buffers.update(scene)
        if self._batching != self.buffers.batching:
            self._batching = self.buffers.batching
            self._group(scene)
        self._select(scene)

    def see(self, view: View) -> None:
        """Narrow what is drawn from now on to a view."""
        self._clip_from_world = view.clip_from_world
        stamp = (self.buffers.content, self.buffers.batching)
        self.opaque.see(self.buffers.bounds, view, stamp)

    def sort_blended(self, scene: RenderScene) -> None:
        """Order what shows others through back to front by the view depth of its origins."""
        matrices = scene.instances.columns().world_from_local
        rows = self._blend_rows
        self.blended.order(matrices, rows, self._in_view(rows), scene.camera)
        self._sort(scene, self.transmitting, self._in_view(self._transmit_rows))

    def _sort(self, scene: RenderScene, draws: DrawList, rows: NDArray[np.int64]) -> None:
        if not len(rows):
            if draws.batches:
                draws.set(rows, ())
            return
        origins = scene.instances.columns().world_from_local[rows, :3, 3]
        depth = (origins - scene.camera.position) @ scene.camera.forward
        ordered = rows[np.argsort(-depth, kind="stable")]
        draws.set(ordered, self.blended.runs(ordered))

    def shadow_draws(self, number: int) -> tuple[PassFrame, VisibleDraws]:
        """Frame and casters of a shadow map; each map sees its own part of them."""
        if number not in self._casters:
            casters = VisibleDraws(self._gpu.device, "shadow casters", self._gpu.meshes)
            self._casters[number] = (PassFrame(self._gpu), casters, -1)
        frame, casters, batching = self._casters[number]
        if batching != self.buffers.batching:
            self._set(casters, self.caster_rows)
            self._casters[number] = (frame, casters, self.buffers.batching)
        return frame, casters

    def part_frame(self, number: int) -> PassFrame:
        """Frame of a part of the blended surfaces that has one of its own."""
        while len(self._part_frames) <= number:
            self._part_frames.append(PassFrame(self._gpu))
        return self._part_frames[number]

    def two_sided(self, draws: DrawList) -> list[bool]:
        """Per batch of a sorted list, whether back faces are drawn before front faces."""
        materials = self._gpu.materials
        found = (materials.get(batch.material) for batch in draws.batches)
        return [m is not None and m.double_sided and m.blend for m in found]

    def destroy(self) -> None:
        """Give the memory back."""
        self.buffers.destroy()
        for draws in (
            self.opaque,
            self.blended,
            self.transmitting,
            self.selected,
            self.picked,
        ):
            draws.destroy()
        for frame, casters, _ in self._casters.values():
            frame.destroy()
            casters.destroy()
        self.shadow_views.destroy()
        for frame in (self.main_frame, self.pick_frame, *self._part_frames):
            frame.destroy()

    def _in_view(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        if not len(rows) or self._clip_from_world is None:
            return rows
        return rows[self.buffers.bounds.inside(self._clip_from_world)[rows]]

    def _group(self, scene: RenderScene) -> None:
        arrays, keys = scene.instances.columns(), self.buffers.keys
        blending = self._gpu.materials.blending
        transmitting = self._gpu.materials.transmitting
        every = np.arange(len(arrays.mesh))
        known = keys.keys >= 0
        blends = np.zeros(len(every), np.bool_)
        transmits = np.zeros(len(every), np.bool_)
        blends[known] = blending[arrays.material[known]]
        transmits[known] = transmitting[arrays.material[known]]
        self._set(self.opaque, every[known & ~blends & ~transmits])
        self.casts = known & ~blends & arrays.cast_shadows
        self.caster_rows = every[self.casts]
        self._blend_rows = every[known & blends & ~transmits]
        self._transmit_rows = every[known & transmits]
        self._selection = ()

    def _set(self, draws: DrawList, rows: NDArray[np.int64]) -> None:
        ordered = self.buffers.keys.sorted_rows(rows)
        batches = self.buffers.keys.runs(ordered)
        draws.set(ordered, sorted(batches, key=self._draw_key))

    def _draw_key(self, batch: Batch) -> tuple[int, int, bool, int]:
        """Order of draws by contents, so that ties in depth fall the same way in every session."""
        mesh, material = self._gpu.meshes.get(batch.mesh), self._gpu.materials.get(batch.material)
        assert mesh is not None
        assert material is not None
        return material.digest, mesh.digest, batch.flipped, batch.first

    def _select(self, scene: RenderScene) -> None:
        chosen = np.fromiter(scene.selected, np.int64) if len(scene.selected) else _NOTHING
        stamp = (self.buffers.batching, scene.instances.version, chosen.tobytes())
        if stamp == self._selection:
            return
        self._selection = stamp
        entities = scene.instances.columns().entity
        self.selected_rows = np.flatnonzero(np.isin(entities, chosen)) if len(chosen) else _NOTHING
        self._set(self.selected, self.selected_rows)


_NOTHING: NDArray[np.int64] = np.zeros(0, np.int64)

"""Draws of one pass, recorded once and replayed while the set of batches stands."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.render.batches import Batch
from engine.render.materials import GpuMaterial, MaterialTable
from engine.render.meshes import GpuMesh, MeshTable
from engine.render.pipelines import DEPTH_FORMAT, PassStyle, PipelineCache, PipelineKey, variant
from engine.render.scene_buffers import GrowingBuffer


class DrawEncoder:
    """Writes batches into a pass or a bundle, setting only what differs from the draw before.

    Parameters
    ----------
    meshes, materials, pipelines
        Where the ids of a batch lead.
    no_morph
        Bind group for meshes without morph targets.
    """

    def __init__(
        self, meshes: MeshTable, materials: MaterialTable, pipelines: PipelineCache, no_morph: Any
    ) -> None:
        self._meshes = meshes
        self._materials = materials
        self._pipelines = pipelines
        self._no_morph = no_morph
        self._bound: dict[str, Any] = {}

    @property
    def rebinds(self) -> int:
        """Grows when recorded draws name bind groups or pipelines that are others now."""
        return self._materials.rebinds + self._pipelines.version

    def begin(self, target: Any, frame_group: Any) -> None:
        """Start writing into a pass or bundle encoder."""
        self._bound = {}
        self._materials.flush()
        target.set_bind_group(0, frame_group)

    def draw(self, target: Any, style: PassStyle, batch: Batch, cull: str | None = None) -> int:
        """Write one batch in full detail; returns the triangles it draws."""
        mesh = self.bind(target, style, batch, cull)
        if mesh is None:
            return 0
        target.draw_indexed(mesh.index_count, batch.instances, mesh.first_index, 0, batch.first)
        return mesh.index_count // 3 * batch.instances if mesh.topology != "lines" else 0

    def bind(
        self, target: Any, style: PassStyle, batch: Batch, cull: str | None = None
    ) -> GpuMesh | None:
        """Set what a batch is drawn with; returns its mesh, None when there is nothing to draw."""
        mesh, material = self._meshes.get(batch.mesh), self._materials.get(batch.material)
        if mesh is None or material is None:
            return None
        key = _pipeline_key(style, mesh, material, batch.flipped, cull)
        if self._changed("pipeline", key):
            target.set_pipeline(self._pipelines.get(key))
        if self._changed("material", batch.material):
            group, offset = self._materials.binding(material, style.kind == "silhouette")
            target.set_bind_group(1, group, [offset])
        morph = mesh.morph_bind_group if mesh.morph_bind_group is not None else self._no_morph
        if self._changed("morph", morph):
            target.set_bind_group(2, morph)
        self._bind_streams(target, mesh, key.switches)
        return mesh

    def make_pipeline(self, style: PassStyle, batch: Batch, cull: str | None = None) -> None:
        """Make what `bind` would make of a batch first, without drawing it."""
        mesh, material = self._meshes.get(batch.mesh), self._materials.get(batch.material)
        if mesh is not None and material is not None:
            self._pipelines.get(_pipeline_key(style, mesh, material, batch.flipped, cull))

    def _bind_streams(self, target: Any, mesh: GpuMesh, switches: frozenset[str]) -> None:
        optional = {
            "TANGENTS": mesh.tangents,
            "UV1": mesh.uv1,
            "COLORS": mesh.colors,
            "SKIN": mesh.skin,
        }
        streams = [mesh.base, *(stream for name, stream in optional.items() if name in switches)]
        for slot, stream in enumerate(streams):
            assert stream is not None
            if self._changed(f"stream{slot}", stream):
                target.set_vertex_buffer(slot, stream.buffer, stream.offset, stream.size)
        # Whole, as lavapipe's indirect draws (Mesa 22.3) overlook an offset.
        if self._changed("indices", mesh.indices.buffer):
            target.set_index_buffer(mesh.indices.buffer, "uint32")

    def _changed(self, what: str, value: Any) -> bool:
        if self._bound.get(what) == value:
            return False
        self._bound[what] = value
        return True


def _pipeline_key(
    style: PassStyle, mesh: GpuMesh, material: GpuMaterial, flipped: bool, cull: str | None
) -> PipelineKey:
    both_sides = material.double_sided or mesh.topology != "triangles" or style.wireframe
    return PipelineKey(
        style,
        variant(style, mesh, material),
        mesh.topology,
        cull or ("none" if both_sides else "back"),
        flipped,
        material.blend and style.kind == "surface",
    )


# A picture draws a list in several styles: for glass, for ambient occlusion, and itself.
_KEPT_STYLES = 3


class DrawList:
    """An ordered set of rows, their batches, and the recorded draws.

    Parameters
    ----------
    device
        The wgpu device.
    label
        For GPU debuggers.
    """

    def __init__(self, device: Any, label: str) -> None:
        self._device = device
        self._order = GrowingBuffer(device, f"{label} order")
        self._label = label
        self._recorded: dict[PassStyle, tuple[Any, Any]] = {}
        self.batches: Sequence[Batch] = ()
        self.triangles = 0
        self.version = 0
        self.generation = 0

    @property
    def order_buffer(self) -> Any:
        """The wgpu buffer at binding 3 of the frame group."""
        return self._order.buffer

    def set(self, rows: NDArray[np.int64], batches: Sequence[Batch]) -> None:
        """Take rows in draw order and their batches."""
        self.generation += self._order.store(rows.astype(np.uint32))
        if not len(rows):
            self.triangles = 0
        if batches != self.batches:
            self.batches = batches
            self.version += 1

    def bundle(
        self,
        style: PassStyle,
        encoder: DrawEncoder,
        frame_group: Any,
        two_sided: Sequence[bool] | None = None,
        stamp: Any = None,
    ) -> Any:
        """The recorded draws, recorded anew when anything they name changed.

        Parameters
        ----------
        style
            Of the pass.
        frame_group
            Bind group 0.
        two_sided
            Per batch, whether back faces are drawn first and front faces after them.
        stamp
            Changes when meshes or materials do.
        """
        wanted = (frame_group, self._stamp(), stamp, encoder.rebinds)
        kept = self._recorded.pop(style, None)
        if kept is None or kept[0] != wanted:
            kept = (wanted, self._record(style, encoder, frame_group, two_sided))
        self._recorded[style] = kept
        while len(self._recorded) > _KEPT_STYLES:
            del self._recorded[next(iter(self._recorded))]
        return kept[1]

    def _record(
        self,
        style: PassStyle,
        encoder: DrawEncoder,
        frame_group: Any,
        two_sided: Sequence[bool] | None,
    ) -> Any:
        target = self._device.create_render_bundle_encoder(
            color_formats=list(style.color_formats),
            depth_stencil_format=None if style.kind == "silhouette" else DEPTH_FORMAT,
            sample_count=style.samples,
            label=self._label,
        )
        encoder.begin(target, frame_group)
        self._draws(target, style, encoder, two_sided)
        return target.finish()

    def _stamp(self) -> Any:
        """Changes when the draws have to be recorded anew."""
        return self.version

    def _draws(
        self,
        target: Any,
        style: PassStyle,
        encoder: DrawEncoder,
        two_sided: Sequence[bool] | None,
    ) -> None:
        self.triangles = 0
        for position, batch in enumerate(self.batches):
            if two_sided is not None and two_sided[position]:
                self.triangles += encoder.draw(target, style, batch, "front")
                self.triangles += encoder.draw(target, style, batch, "back")
            else:
                self.triangles += encoder.draw(target, style, batch)

    def destroy(self) -> None:
        """Give the memory back."""
        self._order.destroy()

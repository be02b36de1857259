"""What is drawn without meshes: sky, grid, overlay lines, outline, and the copy to a plain target.

Each is one small pipeline per target format and sample count, made on first use.
"""

from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.pipeline_store import PipelineStore
from engine.render.pipelines import DEPTH_FORMAT, PassStyle
from engine.render.scene import OverlayBatch
from engine.render.scene_buffers import GrowingBuffer

_OVER = {
    "color": {"src_factor": "src-alpha", "dst_factor": "one-minus-src-alpha", "operation": "add"},
    "alpha": {"src_factor": "one", "dst_factor": "one-minus-src-alpha", "operation": "add"},
}
_VERTEX_BYTES = 32


class ScreenPasses:
    """Makes and keeps the pipelines of the passes without meshes.

    Parameters
    ----------
    device
        The wgpu device.
    frame_layout
        Bind group layout of the frame.
    store
        Where pipelines are made and kept.
    """

    def __init__(self, device: Any, frame_layout: Any, store: PipelineStore) -> None:
        self._device = device
        self._store = store
        self._frame_only = device.create_pipeline_layout(bind_group_layouts=[frame_layout])
        texture = {"binding": 0, "visibility": wgpu.ShaderStage.FRAGMENT}
        texture["texture"] = {"sample_type": "unfilterable-float"}
        self._picture_layout = device.create_bind_group_layout(entries=[texture])
        self._picture_only = device.create_pipeline_layout(
            bind_group_layouts=[self._picture_layout]
        )
        visibility = wgpu.ShaderStage.FRAGMENT
        self._panorama_layout = device.create_bind_group_layout(
            entries=[
                {"binding": 0, "visibility": visibility, "texture": {}},
                {"binding": 1, "visibility": visibility, "sampler": {}},
            ]
        )
        self._with_panorama = device.create_pipeline_layout(
            bind_group_layouts=[frame_layout, self._panorama_layout]
        )
        self._panorama: tuple[Any, Any] = (None, None)
        self._picture_groups: dict[Any, Any] = {}
        self._pair_layout = device.create_bind_group_layout(
            entries=[texture, texture | {"binding": 1}]
        )
        self._pair_only = device.create_pipeline_layout(bind_group_layouts=[self._pair_layout])

    def draw_sky(
        self,
        target: Any,
        frame_group: Any,
        color_format: str,
        samples: int,
        everywhere: bool = False,
    ) -> None:
        """Fill what is still empty, or everything, with the gradient sky."""
        compare = "always" if everywhere else "greater-equal"
        pipeline = self._pipeline("background.wgsl", color_format, samples, depth=(compare, False))
        target.set_pipeline(pipeline)
        target.set_bind_group(0, frame_group)
        target.draw(3)

    def draw_backdrop(
        self,
        target: Any,
        frame_group: Any,
        panorama: tuple[Any, Any],
        style: PassStyle,
    ) -> None:
        """Fill what is still empty with an environment image, a view and its sampler."""
        assert style.color_format is not None
        switches = frozenset(
            name
            for name in style.switches
            if name.startswith("TONEMAP_") or name in ("SCENE_LINEAR", "COMPRESSED")
        )
        pipeline = self._pipeline(
            "backdrop.wgsl",
            style.color_format,
            style.samples,
            depth=("greater-equal", False),
            switches=switches,
            layout=self._with_panorama,
        )
        target.set_pipeline(pipeline)
        target.set_bind_group(0, frame_group)
        target.set_bind_group(1, self._panorama_group(*panorama))
        target.draw(3)

    def draw_grid(self, target: Any, frame_group: Any, style: PassStyle) -> None:
        """Draw the ground grid behind what is nearer."""
        assert style.color_format is not None
        pipeline = self._pipeline(
            "grid.wgsl",
            style.color_format,
            style.samples,
            depth=("greater-equal", False),
            blend=True,
            switches=style.switches & {"COMPRESSED"},
        )
        target.set_pipeline(pipeline)
        target.set_bind_group(0, frame_group)
        target.draw(3)

    def draw_overlay(
        self,
        target: Any,
        frame_group: Any,
        overlay: "OverlayBuffers",
        on_top: bool,
        color_format: str,
        samples: int,
    ) -> None:
        """Draw an overlay's triangles and lines, those on top or those in depth."""
        compare = "always" if on_top else "greater-equal"
        for topology in ("triangles", "lines"):
            buffer, count = overlay.part(topology, on_top)
            if not count:
                continue
            pipeline = self._pipeline(
                "overlay.wgsl",
                color_format,
                samples,
                depth=(compare, False),
                blend=True,
                overlay=topology,
            )
            target.set_pipeline(pipeline)
            target.set_bind_group(0, frame_group)
            target.set_vertex_buffer(0, buffer)
            if topology == "lines":
                target.draw(6, count // 2)
            else:
                target.draw(count)

    def draw_outline(
        self, target: Any, silhouette_view: Any, color_format: str, width: float
    ) -> None:
        """Blend the outline of a silhouette over a finished picture; `width` is in pixels."""
        target.set_pipeline(self.outline_pipeline(color_format, width))
        target.set_bind_group(0, self._picture_group(silhouette_view))
        target.draw(3)

    def outline_pipeline(self, color_format: str, width: float) -> Any:
        """What an outline is drawn with."""
        # In halves, so that a window on its way between two screens makes few pipelines.
        switches = frozenset({f"WIDTH={max(round(2.0 * width), 2) / 2.0}"})
        return self._pipeline("outline.wgsl", color_format, 1, blend=True, switches=switches)

    def draw_layers(
        self, target: Any, layers_view: Any, weights_view: Any, color_format: str, samples: int
    ) -> None:
        """Lay summed up layers of blended surfaces over the picture."""
        pipeline = self._pipeline(
            "layers_over.wgsl",
            color_format,
            samples,
            depth=("always", False),
            blend=True,
            layout=self._pair_only,
        )
        target.set_pipeline(pipeline)
        target.set_bind_group(0, self._picture_group(layers_view, weights_view))
        target.draw(3)

    def draw_present(self, target: Any, picture_view: Any, color_format: str) -> None:
        """Copy a finished picture, encoding sRGB."""
        target.set_pipeline(self._pipeline("present.wgsl", color_format, 1))
        target.set_bind_group(0, self._picture_group(picture_view))
        target.draw(3)

    def _picture_group(self, *views: Any) -> Any:
        if views not in self._picture_groups:
            if len(self._picture_groups) > 8:
                self._picture_groups.clear()
            self._picture_groups[views] = self._device.create_bind_group(
                layout=self._picture_layout if len(views) == 1 else self._pair_layout,
                entries=[{"binding": k, "resource": view} for k, view in enumerate(views)],
            )
        return self._picture_groups[views]

    def _panorama_group(self, view: Any, sampler: Any) -> Any:
        if self._panorama[0] is not view:
            entries = [{"binding": 0, "resource": view}, {"binding": 1, "resource": sampler}]
            layout = self._panorama_layout
            group = self._device.create_bind_group(layout=layout, entries=entries)
            self._panorama = (view, group)
        return self._panorama[1]

    def _pipeline(
        self,
        shader: str,
        color_format: str,
        samples: int,
        depth: tuple[str, bool] | None = None,
        blend: bool = False,
        overlay: str = "",
        switches: frozenset[str] = frozenset(),
        layout: Any = None,
    ) -> Any:
        def describe(module: Any) -> dict[str, Any]:
            target: dict[str, Any] = {"format": color_format}
            if blend:
                target["blend"] = _OVER
            state: dict[str, Any] | None = None
            if depth is not None:
                state = {"format": DEPTH_FORMAT, "depth_compare": depth[0]}
                state["depth_write_enabled"] = depth[1]
            vertex: dict[str, Any] = {"module": module, "entry_point": "vertex"}
            if overlay:
                vertex = _overlay_vertex(module, overlay)
            plain = self._frame_only if depth is not None else self._picture_only
            return {
                "layout": plain if layout is None else layout,
                "vertex": vertex,
                "primitive": {"topology": "triangle-list"},
                "depth_stencil": state,
                "multisample": {"count": samples},
                "fragment": {"module": module, "entry_point": "fragment", "targets": [target]},
            }

        key = (shader, color_format, samples, depth, overlay, switches)
        return self._store.get(key, shader, describe, switches)


def _overlay_vertex(module: Any, topology: str) -> dict[str, Any]:
    lines = topology == "lines"
    attributes = [
        {"format": "float32x4", "offset": 16 * k, "shader_location": k}
        for k in range(4 if lines else 2)
    ]
    layout = {
        "array_stride": 2 * _VERTEX_BYTES if lines else _VERTEX_BYTES,
        "step_mode": "instance" if lines else "vertex",
        "attributes": attributes,
    }
    entry = "line_vertex" if lines else "triangle_vertex"
    return {"module": module, "entry_point": entry, "buffers": [layout]}


class OverlayBuffers:
    """An `OverlayBatch` on the GPU."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._parts: dict[tuple[str, bool], tuple[GrowingBuffer, int]] = {}
        self._seen: tuple[int, int] = (0, -1)

    def update(self, batch: OverlayBatch | None) -> None:
        """Upload a batch unless it is the one of the last call, unchanged."""
        seen = (0, -1) if batch is None else (id(batch), batch.version)
        if seen == self._seen:
            return
        self._seen = seen
        for topology in ("lines", "triangles"):
            for on_top in (False, True):
                empty: NDArray[np.float32] = np.zeros((0, 8), np.float32)
                rows = empty if batch is None else batch.vertices(topology, on_top)
                self._store(topology, on_top, np.ascontiguousarray(rows))

    def part(self, topology: str, on_top: bool) -> tuple[Any, int]:
        """The vertex buffer and the number of vertices."""
        store = self._parts.get((topology, on_top))
        return (None, 0) if store is None else (store[0].buffer, store[1])

    def _store(self, topology: str, on_top: bool, rows: NDArray[np.float32]) -> None:
        kept = self._parts.get((topology, on_top))
        if kept is None:
            buffer = GrowingBuffer(self._device, "overlay", wgpu.BufferUsage.VERTEX)
        else:
            buffer = kept[0]
        buffer.store(rows)
        self._parts[topology, on_top] = (buffer, len(rows))

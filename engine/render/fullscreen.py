"""Passes of one triangle over a whole target, that read textures and write one."""

from typing import Any

import wgpu

from engine.render.pipeline_store import PipelineStore


class FullscreenPass:
    """One shader of a target format; its pipelines are made on first use.

    It reads a uniform at 0, a sampler at 1, and textures from 2 on.

    Parameters
    ----------
    device
        The wgpu device.
    store
        Where pipelines are made and kept.
    shader
        A WGSL file with the entry points `vertex` and `fragment`.
    color_format
        Of the target.
    textures
        Sample type of each texture that it reads.
    blend
        How it is laid over what the target holds; None replaces it.
    """

    def __init__(
        self,
        device: Any,
        store: PipelineStore,
        shader: str,
        color_format: str,
        textures: tuple[str, ...],
        blend: dict[str, Any] | None = None,
    ) -> None:
        self._device = device
        self._store = store
        self._shader = shader
        self._target: dict[str, Any] = {"format": color_format}
        if blend is not None:
            self._target["blend"] = blend
        visibility = wgpu.ShaderStage.FRAGMENT
        entries: list[dict[str, Any]] = [
            {"binding": 0, "visibility": visibility, "buffer": {"type": "uniform"}},
            {"binding": 1, "visibility": visibility, "sampler": {}},
        ]
        for number, sample_type in enumerate(textures):
            texture = {"sample_type": sample_type}
            entries.append({"binding": 2 + number, "visibility": visibility, "texture": texture})
        self._layout = device.create_bind_group_layout(entries=entries)
        self._pipeline_layout = device.create_pipeline_layout(bind_group_layouts=[self._layout])

    def group(self, uniform: Any, sampler: Any, *views: Any, offset: int = 0) -> Any:
        """A bind group; whoever draws keeps it while the views stand."""
        entries: list[dict[str, Any]] = [
            {"binding": 0, "resource": {"buffer": uniform, "offset": offset}},
            {"binding": 1, "resource": sampler},
        ]
        entries += [{"binding": 2 + k, "resource": view} for k, view in enumerate(views)]
        return self._device.create_bind_group(layout=self._layout, entries=entries)

    def fill(self, encoder: Any, view: Any, group: Any, load: bool = False) -> None:
        """Write the target in a pass of its own, over what it holds where `load` is set."""
        color = {"view": view, "load_op": "load" if load else "clear", "store_op": "store"}
        target = encoder.begin_render_pass(color_attachments=[color])
        self.draw(target, group)
        target.end()

    def draw(
        self,
        target: Any,
        group: Any,
        switches: frozenset[str] = frozenset(),
        samples: int = 1,
        depth_format: str | None = None,
    ) -> None:
        """Draw in a pass that is under way."""
        target.set_pipeline(self._pipeline(switches, samples, depth_format))
        target.set_bind_group(0, group)
        target.draw(3)

    def _pipeline(self, switches: frozenset[str], samples: int, depth_format: str | None) -> Any:
        def describe(module: Any) -> dict[str, Any]:
            depth: dict[str, Any] | None = None
            if depth_format is not None:
                depth = {"format": depth_format, "depth_compare": "always"}
                depth["depth_write_enabled"] = False
            return {
                "layout": self._pipeline_layout,
                "vertex": {"module": module, "entry_point": "vertex"},
                "primitive": {"topology": "triangle-list"},
                "depth_stencil": depth,
                "multisample": {"count": samples},
                "fragment": {
                    "module": module,
                    "entry_point": "fragment",
                    "targets": [self._target],
                },
            }

        key = (self._shader, self._target["format"], samples, depth_format, switches)
        return self._store.get(key, self._shader, describe, switches)

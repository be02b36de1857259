"""Mip levels that are made on the GPU: each the average of four texels of the level above, taken in
linear light (an sRGB view decodes on reading and encodes on writing).
"""

from typing import Any, NamedTuple

from engine.render.pipeline_store import PipelineStore


class MipChain(NamedTuple):
    """A texture's levels, one view each, and the groups by which each reads the one above it."""

    texture: Any
    views: list[Any]
    groups: list[Any]
    version: int


class MipmapMaker:
    """Fills the lower mip levels of textures."""

    def __init__(self, device: Any, store: PipelineStore) -> None:
        self._device = device
        self._store = store
        self._sampler = device.create_sampler(mag_filter="linear", min_filter="linear")

    def fill(self, texture: Any, levels: int) -> None:
        """Make levels 1 and up of a 2D texture from its level 0."""
        encoder = self._device.create_command_encoder()
        self.encode(encoder, self.chain(texture, levels))
        self._device.queue.submit([encoder.finish()])

    def chain(self, texture: Any, levels: int) -> MipChain:
        """What `encode` needs of a 2D texture; good until its pipelines are others."""
        pipeline = self._pipeline(texture.format)
        views = [texture.create_view(base_mip_level=k, mip_level_count=1) for k in range(levels)]
        layout = pipeline.get_bind_group_layout(0)
        groups = [
            self._device.create_bind_group(
                layout=layout,
                entries=[
                    {"binding": 0, "resource": source},
                    {"binding": 1, "resource": self._sampler},
                ],
            )
            for source in views[:-1]
        ]
        return MipChain(texture, views, groups, self._store.version)

    def is_current(self, chain: MipChain) -> bool:
        """Whether a chain can still be encoded."""
        return chain.version == self._store.version

    def encode(self, encoder: Any, chain: MipChain) -> None:
        """Write the making of levels 1 and up into a command encoder."""
        pipeline = self._pipeline(chain.texture.format)
        for group, target in zip(chain.groups, chain.views[1:], strict=True):
            attachment = {"view": target, "load_op": "clear", "store_op": "store"}
            render_pass = encoder.begin_render_pass(color_attachments=[attachment])
            render_pass.set_pipeline(pipeline)
            render_pass.set_bind_group(0, group)
            render_pass.draw(3)
            render_pass.end()

    def _pipeline(self, texture_format: str) -> Any:
        def describe(module: Any) -> dict[str, Any]:
            targets = [{"format": texture_format}]
            return {
                "layout": "auto",
                "vertex": {"module": module, "entry_point": "vertex"},
                "primitive": {"topology": "triangle-list"},
                "fragment": {"module": module, "entry_point": "fragment", "targets": targets},
            }

        return self._store.get(("mipmap", texture_format), "mipmap.wgsl", describe)

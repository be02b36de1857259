"""Reflections of an environment: a cube of ever rougher levels, made on the GPU once per image.

Images arrive ready for upload (`environment_map`), so only the filter runs here; a prefiltered map
needs not even that. The last few stay.
"""

from typing import Any, NamedTuple

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.environment_map import EnvironmentMap, PrefilteredMap
from engine.render.pipeline_store import PipelineStore

CUBE_SIZE = 256
CUBE_LEVELS = 6
FILTERED_FORMAT = "rgba16float"
PACKED_FORMAT = "rgb9e5ufloat"
_KEPT = 3
# Right, up and forward of each face as they are seen from inside, in the order of cube layers.
_FACES = (
    ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, 1, 0), (0, 0, -1)),
)
_BLOCK_STRIDE = 256

AnyEnvironment = EnvironmentMap | PrefilteredMap


class GpuEnvironment(NamedTuple):
    """An environment on the GPU."""

    image: AnyEnvironment
    textures: tuple[Any, ...]
    panorama_view: Any
    cube_view: Any


class EnvironmentTable:
    """The environments of a renderer, by image."""

    def __init__(self, device: Any, store: PipelineStore) -> None:
        self._device = device
        self._store = store
        self._sampler = device.create_sampler(
            mag_filter="linear",
            min_filter="linear",
            mipmap_filter="linear",
            address_mode_u="repeat",
        )
        self._kept: list[GpuEnvironment] = []

    @property
    def sampler(self) -> Any:
        """How panoramas are read."""
        return self._sampler

    def get(self, image: AnyEnvironment) -> GpuEnvironment:
        """The environment of an image, made on first use."""
        for position, kept in enumerate(self._kept):
            if kept.image is image:
                if position + 1 < len(self._kept):
                    self._kept.append(self._kept.pop(position))
                return kept
        while len(self._kept) >= _KEPT:
            for texture in self._kept.pop(0).textures:
                texture.destroy()
        made = self._load(image) if isinstance(image, PrefilteredMap) else self._filter(image)
        self._kept.append(made)
        return made

    def _load(self, image: PrefilteredMap) -> GpuEnvironment:
        size = image.levels[0].shape[1]
        cube = self._texture("reflections", (size, size, 6), PACKED_FORMAT, len(image.levels))
        for number, level in enumerate(image.levels):
            self._write(cube, number, level)
        cube_view = cube.create_view(dimension="cube")
        panorama = self._texture("panorama", (4 * size, 2 * size, 1), FILTERED_FORMAT)
        encoder = self._device.create_command_encoder()
        self._draw(encoder, "unfold.wgsl", panorama.create_view(), cube_view)
        self._device.queue.submit([encoder.finish()])
        return GpuEnvironment(image, (cube, panorama), panorama.create_view(), cube_view)

    def _filter(self, image: EnvironmentMap) -> GpuEnvironment:
        height, width = image.levels[0].shape
        panorama = self._texture("panorama", (width, height, 1), PACKED_FORMAT, len(image.levels))
        for number, level in enumerate(image.levels):
            self._write(panorama, number, level[None])
        panorama_view = panorama.create_view()
        cube = self._texture("reflections", (CUBE_SIZE, CUBE_SIZE, 6), FILTERED_FORMAT, CUBE_LEVELS)
        self._fill(cube, panorama_view)
        return GpuEnvironment(
            image, (panorama, cube), panorama_view, cube.create_view(dimension="cube")
        )

    def _texture(
        self, label: str, size: tuple[int, int, int], texture_format: str, levels: int = 1
    ) -> Any:
        use = wgpu.TextureUsage
        usage = use.TEXTURE_BINDING
        if texture_format == PACKED_FORMAT:
            usage |= use.COPY_DST
        else:
            usage |= use.RENDER_ATTACHMENT | use.COPY_SRC
        return self._device.create_texture(
            label=label, size=size, format=texture_format, mip_level_count=levels, usage=usage
        )

    def _write(self, texture: Any, number: int, level: NDArray[np.uint32]) -> None:
        layers, height, width = level.shape
        layout = {"bytes_per_row": 4 * width, "rows_per_image": height}
        target = {"texture": texture, "mip_level": number}
        rows = np.ascontiguousarray(level)
        self._device.queue.write_texture(target, rows, layout, (width, height, layers))

    def _fill(self, cube: Any, panorama_view: Any) -> None:
        blocks = np.zeros((CUBE_LEVELS * len(_FACES), _BLOCK_STRIDE // 4), np.float32)
        for number, row in enumerate(blocks):
            level, face = divmod(number, len(_FACES))
            right, up, forward = _FACES[face]
            row[:12] = [*right, level / (CUBE_LEVELS - 1), *up, 0, *forward, 0]
        usage = wgpu.BufferUsage.UNIFORM
        buffer = self._device.create_buffer_with_data(data=blocks, usage=usage)
        encoder = self._device.create_command_encoder()
        for number in range(len(blocks)):
            level, face = divmod(number, len(_FACES))
            target = cube.create_view(
                dimension="2d",
                base_array_layer=face,
                array_layer_count=1,
                base_mip_level=level,
                mip_level_count=1,
            )
            block = {"buffer": buffer, "offset": number * _BLOCK_STRIDE, "size": 48}
            self._draw(encoder, "prefilter.wgsl", target, panorama_view, block)
        self._device.queue.submit([encoder.finish()])

    def _draw(self, encoder: Any, shader: str, target: Any, source: Any, block: Any = None) -> None:
        """Fill a view with what a shader makes of another one."""
        pipeline = self._store.get((shader, FILTERED_FORMAT), shader, _describe)
        entries = [
            {"binding": 1, "resource": source},
            {"binding": 2, "resource": self._sampler},
        ]
        if block is not None:
            entries.append({"binding": 0, "resource": block})
        group = self._device.create_bind_group(
            layout=pipeline.get_bind_group_layout(0), entries=entries
        )
        color = {"view": target, "load_op": "clear", "store_op": "store"}
        face_pass = encoder.begin_render_pass(color_attachments=[color])
        face_pass.set_pipeline(pipeline)
        face_pass.set_bind_group(0, group)
        face_pass.draw(3)
        face_pass.end()


def _describe(module: Any) -> dict[str, Any]:
    targets = [{"format": FILTERED_FORMAT}]
    return {
        "layout": "auto",
        "vertex": {"module": module, "entry_point": "vertex"},
        "primitive": {"topology": "triangle-list"},
        "fragment": {"module": module, "entry_point": "fragment", "targets": targets},
    }

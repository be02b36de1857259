"""Reflections of an environment: a cube of ever rougher levels, made on the GPU once per image.

Images arrive ready for upload (`environment_map`), so only the filter runs here; a prefiltered map
needs not even that. The last few stay. A view that streams gets an image over several pictures and
the one before meanwhile.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.device import is_software
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
_BAND_BYTES = 4 << 20
# What a picture of a streaming view may cost: samples of the filter on the CPU, about 30 ms.
_COST = 1 << 20
_BAND_COST = _COST // 4
_SAMPLES = 64

AnyEnvironment = EnvironmentMap | PrefilteredMap


@dataclass(eq=False)
class GpuEnvironment:
    """An environment on the GPU; a prefiltered one has a panorama once it is asked for."""

    image: AnyEnvironment
    cube: Any
    cube_view: Any
    panorama: Any = None
    panorama_view: Any = None

    def destroy(self) -> None:
        """Give the memory back."""
        self.cube.destroy()
        if self.panorama is not None:
            self.panorama.destroy()


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
        self._making: tuple[EnvironmentMap, Generator[int, None, GpuEnvironment]] | None = None
        self._software = is_software(device)
        self.pending = False

    def get(self, image: AnyEnvironment, patient: bool = True) -> GpuEnvironment | None:
        """The environment of an image, made on first use.

        Unless `patient`, what is not made yet is gone on with, and meanwhile the answer is the one
        before it, None without one; `pending` tells.
        """
        self.pending = False
        for position, kept in enumerate(self._kept):
            if kept.image is image:
                if position + 1 < len(self._kept):
                    self._kept.append(self._kept.pop(position))
                return kept
        made = (
            self._load(image) if isinstance(image, PrefilteredMap) else self._go_on(image, patient)
        )
        if made is None:
            self.pending = True
            return self._kept[-1] if self._kept else None
        while len(self._kept) >= _KEPT:
            self._kept.pop(0).destroy()
        self._kept.append(made)
        return made

    def _go_on(self, image: EnvironmentMap, patient: bool) -> GpuEnvironment | None:
        """Go on making an environment, instead of the one that was being made."""
        if self._making is None or self._making[0] is not image:
            if self._making is not None:
                self._making[1].close()
            self._making = (image, self._steps(image))
        steps, left = self._making[1], _COST
        try:
            while patient or left > 0:
                left -= next(steps)
        except StopIteration as end:
            self._making = None
            made: GpuEnvironment = end.value
            return made
        except BaseException:
            self._making = None
            raise
        return None

    def _load(self, image: PrefilteredMap) -> GpuEnvironment:
        size = image.levels[0].shape[1]
        cube = self._texture("reflections", (size, size, 6), PACKED_FORMAT, len(image.levels))
        for number, level in enumerate(image.levels):
            self._write(cube, number, level)
        return GpuEnvironment(image, cube, cube.create_view(dimension="cube"))

    def panorama(self, environment: GpuEnvironment) -> tuple[Any, Any]:
        """The view and the sampler of what is seen of an environment."""
        if environment.panorama_view is None:
            size = environment.cube.width
            panorama = self._texture("panorama", (4 * size, 2 * size, 1), FILTERED_FORMAT)
            view = panorama.create_view()
            encoder = self._device.create_command_encoder()
            self._draw(encoder, "unfold.wgsl", view, environment.cube_view)
            self._device.queue.submit([encoder.finish()])
            environment.panorama, environment.panorama_view = panorama, view
        return environment.panorama_view, self._sampler

    def _steps(self, image: EnvironmentMap) -> Generator[int, None, GpuEnvironment]:
        """Upload and filter an image, yielding what each step cost."""
        height, width = image.levels[0].shape
        panorama = self._texture("panorama", (width, height, 1), PACKED_FORMAT, len(image.levels))
        size = (CUBE_SIZE, CUBE_SIZE, 6)
        cube = self._texture("reflections", size, FILTERED_FORMAT, CUBE_LEVELS)
        try:
            for number, level in enumerate(image.levels):
                yield from self._write_bands(panorama, number, level)
            panorama_view = panorama.create_view()
            yield from self._fill(cube, panorama_view)
        except BaseException:
            panorama.destroy()
            cube.destroy()
            raise
        cube_view = cube.create_view(dimension="cube")
        return GpuEnvironment(image, cube, cube_view, panorama, panorama_view)

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

    def _write_bands(
        self, texture: Any, number: int, level: NDArray[np.uint32]
    ) -> Generator[int, None, None]:
        """Write a level a few megabytes at a time."""
        width = level.shape[1]
        rows = max(_BAND_BYTES // (4 * width), 1)
        for top in range(0, len(level), rows):
            band = np.ascontiguousarray(level[top : top + rows])
            target = {"texture": texture, "mip_level": number, "origin": (0, top, 0)}
            layout = {"bytes_per_row": 4 * width, "rows_per_image": len(band)}
            self._device.queue.write_texture(target, band, layout, (width, len(band), 1))
            yield band.nbytes * _BAND_COST // _BAND_BYTES

    def _fill(self, cube: Any, panorama_view: Any) -> Generator[int, None, None]:
        """Filter face by face, the largest levels first."""
        blocks = np.zeros((CUBE_LEVELS * len(_FACES), _BLOCK_STRIDE // 4), np.float32)
        for number, row in enumerate(blocks):
            level, face = divmod(number, len(_FACES))
            right, up, forward = _FACES[face]
            row[:12] = [*right, level / (CUBE_LEVELS - 1), *up, 0, *forward, 0]
        usage = wgpu.BufferUsage.UNIFORM
        buffer = self._device.create_buffer_with_data(data=blocks, usage=usage)
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
            encoder = self._device.create_command_encoder()
            self._draw(encoder, "prefilter.wgsl", target, panorama_view, block)
            self._device.queue.submit([encoder.finish()])
            samples = (CUBE_SIZE >> level) ** 2 * (_SAMPLES if level else 1)
            yield samples if self._software else samples // 64

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

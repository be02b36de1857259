"""The textures a picture is drawn into, kept for the sizes in use."""

from collections import OrderedDict
from typing import Any

import wgpu

from engine.render.device import is_opengl

KEPT = 40
KEPT_PICTURES = 4


class TargetPool:
    """Textures by size, format, samples and purpose.

    They are destroyed when the last `KEPT_PICTURES` did without them, as those of a window's former
    size, and the longest unused when there are more than `KEPT`.
    """

    def __init__(self, device: Any) -> None:
        self._device = device
        self._opengl = is_opengl(device)
        self._textures: OrderedDict[tuple[Any, ...], tuple[Any, Any]] = OrderedDict()
        self._used: dict[tuple[Any, ...], int] = {}
        self._pictures = 0

    def __len__(self) -> int:
        return len(self._textures)

    def begin_picture(self) -> None:
        """Let go of what the last pictures did without."""
        self._pictures += 1
        old = self._pictures - KEPT_PICTURES
        for key in [key for key, used in self._used.items() if used < old]:
            self._drop(key)

    def get(
        self,
        purpose: str,
        width: int,
        height: int,
        texture_format: str,
        samples: int = 1,
        levels: int = 1,
    ) -> tuple[Any, Any]:
        """A texture and its view; the same pair for the same arguments while it is kept."""
        key = (purpose, width, height, texture_format, samples, levels)
        if key not in self._textures:
            self._textures[key] = self._make(key)
            while len(self._textures) > KEPT:
                self._drop(next(iter(self._textures)))
        self._textures.move_to_end(key)
        self._used[key] = self._pictures
        return self._textures[key]

    def _drop(self, key: tuple[Any, ...]) -> None:
        self._textures.pop(key)[0].destroy()
        self._used.pop(key, None)

    def _make(self, key: tuple[Any, ...]) -> tuple[Any, Any]:
        purpose, width, height, texture_format, samples, levels = key
        use = wgpu.TextureUsage
        usage = use.RENDER_ATTACHMENT | use.TEXTURE_BINDING
        if samples > 1 and (self._opengl or not texture_format.startswith("depth")):
            # Colour samples are only resolved. OpenGL makes a renderbuffer of what isn't bound;
            # the samples of a texture come out black there (wgpu 0.32, Mesa 22).
            usage = use.RENDER_ATTACHMENT
        if levels > 1:
            usage |= use.COPY_DST
        texture = self._device.create_texture(
            label=purpose,
            size=(width, height, 1),
            format=texture_format,
            sample_count=samples,
            mip_level_count=levels,
            usage=usage | use.COPY_SRC if samples == 1 else usage,
        )
        return texture, texture.create_view()


def half(size: tuple[int, int]) -> tuple[int, int]:
    """Half a size, at least one pixel."""
    return (size[0] + 1) // 2, (size[1] + 1) // 2


class Readback:
    """Copies a texture to an array through buffers that are kept."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._buffer: Any = None

    def encode(self, encoder: Any, texture: Any, width: int, height: int, pixel_bytes: int) -> None:
        """Write the copy of the top left part of a texture into a command encoder."""
        row = _padded(width * pixel_bytes)
        size = row * height
        if self._buffer is None or self._buffer.size < size or self._buffer.size > 4 * size:
            if self._buffer is not None:
                self._buffer.destroy()
            use = wgpu.BufferUsage
            self._buffer = self._device.create_buffer(size=size, usage=use.COPY_DST | use.MAP_READ)
        encoder.copy_texture_to_buffer(
            {"texture": texture},
            {"buffer": self._buffer, "bytes_per_row": row, "rows_per_image": height},
            (width, height, 1),
        )

    def read(self, width: int, height: int, pixel_bytes: int) -> bytearray:
        """The rows of the last copy without padding; waits for the GPU."""
        row, used = _padded(width * pixel_bytes), width * pixel_bytes
        self._buffer.map_sync("READ", 0, row * height)
        try:
            mapped = self._buffer.read_mapped(0, row * height, copy=False)
            if row == used:
                return bytearray(mapped)
            return bytearray(b"".join(mapped[k * row : k * row + used] for k in range(height)))
        finally:
            self._buffer.unmap()


def _padded(row_bytes: int) -> int:
    return row_bytes + -row_bytes % 256

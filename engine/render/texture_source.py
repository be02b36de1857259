"""What a texture is made of, and how it is put on the GPU from any of its mip levels on.

The arrays that a caller gave are kept, not copied: importers hold them anyhow, and levels that gave
way to others come back from them.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.render.device import is_lost
from engine.render.mipmaps import MipmapMaker

U8 = NDArray[np.uint8]
T = TypeVar("T")

BLOCK = 4
SMALLEST = 64
"""Pixels of the longer side below which no levels are left out."""


SLICE_BYTES = 4 << 20
"""What one step of an upload writes at most, but for rows that are longer."""


def finished(steps: Generator[None, None, T]) -> T:
    """Take all steps of a generator at once and return what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: T = end.value
            return found


@dataclass(frozen=True, eq=False)
class TextureSource:
    """A picture as it was given.

    Parameters
    ----------
    levels
        Rows of pixels (h, w, 4), or of blocks (rows, columns, 16), largest first.
    size
        Width and height of the largest level in pixels.
    format
        Of the wgpu texture.
    label
        For messages and GPU debuggers.
    digest
        A number for the contents, the same in every session.
    is_made
        The levels after the first are made on the GPU.
    """

    levels: Sequence[U8]
    size: tuple[int, int]
    format: str
    label: str
    digest: int
    is_made: bool = False

    @property
    def is_packed(self) -> bool:
        """Whether levels are blocks."""
        return self.format.startswith("bc")

    @property
    def count(self) -> int:
        """Number of mip levels on the GPU."""
        return max(self.size).bit_length() if self.is_made else len(self.levels)

    @property
    def last(self) -> int:
        """The deepest level that the texture may begin with."""
        width, height = self.size
        last = 0
        while last + 1 < self.count and max(width, height) >> (last + 1) >= SMALLEST:
            if self.is_packed and (width >> (last + 1)) % BLOCK + (height >> (last + 1)) % BLOCK:
                break
            last += 1
        return last

    def level_size(self, level: int) -> tuple[int, int]:
        """Width and height of a level in pixels."""
        return max(self.size[0] >> level, 1), max(self.size[1] >> level, 1)

    def bytes_from(self, base: int) -> int:
        """GPU memory of all levels from one on."""
        total = 0
        for level in range(base, self.count):
            width, height = self.level_size(level)
            if self.is_packed:
                total += -(-width // BLOCK) * -(-height // BLOCK) * 16
            else:
                total += 4 * width * height
        return total

    def equals(self, other: "TextureSource") -> bool:
        """Whether the pictures are the same to the last bit."""
        alike = (self.size, self.format, self.digest, self.count)
        if alike != (other.size, other.format, other.digest, other.count):
            return False
        pairs = zip(self.levels, other.levels, strict=True)
        return all(a is b or np.array_equal(a, b) for a, b in pairs)

    def upload(self, device: Any, mipmaps: MipmapMaker, base: int = 0) -> Any:
        """Make a texture of the levels from one on.

        Raises
        ------
        EngineError
            There is no memory for it; nothing is left behind.
        """
        return finished(self.upload_steps(device, mipmaps, base))

    def upload_steps(
        self, device: Any, mipmaps: MipmapMaker, base: int = 0
    ) -> Generator[None, None, Any]:
        """Make a texture as `upload` does, and yield whenever `SLICE_BYTES` were written.

        One that is closed before its end leaves nothing behind.
        """
        if base == 0 or not self.is_made:
            return (yield from self._filled(device, mipmaps, base))
        whole = yield from self._filled(device, mipmaps, 0)
        try:
            return self.reduced(device, whole, 0, base)
        finally:
            whole.destroy()

    def reduced(self, device: Any, texture: Any, base: int, to: int) -> Any:
        """Make a texture of the deeper levels of one that begins at `base`."""
        smaller = self._create(device, to, wgpu.TextureUsage.COPY_DST)
        try:
            encoder = device.create_command_encoder()
            for level in range(to, self.count):
                width, height = self._copied_size(level)
                encoder.copy_texture_to_texture(
                    {"texture": texture, "mip_level": level - base},
                    {"texture": smaller, "mip_level": level - to},
                    (width, height, 1),
                )
            device.queue.submit([encoder.finish()])
        except BaseException:
            smaller.destroy()
            raise
        return smaller

    def _filled(self, device: Any, mipmaps: MipmapMaker, base: int) -> Generator[None, None, Any]:
        made = self.is_made and self.count > 1
        use = wgpu.TextureUsage
        usage = use.COPY_DST | (use.RENDER_ATTACHMENT if made else 0)
        texture = self._create(device, base, usage)
        written = 0
        try:
            for level in range(base, len(self.levels)):
                target = {"texture": texture, "mip_level": level - base}
                for rows, top in self._slices(level):
                    if written and written + rows.nbytes > SLICE_BYTES:
                        written = 0
                        yield
                    self._write(device.queue, target, level, rows, top)
                    written += rows.nbytes
            if made:
                mipmaps.fill(texture, self.count)
        except BaseException:
            texture.destroy()
            raise
        return texture

    def _slices(self, level: int) -> Iterator[tuple[U8, int]]:
        """Rows of a level, so many at a time as make a slice, and the first pixel row of them."""
        rows = np.ascontiguousarray(self.levels[level])
        step = max(SLICE_BYTES // (rows.shape[1] * rows.shape[2]), 1)
        for first in range(0, len(rows), step):
            yield rows[first : first + step], first * (BLOCK if self.is_packed else 1)

    def _write(self, queue: Any, target: dict[str, Any], level: int, rows: U8, top: int) -> None:
        width, height = self._copied_size(level)
        layout = {
            "bytes_per_row": rows.shape[1] * rows.shape[2],
            "rows_per_image": len(rows),
        }
        high = len(rows) * (BLOCK if self.is_packed else 1)
        size = (width, min(high, height - top), 1)
        queue.write_texture({**target, "origin": (0, top, 0)}, rows, layout, size)

    def _copied_size(self, level: int) -> tuple[int, int]:
        width, height = self.level_size(level)
        if self.is_packed:
            return width + -width % BLOCK, height + -height % BLOCK
        return width, height

    def _create(self, device: Any, base: int, usage: int) -> Any:
        size = self.level_size(base)
        use = wgpu.TextureUsage
        try:
            return device.create_texture(
                label=self.label,
                size=(*size, 1),
                format=self.format,
                mip_level_count=self.count - base,
                usage=usage | use.TEXTURE_BINDING | use.COPY_SRC,
            )
        except wgpu.GPUError as problem:
            if is_lost(problem):
                raise
            megabytes = self.bytes_from(base) / 1e6
            raise EngineError(
                f"texture {self.label!r}: {size[0]} x {size[1]} pixels need {megabytes:.1f} MB, "
                f"which the device refuses ({problem})"
            ) from problem


def pixel_source(device: Any, pixels: U8, srgb: bool, label: str, digest: int) -> TextureSource:
    """The source of a picture whose levels are made.

    Raises
    ------
    EngineError
        The shape is another, or the device has no texture of that size.
    """
    if pixels.ndim != 3 or pixels.shape[2] != 4 or 0 in pixels.shape:
        raise EngineError(f"texture {label!r}: found shape {pixels.shape}, expected (h, w, 4)")
    height, width = pixels.shape[:2]
    most = int(device.limits["max-texture-dimension-2d"])
    if max(height, width) > most:
        raise EngineError(f"texture {label!r}: found {width} x {height}, expected at most {most}")
    texture_format = "rgba8unorm-srgb" if srgb else "rgba8unorm"
    return TextureSource((pixels,), (width, height), texture_format, label, digest, is_made=True)


def level_source(
    device: Any,
    levels: Sequence[U8],
    size: tuple[int, int],
    bc7: bool,
    srgb: bool,
    label: str,
    digest: int,
) -> TextureSource:
    """The source of a picture whose levels are ready, largest first.

    WebGPU (texture creation) wants the largest level of a block format to be whole blocks; smaller
    levels are copied rounded up to whole blocks.

    Parameters
    ----------
    device
        The wgpu device.
    levels
        (h, w, 4) pixels each, or with `bc7` (rows of blocks, blocks, 16).
    size
        Width and height of the largest level in pixels.

    Raises
    ------
    EngineError
        A level has another shape than its size asks for, the device has no texture of that size,
        or it takes no BC7 of that size.
    """
    _check(device, levels, size, bc7, label)
    base = "bc7-rgba-unorm" if bc7 else "rgba8unorm"
    return TextureSource(tuple(levels), size, f"{base}-srgb" if srgb else base, label, digest)


def _check(device: Any, levels: Sequence[U8], size: tuple[int, int], bc7: bool, label: str) -> None:
    most = int(device.limits["max-texture-dimension-2d"])
    width, height = size
    if not 0 < min(size) <= max(size) <= most:
        raise EngineError(f"texture {label!r}: found {width} x {height}, expected at most {most}")
    if not 1 <= len(levels) <= max(size).bit_length():
        raise EngineError(f"texture {label!r}: found {len(levels)} levels for {width} x {height}")
    if bc7 and (width % BLOCK or height % BLOCK):
        raise EngineError(f"texture {label!r}: found {width} x {height}, expected whole blocks")
    if bc7 and "texture-compression-bc" not in device.features:
        raise EngineError(f"texture {label!r}: found BC7, which this device does not take")
    for number, level in enumerate(levels):
        columns, rows = (max(side >> number, 1) for side in size)
        expected = (-(-rows // BLOCK), -(-columns // BLOCK), 16) if bc7 else (rows, columns, 4)
        if level.shape != expected:
            raise EngineError(
                f"texture {label!r}: level {number}: found {level.shape}, expected {expected}"
            )

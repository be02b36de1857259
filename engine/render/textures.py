"""Textures and samplers on the GPU; what `Renderer.resources` is.

Pictures that are equal share one texture. A texture may begin with a deeper level than its picture
has, where memory is short (`residency`). Removing a texture that a material still reads leaves that
material white until it is replaced.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import EngineError
from engine.render.device import gpu_errors
from engine.render.mipmaps import MipmapMaker
from engine.render.pipeline_store import PipelineStore
from engine.render.texture_source import TextureSource, finished, level_source, pixel_source

_WRAPS = {"repeat": "repeat", "clamp": "clamp-to-edge", "mirror": "mirror-repeat"}


class SamplerSource(Protocol):
    """What `add_sampler` takes: `engine.assets.Sampler`, known by its shape only."""

    @property
    def mag(self) -> str:
        """How texels are magnified: "nearest" or "linear"."""

    @property
    def min(self) -> str:
        """How texels are minified: "nearest" or "linear"."""

    @property
    def mipmap(self) -> str:
        """How levels are joined: "nearest", "linear" or "none"."""

    @property
    def wrap_u(self) -> str:
        """Beyond the edge along u: "repeat", "clamp" or "mirror"."""

    @property
    def wrap_v(self) -> str:
        """Beyond the edge along v: "repeat", "clamp" or "mirror"."""


@dataclass(eq=False)
class Resident:
    """A texture on the GPU, for every id that was given the same picture.

    `base` is the level of the picture that it begins with.
    """

    source: TextureSource
    texture: Any
    view: Any
    base: int = 0
    ids: set[int] = field(default_factory=set)


class TextureTable:
    """Every texture and sampler of a renderer, by id.

    Attributes
    ----------
    version : int
        Grows when an id holds nothing any more, or another texture or sampler than before.
    serial : int
        Grows when pictures come or go.
    budget : int
        Bytes that textures should stay within; what comes while they don't begins small.
    used_bytes, whole_bytes : int
        GPU memory that textures take, and would take with all their levels.
    """

    def __init__(self, device: Any, store: PipelineStore) -> None:
        self._device = device
        self.mipmaps = MipmapMaker(device, store)
        self._residents: dict[int, Resident] = {}
        self._alike: dict[tuple[Any, ...], list[Resident]] = {}
        self._samplers: list[Any] = []
        self._sampler_ids: dict[tuple[str, ...], int] = {}
        self._anisotropy = 1
        self._next_texture = 0
        self.version = 0
        self.serial = 0
        self.budget = 1 << 62
        self.used_bytes = 0
        self.whole_bytes = 0
        self.white = self.add_texture(np.full((1, 1, 4), 255, np.uint8), False, "white")
        self.default_sampler = self.add_sampler(_DefaultSampler())

    def add_texture(self, pixels: ArrayLike, srgb: bool = True, label: str = "") -> int:
        """Upload a picture with all its mip levels.

        Parameters
        ----------
        pixels
            (h, w, 4) uint8; the first row has v = 0. An array of that kind is kept, not copied: it
            has to stay as it is.
        srgb
            Colours are sRGB-encoded (base colour, emissive); False for data.
        label
            Named in error messages and GPU debuggers.

        Raises
        ------
        EngineError
            The shape is another, the adapter has no texture of that size, or there is no memory
            for it; everything is as before.
        """
        return finished(self.texture_steps(pixels, srgb, label))

    def texture_steps(
        self, pixels: ArrayLike, srgb: bool = True, label: str = ""
    ) -> Generator[None, None, int]:
        """Do what `add_texture` does in steps of some megabytes; returns the id.

        One that is closed before its end leaves nothing behind.
        """
        image = np.ascontiguousarray(pixels, np.uint8)
        # A sample of the rows tells most pictures apart; reading all of a large one would take
        # longer than uploading it.
        digest = (
            crc32(np.ascontiguousarray(image[:: 1 + len(image) // 64]).data) if image.size else 0
        )
        return (yield from self._add(pixel_source(self._device, image, srgb, label, digest)))

    @property
    def bc_supported(self) -> bool:
        """Whether the device takes BC7 levels."""
        return "texture-compression-bc" in self._device.features

    def add_levels(
        self,
        levels: Sequence[NDArray[np.uint8]],
        size: tuple[int, int],
        bc7: bool = False,
        srgb: bool = True,
        label: str = "",
    ) -> int:
        """Upload a picture whose mip levels are made already; see `level_source`.

        The arrays are kept, not copied.

        Parameters
        ----------
        levels : sequence of uint8 arrays
            Largest first, (h, w, 4) each, or with `bc7` (rows of blocks, blocks, 16).
        size : (int, int)
            Width and height of the first, in pixels.

        Raises
        ------
        EngineError
            They are not what the size asks for, or the device has no memory for them.
        """
        digest = crc32(np.ascontiguousarray(levels[len(levels) // 4]).data) if len(levels) else 0
        source = level_source(self._device, levels, size, bc7, srgb, label, digest)
        return finished(self._add(source))

    def remove_texture(self, texture: int) -> None:
        """Free a texture.

        Raises
        ------
        EngineError
            The id holds no texture.
        """
        if texture not in self._residents:
            raise EngineError(f"texture {texture}: found no such texture")
        resident = self._residents.pop(texture)
        resident.ids.discard(texture)
        self.version += 1
        if not resident.ids:
            alike = self._alike[_kind(resident.source)]
            alike.remove(resident)
            if not alike:
                del self._alike[_kind(resident.source)]
            self._count(resident, -1)
            self.serial += 1
            resident.texture.destroy()

    def residents(self) -> list[Resident]:
        """Return every texture once, in the order in which they came."""
        return list(dict.fromkeys(self._residents.values()))

    def resident(self, texture: int) -> Resident | None:
        """Return what an id holds, None for nothing."""
        return self._residents.get(texture)

    def begin_at(self, resident: Resident, base: int) -> None:
        """Have a texture begin with another level of its picture.

        Raises
        ------
        EngineError
            There is no memory for it; the texture stays.
        """
        if base == resident.base:
            return
        source, old = resident.source, resident.texture
        if base > resident.base:
            texture = source.reduced(self._device, old, resident.base, base)
        else:
            texture = source.upload(self._device, self.mipmaps, base)
        self._count(resident, -1)
        resident.texture, resident.view, resident.base = texture, texture.create_view(), base
        self._count(resident, 1)
        self.version += 1
        old.destroy()

    def add_sampler(self, sampler: SamplerSource) -> int:
        """The id of a sampler; equal ones share it."""
        key = (sampler.mag, sampler.min, sampler.mipmap, sampler.wrap_u, sampler.wrap_v)
        if key not in self._sampler_ids:
            self._samplers.append(self._make_sampler(*key))
            self._sampler_ids[key] = len(self._samplers) - 1
        return self._sampler_ids[key]

    def set_anisotropy(self, most: int) -> None:
        """Sample with another anisotropy from now on; see `RenderSettings.anisotropy`."""
        if most == self._anisotropy:
            return
        self._anisotropy = most
        self._samplers = [self._make_sampler(*key) for key in self._sampler_ids]
        self.version += 1

    def view(self, texture: int) -> Any:
        """The view of a texture; white where the id holds none."""
        return self._residents.get(texture, self._residents[self.white]).view

    def digest(self, texture: int) -> int:
        """A number for a texture's contents, the same in every session; 0 for none."""
        found = self._residents.get(texture)
        return 0 if found is None else found.source.digest

    def has(self, texture: int) -> bool:
        """Whether an id holds a texture."""
        return texture in self._residents

    def sampler(self, sampler: int) -> Any:
        """The sampler with an id; glTF's default where the id holds none."""
        known = 0 <= sampler < len(self._samplers)
        return self._samplers[sampler if known else self.default_sampler]

    def _add(self, source: TextureSource) -> Generator[None, None, int]:
        resident = self._like(source)
        if resident is None:
            with gpu_errors(f"texture {source.label!r}"):
                made = yield from self._upload(source)
            # The same picture may have come in between.
            resident = self._like(source)
            if resident is None:
                resident = made
                self._alike.setdefault(_kind(source), []).append(made)
                self._count(made, 1)
                self.serial += 1
            else:
                made.texture.destroy()
        number = self._next_texture
        self._next_texture += 1
        resident.ids.add(number)
        self._residents[number] = resident
        return number

    def _like(self, source: TextureSource) -> Resident | None:
        """Return the texture of an equal picture, None where there is none."""
        alike = self._alike.get(_kind(source), ())
        return next((r for r in alike if r.source.equals(source)), None)

    def _upload(self, source: TextureSource) -> Generator[None, None, Resident]:
        # What does not fit begins as small as it may; who draws decides what it gets.
        fits = self.used_bytes + source.bytes_from(0) <= self.budget
        base = 0 if fits else source.last
        texture = yield from source.upload_steps(self._device, self.mipmaps, base)
        return Resident(source, texture, texture.create_view(), base)

    def _count(self, resident: Resident, sign: int) -> None:
        self.used_bytes += sign * resident.source.bytes_from(resident.base)
        self.whole_bytes += sign * resident.source.bytes_from(0)

    def _make_sampler(self, mag: str, shrink: str, mipmap: str, wrap_u: str, wrap_v: str) -> Any:
        return self._device.create_sampler(
            address_mode_u=_WRAPS[wrap_u],
            address_mode_v=_WRAPS[wrap_v],
            mag_filter=mag,
            min_filter=shrink,
            mipmap_filter="nearest" if mipmap == "none" else mipmap,
            lod_max_clamp=0.25 if mipmap == "none" else 32.0,
            # WebGPU: only where all three filters are linear.
            max_anisotropy=self._anisotropy if {mag, shrink, mipmap} == {"linear"} else 1,
        )


def _kind(source: TextureSource) -> tuple[Any, ...]:
    return source.digest, source.size, source.format


class _DefaultSampler:
    mag = min = mipmap = "linear"
    wrap_u = wrap_v = "repeat"

"""Textures and samplers on the GPU; what `Renderer.resources` is.

Every texture gets its full chain of mip levels, each one the average of four texels of the level
above, taken in linear light (an sRGB view decodes on reading and encodes on writing). Removing a
texture that a material still reads leaves that material white until it is replaced.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol
from zlib import crc32

import numpy as np
import wgpu
from numpy.typing import ArrayLike, NDArray

from engine.errors import EngineError
from engine.render.level_upload import upload_levels
from engine.render.pipeline_store import PipelineStore

_WRAPS = {"repeat": "repeat", "clamp": "clamp-to-edge", "mirror": "mirror-repeat"}


class SamplerSource(Protocol):
    """What `add_sampler` takes: `engine.assets.Sampler`, known by its shape only."""

    @property
    def mag(self) -> str: ...
    @property
    def min(self) -> str: ...
    @property
    def mipmap(self) -> str: ...
    @property
    def wrap_u(self) -> str: ...
    @property
    def wrap_v(self) -> str: ...


class MipmapMaker:
    """Fills the lower mip levels of textures."""

    def __init__(self, device: Any, store: PipelineStore) -> None:
        self._device = device
        self._store = store
        self._sampler = device.create_sampler(mag_filter="linear", min_filter="linear")

    def fill(self, texture: Any, levels: int) -> None:
        """Make levels 1 and up of a 2D texture from its level 0."""
        encoder = self._device.create_command_encoder()
        self.encode(encoder, texture, levels)
        self._device.queue.submit([encoder.finish()])

    def encode(self, encoder: Any, texture: Any, levels: int) -> None:
        """Write the making of levels 1 and up into a command encoder."""
        pipeline = self._pipeline(texture.format)
        views = [texture.create_view(base_mip_level=k, mip_level_count=1) for k in range(levels)]
        for source, target in pairwise(views):
            group = self._device.create_bind_group(
                layout=pipeline.get_bind_group_layout(0),
                entries=[
                    {"binding": 0, "resource": source},
                    {"binding": 1, "resource": self._sampler},
                ],
            )
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


class TextureTable:
    """Every texture and sampler of a renderer, by id."""

    def __init__(self, device: Any, store: PipelineStore) -> None:
        self._device = device
        self.mipmaps = MipmapMaker(device, store)
        self._textures: dict[int, Any] = {}
        self._views: dict[int, Any] = {}
        self._digests: dict[int, int] = {}
        self._samplers: list[Any] = []
        self._sampler_ids: dict[tuple[str, ...], int] = {}
        self._anisotropy = 1
        self._next_texture = 0
        self.version = 0
        self._max_size = int(device.limits["max-texture-dimension-2d"])
        self.white = self.add_texture(np.full((1, 1, 4), 255, np.uint8), False, "white")
        self.default_sampler = self.add_sampler(_DefaultSampler())

    def add_texture(self, pixels: ArrayLike, srgb: bool = True, label: str = "") -> int:
        """Upload a picture with all its mip levels.

        Parameters
        ----------
        pixels
            (h, w, 4) uint8; the first row has v = 0.
        srgb
            Colours are sRGB-encoded (base colour, emissive); False for data.
        label
            Named in error messages and GPU debuggers.

        Raises
        ------
        EngineError
            The shape is another, or the adapter has no texture of that size.
        """
        image = np.ascontiguousarray(pixels, np.uint8)
        if image.ndim != 3 or image.shape[2] != 4 or 0 in image.shape:
            raise EngineError(f"texture {label!r}: found shape {image.shape}, expected (h, w, 4)")
        height, width = image.shape[:2]
        if max(height, width) > self._max_size:
            raise EngineError(
                f"texture {label!r}: found {width} x {height}, expected at most {self._max_size}"
            )
        texture = self._upload(image, "rgba8unorm-srgb" if srgb else "rgba8unorm", label)
        # A sample of the rows tells pictures apart; reading all of a large one would take longer
        # than uploading it.
        return self._keep(texture, crc32(np.ascontiguousarray(image[:: 1 + height // 64]).data))

    def _keep(self, texture: Any, digest: int) -> int:
        number = self._next_texture
        self._next_texture += 1
        self._textures[number] = texture
        self._views[number] = texture.create_view()
        self._digests[number] = digest
        return number

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
        """Upload a picture whose mip levels are made already; see `level_upload.upload_levels`."""
        texture = upload_levels(self._device, levels, size, bc7, srgb, label)
        return self._keep(texture, crc32(np.ascontiguousarray(levels[len(levels) // 4]).data))

    def remove_texture(self, texture: int) -> None:
        """Free a texture.

        Raises
        ------
        EngineError
            The id holds no texture.
        """
        if texture not in self._textures:
            raise EngineError(f"texture {texture}: found no such texture")
        self._textures.pop(texture).destroy()
        del self._views[texture], self._digests[texture]
        self.version += 1

    def add_sampler(self, sampler: SamplerSource) -> int:
        """The id of a sampler; equal ones share it."""
        key = (sampler.mag, sampler.min, sampler.mipmap, sampler.wrap_u, sampler.wrap_v)
        if key not in self._sampler_ids:
            self._sampler_ids[key] = len(self._samplers)
            self._samplers.append(self._make_sampler(*key))
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
        return self._views.get(texture, self._views[self.white])

    def digest(self, texture: int) -> int:
        """A number for a texture's contents, the same in every session; 0 for none."""
        return self._digests.get(texture, 0)

    def has(self, texture: int) -> bool:
        """Whether an id holds a texture."""
        return texture in self._views

    def sampler(self, sampler: int) -> Any:
        """The sampler with an id; glTF's default where the id holds none."""
        known = 0 <= sampler < len(self._samplers)
        return self._samplers[sampler if known else self.default_sampler]

    def _upload(self, image: NDArray[np.uint8], texture_format: str, label: str) -> Any:
        height, width = image.shape[:2]
        levels = max(height, width).bit_length()
        use = wgpu.TextureUsage
        texture = self._device.create_texture(
            label=label,
            size=(width, height, 1),
            format=texture_format,
            mip_level_count=levels,
            usage=use.TEXTURE_BINDING | use.COPY_DST | use.RENDER_ATTACHMENT,
        )
        layout = {"bytes_per_row": width * 4, "rows_per_image": height}
        self._device.queue.write_texture({"texture": texture}, image, layout, (width, height, 1))
        if levels > 1:
            self.mipmaps.fill(texture, levels)
        return texture

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


class _DefaultSampler:
    mag = min = mipmap = "linear"
    wrap_u = wrap_v = "repeat"

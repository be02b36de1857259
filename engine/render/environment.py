"""Light from an environment image: reflections as a cube of ever rougher levels, diffuse light as
nine spherical harmonics.

Both are made once per image, in milliseconds; the last few stay. The image is an `EnvironmentMap`
of the scene; who reads it from a file is elsewhere.

References
----------
R. Ramamoorthi, P. Hanrahan, "An Efficient Representation for Irradiance Environment Maps", 2001.
"""

from typing import Any, NamedTuple

import numpy as np
import wgpu
from numpy.typing import NDArray

from engine.render.pipeline_store import PipelineStore
from engine.render.scene import EnvironmentMap
from engine.render.textures import MipmapMaker

CUBE_SIZE = 128
CUBE_LEVELS = 6
LIGHT_FORMAT = "rgba16float"
_WIDEST = 2048
_KEPT = 2
# Right, up and forward of each face as they are seen from inside, in the order of cube layers.
_FACES = (
    ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((-1, 0, 0), (0, 1, 0), (0, 0, -1)),
)


class GpuEnvironment(NamedTuple):
    """An environment on the GPU."""

    image: EnvironmentMap
    textures: tuple[Any, Any]
    panorama_view: Any
    cube_view: Any
    irradiance: NDArray[np.float32]


class EnvironmentTable:
    """The environments of a renderer, by image."""

    def __init__(self, device: Any, mipmaps: MipmapMaker, store: PipelineStore) -> None:
        self._device = device
        self._mipmaps = mipmaps
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

    def get(self, image: EnvironmentMap) -> GpuEnvironment:
        """The environment of an image, made on first use."""
        for position, kept in enumerate(self._kept):
            if kept.image is image:
                self._kept.append(self._kept.pop(position))
                return kept
        while len(self._kept) >= _KEPT:
            for texture in self._kept.pop(0).textures:
                texture.destroy()
        made = self._make(image)
        self._kept.append(made)
        return made

    def _make(self, image: EnvironmentMap) -> GpuEnvironment:
        pixels = np.clip(np.nan_to_num(image.pixels, posinf=6e4), 0.0, 6e4)
        while pixels.shape[1] > _WIDEST and pixels.shape[0] > 1:
            pixels = _halved(pixels)
        panorama = self._upload(pixels)
        cube = self._texture("reflections", CUBE_SIZE, CUBE_SIZE, 6, CUBE_LEVELS)
        self._fill(cube, panorama.create_view())
        return GpuEnvironment(
            image,
            (panorama, cube),
            panorama.create_view(),
            cube.create_view(dimension="cube"),
            irradiance_harmonics(pixels),
        )

    def _texture(self, label: str, width: int, height: int, layers: int, levels: int) -> Any:
        use = wgpu.TextureUsage
        return self._device.create_texture(
            label=label,
            size=(width, height, layers),
            format=LIGHT_FORMAT,
            mip_level_count=levels,
            usage=use.TEXTURE_BINDING | use.RENDER_ATTACHMENT | use.COPY_DST,
        )

    def _upload(self, pixels: NDArray[np.float32]) -> Any:
        height, width = pixels.shape[:2]
        levels = max(height, width).bit_length()
        panorama = self._texture("panorama", width, height, 1, levels)
        texels = np.ones((height, width, 4), np.float16)
        texels[..., :3] = pixels
        layout = {"bytes_per_row": width * 8, "rows_per_image": height}
        self._device.queue.write_texture({"texture": panorama}, texels, layout, (width, height, 1))
        if levels > 1:
            self._mipmaps.fill(panorama, levels)
        return panorama

    def _fill(self, cube: Any, panorama_view: Any) -> None:
        pipeline = self._store.get("prefilter", "prefilter.wgsl", _describe)
        encoder = self._device.create_command_encoder()
        for level in range(CUBE_LEVELS):
            for face, (right, up, forward) in enumerate(_FACES):
                roughness = level / (CUBE_LEVELS - 1)
                block = np.array([*right, roughness, *up, 0, *forward, 0], np.float32)
                view = cube.create_view(
                    dimension="2d",
                    base_array_layer=face,
                    array_layer_count=1,
                    base_mip_level=level,
                    mip_level_count=1,
                )
                self._fill_face(encoder, pipeline, view, panorama_view, block)
        self._device.queue.submit([encoder.finish()])

    def _fill_face(
        self,
        encoder: Any,
        pipeline: Any,
        view: Any,
        panorama_view: Any,
        block: NDArray[np.float32],
    ) -> None:
        buffer = self._device.create_buffer_with_data(data=block, usage=wgpu.BufferUsage.UNIFORM)
        group = self._device.create_bind_group(
            layout=pipeline.get_bind_group_layout(0),
            entries=[
                {"binding": 0, "resource": {"buffer": buffer}},
                {"binding": 1, "resource": panorama_view},
                {"binding": 2, "resource": self._sampler},
            ],
        )
        color = {"view": view, "load_op": "clear", "store_op": "store"}
        face_pass = encoder.begin_render_pass(color_attachments=[color])
        face_pass.set_pipeline(pipeline)
        face_pass.set_bind_group(0, group)
        face_pass.draw(3)
        face_pass.end()


def _describe(module: Any) -> dict[str, Any]:
    targets = [{"format": LIGHT_FORMAT}]
    return {
        "layout": "auto",
        "vertex": {"module": module, "entry_point": "vertex"},
        "primitive": {"topology": "triangle-list"},
        "fragment": {"module": module, "entry_point": "fragment", "targets": targets},
    }


def irradiance_harmonics(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """(9, 4) coefficients of the mean radiance of the hemisphere around a direction.

    Factors of 1, y, z, x, xy, yz, 3zz - 1, xz and xx - yy, in RGB and a zero.
    """
    while pixels.shape[1] > 128 and pixels.shape[0] > 1:
        pixels = _halved(pixels)
    height, width = pixels.shape[:2]
    polar = (np.arange(height) + 0.5) / height * np.pi
    turn = ((np.arange(width) + 0.5) / width - 0.5) * 2.0 * np.pi
    x = np.sin(polar)[:, None] * np.cos(turn)
    z = np.sin(polar)[:, None] * np.sin(turn)
    y = np.broadcast_to(np.cos(polar)[:, None], x.shape)
    share = np.sin(polar) / np.sin(polar).sum() / width
    basis = np.stack(
        [np.ones_like(x), y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]
    )
    moments = np.einsum("khw,hwc,h->kc", basis, pixels.astype(np.float64), share)
    # Y squared times 4 pi (the mean stands for the integral) times A_l / pi of the cosine lobe.
    squared = np.array([1.0, 3.0, 3.0, 3.0, 15.0, 15.0, 1.25, 15.0, 3.75])
    lobe = np.array([1.0, *[2.0 / 3.0] * 3, *[0.25] * 5])
    out = np.zeros((9, 4), np.float32)
    out[:, :3] = moments * (squared * lobe)[:, None]
    return out


def _halved(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    height, width = pixels.shape[0] // 2, pixels.shape[1] // 2
    even = pixels[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3)
    halved: NDArray[np.float32] = even.mean(axis=(1, 3), dtype=np.float32)
    return halved

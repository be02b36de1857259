"""Cooking a picture into a KTX2 file: mip levels, then Basis Universal.

The encoder is a package that exists for Linux and Windows only. Without it the same levels are
written uncompressed, which loads everywhere and takes more disk; `can_compress` tells beforehand.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.assets.atomic_file import write_atomically
from engine.assets.image import Image
from engine.assets.ktx2.container import write_rgba8
from engine.assets.ktx2.mipmaps import mip_chain
from engine.assets.optional import optional_module
from engine.errors import AssetError

NO_ENCODER = (
    "the KTX2 encoder (Python package alktx2) is not installed, or has no wheel for this system; "
    "textures are cooked uncompressed"
)
# Higher ones search much longer for a few per cent.
_EFFORT = 1
# Less makes the encoder spoil UASTC for a packer's sake, of which there is none in these files.
_UASTC_QUALITY = 100


def can_compress() -> bool:
    """Tell whether the encoder of Basis Universal is there."""
    return optional_module("alktx2") is not None


def cook_texture_ktx2(
    image: Image | NDArray[np.uint8],
    path: str | os.PathLike[str],
    srgb: bool,
    normal_map: bool = False,
    uastc: bool = False,
    quality: int = 128,
) -> None:
    """Write `image` with its full chain of mip levels as a KTX2 file.

    Parameters
    ----------
    image : Image or (h, w, 4) uint8
    path : path
        Written whole or not at all.
    srgb : bool
        Whether colours are sRGB-encoded; goes into the data format descriptor.
    normal_map : bool
        Texels are unit vectors: the file is linear, whatever `srgb` says, errors count alike in
        every channel, and every smaller level is made unit length again. With UASTC that is all
        that the Basis tools do for ``-normal_map``, because nothing is traded for size anyway. Of
        ETC1S they leave that trade (of selectors and endpoints) out, too, for which the encoder's
        package has no switch: use UASTC.
    uastc : bool
        UASTC, which is better and larger, instead of ETC1S.
    quality : int
        1 to 255, of ETC1S. UASTC is always the best that it can be.

    Raises
    ------
    AssetError
        ``cooked texture``: an empty picture, a quality out of range, or the encoder failed.
    """
    pixels = image.pixels if isinstance(image, Image) else np.asarray(image, np.uint8)
    label = Path(path).name
    if pixels.ndim != 3 or pixels.shape[2] != 4 or 0 in pixels.shape:
        raise AssetError(f"cooked texture {label}: shape {pixels.shape}, expected (h, w, 4)")
    if not 1 <= quality <= 255:
        raise AssetError(f"cooked texture {label}: quality {quality} out of range of 1 to 255")
    srgb = srgb and not normal_map
    chain = mip_chain(pixels, srgb, normal_map)
    levels = [(level.tobytes(), level.shape[1], level.shape[0]) for level in chain]
    encoder = optional_module("alktx2")
    if encoder is None:
        data = write_rgba8(levels, srgb)
    else:
        codec = "uastc" if uastc else "etc1s"
        share = _UASTC_QUALITY if uastc else max(1, round(quality * 100 / 255))
        data = _encoded(encoder, levels, label, srgb, codec, share)
    write_atomically(path, data)


def _encoded(
    encoder: Any,
    levels: list[tuple[bytes, int, int]],
    label: str,
    srgb: bool,
    codec: str,
    quality: int,
) -> bytes:
    try:
        data = encoder.encode_raw_mips_to_ktx2(
            levels,
            codec=codec,
            quality=quality,
            effort=_EFFORT,
            srgb=srgb,
            linear=not srgb,
            # More threads cut the work in other places, and the bytes would depend on the machine.
            threads=1,
        )
    except Exception as error:  # noqa: BLE001  the encoder raises whatever it likes
        raise AssetError(f"cooked texture {label}: the encoder failed ({error})") from None
    return bytes(data)

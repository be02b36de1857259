"""Pictures in memory: what kind they are, what their header says, and their pixels as RGBA.

The kind is decided by content; whoever gives the bytes may call them what they like.
"""

import io
from dataclasses import dataclass

import numpy as np
import PIL.Image
from numpy.typing import NDArray

from engine.assets.gltf.extensions.khr_texture_basisu import decode_ktx2
from engine.errors import AssetError

Pixels = NDArray[np.uint8]
KTX2_MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
_SRGB_GAMMA = 1 / 2.2

# The limit by header below is configurable; Pillow's own one would warn about large textures.
PIL.Image.MAX_IMAGE_PIXELS = None


class UndecodableImageError(AssetError):
    """The bytes are no picture that can be read."""


@dataclass(frozen=True, slots=True)
class PictureHeader:
    """What the head of a picture says; `ignored` names what decoding passes over, if anything."""

    size: tuple[int, int]
    media_type: str
    ignored: str = ""


def read_header(data: bytes | memoryview) -> PictureHeader:
    """Read the head of a picture, without decoding it.

    Raises
    ------
    UndecodableImageError
        The bytes are no PNG, JPEG, WebP, BMP, GIF or KTX2 picture.
    """
    if bytes(data[:12]) == KTX2_MAGIC:
        if len(data) < 32:
            raise UndecodableImageError("cannot be decoded (the KTX2 header is cut)")
        # KTX 2.0, 3: pixelWidth and pixelHeight at bytes 20 and 24; height 0 is a row.
        width, height = (int.from_bytes(data[at : at + 4], "little") for at in (20, 24))
        return PictureHeader((width, max(height, 1)), "image/ktx2")
    try:
        with PIL.Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
            media_type = PIL.Image.MIME.get(picture.format or "", "")
            return PictureHeader(picture.size, media_type, _ignored(picture))
    except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
        raise UndecodableImageError(f"cannot be decoded ({error})") from None


def _ignored(picture: PIL.Image.Image) -> str:
    if getattr(picture, "is_animated", False):
        return "its animation"
    if picture.info.get("icc_profile"):
        return "its colour profile"
    gamma = picture.info.get("gamma", _SRGB_GAMMA)
    return "its gamma" if abs(gamma - _SRGB_GAMMA) > 1e-3 else ""


def decode_image(data: bytes | memoryview, limit: int) -> Pixels:
    """Decode a PNG, JPEG, WebP, BMP, GIF or KTX2 picture to (h, w, 4) uint8.

    Raises
    ------
    UndecodableImageError
        The bytes are broken, or the decoded picture would take more than `limit` bytes.
    """
    if bytes(data[:12]) == KTX2_MAGIC:
        try:
            return decode_ktx2(data, limit)
        except AssetError as error:
            raise UndecodableImageError(str(error)) from None
    try:
        with PIL.Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
            check_size(picture.size, limit)
            return _rgba(picture)
    except UndecodableImageError:
        raise
    except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
        raise UndecodableImageError(f"cannot be decoded ({error})") from None


def check_size(size: tuple[int, int], limit: int) -> int:
    """Return the bytes that a picture takes as RGBA; refuse more than `limit`."""
    width, height = size
    if width * height * 4 > limit:
        raise UndecodableImageError(f"{width} x {height} pixels need more than {limit} bytes")
    return width * height * 4


def _rgba(picture: PIL.Image.Image) -> Pixels:
    if picture.mode.startswith("I;16"):
        grey = (np.asarray(picture) >> 8).astype(np.uint8)
        pixels = np.full((*grey.shape, 4), 255, np.uint8)
        pixels[..., :3] = grey[..., None]
        return pixels
    if picture.mode == "RGBA":
        return np.asarray(picture)
    if picture.mode not in ("1", "L", "LA", "P", "PA", "RGB"):
        return np.asarray(picture.convert("RGB").convert("RGBA"))
    return np.asarray(picture.convert("RGBA"))

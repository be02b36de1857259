"""Pictures in memory: what kind they are, what their header says, and their pixels as RGBA.

The kind is decided by content; whoever gives the bytes may call them what they like.
"""

import io
import warnings
from collections.abc import Callable

import numpy as np
import PIL.Image
from numpy.typing import NDArray

from engine.assets.gltf.extensions.khr_texture_basisu import decode_ktx2
from engine.errors import AssetError

Pixels = NDArray[np.uint8]
KTX2_MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
_SRGB_GAMMA = 1 / 2.2

# Of a file of some bytes: a large picture with less in it is made to fill the memory.
_LARGE_PIXELS = 8192 * 8192
_MOST_PIXELS_PER_BYTE = 256

# The limit by header below is configurable; Pillow's own one would warn about large textures.
PIL.Image.MAX_IMAGE_PIXELS = None
# About damaged notes of a camera beside the pixels, which nobody needs.
warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")


class UndecodableImageError(AssetError):
    """The bytes are no picture that can be read."""


class Picture:
    """A picture whose header was read, ready to be decoded once.

    Attributes
    ----------
    size : (int, int)
        Width and height.
    media_type : str
        What the bytes are.
    ignored : str
        What decoding passes over, if anything.
    """

    def __init__(self, data: bytes | memoryview) -> None:
        """Read the header.

        Raises
        ------
        UndecodableImageError
            The bytes are no PNG, JPEG, WebP, BMP, GIF or KTX2 picture.
        """
        self._data = data
        self._opened: PIL.Image.Image | None = None
        self.ignored = ""
        if bytes(data[:12]) == KTX2_MAGIC:
            self.media_type, self.size = "image/ktx2", _ktx2_size(data)
            _check_large(self.size, len(data))
            return
        try:
            opened = self._opened = PIL.Image.open(io.BytesIO(data), formats=_FORMATS)
            self.media_type = PIL.Image.MIME.get(opened.format or "", "")
            self.size, self.ignored = opened.size, _ignored(opened)
            _check_plausible(opened, len(data))
            _check_large(self.size, len(data))
        except UndecodableImageError:
            raise
        except PIL.UnidentifiedImageError:
            raise UndecodableImageError(
                "cannot be decoded (found no PNG, JPEG, WebP, BMP, GIF or KTX2 picture)"
            ) from None
        except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
            raise UndecodableImageError(f"cannot be decoded ({error})") from None

    @property
    def byte_count(self) -> int:
        """How many bytes it takes decoded."""
        return self.size[0] * self.size[1] * 4

    def decode(self, begun: Callable[[], None] = lambda: None) -> Pixels:
        """Return the pixels, (h, w, 4) uint8.

        Parameters
        ----------
        begun : callable
            Called when a decoder is about to take over.

        Raises
        ------
        UndecodableImageError
            The bytes are broken.
        """
        begun()
        if self._opened is None:
            try:
                return decode_ktx2(self._data, self.byte_count)
            except AssetError as error:
                raise UndecodableImageError(str(error)) from None
        try:
            with self._opened as opened:
                return _rgba(opened)
        except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
            raise UndecodableImageError(f"cannot be decoded ({error})") from None

    def shrunk(self, edge: int) -> Pixels:
        """Return the pixels scaled down to fit a square, (h, w, 4) uint8.

        Parameters
        ----------
        edge : int
            Pixels of the square's edge; a smaller picture stays as it is.

        Raises
        ------
        UndecodableImageError
            The bytes are broken.
        """
        if self._opened is None:
            whole = PIL.Image.fromarray(self.decode(), "RGBA")
            whole.thumbnail((edge, edge))
            return np.asarray(whole)
        try:
            with self._opened as opened:
                # A JPEG is decoded at a fraction of its size then.
                opened.thumbnail((edge, edge))
                return _rgba(opened)
        except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
            raise UndecodableImageError(f"cannot be decoded ({error})") from None


def _check_large(found: tuple[int, int], size: int) -> None:
    """Refuse a picture of more pixels than anybody draws in so few bytes, though it may hold them.

    One colour takes next to nothing in most formats.
    """
    width, height = found
    if width * height > max(_LARGE_PIXELS, _MOST_PIXELS_PER_BYTE * size):
        raise UndecodableImageError(
            f"{width} x {height} pixels in {size} bytes are refused: expected more bytes, or at "
            f"most {_LARGE_PIXELS:,} pixels"
        )


def _check_plausible(picture: PIL.Image.Image, size: int) -> None:
    """Refuse a picture of more pixels than its bytes can hold; decoding it would only take long.

    Deflate packs at most 1032 bytes into one (zlib, "maximum compression factor"), which are eight
    pixels each where a pixel is a bit; JPEG needs a bit for each block of 8 x 8 pixels.
    """
    width, height = picture.size
    most = {"PNG": 8256 if picture.mode in ("1", "L", "P") else 516, "JPEG": 512}
    if width * height > most.get(picture.format or "", width * height) * size:
        raise UndecodableImageError(f"cannot hold {width} x {height} pixels in {size} bytes")


def _ktx2_size(data: bytes | memoryview) -> tuple[int, int]:
    """Read pixelWidth and pixelHeight at bytes 20 and 24 (KTX 2.0, 3); height 0 is a row."""
    if len(data) < 32:
        raise UndecodableImageError("cannot be decoded (the KTX2 header is cut)")
    width, height = (int.from_bytes(data[at : at + 4], "little") for at in (20, 24))
    return width, max(height, 1)


def _ignored(picture: PIL.Image.Image) -> str:
    if getattr(picture, "is_animated", False):
        return "its animation"
    if picture.info.get("icc_profile"):
        return "its colour profile"
    gamma = picture.info.get("gamma", _SRGB_GAMMA)
    return "its gamma" if abs(gamma - _SRGB_GAMMA) > 1e-3 else ""


def _rgba(picture: PIL.Image.Image) -> Pixels:
    if picture.mode.startswith("I;16"):
        grey = (np.asarray(picture) >> 8).astype(np.uint8)
        pixels = np.full((*grey.shape, 4), 255, np.uint8)
        pixels[..., :3] = grey[..., None]
        return pixels
    decoded = _decoded_in_place(picture)
    if decoded is not None:
        return decoded
    if picture.mode == "RGBA":
        return np.asarray(picture)
    if picture.mode not in ("1", "L", "LA", "P", "PA", "RGB"):
        return np.asarray(picture.convert("RGB").convert("RGBA"))
    return np.asarray(picture.convert("RGBA"))


def _decoded_in_place(picture: PIL.Image.Image) -> Pixels | None:
    """Decode a PNG or JPEG straight into the array to return; None where that is not possible.

    Pillow keeps RGB as four bytes a pixel with the last one 255, which is RGBA already. Giving it
    the array for its memory saves a conversion and a copy that take a fifth of the time and hold
    the interpreter's lock.
    """
    is_plain = picture.mode in ("RGB", "RGBA") and "transparency" not in picture.info
    make = getattr(getattr(PIL.Image, "core", None), "map_buffer", None)
    if make is None or not is_plain or picture.format not in ("PNG", "JPEG"):
        return None
    width, height = picture.size
    pixels = np.empty((height, width, 4), np.uint8)
    memory = picture.im = make(pixels, picture.size, "raw", 0, (picture.mode, 0, 1))
    picture.load()
    return pixels if picture.im is memory else None

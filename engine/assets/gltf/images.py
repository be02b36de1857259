"""Pictures: found, limited by their header, decoded in a thread pool.

A picture that is missing or cannot be decoded becomes a checker with a warning that names its
URI; a URI that is refused (see `uris`) is an error. The kind of a picture is decided by content.
Its size is read from its header and counted against the limits before anything is decoded.
"""

import io
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import PIL.Image
from numpy.typing import NDArray

from engine.assets.gltf.buffers import Buffers
from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions.khr_texture_basisu import decode_ktx2
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.uris import MissingFileError, shown_uri
from engine.assets.image import Image, checker_pixels
from engine.errors import AssetError

Pixels = NDArray[np.uint8]
KTX2_MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")

# The limit by header below is configurable; Pillow's own one would warn about large textures.
PIL.Image.MAX_IMAGE_PIXELS = None


class UndecodableImageError(AssetError):
    """The bytes are no picture that can be read."""


@dataclass(slots=True)
class _Source:
    """Where one picture comes from: a label for messages and its bytes, None when missing."""

    label: str
    pointer: str
    data: bytes | memoryview | None = None
    problem: str = ""

    @property
    def key(self) -> int:
        """The same for pictures that share their bytes."""
        return id(self.data)


def picture_size(data: bytes | memoryview) -> tuple[int, int]:
    """Read the width and height of a picture from its header.

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
        return width, max(height, 1)
    try:
        with PIL.Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
            return picture.size
    except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
        raise UndecodableImageError(f"cannot be decoded ({error})") from None


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
            _check_size(picture.size, limit)
            return _rgba(picture)
    except UndecodableImageError:
        raise
    except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
        raise UndecodableImageError(f"cannot be decoded ({error})") from None


def _check_size(size: tuple[int, int], limit: int) -> int:
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


class Images:
    """Starts decoding every picture at once; `finish` collects them."""

    def __init__(self, document: Document, buffers: Buffers) -> None:
        self._document = document
        self._buffers = buffers
        self._items = document.root.objects("images")
        self._sources: list[_Source] = []
        self._futures: dict[int, Future[Pixels]] = {}
        self._pool: ThreadPoolExecutor | None = None

    def __len__(self) -> int:
        return len(self._items)

    def start(self) -> None:
        """Find every picture's bytes and begin decoding.

        Raises
        ------
        AssetError
            A URI is refused, or all pictures together would pass the limit.
        """
        if not self._items:
            return
        self._pool = ThreadPoolExecutor(min(len(self._items), os.cpu_count() or 1))
        for index, item in enumerate(self._items):
            source = self._source(index, item)
            self._sources.append(source)
            if source.data is not None and source.key not in self._futures:
                self._begin(source, source.data, self._pool)

    def _begin(self, source: _Source, data: bytes | memoryview, pool: ThreadPoolExecutor) -> None:
        limit = self._document.limits.image_bytes
        try:
            size = _check_size(picture_size(data), limit)
        except UndecodableImageError as error:
            source.problem = str(error)
            return
        self._document.budget.take(size, source.pointer)
        self._futures[source.key] = pool.submit(decode_image, data, limit)

    def _source(self, index: int, item: JsonObject) -> _Source:
        name = item.string("name", "")
        if not item.has("uri"):
            return self._view_source(item, name or f"image {index}")
        uri, pointer = item.string("uri"), item.pointer("uri")
        label = name or shown_uri(uri if uri[:5] != "data:" else f"image {index}")
        try:
            return _Source(label, pointer, self._document.uris.read(uri, pointer))
        except MissingFileError as error:
            return _Source(label, pointer, problem=error.reason)

    def _view_source(self, item: JsonObject, label: str) -> _Source:
        view = item.index("bufferView", len(self._buffers.views), "buffer views")
        if view is None:
            return _Source(label, item.pointer(), problem="has neither uri nor bufferView")
        return _Source(label, item.pointer(), self._buffers.view(view))

    def finish(self) -> list[Image]:
        """Return the pictures in file order, waiting for the decoders."""
        images = []
        for index, source in enumerate(self._sources):
            pixels, problem = self._result(source)
            if problem:
                uri = self._items[index].value.get("uri", "")
                shown = f"'{shown_uri(uri)}' " if uri and uri[:5] != "data:" else ""
                self._document.warn(source.pointer, f"image {shown}{problem}; a checker is shown")
            images.append(Image(source.label, pixels, bool(problem)))
        return images

    def _result(self, source: _Source) -> tuple[Pixels, str]:
        if source.problem:
            return checker_pixels(), source.problem
        try:
            return self._futures[source.key].result(), ""
        except UndecodableImageError as error:
            return checker_pixels(), str(error)

    def close(self) -> None:
        """Stop decoding what has not begun."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

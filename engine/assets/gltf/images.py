"""Pictures: found, limited by their header, decoded in a thread pool.

A picture that is missing or cannot be decoded becomes a checker with a warning that names its
URI; a URI that is refused (see `uris`) is an error. The kind of a picture is decided by content.
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
    data: bytes | memoryview | None
    problem: str = ""


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
            width, height = picture.size
            if width * height * 4 > limit:
                raise UndecodableImageError(
                    f"{width} x {height} pixels need more than {limit} bytes"
                )
            return _rgba(picture)
    except UndecodableImageError:
        raise
    except Exception as error:  # noqa: BLE001  Pillow's decoders raise whatever they like
        raise UndecodableImageError(f"cannot be decoded ({error})") from None


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
        self._futures: list[Future[Pixels] | None] = []
        self._sources: list[_Source] = []
        self._by_uri: dict[str, int] = {}
        self._pool: ThreadPoolExecutor | None = None

    def __len__(self) -> int:
        return len(self._items)

    def start(self) -> None:
        """Find every picture's bytes and begin decoding."""
        if not self._items:
            return
        self._pool = ThreadPoolExecutor(min(len(self._items), os.cpu_count() or 1))
        limit = self._document.limits.image_bytes
        for index, item in enumerate(self._items):
            source, shared = self._source(index, item)
            self._sources.append(source)
            if shared is not None:
                self._futures.append(self._futures[shared])
            elif source.data is None:
                self._futures.append(None)
            else:
                self._futures.append(self._pool.submit(decode_image, source.data, limit))

    def _source(self, index: int, item: JsonObject) -> tuple[_Source, int | None]:
        pointer = item.pointer()
        name = item.string("name", "")
        if not item.has("uri"):
            view = item.index("bufferView", len(self._buffers.views), "buffer views")
            label = name or f"image {index}"
            if view is None:
                return _Source(label, pointer, None, "has neither uri nor bufferView"), None
            return _Source(label, pointer, self._buffers.view(view)), None
        uri = item.string("uri")
        label = name or shown_uri(uri if uri[:5] != "data:" else f"image {index}")
        if uri in self._by_uri:
            first = self._by_uri[uri]
            return _Source(label, pointer, None, self._sources[first].problem), first
        self._by_uri[uri] = index
        try:
            data = self._document.uris.read(uri, item.pointer("uri"))
        except MissingFileError:
            return _Source(label, item.pointer("uri"), None, "does not exist"), None
        return _Source(label, item.pointer("uri"), data), None

    def finish(self) -> list[Image]:
        """Return the pictures in file order, waiting for the decoders."""
        images = []
        for index, source in enumerate(self._sources):
            pixels, problem = self._result(index, source)
            if problem:
                uri = self._items[index].value.get("uri", "")
                shown = f"'{shown_uri(uri)}' " if uri and uri[:5] != "data:" else ""
                self._document.warn(source.pointer, f"image {shown}{problem}; a checker is shown")
            images.append(Image(source.label, pixels, bool(problem)))
        return images

    def _result(self, index: int, source: _Source) -> tuple[Pixels, str]:
        future = self._futures[index]
        if future is None:
            return checker_pixels(), source.problem
        try:
            pixels = future.result()
        except UndecodableImageError as error:
            return checker_pixels(), str(error)
        self._document.budget.take(pixels.nbytes, source.pointer)
        return pixels, ""

    def close(self) -> None:
        """Stop decoding what has not begun."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

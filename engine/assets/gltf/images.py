"""Pictures: found, limited by their header, decoded by threads.

A picture that is missing or cannot be decoded becomes a checker with a warning that names its
URI; a URI that is refused (see `uris`) is an error. The kind of a picture is decided by content.
Its size is read from its header and counted against the limits before anything is decoded.
"""

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from engine.assets.gltf.buffers import Buffers
from engine.assets.gltf.document import Document
from engine.assets.gltf.pictures import Picture, Pixels, UndecodableImageError
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.uris import MissingFileError, shown_uri
from engine.assets.image import Image, checker_pixels

_HEAD_START = 0.002


@cache
def decoders() -> ThreadPoolExecutor:
    """Return the threads that decode pictures, one per core, shared by all imports."""
    return ThreadPoolExecutor(os.cpu_count() or 1, "pictures")


if hasattr(os, "register_at_fork"):
    # A forked process has the pool's bookkeeping, but none of its threads.
    os.register_at_fork(after_in_child=decoders.cache_clear)


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


class Images:
    """Starts decoding every picture at once; `finish` collects them."""

    def __init__(self, document: Document, buffers: Buffers) -> None:
        self._document = document
        self._buffers = buffers
        self._items = document.root.objects("images")
        self._sources: list[_Source] = []
        self._futures: dict[int, Future[Pixels]] = {}
        self._has_begun = threading.Event()

    def __len__(self) -> int:
        return len(self._items)

    def start(self) -> None:
        """Find every picture's bytes and begin decoding.

        Raises
        ------
        AssetError
            A URI is refused, or all pictures together would pass the limit.
        """
        for index, item in enumerate(self._items):
            source = self._source(index, item)
            self._sources.append(source)
            if source.data is not None:
                self._begin(item, source)
        if self._futures:
            # The decoders need the interpreter for a moment before they can do without it.
            self._has_begun.wait(_HEAD_START)

    def _begin(self, item: JsonObject, source: _Source) -> None:
        """Check a picture by its header and start decoding it."""
        assert source.data is not None
        try:
            picture = self._opened(source.data)
        except UndecodableImageError as error:
            source.problem = str(error)
            return
        declared = item.string("mimeType", picture.media_type)
        if declared != picture.media_type:
            text = f"'{declared}' is declared, but the bytes are {picture.media_type}"
            self._document.warn(item.pointer("mimeType"), text)
        if picture.ignored:
            self._document.ignore(source.pointer, f"{picture.ignored} is ignored")
        if source.key not in self._futures:
            self._document.budget.take(picture.byte_count, source.pointer)
            job = decoders().submit(picture.decode, self._has_begun.set)
            self._futures[source.key] = job

    def _opened(self, data: bytes | memoryview) -> Picture:
        """Read a picture's header; refuse one that is too large."""
        picture, limit = Picture(data), self._document.limits.image_bytes
        if picture.byte_count > limit:
            size = "{} x {}".format(*picture.size)
            raise UndecodableImageError(f"{size} pixels need more than {limit} bytes")
        return picture

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
        for future in self._futures.values():
            future.cancel()

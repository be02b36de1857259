"""Buffers and buffer views: the bytes that accessors and images read.

A view is a memoryview into its buffer; nothing is copied. Extensions that compress views
(EXT_meshopt_compression) are asked first.
"""

from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions import applied
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.uris import MissingFileError
from engine.errors import AssetError


class Buffers:
    """Loads buffers on first use and cuts views out of them."""

    def __init__(self, document: Document, binary: memoryview | None) -> None:
        self._document = document
        self._binary = binary
        self._buffers = document.root.objects("buffers")
        self.views = document.root.objects("bufferViews")
        self._sizes = [item.integer("byteLength") for item in self._buffers]
        self._spans = [self._span(view) for view in self.views]
        self._loaded: dict[int, memoryview] = {}
        self._view_bytes: dict[int, memoryview] = {}

    def load_all(self) -> None:
        """Load each buffer that has data, so that a missing file is found at once.

        A buffer without a URI may be a placeholder that only an extension fills; it is an error
        once something reads it.
        """
        for index, item in enumerate(self._buffers):
            if item.has("uri") and not _is_fallback(item):
                self.buffer(index)
            else:
                length = item.integer("byteLength")
                spare = len(self._binary or b"") - length if index == 0 else 0
                if spare > 3:
                    self._document.ignore(item.pointer(), f"{spare} bytes of the GLB are not used")

    def buffer(self, index: int) -> memoryview:
        """Return a buffer's bytes.

        Raises
        ------
        AssetError
            The data is missing or shorter than ``byteLength``.
        """
        if index not in self._loaded:
            self._loaded[index] = self._load(index)
        return self._loaded[index]

    def _load(self, index: int) -> memoryview:
        item = self._buffers[index]
        length = item.integer("byteLength")
        data = self._source(index, item)
        if len(data) < length:
            item.fail_range(
                "byteLength", detail=f"{length} bytes are declared, but there are {len(data)}"
            )
        return data[:length]

    def _source(self, index: int, item: JsonObject) -> memoryview:
        if not item.has("uri"):
            if index == 0 and self._binary is not None:
                return self._binary
            if item.integer("byteLength") == 0:
                return memoryview(b"")
            raise AssetError(f"validation failed at {item.pointer()}: the buffer has no data")
        uri = item.string("uri")
        pointer = item.pointer("uri")
        try:
            return memoryview(self._document.uris.read(uri, pointer))
        except MissingFileError as error:
            raise AssetError(f"missing buffer: {error}") from None

    def _span(self, view: JsonObject) -> tuple[int, int, int]:
        """Return buffer, first and last byte of a view, checked as far as the JSON tells."""
        index = view.required_index("buffer", len(self._sizes), "buffers")
        offset, length = view.integer("byteOffset", 0), view.integer("byteLength")
        size = self._sizes[index]
        if offset + length > size:
            view.fail_range(
                "byteLength",
                detail=f"bytes {offset} to {offset + length}, but the buffer has {size}",
            )
        return index, offset, offset + length

    def view(self, index: int) -> memoryview:
        """Return the bytes of a buffer view, decompressed where an extension asks for it."""
        if index not in self._view_bytes:
            self._view_bytes[index] = self._load_view(index)
        return self._view_bytes[index]

    def _load_view(self, index: int) -> memoryview:
        if "extensions" in self.views.values[index]:
            for extension, body in applied(self.views[index]):
                data = extension.buffer_view(self._document, self, body)
                if data is not None:
                    return data
        buffer, start, end = self._spans[index]
        return self.buffer(buffer)[start:end]

    def slice(self, view: JsonObject) -> memoryview:
        """Return the bytes of the buffer that `view`, of whatever kind, spans."""
        buffer, start, end = self._span(view)
        return self.buffer(buffer)[start:end]


def _is_fallback(buffer: JsonObject) -> bool:
    """Tell a placeholder that only older readers would need (no data of its own)."""
    for name in ("EXT_meshopt_compression", "KHR_meshopt_compression"):
        body = buffer.extension(name)
        if body is not None and body.boolean("fallback", False):
            return True
    return False

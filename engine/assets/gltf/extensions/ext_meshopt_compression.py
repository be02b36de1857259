"""EXT_meshopt_compression and KHR_meshopt_compression: compressed buffer views."""

from typing import TYPE_CHECKING

import numpy as np

from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.extensions.optional import decoder_package
from engine.assets.gltf.reader import JsonObject
from engine.errors import AssetError

if TYPE_CHECKING:
    from engine.assets.gltf.buffers import Buffers
    from engine.assets.gltf.document import Document

_MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
# The densest of the formats stores 256 equal bytes in two bits.
_RATIO = 1024
_FILTERS = ("NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR")


class _Meshopt(Extension):
    def __init__(self, name: str) -> None:
        self.name = name

    def buffer_view(
        self, document: "Document", buffers: "Buffers", body: JsonObject
    ) -> memoryview | None:
        package = decoder_package(document, self.name, "meshopt", body)
        if package is None:
            return None
        count, stride = body.integer("count"), body.integer("byteStride", minimum=1)
        mode, filtered = body.string("mode"), body.string("filter", "NONE")
        _check(body, mode, filtered, stride, count)
        document.budget.take(count * stride, body.pointer())
        data = bytes(buffers.slice(body))
        if count * stride > _RATIO * len(data):
            body.fail_range("count", detail=f"{count * stride} bytes from {len(data)}")
        try:
            rows = package.decode_gltf_buffer(
                data, count, stride, mode, None if filtered == "NONE" else filtered
            )
        except Exception as error:  # noqa: BLE001  the decoder raises whatever it likes
            raise AssetError(f"parse failed at {body.pointer()}: meshopt: {error}") from None
        return memoryview(np.ascontiguousarray(rows).tobytes())


def _check(body: JsonObject, mode: str, filtered: str, stride: int, count: int) -> None:
    """Check what the decoder takes for granted."""
    if mode not in _MODES:
        body.fail("mode", " or ".join(_MODES))
    if filtered not in _FILTERS:
        body.fail("filter", " or ".join(_FILTERS))
    if mode == "ATTRIBUTES" and (stride % 4 or stride > 256):
        body.fail("byteStride", "a multiple of 4 up to 256")
    if mode != "ATTRIBUTES" and stride not in (2, 4):
        body.fail("byteStride", "2 or 4")
    if mode == "TRIANGLES" and count % 3:
        body.fail("count", "a multiple of 3")
    if filtered in ("OCTAHEDRAL", "COLOR") and stride not in (4, 8):
        body.fail("byteStride", f"4 or 8 for {filtered}")
    if filtered == "QUATERNION" and stride != 8:
        body.fail("byteStride", "8 for QUATERNION")


EXT_MESHOPT = _Meshopt("EXT_meshopt_compression")
KHR_MESHOPT = _Meshopt("KHR_meshopt_compression")

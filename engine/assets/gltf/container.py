"""The outermost layer: a .glb's chunks or a .gltf's JSON text, told apart by content.

glTF 2.0, 4 (GLB): a 12 byte header (magic, version 2, length), then chunks of u32 length, u32
type and data; the first is JSON, the second may be BIN, unknown ones are skipped.
"""

from dataclasses import dataclass, field
from typing import Any

import orjson

from engine.errors import AssetError

GLTF_SUFFIXES = (".gltf", ".glb")

_MAGIC = b"glTF"
_BLANK = b"\xef\xbb\xbf \t\r\n"
_JSON = 0x4E4F534A
_BIN = 0x004E4942


@dataclass(slots=True)
class Container:
    """The JSON root and the binary chunk, if there is one."""

    root: dict[str, Any]
    binary: memoryview | None
    warnings: list[str] = field(default_factory=list)


def read_container(data: bytes) -> Container:
    """Split `data` into its JSON and its binary chunk.

    Raises
    ------
    AssetError
        ``parse failed`` with the place, when the framing or the JSON is broken.
    """
    if data[:4] == _MAGIC:
        return _read_glb(memoryview(data))
    if not data:
        raise AssetError("parse failed: the file is empty")
    if not data.lstrip(_BLANK).startswith(b"{"):
        raise AssetError(
            f"parse failed: not JSON: found {data[:8]!r}, expected a GLB header or a JSON object"
        )
    return Container(_decode_json(data), None)


def _decode_json(text: bytes | memoryview) -> dict[str, Any]:
    raw = bytes(text)
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    try:
        root = orjson.loads(raw.rstrip(b"\x00 "))
    except orjson.JSONDecodeError as error:
        raise AssetError(f"parse failed: not JSON: {error}") from None
    if type(root) is not dict:
        raise AssetError("parse failed: the JSON is not an object")
    return root


def _u32(data: memoryview, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _read_glb(data: memoryview) -> Container:
    if len(data) < 12:
        raise AssetError(f"parse failed: GLB header: {len(data)} bytes, expected 12")
    version, length = _u32(data, 4), _u32(data, 8)
    if version != 2:
        raise AssetError(f"parse failed: GLB header: version {version}, expected 2")
    if length > len(data):
        raise AssetError(
            f"parse failed: GLB header: length {length}, but the file ends at byte {len(data)}"
        )
    warnings = []
    if length < len(data):
        warnings.append(f"{len(data) - length} bytes after the end of the GLB are ignored")
    chunks = _chunks(data[:length])
    if not chunks or chunks[0][0] != _JSON:
        raise AssetError("parse failed: GLB byte 12: the first chunk is not JSON")
    binaries = [body for kind, body in chunks[1:] if kind == _BIN]
    warnings += [
        f"GLB chunk {at} of unknown type 0x{kind:08x} is ignored"
        for at, (kind, _) in enumerate(chunks[1:], 1)
        if kind != _BIN
    ]
    if len(binaries) > 1:
        raise AssetError("parse failed: GLB has more than one BIN chunk")
    return Container(_decode_json(chunks[0][1]), binaries[0] if binaries else None, warnings)


def _chunks(data: memoryview) -> list[tuple[int, memoryview]]:
    chunks = []
    at = 12
    while at < len(data):
        if at + 8 > len(data):
            raise AssetError(f"parse failed: GLB byte {at}: truncated chunk header")
        length, kind = _u32(data, at), _u32(data, at + 4)
        if at + 8 + length > len(data):
            raise AssetError(
                f"parse failed: GLB byte {at}: chunk of {length} bytes, but the file has "
                f"{len(data) - at - 8} left"
            )
        chunks.append((kind, data[at + 8 : at + 8 + length]))
        at += 8 + length
    return chunks

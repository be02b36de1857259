"""The file under construction: its JSON, its binary chunk and what was changed to make it valid.

The JSON is a tree of plain dicts. A writer library would have to be worked around: pygltflib knows
no weights of nodes and drops what is empty inside extras.
"""

import struct
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from engine.errors import AssetError

Array = NDArray[Any]
Json = dict[str, Any]

VERTICES, TRIANGLES = 34962, 34963
_COMPONENTS = {"f4": 5126, "u1": 5121, "u2": 5123, "u4": 5125}
_LARGEST_FILE = 2**32 - 1


class Draft:
    """A file being written.

    Attributes
    ----------
    json : dict
        Everything but buffers, accessors and the extension list.
    warnings : list of str
        What could not be written as it was.
    """

    def __init__(self) -> None:
        self.json: Json = {}
        self.warnings: list[str] = []
        self._views: list[Json] = []
        self._accessors: list[Json] = []
        self._chunks: list[bytes] = []
        self._size = 0
        self._extensions: set[str] = set()
        self._known: dict[tuple[int, str], int] = {}
        self._kept: list[Array] = []

    def warn(self, text: str) -> None:
        """Note what is not written as it is, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def use(self, extension: str) -> str:
        """Note that the file uses an extension; return its name."""
        self._extensions.add(extension)
        return extension

    def add(self, kind: str, item: Json) -> int:
        """Append to an array at the root; return the index."""
        items = self.json.setdefault(kind, [])
        items.append(item)
        return len(items) - 1

    def view(self, data: bytes, target: int | None = None) -> int:
        """Append bytes to the binary chunk as a buffer view, aligned to four."""
        fill = -self._size % 4
        self._chunks += [bytes(fill), data]
        view = {"buffer": 0, "byteOffset": self._size + fill, "byteLength": len(data)}
        self._size += fill + len(data)
        if target is not None:
            view["target"] = target
        self._views.append(view)
        return len(self._views) - 1

    def accessor(
        self, values: Array, kind: str, target: int | None = None, *, bounds: bool = False
    ) -> int:
        """Append an array as an accessor; the same array object is written once.

        Parameters
        ----------
        values : (n, ...) float32, uint8, uint16 or uint32
        kind : str
            ``SCALAR``, ``VEC2`` ... ``MAT4``; rows are written as they are.
        target : int, optional
            What the view is for, in the specification's numbers.
        bounds : bool
            Write the smallest and largest value of each component.
        """
        key = (id(values), f"{kind}{target}{bounds}")
        if key not in self._known:
            self._kept.append(values)
            self._known[key] = self._new_accessor(values, kind, target, bounds)
        return self._known[key]

    def _new_accessor(self, values: Array, kind: str, target: int | None, bounds: bool) -> int:
        rows = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        item: Json = {
            "bufferView": self.view(rows.tobytes(), target),
            "componentType": _COMPONENTS[rows.dtype.str[1:]],
            "count": len(rows),
            "type": kind,
        }
        if bounds:
            flat = rows.reshape(len(rows), -1)
            item["min"], item["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
        self._accessors.append(item)
        return len(self._accessors) - 1

    def to_bytes(self) -> bytes:
        """Return the whole file, framed as GLB 2.

        Raises
        ------
        AssetError
            It would pass 4 GiB, or something in `extras` is no JSON.
        """
        root = {key: value for key, value in self.json.items() if value not in ([], {}, None)}
        if self._extensions:
            root["extensionsUsed"] = sorted(self._extensions)
        binary = b"".join(self._chunks)
        binary += bytes(-len(binary) % 4)
        if binary:
            root |= {
                "buffers": [{"byteLength": len(binary)}],
                "bufferViews": self._views,
                "accessors": self._accessors,
            }
        if not self._accessors:
            root.pop("accessors", None)
        try:
            text = orjson.dumps(root)
        except (TypeError, RecursionError) as error:
            raise AssetError(f"export failed: extras cannot be written as JSON: {error}") from None
        return _framed(text + b" " * (-len(text) % 4), binary)


def _framed(text: bytes, binary: bytes) -> bytes:
    chunks = [struct.pack("<II", len(text), 0x4E4F534A), text]
    if binary:
        chunks += [struct.pack("<II", len(binary), 0x004E4942), binary]
    size = 12 + sum(map(len, chunks))
    if size > _LARGEST_FILE:
        raise AssetError(f"export failed: {size} bytes, but a .glb holds at most {_LARGEST_FILE}")
    return b"".join([struct.pack("<4sII", b"glTF", 2, size), *chunks])


def named(name: str, item: Json) -> Json:
    """Return `item` with its name, if it has one."""
    return {"name": name, **item} if name else item


def with_extras(extras: Any, item: Json) -> Json:
    """Return `item` with the extras that its source had."""
    return item if extras is None else {**item, "extras": extras}


def with_extensions(extensions: Json, item: Json) -> Json:
    """Return `item` with extensions, if there are any."""
    return {**item, "extensions": extensions} if extensions else item

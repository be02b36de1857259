"""Accessors as numpy arrays: views into their buffer wherever the layout allows.

glTF 2.0, 3.6.2. Results are (count, width) with the file's component type; matrices are flattened
in column-major order with their column padding removed. Sparse values replace elements of a copy.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.buffers import Buffers
from engine.assets.gltf.component_types import COMPONENT_DTYPES, ELEMENT_WIDTHS, Dtype
from engine.assets.gltf.document import Document
from engine.assets.gltf.reader import JsonObject

Array = NDArray[np.generic]

_FLOAT = 5126
_F4 = COMPONENT_DTYPES[_FLOAT]
_VECTOR_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_MATRIX_SIDES = {"MAT2": 2, "MAT3": 3, "MAT4": 4}


@dataclass(slots=True)
class AccessorData:
    """An accessor's values and what the file says of them."""

    values: Array
    type: str
    normalized: bool
    source: JsonObject


@dataclass(frozen=True, slots=True)
class _Layout:
    """How one element lies in memory: (columns, rows) with the columns `pitch` bytes apart."""

    dtype: Dtype
    columns: int
    rows: int
    pitch: int

    @property
    def width(self) -> int:
        return self.columns * self.rows

    @property
    def size(self) -> int:
        """Bytes from the start of an element to the end of its last component."""
        return (self.columns - 1) * self.pitch + self.rows * self.dtype.itemsize

    @property
    def step(self) -> int:
        return self.columns * self.pitch


def _layout(accessor: JsonObject) -> _Layout:
    component = accessor.integer("componentType")
    if component not in COMPONENT_DTYPES:
        accessor.fail("componentType", "one of 5120, 5121, 5122, 5123, 5125, 5126")
    kind = accessor.string("type")
    if kind not in ELEMENT_WIDTHS:
        accessor.fail("type", "SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4")
    dtype = COMPONENT_DTYPES[component]
    side = _MATRIX_SIDES.get(kind)
    if side is None:
        width = ELEMENT_WIDTHS[kind]
        return _Layout(dtype, 1, width, width * dtype.itemsize)
    return _Layout(dtype, side, side, -(-side * dtype.itemsize // 4) * 4)


class Accessors:
    """Reads accessors by index, each once."""

    def __init__(self, document: Document, buffers: Buffers) -> None:
        self._document = document
        self._buffers = buffers
        self._items = document.root.objects("accessors")
        self._count = len(self._items)
        self._view_count = len(buffers.views)
        self._read: dict[int, AccessorData] = {}

    def __len__(self) -> int:
        return self._count

    def item(self, index: int) -> JsonObject:
        """Return the JSON of accessor `index`, which exists."""
        return self._items[index]

    def read(self, index: int) -> AccessorData:
        """Return the values of accessor `index`; (count, width), possibly read-only.

        Raises
        ------
        AssetError
            A wrong type, or data that runs past its buffer view.
        """
        found = self._read.get(index)
        if found is None:
            source = self._items[index]
            found = self._read[index] = self._plain_floats(source) or self._load(source)
        return found

    def _plain_floats(self, accessor: JsonObject) -> AccessorData | None:
        """Read what most accessors are: float vectors, tightly packed; None for all else.

        Whatever is odd or wrong goes the long way, which tells what it is.
        """
        value = accessor.value
        get = value.get
        kind = get("type")
        width = _VECTOR_WIDTHS.get(kind) if type(kind) is str else None
        view, count, offset = get("bufferView"), get("count"), get("byteOffset", 0)
        if get("componentType") != _FLOAT or not width or "sparse" in value:
            return None
        if not (type(view) is type(count) is type(offset) is int) or "normalized" in value:
            return None
        if not 0 <= view < self._view_count or count <= 0 or offset < 0:
            return None
        if "byteStride" in self._buffers.views.values[view]:
            return None
        data = self._buffers.view(view)
        if offset + count * width * 4 > len(data):
            return None
        floats = np.frombuffer(data, _F4, count * width, offset)
        return AccessorData(floats.reshape(count, width), value["type"], False, accessor)

    def floats(self, index: int) -> NDArray[np.float32]:
        """Return accessor `index` as float32, normalised integers mapped to their fractions."""
        data = self.read(index)
        return as_floats(data.values, data.normalized)

    def _load(self, accessor: JsonObject) -> AccessorData:
        layout = _layout(accessor)
        count = accessor.integer("count")
        view = accessor.index("bufferView", len(self._buffers.views), "buffer views")
        if view is None:
            size = count * layout.width * layout.dtype.itemsize
            if size > self._document.limits.zero_bytes:
                accessor.fail_range("count", detail=f"{count} elements without a bufferView")
            self._document.budget.take(size, accessor.pointer("count"))
            if not accessor.has("sparse") and count:
                self._document.warn(accessor.pointer(), "no bufferView: every value is zero")
            values: Array = np.zeros((count, layout.width), layout.dtype)
        else:
            values = self._view_values(accessor, layout, view, count)
        sparse = accessor.object("sparse")
        if sparse is not None:
            values = self._with_sparse(values.copy(), layout, sparse)
        normalized = accessor.boolean("normalized", False)
        return AccessorData(values, accessor.string("type"), normalized, accessor)

    def _view_values(self, accessor: JsonObject, layout: _Layout, view: int, count: int) -> Array:
        offset = accessor.integer("byteOffset", 0)
        stride = self._buffers.views[view].integer("byteStride", 0) or layout.step
        return self._window(accessor, layout, view, (offset, stride, count), "count")

    def _window(
        self,
        source: JsonObject,
        layout: _Layout,
        view: int,
        window: tuple[int, int, int],
        key: str,
    ) -> Array:
        """Return `count` elements from `offset`, `stride` bytes apart, of a buffer view."""
        offset, stride, count = window
        data = self._buffers.view(view)
        if stride < layout.size and count > 1:
            self._buffers.views[view].fail("byteStride", f"at least {layout.size}")
        end = offset + (count - 1) * stride + layout.size if count else offset
        if end > len(data):
            source.fail_range(
                key,
                detail=f"{count} elements end at byte {end}, but the buffer view has {len(data)}",
            )
        if count == 0:
            return np.zeros((0, layout.width), layout.dtype)
        itemsize = layout.dtype.itemsize
        if layout.columns == 1:
            shape, strides = (count, layout.width), (stride, itemsize)
            return np.ndarray(shape, layout.dtype, data, offset, strides)
        matrix_shape = (count, layout.columns, layout.rows)
        matrix_strides = (stride, layout.pitch, itemsize)
        matrices: Array = np.ndarray(matrix_shape, layout.dtype, data, offset, matrix_strides)
        return matrices.reshape(count, layout.width)

    def _with_sparse(self, values: Array, layout: _Layout, sparse: JsonObject) -> Array:
        count = sparse.integer("count")
        if count > len(values):
            sparse.fail_range("count", detail=f"{count} of {len(values)} elements")
        at = self._sparse_indices(sparse.required_object("indices"), count)
        if len(at) and int(at.max()) >= len(values):
            sparse.fail_range(
                "indices", detail=f"index {int(at.max())}, but there are {len(values)} elements"
            )
        source = sparse.required_object("values")
        view = source.required_index("bufferView", len(self._buffers.views), "buffer views")
        offset = source.integer("byteOffset", 0)
        values[at] = self._window(source, layout, view, (offset, layout.step, count), "bufferView")
        return values

    def _sparse_indices(self, source: JsonObject, count: int) -> NDArray[np.int64]:
        component = source.integer("componentType")
        if component not in (5121, 5123, 5125):
            source.fail("componentType", "5121, 5123 or 5125")
        dtype = COMPONENT_DTYPES[component]
        layout = _Layout(dtype, 1, 1, dtype.itemsize)
        view = source.required_index("bufferView", len(self._buffers.views), "buffer views")
        window = (source.integer("byteOffset", 0), dtype.itemsize, count)
        raw = self._window(source, layout, view, window, "bufferView")
        at = raw.reshape(-1).astype(np.int64)
        if len(at) > 1 and bool((np.diff(at) <= 0).any()):
            self._document.warn(source.pointer(), "sparse indices do not increase")
        return at


def as_floats(values: Array, normalized: bool) -> NDArray[np.float32]:
    """Return `values` as float32; normalised integers as glTF 2.0, 3.6.2.2 maps them."""
    if values.dtype == np.float32:
        return values  # type: ignore[return-value]
    floats = values.astype(np.float32)
    if not normalized:
        return floats
    limit = np.float32(np.iinfo(values.dtype).max)  # type: ignore[type-var]
    floats /= limit
    if values.dtype.kind == "i":
        np.maximum(floats, np.float32(-1.0), out=floats)
    return floats

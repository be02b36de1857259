"""An array that grows along its first axis, with a sequence face.

The bridge writes whole slices into `array` and says so with `touch`; people append, read and
delete single items. Capacity doubles and is never given back, so a steady scene allocates nothing.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


class GrowableArray:
    """Rows of one shape and dtype.

    Parameters
    ----------
    item_shape
        Shape of one row, `()` for a scalar.
    dtype
        Type of the elements.
    """

    def __init__(self, item_shape: tuple[int, ...] = (), dtype: DTypeLike = np.float32) -> None:
        self._store: NDArray[Any] = np.zeros((0, *item_shape), dtype)
        self._count = 0
        self._view = self._store[:0]
        self.version = 0

    @property
    def array(self) -> NDArray[Any]:
        """The rows in use, `(len, *item_shape)`; call `touch` after writing into it."""
        return self._view

    def touch(self) -> None:
        """Note that rows were written through `array`."""
        self.version += 1

    def resize(self, count: int) -> NDArray[Any]:
        """Set the number of rows (kept rows keep their values) and return `array`."""
        if count > len(self._store):
            grown = np.zeros(
                (max(count, 2 * len(self._store)), *self._store.shape[1:]), self._store.dtype
            )
            grown[: self._count] = self._view
            self._store = grown
        elif count == self._count:
            return self._view
        self._count = count
        self._view = self._store[:count]
        self.version += 1
        return self._view

    def append(self, item: ArrayLike) -> None:
        """Add one row at the end."""
        row = np.broadcast_to(np.asarray(item, self._store.dtype), self._store.shape[1:])
        self.resize(self._count + 1)[-1] = row

    def extend(self, items: ArrayLike) -> int:
        """Add rows at the end; returns the index of the first."""
        rows = np.asarray(items, self._store.dtype).reshape(-1, *self._store.shape[1:])
        first = self._count
        self.resize(first + len(rows))[first:] = rows
        return first

    def clear(self) -> None:
        """Remove all rows."""
        self.resize(0)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return iter(self._view)

    def __getitem__(self, index: Any) -> Any:
        return self._view[index]

    def __setitem__(self, index: Any, value: ArrayLike) -> None:
        self._view[index] = value
        self.version += 1

    def __delitem__(self, index: int | slice) -> None:
        kept = np.delete(self._view, index, axis=0)
        self.resize(len(kept))[:] = kept
        self.version += 1

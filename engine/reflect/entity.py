"""`Entity`: a handle to one entity of a world, packed into an int.

The low 32 bits are the slot, the bits above are the generation of that slot. Generations start
at 1, so the null handle is 0 and falsy, and every handle fits an int64 column.
"""

from __future__ import annotations

INDEX_BITS = 32
INDEX_MASK = (1 << INDEX_BITS) - 1
MAX_GENERATION = (1 << 31) - 1


class Entity(int):
    """A handle: ``generation << 32 | index``."""

    __slots__ = ()

    @classmethod
    def null(cls) -> Entity:
        """Return the handle of no entity (0, falsy)."""
        return _NULL

    @classmethod
    def of(cls, index: int, generation: int) -> Entity:
        """Pack a slot index (0 <= index < 2**32) and a generation (>= 1) into a handle."""
        return cls(generation << INDEX_BITS | index)

    @property
    def index(self) -> int:
        """The slot in the world's tables."""
        return int(self) & INDEX_MASK

    @property
    def generation(self) -> int:
        """How many times the slot had been given out when this handle was made."""
        return int(self) >> INDEX_BITS

    def __str__(self) -> str:
        return f"{self.index}v{self.generation}"

    def __repr__(self) -> str:
        return f"Entity({self})"


_NULL = Entity(0)

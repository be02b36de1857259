"""How much memory one file may take, checked before anything is allocated."""

from dataclasses import dataclass

from engine.errors import AssetError

GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Bytes that decoding may take: one picture, and everything of one file together."""

    image_bytes: int = 1 * GIB
    total_bytes: int = 4 * GIB


class Budget:
    """What is left of `ImportLimits` while a file is read."""

    def __init__(self, limits: ImportLimits) -> None:
        self.limits = limits
        self._used = 0

    def take(self, size: int, pointer: str) -> None:
        """Account for `size` bytes about to be allocated for what `pointer` names.

        Raises
        ------
        AssetError
            When the file's total would pass the limit.
        """
        self._used += size
        if self._used > self.limits.total_bytes:
            raise AssetError(
                f"out of range at {pointer}: decoding needs more than "
                f"{self.limits.total_bytes} bytes, the limit for one file"
            )

"""How much memory one file may take, checked before anything is allocated."""

from dataclasses import dataclass

from engine.errors import AssetError

MIB, GIB = 1 << 20, 1 << 30


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Bytes that decoding may take.

    One picture, everything of one file together, and one accessor that has no data of its own:
    its zeros cost the file nothing.
    """

    image_bytes: int = 1 * GIB
    total_bytes: int = 4 * GIB
    zero_bytes: int = 128 * MIB


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

"""What tells the arrays of a cooked asset from damaged ones, at the speed of memory.

The 64-bit words of each page are added up, and Adler-32 is taken of the sums: it is 30 times as
quick as Adler-32 of all bytes. Any one flipped bit and any lost or misplaced page is noticed; what
changes in one page so that its sum stays, such as two words that changed places, is not.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

PAGE_BYTES = 4096
_WORDS = PAGE_BYTES // 8


class PageSums:
    """Adds up the pages of so many bytes, which are 0 where nothing else is said."""

    def __init__(self, size: int) -> None:
        self._sums = np.zeros(-(-size // PAGE_BYTES), np.uint64)

    def add(self, offset: int, data: NDArray[np.uint8]) -> None:
        """Count bytes that stand at `offset`, a multiple of 8."""
        whole = len(data) - len(data) % 8
        self._add_words(offset // 8, data[:whole].view("<u8"))
        if whole < len(data):
            rest = np.zeros(8, np.uint8)
            rest[: len(data) - whole] = data[whole:]
            self._add_words((offset + whole) // 8, rest.view("<u8"))

    def _add_words(self, first: int, words: NDArray[np.uint64]) -> None:
        if len(words):
            cuts = np.arange(_WORDS - first % _WORDS, len(words), _WORDS)
            sums = np.add.reduceat(words, [0, *cuts])
            self._sums[first // _WORDS :][: len(sums)] += sums

    @property
    def checksum(self) -> int:
        """Of everything that was counted."""
        return _checksum(self._sums)


def padded_to_pages(size: int) -> NDArray[np.uint8]:
    """Return room for so many bytes, and zeros after them to the end of the page."""
    data = np.empty(-(-size // PAGE_BYTES) * PAGE_BYTES, np.uint8)
    data[size:] = 0
    return data


def checksum_of(pages: NDArray[np.uint8]) -> int:
    """Return what `PageSums` gives for whole pages."""
    return _checksum(np.add.reduce(pages.view("<u8").reshape(-1, _WORDS), axis=1))


def _checksum(sums: NDArray[np.uint64]) -> int:
    return zlib.adler32(sums.astype("<u8").data)

"""The checksum of a cooked asset's arrays: the same bit by bit, and another for other bytes."""

import numpy as np
import pytest

from engine.assets.cooked.page_sums import PAGE_BYTES, PageSums, checksum_of, padded_to_pages

SIZES = [0, 1, 8, 4095, 4096, 4097, 40_001]


def filled(size):
    pages = padded_to_pages(size)
    pages[:size] = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    return pages


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("piece", [64, 4032, 4096, 12_352])
def test_pieces_one_after_the_other_give_what_whole_pages_do(size, piece):
    pages, sums = filled(size), PageSums(size)
    for at in range(0, size, piece):
        sums.add(at, pages[:size][at : at + piece])
    assert sums.checksum == checksum_of(pages)


def test_what_is_left_out_counts_as_zeros():
    pages, sums = filled(40_001), PageSums(40_001)
    pages[100:128] = pages[9000:20_032] = 0
    for start, end in ((0, 100), (128, 9000), (20_032, 40_001)):
        sums.add(start, pages[start:end])
    assert sums.checksum == checksum_of(pages)


@pytest.mark.parametrize("at", [0, 5, 4095, 4096, 40_000])
def test_every_bit_counts(at):
    pages = filled(40_001)
    before = checksum_of(pages)
    for bit in range(8):
        pages[at] ^= 1 << bit
        assert checksum_of(pages) != before
        pages[at] ^= 1 << bit


def test_pages_that_changed_places_or_were_lost_are_noticed():
    pages = filled(40_001)
    before = checksum_of(pages)
    swapped = pages.reshape(-1, PAGE_BYTES)[[1, 0, *range(2, len(pages) // PAGE_BYTES)]]
    assert checksum_of(swapped.reshape(-1)) != before
    pages[PAGE_BYTES : 2 * PAGE_BYTES] = 0
    assert checksum_of(pages) != before

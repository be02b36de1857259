"""Radiance pictures: both encodings, and every way to be broken."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.assets.hdr import decode_hdr, read_hdr
from engine.errors import AssetError

HEAD = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"


def run_length(rows: np.ndarray) -> bytes:
    """Scanlines of (h, w, 4) RGBE in the new encoding: runs of equal values, else literals."""
    out = bytearray()
    for row in rows:
        out += bytes((2, 2, len(row) >> 8, len(row) & 255))
        for channel in row.T:
            at = 0
            while at < len(channel):
                end = at + 1
                while end < len(channel) and channel[end] == channel[at] and end - at < 127:
                    end += 1
                repeated = end - at > 1
                out += bytes((128 + end - at if repeated else 1, channel[at]))
                at = end
    return bytes(out)


def picture(rows: np.ndarray, body: bytes) -> bytes:
    return HEAD + f"-Y {rows.shape[0]} +X {rows.shape[1]}\n".encode() + body


def light(rows: np.ndarray) -> np.ndarray:
    values = (rows[..., :3] + 0.5) * 2.0 ** (rows[..., 3:].astype(float) - 136)
    return np.where(rows[..., 3:] > 0, values, 0.0)


@pytest.fixture
def rows() -> np.ndarray:
    made = np.random.default_rng(5).integers(2, 250, (5, 300, 4), dtype=np.uint8)
    made[:, 50:220] = made[:, 50:51]
    made[..., 3] = np.clip(made[..., 3], 110, 140)
    made[2, 10] = 0
    return made


def test_both_encodings_give_the_light(rows):
    np.testing.assert_allclose(decode_hdr(picture(rows, run_length(rows))), light(rows), rtol=1e-6)
    np.testing.assert_allclose(decode_hdr(picture(rows, rows.tobytes())), light(rows), rtol=1e-6)


def test_old_runs_repeat_the_pixel_before():
    body = bytes((9, 8, 7, 130, 1, 1, 1, 3, 1, 1, 1, 1, 5, 5, 5, 129))
    found = decode_hdr(picture(np.zeros((1, 260 + 1, 4)), body))
    assert (found[0, 1:260] == found[0, 0]).all()
    assert found[0, 260, 0] == pytest.approx(5.5 / 128)


def test_exposure_divides(rows):
    plain = picture(rows, rows.tobytes())
    exposed = plain.replace(b"FORMAT", b"EXPOSURE=2\nFORMAT")
    np.testing.assert_allclose(decode_hdr(exposed) * 2.0, decode_hdr(plain), rtol=1e-6)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "expected a Radiance picture"),
        (b"\x89PNG", "expected a Radiance picture"),
        (b"#?RADIANCE\n", "found no size"),
        (b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 1 +X 1\n1234", "expected FORMAT"),
        (b"#?RADIANCE\n" + b"EXPOSURE=1e-300\n" * 2 + b"-Y 1 +X 1\n1234", "come to 0"),
        (b"#?RADIANCE\n" + b"EXPOSURE=1e300\n" * 2 + b"-Y 1 +X 1\n1234", "come to inf"),
        (b"#?RADIANCE\nEXPOSURE=dark\n-Y 1 +X 1\n1234", "expected a positive number"),
        (HEAD + b"+Y 1 +X 1\n1234", "rows from the top"),
        (HEAD + b"-Y 0 +X 1\n", "expected 1 to"),
        (HEAD + b"-Y 16000 +X 16000\n", "found 0 bytes"),
        (HEAD + b"-Y 1 +X 2\n1234", "end of the file"),
        (HEAD + b"-Y 1 +X 1\n\1\1\1\1", "broken run"),
        (HEAD + b"-Y 1 +X 8\n\2\2\0\x09", "found a width of 9"),
        (HEAD + b"-Y 1 +X 8\n\2\2\0\x08\x89\1", "broken run"),
    ],
)
def test_broken_pictures_say_what_was_found(data, expected):
    with pytest.raises(AssetError, match=expected):
        decode_hdr(data, "sky.hdr")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(AssetError, match=r"^none\.hdr"):
        read_hdr(tmp_path / "none.hdr")


@given(st.binary(max_size=80), st.integers(1, 20), st.integers(1, 20))
def test_any_bytes_decode_or_are_refused(body, height, width):
    try:
        found = decode_hdr(HEAD + f"-Y {height} +X {width}\n".encode() + body)
    except AssetError:
        return
    assert found.shape == (height, width, 3)
    assert np.isfinite(found).all()

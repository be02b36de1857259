import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SceneError
from engine.scene.document.floats import (
    bitcast_u32_to_f32,
    format_column,
    format_float,
    format_rows,
    parse_decimals,
    parse_float,
)
from tests.engine.scene.document.documents import bits, f32


@given(bits)
def test_every_pattern_comes_back(pattern):
    value = f32(pattern)
    assert parse_float(format_float(value)).tobytes() == value.tobytes()


@given(st.lists(bits, min_size=1, max_size=20))
def test_columns_are_spelled_like_single_floats(patterns):
    values = np.array(patterns, np.uint32).view(np.float32)
    assert format_column(values) == [format_float(v) for v in values]
    assert format_rows(values[:, None]) == format_column(values)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_many_decimals_read_as_one_by_one(numbers):
    texts = [format_float(n) for n in numbers]
    parsed = parse_decimals(texts)
    assert parsed.tobytes() == np.array([parse_float(t) for t in texts]).tobytes()


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        # Decimals that float64 rounds onto the middle between two float32 values.
        ("1.00000005960464477539062500000000001", 0x3F800001),
        ("1.000000059604644775390624999999999999", 0x3F800000),
        ("1.000000059604644775390625", 0x3F800000),
        ("1.000000178813934326171875", 0x3F800002),
        ("7.00649232162408535461864791644958e-46", 0x00000000),
        ("7.00649232162408535461864791644959e-46", 0x00000001),
        ("340282356779733661637539395458142568447.9", 0x7F7FFFFF),
    ],
)
def test_halfway_decimals_are_rounded_once(text, pattern):
    assert parse_float(text).tobytes() == f32(pattern).tobytes()
    assert parse_decimals([text, "1.5"])[:1].tobytes() == f32(pattern).tobytes()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nan",
        "inf",
        "-inf",
        "1_0",
        "1e39",
        "0x",
        "0x123456789",
        "-0x1",
        "1.5z",
        ".",
        "e5",
        "１",
        "340282356779733661637539395458142568448",
        " 1.0",
        "1.0\n",
    ],
)
def test_what_is_no_float(text):
    with pytest.raises(SceneError):
        parse_float(text)


def test_a_signless_zero_is_left_to_the_exact_reader():
    assert parse_decimals(["-0", "1.0"]) is None
    assert parse_decimals(["-0.0"]).tobytes() == f32(0x80000000).tobytes()


def test_patterns_are_32_bits():
    assert bitcast_u32_to_f32(0x7F800001).tobytes() == b"\x01\x00\x80\x7f"
    with pytest.raises(SceneError):
        bitcast_u32_to_f32(1 << 32)

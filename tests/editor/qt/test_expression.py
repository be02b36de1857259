"""Number text: values, units, relative edits, ramps; and what is refused."""

import math

import numpy as np
import pytest

from editor.qt.expression import ExpressionError, evaluate, parse_edit
from editor.qt.number_format import display_number, exact_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*3", 6),
        ("pi/4", math.pi / 4),
        ("1,5", 1.5),
        ("-(2+1)**2", -9),
        ("2^3", 8),
        ("sqrt(16) + max(1, 2)", 6),
        ("1e-3", 0.001),
        (".5", 0.5),
    ],
)
def test_values(text: str, value: float) -> None:
    assert evaluate(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    ["", "abc", "1/0", "9**9**9", "__import__('os')", "(1).real", "1e999", "max()", "x=1", "("],
)
def test_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text)


def test_a_hostile_length_is_refused() -> None:
    with pytest.raises(ExpressionError):
        evaluate("(" * 5000 + "1" + ")" * 5000)


@pytest.mark.parametrize(
    ("text", "unit", "old", "new"),
    [
        ("+=2", "", 1, 3),
        ("*=1.1", "", 10, 11),
        ("-= 2*2", "", 10, 6),
        ("20 cm", "m", 0, 0.2),
        ("20", "m", 0, 20),
        ("1rad", "°", 0, math.degrees(1)),
        ("30 s", "s", 0, 30),
        ("-34.38°", "°", 0, -34.38),
    ],
)
def test_edits(text: str, unit: str, old: float, new: float) -> None:
    assert parse_edit(text, unit).apply(old, 0, 1) == pytest.approx(new)


def test_ramp_spreads_over_the_selection() -> None:
    edit = parse_edit("L(0, 10)")
    assert [edit.apply(5, i, 3) for i in range(3)] == [0, 5, 10]
    assert not edit.absolute


def test_random_stays_in_range() -> None:
    edit = parse_edit("R(2, 3)")
    assert all(2 <= edit.apply(0, i, 9) <= 3 for i in range(9))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.9000000953674316, "3.9"),
        (-0.0, "0"),
        (1e-9, "1e-9"),
        (2.5e9, "2.5e9"),
        (0.12345, "0.123"),
        (-34.38, "-34.38"),
        (100.0, "100"),
        (math.inf, "inf"),
    ],
)
def test_display(value: float, text: str) -> None:
    assert display_number(value) == text


def test_what_is_too_little_to_be_meant_shows_as_none() -> None:
    assert display_number(2.4e-7, 3, least=1e-5) == "0"
    assert display_number(-2.4e-7, 3, least=1e-5) == "0"
    assert display_number(0.001, 3, least=1e-5) == "0.001"


@pytest.mark.parametrize("value", [0.1, 1 / 3, 3.9, 1e-7, 123456.78])
def test_exact_text_gives_the_same_float32(value: float) -> None:
    single = float(np.float32(value))
    assert np.float32(exact_number(single)) == np.float32(value)

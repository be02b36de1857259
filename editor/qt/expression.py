"""What an artist types into a number field, as an edit of a number.

The text is a value (``2*3``, ``pi/4``, ``1,5``, ``20 cm``), a change relative to what is there
(``+=2``, ``*=1.1``), a ramp over the selection (``L(0, 10)``) or a random value (``R(0, 1)``).
Parsing gives a `NumberEdit`, which is applied to each selected entity's own value; so a relative
edit of a mixed selection keeps the differences.

Expressions are read through Python's grammar but evaluated here: numbers, arithmetic and a handful
of functions, nothing else.
"""

import ast
import math
import operator
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["ExpressionError", "NumberEdit", "evaluate", "parse_edit"]

_MAX_LENGTH: Final = 200
_CONSTANTS: Final[Mapping[str, float]] = {"pi": math.pi, "tau": math.tau, "e": math.e}
_FUNCTIONS: Final[Mapping[str, Callable[..., float]]] = {
    "abs": abs,
    "ceil": math.ceil,
    "cos": math.cos,
    "floor": math.floor,
    "max": max,
    "min": min,
    "round": round,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}
_BINARY: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,
}
_RELATIVE: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+=": operator.add,
    "-=": operator.sub,
    "*=": operator.mul,
    "/=": operator.truediv,
}
_LENGTHS: Final[Mapping[str, float]] = {
    "mm": 0.001,
    "cm": 0.01,
    "dm": 0.1,
    "m": 1.0,
    "km": 1000.0,
    "in": 0.0254,
    "ft": 0.3048,
}
_ANGLES: Final[Mapping[str, float]] = {"deg": 1.0, "°": 1.0, "rad": 180.0 / math.pi}
_SPREAD: Final = re.compile(r"^([LR])\s*\((.+),(.+)\)$", re.IGNORECASE)
_DECIMAL_COMMA: Final = re.compile(r"^[+-]?\d+,\d+$")


class ExpressionError(ValueError):
    """The text is no number, no expression and no relative edit."""


@dataclass(frozen=True)
class NumberEdit:
    """One edit of a number field.

    Attributes
    ----------
    apply
        Gives the new value for the old one; also takes the position of the entity in the selection
        and the size of the selection, which ramps need.
    absolute
        Whether the result does not depend on the old value or the position.
    """

    apply: Callable[[float, int, int], float]
    absolute: bool = True

    @staticmethod
    def to(value: float) -> "NumberEdit":
        """Return the edit that sets a value."""
        return NumberEdit(lambda old, index, count: value)

    @staticmethod
    def by(delta: float) -> "NumberEdit":
        """Return the edit that adds a difference."""
        return NumberEdit(lambda old, index, count: old + delta, absolute=False)


def _walk(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        operand = _walk(node.operand)
        return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return float(_BINARY[type(node.op)](_walk(node.left), _walk(node.right)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None:
            return float(function(*(_walk(argument) for argument in node.args)))
    raise ExpressionError("only numbers, + - * / % ** ( ) and simple functions")


def evaluate(text: str) -> float:
    """Evaluate an arithmetic expression to a finite number.

    Raises
    ------
    ExpressionError
        If the text is not an expression, or its value is not finite.
    """
    source = text.strip()
    if _DECIMAL_COMMA.match(source):
        source = source.replace(",", ".")
    if not source or len(source) > _MAX_LENGTH:
        raise ExpressionError("expected a number")
    try:
        value = _walk(ast.parse(source.replace("^", "**"), mode="eval").body)
    except ExpressionError:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError) as e:
        raise ExpressionError(f"{source!r} is not a number or an expression") from e
    if not math.isfinite(value):
        raise ExpressionError(f"{source!r} has no finite value")
    return value


def _with_unit(text: str, unit: str) -> float:
    """Evaluate text that may end in the field's unit or one convertible to it."""
    source = text.strip()
    table = _LENGTHS if unit in _LENGTHS else _ANGLES if unit in _ANGLES else {unit: 1.0}
    for name in sorted(table, key=len, reverse=True):
        if name and source.lower().endswith(name):
            number = source[: -len(name)].rstrip()
            if number and not number[-1].isalpha():
                return evaluate(number) * table[name] / table.get(unit, 1.0)
    return evaluate(source)


def parse_edit(text: str, unit: str = "") -> NumberEdit:
    """Read what was typed into a number field.

    Parameters
    ----------
    text
        The text, with or without a unit.
    unit
        The field's own unit; other lengths and angles convert to it.

    Raises
    ------
    ExpressionError
        If it cannot be read.
    """
    source = text.strip()
    if source[:2] in _RELATIVE:
        combine, amount = _RELATIVE[source[:2]], _with_unit(source[2:], unit)
        if source[:2] == "/=" and amount == 0:
            raise ExpressionError("division by zero")
        return NumberEdit(lambda old, index, count: combine(old, amount), absolute=False)
    spread = _SPREAD.match(source)
    if spread is not None:
        first, last = _with_unit(spread[2], unit), _with_unit(spread[3], unit)
        if spread[1].upper() == "R":
            return NumberEdit(lambda old, index, count: random.uniform(first, last), absolute=False)
        return NumberEdit(
            lambda old, index, count: first + (last - first) * index / max(1, count - 1),
            absolute=False,
        )
    return NumberEdit.to(_with_unit(source, unit))

"""What a field's annotation may say to people: range, unit, angle, colour, choices, asset path.

The inspector refines its rows by these; nothing in the engine depends on them. ``Angle``,
``Color``, ``Hidden`` and ``AssetPath`` may be written bare (``Annotated[float, Angle]``).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Range:
    """The values that make sense, both ends included."""

    low: float
    high: float


@dataclass(frozen=True)
class Unit:
    """The unit that is shown beside the number, such as ``m`` or ``lx``."""

    text: str


class UnitBy:
    """The unit depends on the value of another field.

    Parameters
    ----------
    field : str
        The other field of the same component.
    **units : str
        The unit for each of its values.
    """

    def __init__(self, field: str, **units: str) -> None:
        self.field = field
        self.units = units

    def __repr__(self) -> str:
        return f"UnitBy({self.field!r}, **{self.units!r})"


@dataclass(frozen=True)
class Doc:
    """One line of help."""

    text: str


@dataclass(frozen=True)
class Angle:
    """Stored in radians, shown in degrees."""


@dataclass(frozen=True)
class Color:
    """Three or four floats that are a linear colour."""


@dataclass(frozen=True)
class Hidden:
    """Not shown in the inspector."""


@dataclass(frozen=True)
class Title:
    """What people call the field, where its name would not say it or would be too long."""

    text: str


@dataclass(frozen=True)
class Empty:
    """What an empty string means, in a few words that are shown for it."""

    text: str


class OnlyWith:
    """The field means something only where another one has one of a few values.

    Parameters
    ----------
    field : str
        The other field of the same component.
    *values : str
        Its values.
    """

    def __init__(self, field: str, *values: str) -> None:
        self.field = field
        self.values = values

    def __repr__(self) -> str:
        return f"OnlyWith({self.field!r}, *{self.values!r})"


@dataclass(frozen=True)
class Unset:
    """The value that stands for none of its own; a vector holds it in every item.

    Parameters
    ----------
    value : float
    start : float
        Where an edit that is relative starts from instead.
    text : str
        What is shown for it.
    """

    value: float
    start: float
    text: str


class Choice:
    """One of a few strings, in the order to offer them."""

    def __init__(self, *options: str) -> None:
        self.options = tuple(str(option) for option in options)

    def __repr__(self) -> str:
        return f"Choice{self.options!r}"


@dataclass(frozen=True)
class VariantOf:
    """A string that is one of the material variants of the file that another field names.

    Parameters
    ----------
    field : str
        The other field.
    """

    field: str


@dataclass(frozen=True)
class AssetPath:
    """A string that is a project-relative path to a file.

    Parameters
    ----------
    pattern : str
        What the file's name matches; several patterns stand behind each other, with blanks between.
    """

    pattern: str = "*"

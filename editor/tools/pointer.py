"""What a tool is told about the mouse and the keyboard, free of any window system.

Positions are in logical (device-independent) pixels of the viewport, (0, 0) top left.
"""

from dataclasses import dataclass
from enum import Enum, Flag, auto


class Modifiers(Flag):
    """Keys held down during an event."""

    NONE = 0
    SHIFT = auto()
    CTRL = auto()
    ALT = auto()


class Button(Enum):
    """The mouse button that an event is about."""

    NONE = "none"
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


class PointerKind(Enum):
    """What the pointer did."""

    PRESS = "press"
    MOVE = "move"
    RELEASE = "release"
    DOUBLE = "double"
    WHEEL = "wheel"
    LEAVE = "leave"


@dataclass(frozen=True)
class PointerEvent:
    """One thing that the pointer did.

    Attributes
    ----------
    x, y : float
        Logical pixels, (0, 0) top left.
    button : Button
        The button pressed or released; for a move the one that is held, if any.
    modifiers : Modifiers
    kind : PointerKind
    wheel : float
        Notches turned away from the artist, for :attr:`PointerKind.WHEEL`.
    """

    x: float
    y: float
    button: Button = Button.NONE
    modifiers: Modifiers = Modifiers.NONE
    kind: PointerKind = PointerKind.MOVE
    wheel: float = 0.0

    @property
    def shift(self) -> bool:
        return bool(self.modifiers & Modifiers.SHIFT)

    @property
    def ctrl(self) -> bool:
        return bool(self.modifiers & Modifiers.CTRL)

    @property
    def alt(self) -> bool:
        return bool(self.modifiers & Modifiers.ALT)


@dataclass(frozen=True)
class KeyEvent:
    """A key that went down: its name ("escape", "return", "backspace") or the character typed."""

    key: str
    modifiers: Modifiers = Modifiers.NONE

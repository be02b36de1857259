"""What the artist chose for the viewport: tool, space, pivot, snapping and view flags.

One :class:`ToolState` is shared by the toolbar and the viewport. Both set its attributes and both
observe :attr:`ToolState.changed`, so neither has to know the other. It holds choices only: it
never touches a level, and a choice is never an undo step.
"""

from collections.abc import Mapping
from typing import Final

from editor.model.signal import Signal
from engine.render.settings import DISPLAY_MODES, DisplayMode

TOOLS: Final = ("select", "move", "rotate", "scale", "place")
SPACES: Final = ("world", "local")
PIVOTS: Final = ("median", "individual", "active")
MODES: Final = DISPLAY_MODES

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "tool": TOOLS,
    "space": SPACES,
    "pivot": PIVOTS,
    "mode": MODES,
}
_STEPS: Final = frozenset({"move_step", "angle_step", "scale_step"})
SAVED_FIELDS: Final = (
    "space",
    "pivot",
    "snap",
    "move_step",
    "angle_step",
    "scale_step",
    "grid",
    "gizmos",
    "stats",
    "mode",
)


class ToolState:
    """The current choices; assigning a different value emits :attr:`changed` with its name.

    Attributes
    ----------
    tool : str
        One of :data:`TOOLS`.
    space : str
        Axes of the gizmo, one of :data:`SPACES`.
    pivot : str
        Centre of rotating and scaling, one of :data:`PIVOTS`.
    snap : bool
        Snap without holding Ctrl; Ctrl then suspends it.
    move_step : float
        Metres.
    angle_step : float
        Degrees.
    scale_step : float
        Factor per step.
    grid, gizmos, stats : bool
        What is drawn over the picture.
    mode : str
        How surfaces are drawn, one of :data:`MODES`.
    changed : Signal[str]
        Emitted after an attribute got a different value, with the attribute's name.
    """

    tool: str
    space: str
    pivot: str
    snap: bool
    move_step: float
    angle_step: float
    scale_step: float
    grid: bool
    gizmos: bool
    stats: bool
    mode: DisplayMode
    changed: Signal[str]

    def __init__(self) -> None:
        self.__dict__.update(
            tool="move",
            space="world",
            pivot="median",
            snap=False,
            move_step=0.25,
            angle_step=15.0,
            scale_step=0.1,
            grid=True,
            gizmos=True,
            stats=True,
            mode="lit",
            changed=Signal[str](),
        )

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__dict__ or name == "changed":
            raise AttributeError(f"ToolState has no choice called {name!r}")
        checked = _checked(name, value, type(self.__dict__[name]))
        if self.__dict__[name] != checked:
            self.__dict__[name] = checked
            self.changed.emit(name)

    def to_dict(self) -> dict[str, object]:
        """Return the choices that outlive a session, ready for JSON."""
        return {name: self.__dict__[name] for name in SAVED_FIELDS}

    def restore(self, saved: Mapping[str, object]) -> None:
        """Take what `to_dict` returned; what is unknown or damaged keeps its present value."""
        for name in SAVED_FIELDS:
            if name in saved:
                try:
                    setattr(self, name, saved[name])
                except ValueError:
                    continue


def _checked(name: str, value: object, kind: type) -> object:
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(_CHOICES[name])}")
    if name in _STEPS:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e6:
            raise ValueError(f"{name} is {value!r}; expected a number above 0")
        return float(value)
    if not isinstance(value, kind):
        raise ValueError(f"{name} is {value!r}; expected a {kind.__name__}")
    return value

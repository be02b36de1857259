"""Colours and sizes of the two themes, as data.

Every colour on screen comes from one of these names; the stylesheet, the palette, icons and
painted widgets all read them. Sizes are device-independent pixels on a 4 px grid.
"""

from dataclasses import dataclass
from typing import Final

__all__ = ["DARK", "LIGHT", "THEMES", "Sizes", "Tokens"]


@dataclass(frozen=True)
class Tokens:
    """One theme. Colours are ``#rrggbb`` or, for translucent ones, ``#aarrggbb``."""

    name: str
    gap: str
    panel: str
    raised: str
    hover: str
    pressed: str
    sunken: str
    line: str
    line_strong: str
    text: str
    quiet: str
    quiet_on_gap: str
    faint: str
    accent: str
    accent_hover: str
    on_accent: str
    selection: str
    selection_text: str
    override: str
    warning: str
    error: str
    good: str
    axis_x: str
    axis_y: str
    axis_z: str
    outline: str
    chip: str
    chip_hover: str
    chip_text: str
    scroll: str
    folder: str
    light_icon: str
    check_border: str

    @property
    def is_dark(self) -> bool:
        """Whether text is light on dark."""
        return self.name == "dark"

    def axis(self, index: int) -> str:
        """Colour of axis 0, 1, 2; a fourth component has the quiet colour."""
        return (self.axis_x, self.axis_y, self.axis_z, self.quiet)[index]


class Sizes:
    """Distances shared by all panels, in device-independent pixels."""

    GAP: Final = 6
    PADDING: Final = 8
    ROW: Final = 24
    FIELD: Final = 22
    LABEL: Final = 92
    ICON_ROW: Final = 14
    ICON_TOOL: Final = 16
    TOOL_BUTTON: Final = 26
    RADIUS_PANEL: Final = 6
    FONT: Final = 12


DARK: Final = Tokens(
    name="dark",
    gap="#0f1114",
    panel="#1e2126",
    raised="#262a31",
    hover="#2f343d",
    pressed="#383e48",
    sunken="#16181c",
    line="#30353e",
    line_strong="#454c58",
    text="#d7dbe0",
    quiet="#8d96a3",
    quiet_on_gap="#8d96a3",
    faint="#5d6572",
    accent="#4c8dff",
    accent_hover="#6a9fff",
    on_accent="#ffffff",
    selection="#2b4a80",
    selection_text="#f2f5fa",
    override="#8fb8ff",
    warning="#e5a13a",
    error="#f2545b",
    good="#5fbf5f",
    axis_x="#f2545b",
    axis_y="#5fbf5f",
    axis_z="#4c8dff",
    outline="#ffb347",
    chip="#d916181c",
    chip_hover="#f0262a31",
    chip_text="#d7dbe0",
    scroll="#3d444f",
    folder="#d98a5b",
    light_icon="#f0b45f",
    check_border="#4a525f",
)

LIGHT: Final = Tokens(
    name="light",
    gap="#c9cdd3",
    panel="#f4f5f7",
    raised="#ffffff",
    hover="#e8ebf0",
    pressed="#dbe0e8",
    sunken="#ffffff",
    line="#d4d8de",
    line_strong="#aab2bd",
    text="#1f2328",
    quiet="#5c6672",
    quiet_on_gap="#474f5a",
    faint="#9aa3ae",
    accent="#2563eb",
    accent_hover="#1d4ed8",
    on_accent="#ffffff",
    selection="#cfe0ff",
    selection_text="#10213f",
    override="#1d4ed8",
    warning="#8f5f14",
    error="#a1383d",
    good="#3a7a3a",
    axis_x="#f2545b",
    axis_y="#5fbf5f",
    axis_z="#4c8dff",
    outline="#ffb347",
    chip="#e6f4f5f7",
    chip_hover="#ffffffff",
    chip_text="#1f2328",
    scroll="#bac1cb",
    folder="#b4622d",
    light_icon="#a86a00",
    check_border="#aab2bd",
)

THEMES: Final[dict[str, Tokens]] = {"dark": DARK, "light": LIGHT}

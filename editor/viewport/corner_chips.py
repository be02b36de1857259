"""Which chips stand in which corner, what they say and what they set."""

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QMenu, QWidget

from editor.qt.names import MODE_TITLES, PIVOT_TITLES
from editor.tools.state import ToolState
from editor.viewport.chips import HEIGHT, Chip, choice_menu
from editor.viewport.view_cube import ViewCube

VIEW_LABELS: Final = {
    "perspective": "Perspective",
    "orthographic": "Orthographic",
    "top": "Top",
    "bottom": "Bottom",
    "front": "Front",
    "back": "Back",
    "left": "Left",
    "right": "Right",
}
SPACE_LABELS: Final = {"world": "World", "local": "Local"}
MOVE_STEPS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0)
ANGLE_STEPS: Final = (1.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0)
SCALE_STEPS: Final = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
MARGIN: Final = 9
GAP: Final = 6
CUBE_FROM: Final = (360, 260)
"""A smaller viewport has no room for the view cube."""


class CornerChips:
    """The chips of one viewport."""

    def __init__(
        self,
        parent: QWidget,
        state: ToolState,
        view: Callable[[], str],
        set_view: Callable[[str], None],
        cube: ViewCube,
    ) -> None:
        self._parent = parent
        self.cube = cube
        self._state = state
        self._view = view
        self.mode = Chip("circle-half", "View mode", parent)
        self.mode.choose_from(self._menu_of("mode", MODE_TITLES, ("normals", "overdraw")))
        self.view = Chip("cube", "View", parent)
        self.view.choose_from(choice_menu(parent, VIEW_LABELS, view, set_view, ("top",)))
        self.space = Chip("globe", "Transform space", parent)
        self.space.choose_from(self._menu_of("space", SPACE_LABELS))
        self.pivot = Chip("crosshair", "Pivot", parent)
        self.pivot.choose_from(self._menu_of("pivot", PIVOT_TITLES))
        self.snap = Chip("magnet", "Snapping", parent)
        self.snap.choose_from(self._snap_menu())
        self.selection = Chip("", "Selection", parent)
        self.counts = Chip("", "Statistics", parent)
        self.refresh()

    def _menu_of(
        self, name: str, titles: dict[str, str], separators_before: tuple[str, ...] = ()
    ) -> QMenu:
        """Return the menu that chooses one attribute of the tools' state."""
        return choice_menu(
            self._parent,
            titles,
            lambda: str(getattr(self._state, name)),
            lambda value: self._set(name, value),
            separators_before,
        )

    def refresh(self) -> None:
        """Say what the state is now."""
        self.cube.update()
        state = self._state
        self.mode.show_parts(MODE_TITLES[state.mode])
        self.view.show_parts(VIEW_LABELS[self._view()])
        is_local = state.space == "local"
        self.space.show_parts(SPACE_LABELS[state.space], glyph="cube" if is_local else "globe")
        self.pivot.show_parts(PIVOT_TITLES[state.pivot])
        self.snap.show_parts(
            f"{state.move_step:g} m",
            f"{state.angle_step:g}°",
            f"{state.scale_step:g}",
            lit=state.snap,
        )
        self.snap.setToolTip("Snapping is on; Ctrl suspends it" if state.snap else "Ctrl snaps")
        self.layout()

    def show_selection(self, *parts: str) -> None:
        """Set the summary at the bottom left; without words it is hidden."""
        self.selection.show_parts(*_dotted(parts))
        self.selection.setVisible(bool(parts))
        self.layout()

    def show_counts(self, *parts: str) -> None:
        """Set the figures at the bottom right; without words they are hidden."""
        self.counts.show_parts(*parts)
        self.counts.setVisible(bool(parts) and self._state.stats)
        self.layout()

    def layout(self) -> None:
        """Put every chip into its corner; those at the right give way in a narrow viewport."""
        width, height = self._parent.width(), self._parent.height()
        x = MARGIN
        for chip in (self.mode, self.view):
            chip.move(x, MARGIN)
            x += chip.width() + GAP
        left = x
        x = width - MARGIN
        for chip in (self.snap, self.pivot, self.space):
            x -= chip.width()
            chip.setVisible(x >= left)
            chip.move(x, MARGIN)
            x -= GAP
        cube = self.cube
        cube.move(width - MARGIN - cube.width(), MARGIN + HEIGHT + GAP)
        cube.setVisible(width >= CUBE_FROM[0] and height >= CUBE_FROM[1])
        bottom = height - MARGIN - HEIGHT
        self.selection.move(MARGIN, bottom)
        free = width - 2 * MARGIN - (self.selection.width() + GAP if self._says_selection() else 0)
        self.counts.move(width - MARGIN - self.counts.width(), bottom)
        self.counts.setVisible(
            self._state.stats and bool(self.counts.text()) and self.counts.width() <= free
        )

    def _says_selection(self) -> bool:
        return bool(self.selection.text())

    def _set(self, name: str, value: object) -> None:
        setattr(self._state, name, value)

    def _snap_menu(self) -> QMenu:
        menu = QMenu(self._parent)
        toggle = menu.addAction("Snap without Ctrl")
        toggle.setCheckable(True)
        toggle.triggered.connect(lambda on: self._set("snap", bool(on)))
        menu.aboutToShow.connect(lambda: toggle.setChecked(self._state.snap))
        menu.addSeparator()
        for title, name, steps, unit in (
            ("Move", "move_step", MOVE_STEPS, " m"),
            ("Rotate", "angle_step", ANGLE_STEPS, "°"),
            ("Scale", "scale_step", SCALE_STEPS, ""),
        ):
            steps_menu = choice_menu(
                menu,
                {f"{step:g}": f"{step:g}{unit}" for step in steps},
                lambda name=name: f"{getattr(self._state, name):g}",  # type: ignore[misc]
                lambda key, name=name: self._set(name, float(key)),  # type: ignore[misc]
            )
            steps_menu.setTitle(title)
            menu.addMenu(steps_menu)
        return menu


def _dotted(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Set parts apart by a dot, as on the mock."""
    dotted: list[str] = []
    for part in parts:
        dotted += ["·", part] if dotted else [part]
    return tuple(dotted)

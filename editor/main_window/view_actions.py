"""Tools, camera, view flags, theme and layout."""

from collections.abc import Callable
from typing import Final

from PySide6.QtGui import QAction, QActionGroup

from editor.model.settings import Settings
from editor.qt.report import guarded
from editor.tools.state import MODES, PIVOTS, ToolState
from editor.viewport.widget import ViewportWidget

__all__ = ["ViewActions"]

_TOOLS: Final = ("select", "move", "rotate", "scale", "place")
_VIEWS: Final = (
    "perspective", "orthographic", "top", "bottom", "front", "back", "right", "left",
)  # fmt: skip
_CHOICES: Final = {"mode": MODES, "pivot": PIVOTS}
_FLAGS: Final = ("grid", "gizmos", "stats", "snap")


class ViewActions:
    """Sets what toolbar and viewport share."""

    def __init__(self, viewport: ViewportWidget, state: ToolState, settings: Settings) -> None:
        self._viewport = viewport
        self._state = state
        self._settings = settings
        self._actions: dict[str, QAction] = {}
        self._subscription = state.changed.connect(self._on_state_changed)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the actions of this concern."""
        result: dict[str, Callable[[], object]] = {
            "frame": self._viewport.frame_selection,
            "frame_all": self._viewport.frame_all,
            "view_camera": self.look_through_camera,
            "pilot_camera": self.pilot_camera,
            "drop_to_floor": self.drop_to_floor,
            "space": self.toggle_space,
        }
        for name in _TOOLS:
            result[f"tool_{name}"] = lambda name=name: setattr(self._state, "tool", name)  # type: ignore[misc]
        for name in _VIEWS:
            result[f"view_{name}"] = lambda name=name: self._viewport.set_view(name)  # type: ignore[misc]
        for number in range(1, 10):
            result[f"bookmark_{number}"] = lambda number=number: self.recall(number)  # type: ignore[misc]
            result[f"bookmark_store_{number}"] = lambda number=number: self.store(number)  # type: ignore[misc]
        for name, choices in _CHOICES.items():
            for key in choices:
                result[f"{name}_{key}"] = lambda name=name, key=key: self._set(name, key)  # type: ignore[misc]
        for name in _FLAGS:
            result[name] = lambda name=name: self._toggle(name)  # type: ignore[misc]
        return result

    def bind(self, actions: dict[str, QAction]) -> None:
        """Take the actions whose check marks follow the state."""
        self._actions = actions
        for name, choices in _CHOICES.items():
            group = QActionGroup(self._viewport)
            for key in choices:
                group.addAction(actions[f"{name}_{key}"])
        for name in ("space", "tool", *_CHOICES, *_FLAGS):
            self._on_state_changed(name)

    def _set(self, name: str, value: str) -> None:
        setattr(self._state, name, value)

    def _toggle(self, name: str) -> None:
        setattr(self._state, name, not getattr(self._state, name))

    def toggle_space(self) -> None:
        """Switch the gizmo between world and local axes."""
        self._state.space = "local" if self._state.space == "world" else "world"

    @guarded
    def look_through_camera(self) -> None:
        """See what the selected camera, or else the level's, sees."""
        self._viewport.look_through_camera()

    @guarded
    def pilot_camera(self) -> None:
        """Take the selected camera along with the view, or leave it."""
        self._viewport.pilot_camera()

    def store(self, number: int) -> None:
        """Keep the present view under a number."""
        self._viewport.store_bookmark(number)
        self._viewport.document.post("info", f"View {number} is kept; Alt+{number} goes there")

    @guarded
    def recall(self, number: int) -> None:
        """Go to a view that was kept."""
        self._viewport.recall_bookmark(number)

    @guarded
    def drop_to_floor(self) -> None:
        """Put the selection down onto what is below it."""
        self._viewport.drop_selection()

    def _on_state_changed(self, name: str) -> None:
        if name in _FLAGS and name in self._actions:
            self._actions[name].setChecked(bool(getattr(self._state, name)))
        elif name in _CHOICES and self._actions:
            self._actions[f"{name}_{getattr(self._state, name)}"].setChecked(True)
        elif name == "space" and "space" in self._actions:
            self._actions["space"].setChecked(self._state.space == "local")
        self._settings.set("tools", self._state.to_dict())

    def dispose(self) -> None:
        """Stop listening."""
        self._subscription.close()

"""`Settings`: what the user chose for the editor as a whole, kept as JSON in the config folder.

A field that is unknown or damaged in the file takes its default, so that an older or newer editor,
or a hand in the file, never keeps the editor from starting; a damaged file is kept aside. Nothing
about a level is in here.
"""

from __future__ import annotations

import dataclasses
import pathlib
from dataclasses import dataclass, field
from typing import Any, get_origin, get_type_hints

from editor.model.folders import config_folder
from editor.model.history import DEFAULT_LIMIT
from editor.model.signal import Signal
from editor.model.stored_json import keep_aside, read_json, write_json

RECENT_COUNT = 12
_CHOICES = {"theme": ("dark", "light"), "assets_view": ("tiles", "list")}


@dataclass
class Settings:
    """The user's choices.

    Attributes
    ----------
    theme : "dark" or "light"
    recent_levels : list of str
        Absolute paths, the latest first.
    history_bytes : int
        What the steps of one level may keep alive.
    tools : dict
        Snapping steps and view flags, as `ToolState.to_dict` gives them.
    window_state : str
        Layout of the docks, in the window's own encoding.
    window_geometry : str
        Place and size of the window, in its own encoding.
    last_folder : str
        Where the last file dialog was.
    import_folder : str
        Where assets were last imported from.
    fly_speed : float
        Metres per second.
    adapter : str
        The graphics adapter to draw with, by its name; empty takes the best.
    texture_megabytes : int
        Graphics memory that textures should stay within.
    developer : bool
        Take changed shader files in while the editor runs.
    assets_view : "tiles" or "list"
        How the assets panel shows files.
    assets_order : str
        By which column, with "-" before it from the end.
    welcome : bool
        Whether a start without a level offers recent ones.
    problem : str
        What was amiss with the file that they were read from; not stored.
    watch_files : bool
        Whether files that other programs write are read again at once.
    """

    theme: str = "dark"
    recent_levels: list[str] = field(default_factory=list)
    history_bytes: int = DEFAULT_LIMIT
    tools: dict[str, Any] = field(default_factory=dict)
    window_state: str = ""
    window_geometry: str = ""
    last_folder: str = ""
    import_folder: str = ""
    fly_speed: float = 5.0
    adapter: str = ""
    texture_megabytes: int = 2048
    developer: bool = False
    watch_files: bool = True
    assets_view: str = "tiles"
    assets_order: str = "name"
    welcome: bool = True

    def __post_init__(self) -> None:
        self.changed: Signal[str] = Signal()
        self.unkept: Signal[str] = Signal()
        self._is_kept = True
        self.problem = ""

    @staticmethod
    def file() -> pathlib.Path:
        """Return where the settings lie."""
        return config_folder() / "settings.json"

    @classmethod
    def load(cls) -> Settings:
        """Read the settings; what can't be read takes its default."""
        settings = cls()
        stored, settings.problem = read_json(cls.file())
        damaged = []
        for name, kind in _kinds().items():
            if _fits(name, kind, stored.get(name)):
                setattr(settings, name, stored[name])
            elif name in stored:
                damaged.append(name)
        if damaged:
            aside = keep_aside(cls.file())
            settings.problem = (
                f"{cls.file().name}: {', '.join(damaged)} can't be used and begins anew; "
                f"the file as it was is kept at {aside}"
            )
        return settings

    def save(self) -> None:
        """Write the settings, whole or not at all.

        Raises
        ------
        OSError
            The folder can't be written to.
        """
        values = {name: getattr(self, name) for name in _kinds()}
        write_json(self.file(), values)

    def set(self, name: str, value: object) -> None:
        """Take a new choice and save it; `unkept` tells once of a folder that can't be written."""
        if getattr(self, name) == value:
            return
        setattr(self, name, value)
        try:
            self.save()
            self._is_kept = True
        except OSError as error:
            if self._is_kept:
                self.unkept.emit(f"{self.file()}: can't be written: {error.strerror or error}")
            self._is_kept = False
        self.changed.emit(name)

    def add_recent(self, path: pathlib.Path) -> None:
        """Put a level at the head of the recent ones."""
        text = str(path)
        others = [recent for recent in self.recent_levels if recent != text]
        self.set("recent_levels", [text, *others][:RECENT_COUNT])


def _kinds() -> dict[str, type]:
    hints = get_type_hints(Settings)
    return {
        f.name: get_origin(hints[f.name]) or hints[f.name] for f in dataclasses.fields(Settings)
    }


def _fits(name: str, kind: type, value: object) -> bool:
    if isinstance(value, bool) and kind is not bool:
        return False
    if kind is float and isinstance(value, int):
        return value > 0
    if kind is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if name in _CHOICES:
        return value in _CHOICES[name]
    if kind in (int, float) and not (isinstance(value, kind) and value > 0):
        return False
    return isinstance(value, kind)

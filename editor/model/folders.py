"""Where the user's own files lie: settings, and what belongs to a level but not into it.

`CINDER_CONFIG_DIR` and `CINDER_DATA_DIR` name the two folders outright; otherwise they are where
the platform keeps such things (XDG base directories on Linux). Nothing is created here.
"""

from __future__ import annotations

import os
import pathlib
import sys

_NAME = "cinder"


def config_folder() -> pathlib.Path:
    """Return the folder of the user's settings."""
    return _folder("CINDER_CONFIG_DIR", "XDG_CONFIG_HOME", ".config", "APPDATA")


def data_folder() -> pathlib.Path:
    """Return the folder of unsaved levels, per-level view state and log files."""
    return _folder("CINDER_DATA_DIR", "XDG_DATA_HOME", ".local/share", "LOCALAPPDATA")


def _folder(own: str, xdg: str, below_home: str, windows: str) -> pathlib.Path:
    if os.environ.get(own):
        return pathlib.Path(os.environ[own])
    home = pathlib.Path.home()
    if sys.platform == "win32":
        return pathlib.Path(os.environ.get(windows) or home) / _NAME
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / _NAME
    base = os.environ.get(xdg, "")
    # The specification has relative ones ignored: they would mean another folder at each start.
    return pathlib.Path(base if os.path.isabs(base) else home / below_home) / _NAME

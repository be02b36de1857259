"""Where the program keeps what it can make again: the user's cache folder.

`CINDER_CACHE_DIR` names it outright; otherwise it is where the platform keeps such things. Nothing
is created here. Only the standard library is used: starting up asks before anything else.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_dir() -> Path:
    """Return the user's cache folder for this program, by the rules of each system.

    Raises
    ------
    RuntimeError
        The system knows no home of the user.
    """
    if os.environ.get("CINDER_CACHE_DIR"):
        return Path(os.environ["CINDER_CACHE_DIR"])
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base or Path.home() / "AppData" / "Local") / "cinder-editor" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "cinder-editor"
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification has relative ones ignored: they would mean another folder at each start.
    return Path(base if os.path.isabs(base) else Path.home() / ".cache") / "cinder-editor"

"""What is asked of the path of a level before anything happens to it."""

from __future__ import annotations

import os
import pathlib

from engine.errors import SceneError
from engine.scene.levels.scene_file import LEVEL_SUFFIXES


def usable_path(path: str | os.PathLike[str]) -> pathlib.Path:
    """Return the absolute path, whether or not there is something.

    Raises
    ------
    SceneError
        No file can be called that: it holds a null character, is too long or a link to itself.
    """
    try:
        level = pathlib.Path(path).absolute()
        level.resolve()
        os.stat(level)
    except (FileNotFoundError, NotADirectoryError):
        return level
    except (OSError, ValueError, RuntimeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise SceneError(f"{str(path)[:200]!r}: not a usable path ({reason})") from error
    return level


def expect_level_name(level: pathlib.Path) -> None:
    """Refuse a name that no level has; raises SceneError."""
    if level.suffix not in LEVEL_SUFFIXES:
        expected = " or ".join(LEVEL_SUFFIXES)
        raise SceneError(f"{level}: expected a name that ends with {expected}")


def expect_folder(level: pathlib.Path) -> None:
    """Refuse to make the folder of a level anew: where a disk was, that would hide the file."""
    if not os.path.isdir(level.parent):
        raise SceneError(
            f"{level.parent}: the folder is gone; put it back, or save under another name"
        )


def expect_level(level: pathlib.Path) -> None:
    """Refuse what is no level, or not there; raises SceneError."""
    if level.suffix not in LEVEL_SUFFIXES:
        raise SceneError(f"{level}: expected a level, a file that ends with .scene or .cscn")
    if not os.path.isfile(level):
        raise SceneError(f"{level}: there is no such file")

"""What a user did to the view of one level or project: hidden, locked, camera, favourites.

It is the user's own state, so it lies in the user's data folder under a name made from the path of
the level or of the project's folder, and saving it never touches either.
"""

from __future__ import annotations

import hashlib
import pathlib
from typing import Any

from editor.model.folders import data_folder
from editor.model.stored_json import read_json, write_json


def load_state(level: pathlib.Path) -> tuple[dict[str, Any], str]:
    """Return what was stored for a level or project, and what is amiss with that in words."""
    return read_json(_file(level))


def store_state(level: pathlib.Path, state: dict[str, Any]) -> None:
    """Store the state of a level or project; a folder that can't be written to is no error."""
    try:
        write_json(_file(level), {"level": str(level), **state})
    except OSError:
        return


def indices_in(state: dict[str, Any], name: str) -> list[int]:
    """Return the file indices listed under `name`, leaving out what is none."""
    listed = state.get(name)
    return [i for i in listed if type(i) is int and i >= 0] if isinstance(listed, list) else []


def _file(level: pathlib.Path) -> pathlib.Path:
    digest = hashlib.sha256(str(level.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    return data_folder() / "levels" / f"{digest[:24]}.json"

"""What files hold after others were renamed: levels, and the project.json that names the first."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Collection

from editor.model.file_moves import FileMoves
from engine.project import PROJECT_FILE
from engine.scene.levels.asset_references import AssetFields, Place, renamed_level
from engine.scene.levels.scene_file import is_binary, naming

_FIRST_LEVEL = re.compile(rb'("root_scene_path"\s*:\s*)("(?:[^"\\]|\\.)*")')


def rewritten(
    file: pathlib.Path,
    data: bytes,
    moves: FileMoves,
    fields: AssetFields,
    chosen: Collection[Place] | None = None,
) -> tuple[bytes, list[Place]]:
    """Return what a file of a project holds after moves, and where it names something else.

    Parameters
    ----------
    file : path
    data : bytes
        What it holds before.
    moves, fields
    chosen : collection of Place, optional
        The only places of a level that change.

    Raises
    ------
    SceneError
        It is a level, and broken.
    """
    if file.name == PROJECT_FILE:
        return _FIRST_LEVEL.sub(lambda found: _renamed_first(found, moves), data), []

    def renamed(place: Place, text: str) -> str:
        return moves.new_name(text) if chosen is None or place in chosen else text

    with naming(file):
        return renamed_level(data, fields, renamed, is_binary=is_binary(file))


def _renamed_first(found: re.Match[bytes], moves: FileMoves) -> bytes:
    try:
        name = str(json.loads(found[2]))
    except ValueError:
        return found[0]
    new = moves.new_name(name)
    return found[0] if new == name else found[1] + json.dumps(new).encode()

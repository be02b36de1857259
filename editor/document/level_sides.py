"""What a level of another project needs beside itself, through the levels that it places."""

from __future__ import annotations

import os
import pathlib

from editor.document.side_files import side_files
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.errors import AssetError, SceneError
from engine.scene import read_binary, read_text
from engine.scene.levels.asset_references import AssetFields, named_files
from engine.scene.levels.atomic_file import read_file
from engine.scene.levels.scene_file import LEVEL_SUFFIXES, is_binary


def files_of_level(
    source: pathlib.Path, root: pathlib.Path, fields: AssetFields
) -> list[pathlib.Path]:
    """Return the files that a level names and that are there, with those that they name.

    Parameters
    ----------
    source : pathlib.Path
    root : pathlib.Path
        The folder of its project; what lies outside is left out.
    fields : AssetFields

    Raises
    ------
    AssetError
        It is no level, or something of it is no such file.
    """
    found: dict[pathlib.Path, None] = {}
    todo = [source]
    while todo:
        level = todo.pop()
        for file in _named_in(level, root, fields):
            if file in found or file == source:
                continue
            found[file] = None
            suffix = file.suffix.lower()
            if suffix in LEVEL_SUFFIXES:
                todo.append(file)
            elif suffix in GLTF_SUFFIXES:
                found.update(dict.fromkeys(side_files(file, root)))
    return list(found)


def _named_in(level: pathlib.Path, root: pathlib.Path, fields: AssetFields) -> list[pathlib.Path]:
    try:
        data = read_file(level)
        doc = read_binary(data) if is_binary(level) else read_text(data)
    except SceneError as error:
        raise AssetError(f"{level.name}: {error}") from error
    found = []
    for name in named_files(doc, fields):
        try:
            file = (root / name).resolve()
        except (OSError, ValueError, RuntimeError):
            continue
        if file.is_relative_to(root) and os.path.isfile(file):
            found.append(file)
    return found

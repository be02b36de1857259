"""What a project is: a folder that holds project.json, in which asset paths of levels begin."""

from __future__ import annotations

import json
import os
import pathlib

from engine.errors import SceneError
from engine.plain_file import read_plain

PROJECT_FILE = "project.json"


def project_root(path: str | os.PathLike[str]) -> pathlib.Path:
    """Return the folder that asset paths of a level are relative to.

    It is the nearest folder upwards that holds project.json, else the file's own folder.
    """
    folder = pathlib.Path(path).resolve().parent
    for candidate in (folder, *folder.parents):
        if os.path.isfile(candidate / PROJECT_FILE):
            return candidate
    return folder


def begin_project(root: pathlib.Path, level: str) -> bytes:
    """Return the content of the project.json that makes a folder a project.

    Parameters
    ----------
    root : pathlib.Path
        The folder, whose name the project gets.
    level : str
        The level that opens first, relative to it, with "/".
    """
    described = {"name": root.name, "root_scene_path": level}
    return (json.dumps(described, indent=2, ensure_ascii=False) + "\n").encode()


def first_level(project: str | os.PathLike[str]) -> pathlib.Path:
    """Return the level that a project names as its first.

    Parameters
    ----------
    project : path
        The folder, or its project.json.

    Raises
    ------
    SceneError
        There is no project.json, it can't be read, or it names no level.
    """
    folder = project_folder(project)
    file = folder / PROJECT_FILE
    try:
        described = json.loads(read_plain(file).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SceneError(f"{file}: can't be read as a project ({error})") from error
    named = described.get("root_scene_path") if isinstance(described, dict) else None
    if not isinstance(named, str) or not named:
        raise SceneError(f"{file}: root_scene_path: expected the path of a level, found {named!r}")
    return folder / named


def project_folder(project: str | os.PathLike[str] | None) -> pathlib.Path:
    """Return the folder of a project, named by itself or its project.json; None: where we are."""
    if project is None:
        return pathlib.Path.cwd()
    path = pathlib.Path(project)
    return path.parent if path.name == PROJECT_FILE else path

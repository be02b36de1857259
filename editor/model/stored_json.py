"""The editor's own small files: JSON that is written whole, and kept aside where it is damaged."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shutil
import tempfile
from typing import Any

from engine.leftovers import remove_leftovers
from engine.plain_file import read_plain

DAMAGED = ".damaged"


def read_json(path: pathlib.Path) -> tuple[dict[str, Any], str]:
    """Return the values in a file, and what is amiss with it in words.

    A file that is damaged is moved aside, so that writing the next one does not take what a person
    could still find in it. Without a file there are no values, and nothing is amiss.
    """
    try:
        stored = json.loads(read_plain(path).decode("utf-8"))
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, f"{path}: can't be read: {error.strerror or error}"
    except (ValueError, RecursionError):
        stored = None
    if isinstance(stored, dict):
        return stored, ""
    aside = path.with_name(path.name + DAMAGED)
    try:
        os.replace(path, aside)
    except OSError:
        return {}, f"{path}: is damaged, and begun anew"
    return {}, f"{path.name} was damaged and is begun anew; the damaged file is kept at {aside}"


def keep_aside(path: pathlib.Path) -> pathlib.Path:
    """Copy a file of which a part can't be used, before it is written anew; return the copy."""
    aside = path.with_name(path.name + DAMAGED)
    with contextlib.suppress(OSError):
        shutil.copyfile(path, aside)
    return aside


def write_json(path: pathlib.Path, values: object) -> None:
    """Replace a JSON file, whole or not at all.

    It is plain ASCII, as names of files may hold what UTF-8 has no bytes for.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(values, stream, indent=1)
        os.replace(temporary, path)
    except BaseException:
        pathlib.Path(temporary).unlink(missing_ok=True)
        raise
    ours = re.compile(rf"{re.escape(path.name)}[a-z0-9_]{{8}}")
    remove_leftovers(path.parent, lambda name: ours.fullmatch(name) is not None)

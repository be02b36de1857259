"""Bringing asset files into a project: a file with its side files is copied as one unit.

Packs refer to side files such as ``Textures/colormap.png`` whose contents differ from pack to
pack. So a unit keeps its layout below ``props/<source folder's name>/``, and takes the next free
``-2``, ``-3`` when that folder holds a file of the same relative name and other content. Bytes are
copied as they are; what lies there already with equal content is used, not copied again.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.errors import AssetError
from engine.plain_file import holds_the_same, is_below

PROPS = "props"
MOST_FILES = 10_000
_UNUSABLE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')


@dataclass
class Copied:
    """What a copy did to the disk.

    Attributes
    ----------
    asset : str
        The main file, relative to the project, with "/".
    created : list of pathlib.Path
        The files that were not there before.
    folders : list of pathlib.Path
        The folders that were not there before, each before those that are in it.
    """

    asset: str
    created: list[pathlib.Path] = field(default_factory=list)
    folders: list[pathlib.Path] = field(default_factory=list)

    def undo(self) -> None:
        """Remove the files and folders that were created, as far as that is possible."""
        for path in reversed(self.created):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        remove_empty(self.folders)


def missing_folders(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return which of a folder and those around it are not there, the outermost first."""
    missing = itertools.takewhile(lambda path: not os.path.lexists(path), (folder, *folder.parents))
    return list(missing)[::-1]


def remove_empty(folders: Sequence[pathlib.Path]) -> None:
    """Remove folders with nothing in them, the last one first."""
    for folder in reversed(folders):
        with contextlib.suppress(OSError):
            folder.rmdir()


def copy_unit(
    root: pathlib.Path, source: pathlib.Path, side_files: Iterable[str | os.PathLike[str]]
) -> Copied:
    """Copy an asset and its side files into the project.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.
    source : pathlib.Path
        The asset, outside the project.
    side_files
        The files that it refers to; those that don't exist are passed over.

    Raises
    ------
    AssetError
        A file can't be read or written; nothing was created.
    """
    files = [
        source,
        *(p for p in map(pathlib.Path, side_files) if p != source and os.path.isfile(p)),
    ]
    base = pathlib.Path(os.path.commonpath([path.parent for path in files]))
    relative = [path.relative_to(base) for path in files]
    folder = _UNUSABLE.sub("_", base.name).strip(". ") or source.stem
    target = _folder_for(root / PROPS, folder, files, relative)
    return _copy(root, files, [target / path for path in relative])


def copy_beside(
    root: pathlib.Path,
    folder: pathlib.Path,
    source: pathlib.Path,
    side_files: Iterable[str | os.PathLike[str]],
) -> Copied:
    """Copy an asset and its side files into a folder of the project.

    Where one of the places there is taken by other content, the unit goes into a folder below
    that has the name of the source's, or its next free ``-2``.
    """
    files = [
        source,
        *(p for p in map(pathlib.Path, side_files) if p != source and os.path.isfile(p)),
    ]
    base = pathlib.Path(os.path.commonpath([path.parent for path in files]))
    relative = [path.relative_to(base) for path in files]
    target = folder
    if not all(_is_free_for(p, folder / r) for p, r in zip(files, relative, strict=True)):
        name = _UNUSABLE.sub("_", base.name).strip(". ") or source.stem
        target = _folder_for(folder, name, files, relative)
    return _copy(root, files, [target / path for path in relative])


def copy_level(
    root: pathlib.Path,
    folder: pathlib.Path,
    source: pathlib.Path,
    old_root: pathlib.Path,
    used: Sequence[pathlib.Path],
) -> Copied:
    """Copy a level into a folder of the project, and what it uses to where it names that.

    Parameters
    ----------
    root, folder : pathlib.Path
    source : pathlib.Path
        The level, in the project `old_root`.
    used : sequence of pathlib.Path
        The files below `old_root` that it needs.

    Raises
    ------
    AssetError
        The project has another file in one of the places, or a file can't be copied; nothing was.
    """
    places = [root / path.relative_to(old_root) for path in used]
    for path, place in zip(used, places, strict=True):
        if not _is_free_for(path, place):
            taken = path.relative_to(old_root).as_posix()
            raise AssetError(
                f"{source.name} uses {taken}, where this project has something else; "
                "nothing was copied"
            )
    name = pathlib.Path(source.name)
    target = folder
    if not _is_free_for(source, folder / name):
        below = _UNUSABLE.sub("_", source.parent.name).strip(". ") or source.stem
        target = _folder_for(folder, below, [source], [name])
    return _copy(root, [source, *used], [target / name, *places])


def copy_folder(root: pathlib.Path, folder: pathlib.Path, source: pathlib.Path) -> Copied:
    """Copy a whole folder, as it is, into a folder of the project; `asset` is the new folder.

    Hidden files and links stay behind. Where something else has its name it becomes ``-2``.

    Raises
    ------
    AssetError
        It is empty, holds the project, holds too many files, or can't be copied.
    """
    if root.is_relative_to(source):
        raise AssetError(f"{source}: holds the project itself")
    files: list[pathlib.Path] = []
    for path, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        shown = (pathlib.Path(path, name) for name in sorted(names) if not name.startswith("."))
        files += [file for file in shown if os.path.isfile(file) and not file.is_symlink()]
        if len(files) > MOST_FILES:
            raise AssetError(f"{source}: holds more than {MOST_FILES} files")
    if not files:
        raise AssetError(f"{source}: there is nothing in it to copy")
    relative = [file.relative_to(source) for file in files]
    name = _UNUSABLE.sub("_", source.name).strip(". ") or PROPS
    target = _folder_for(folder, name, files, relative)
    copied = _copy(root, files, [target / path for path in relative])
    copied.asset = target.relative_to(root).as_posix()
    return copied


def copy_kept(root: pathlib.Path, old_root: pathlib.Path, files: Sequence[pathlib.Path]) -> Copied:
    """Copy files of another project to the same relative places, or beside them.

    The first of `files` is the asset. When one of the places is taken by other content, the unit
    goes into the folder's next free ``-2``.
    """
    relative = [path.relative_to(old_root) for path in files]
    top = relative[0].parts[0] if len(relative[0].parts) > 1 else ""
    parts = relative[0].parts
    depth = 2 if len(parts) > 2 and top == PROPS else 1 if top else 0
    stem = pathlib.Path(*parts[:depth])
    below = [_below(path, stem) for path in relative]
    if depth == 0:
        target = _folder_for(root, "", files, below)
    else:
        target = _folder_for((root / stem).parent, stem.name, files, below)
    return _copy(root, files, [target / path for path in below])


def _below(path: pathlib.Path, stem: pathlib.Path) -> pathlib.Path:
    return path.relative_to(stem) if path.is_relative_to(stem) else pathlib.Path(*path.parts)


def _folder_for(
    parent: pathlib.Path,
    name: str,
    files: Sequence[pathlib.Path],
    relative: Sequence[pathlib.Path],
) -> pathlib.Path:
    blocked = next((path for path in (parent, *parent.parents) if os.path.isfile(path)), None)
    if blocked is not None:
        raise AssetError(f"{blocked}: is a file, where a folder is needed; nothing was copied")
    for number in itertools.count(1):
        suffix = f"-{number}" if number > 1 else ""
        folder = parent / (f"{name or PROPS}{suffix}" if name or suffix else "")
        places = [folder / path for path in relative]
        if all(_is_free_for(path, place) for path, place in zip(files, places, strict=True)):
            return folder
    raise AssertionError("unreachable")


def _is_free_for(source: pathlib.Path, place: pathlib.Path) -> bool:
    if not os.path.lexists(place):
        return not any(os.path.isfile(parent) for parent in place.parents)
    return holds_the_same(source, place)


def _copy(
    root: pathlib.Path, files: Sequence[pathlib.Path], places: Sequence[pathlib.Path]
) -> Copied:
    copied = Copied(places[0].relative_to(root).as_posix())
    for folder in dict.fromkeys(place.parent for place in places):
        if not is_below(os.path.realpath(folder), os.path.realpath(root)):
            raise AssetError(f"{folder}: leads out of the project; nothing was copied")
    for path, place in zip(files, places, strict=True):
        if os.path.exists(place):
            continue
        try:
            copied.folders += missing_folders(place.parent)
            place.parent.mkdir(parents=True, exist_ok=True)
            copied.created.append(place)
            shutil.copyfile(path, place)
        except OSError as error:
            copied.undo()
            raise AssetError(f"{path} can't be copied into the project: {error}") from error
    return copied

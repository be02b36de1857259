"""What moving files of a project takes: planned first, refused where something would break.

References from a glTF file to its side files are by place, and its bytes are never rewritten. So
its side files go with it, in the same layout; those that others need too are copied; and what
others name by its place stays where it is.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Collection, Iterable, Sequence

from editor.document.file_mover import is_same_file
from editor.document.project_contents import ProjectContents
from editor.model.file_moves import FileMoves
from engine.errors import AssetError

_UNUSABLE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_MOST_NAME_BYTES = 255


def checked_name(name: str) -> str:
    """Return a file's name without blanks around it.

    Raises
    ------
    AssetError
        No file can be called that on every system.
    """
    clean = name.strip()
    if not clean or clean.strip(".") == "" or clean.endswith("."):
        raise AssetError(f"{name!r} is no name for a file")
    if clean.startswith(".") or _UNUSABLE.search(clean):
        raise AssetError(f'{clean!r}: a name holds none of / \\ : * ? " < > | and starts with no .')
    try:
        is_short = len(clean.encode()) <= _MOST_NAME_BYTES
    except UnicodeEncodeError as error:
        raise AssetError(f"{clean!r} is no name for a file: {error}") from error
    if not is_short:
        raise AssetError(f"{clean[:80]}...: a name has at most {_MOST_NAME_BYTES} bytes")
    return clean


def plan_moves(
    contents: ProjectContents, pairs: Sequence[tuple[str, str]], open_level: str = ""
) -> FileMoves:
    """Return all that has to be done for files and folders to get other paths.

    Parameters
    ----------
    contents : ProjectContents
        As the disk is now.
    pairs : sequence of (old, new)
    open_level : str
        The level that is open, which stays where it is.

    Raises
    ------
    AssetError
        Something is in the way, or would not find its side files any more.
    """
    for old, new in pairs:
        _check_pair(contents, old, new, open_level)
    plan = _Plan(contents, [old for old, _ in pairs])
    for old, new in pairs:
        plan.add(old, new)
    moved = tuple(plan.moved.items())
    return FileMoves(moved, tuple(plan.copied.items()), moved, str(contents.root))


def _check_pair(contents: ProjectContents, old: str, new: str, open_level: str) -> None:
    source, target = contents.root / old, contents.root / new
    if not os.path.lexists(source):
        raise AssetError(f"{old}: there is no such file")
    if new == old or new.startswith(f"{old}/"):
        raise AssetError(f"{old} can't be moved to {new}")
    if os.path.lexists(target) and not is_same_file(source, target):
        raise AssetError(f"{new}: something is there already; nothing was moved")
    if open_level and (open_level == old or open_level.startswith(f"{old}/")):
        raise AssetError(f"{open_level} is open; save it under another name instead")


class _Plan:
    """Collects what moves and what is copied."""

    def __init__(self, contents: ProjectContents, chosen: Iterable[str]) -> None:
        self._contents = contents
        self._chosen = set(chosen)
        self.moved: dict[str, str] = {}
        self.copied: dict[str, str] = {}

    def add(self, old: str, new: str) -> None:
        if os.path.isdir(self._contents.root / old):
            self._check_folder(old)
        else:
            self._check_names(old, [old])
            self._add_sides(old, new)
        self.moved[old] = new

    def _check_folder(self, folder: str) -> None:
        inside = [p for p in self._contents.files if p.startswith(f"{folder}/")]
        self._check_names(folder, inside)
        known = {*inside, *self._chosen}
        for path in inside:
            lost = [s for s in self._contents.files[path].sides if s not in known]
            if lost:
                raise AssetError(f"{path} needs {lost[0]}, which lies outside of {folder}")

    def _check_names(self, what: str, files: Collection[str]) -> None:
        """Refuse to take away what a glTF that stays names by its place."""
        for file in files:
            others = [
                asset
                for asset in self._contents.assets_naming(file)
                if asset not in files and asset not in self._chosen
            ]
            if others:
                more = f" and {len(others) - 1} more" if len(others) > 1 else ""
                raise AssetError(
                    f"{others[0]}{more} would not find {file} any more; "
                    f"{'it' if what == file else what} has to stay where it is"
                )

    def _add_sides(self, old: str, new: str) -> None:
        content = self._contents.files.get(old)
        before, after = posixpath.dirname(old), posixpath.dirname(new)
        for side in content.sides if content is not None and before != after else ():
            place = posixpath.normpath(
                posixpath.join(after, posixpath.relpath(side, before or "."))
            )
            if place == side:
                continue
            if place.startswith("../"):
                raise AssetError(f"{old} needs {side}, for which there is no place beside {new}")
            if self._chosen.issuperset(self._contents.assets_naming(side)):
                self._put(self.moved, side, place)
            else:
                self._put(self.copied, side, place)

    def _put(self, pairs: dict[str, str], side: str, place: str) -> None:
        """Let a side file go to a place, unless the same content lies there."""
        if pairs.get(side) == place or side in self._chosen:
            return
        if side in pairs:
            raise AssetError(f"{side} would have to be in two places; move one asset at a time")
        files = self._contents.files
        if place in files:
            if files[place].digest != files[side].digest:
                raise AssetError(f"{place}: something else is there already; nothing was moved")
            return
        pairs[side] = place

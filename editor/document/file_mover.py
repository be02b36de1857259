"""`ProjectFileMover`: moves files of a project and lets every level on disk follow, or nothing.

Levels are rewritten one by one, each whole at every moment; when one can't be, those before it and
all files go back to what they were. Bytes of assets are never rewritten.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

from editor.model.file_moves import FileMoves, Pairs
from engine.app import App
from engine.errors import AssetError, SceneError
from engine.plain_file import holds_the_same, is_same_path
from engine.project import PROJECT_FILE
from engine.scene.levels.asset_references import AssetFields, Place, renamed_level
from engine.scene.levels.atomic_file import read_file, write_file
from engine.scene.levels.scene_file import is_binary, naming

Places = dict[str, list[Place]]
_FIRST_LEVEL = re.compile(rb'("root_scene_path"\s*:\s*)("(?:[^"\\]|\\.)*")')


@dataclass
class _Done:
    """What moves did beyond the paths that they name: where in levels, which files are new."""

    places: Places = field(default_factory=dict)
    copies: list[pathlib.Path] = field(default_factory=list)
    folders: list[pathlib.Path] = field(default_factory=list)


class ProjectFileMover:
    """Carries out `FileMoves` in the project that an app has open.

    Parameters
    ----------
    app : App
    levels_naming : callable
        From names to the levels on disk that hold one of them, relative to the project.
    follow : callable
        Told of every file that has another path now, old to new.

    Attributes
    ----------
    is_replaying : callable
        Whether a journal tells what was done to the disk already, so that nothing is done.
    before : callable
        Called before anything on disk is touched.
    """

    def __init__(
        self,
        app: App,
        levels_naming: Callable[[Pairs], Iterable[str]],
        follow: Callable[[dict[str, str]], None],
    ) -> None:
        self._app = app
        self._levels_naming = levels_naming
        self._follow = follow
        self._fields = AssetFields(app.registry.types)
        self._done: dict[FileMoves, _Done] = {}
        self._replayed: list[FileMoves] = []
        self.is_replaying: Callable[[], bool] = lambda: False
        self.before: Callable[[], None] = lambda: None

    def carry_out(self, moves: FileMoves) -> None:
        """Move and copy files and rewrite the levels that name them.

        Raises
        ------
        AssetError
            A file is not there, or something is in the way; nothing happened.
        SceneError
            A level can't be read or written; nothing happened.
        """
        if self.is_replaying():
            self._replayed.append(moves)
        elif self._touches(moves):
            done = _Done()
            self._do(moves, None, done)
            self._done[moves] = done

    def take_back(self, moves: FileMoves) -> None:
        """Undo `carry_out`; levels get the old names where they got the new ones then."""
        if self.is_replaying():
            self._replayed.append(moves.reversed())
            return
        if not self._touches(moves):
            return
        done = self._done.get(moves)
        self._do(moves.reversed(), done.places if done is not None else None, _Done())
        if done is not None:
            originals = {self._app.root / new: self._app.root / old for old, new in moves.copied}
            for copy in done.copies:
                _drop_copy(originals[copy], copy)
            for folder in reversed(done.folders):
                _drop_folder(folder)

    def follow_replayed(self) -> None:
        """Stand on the open level's file as the moves that were replayed left it, if they did.

        Otherwise it would look as if somebody else had written to it.
        """
        replayed, self._replayed = self._replayed, []
        level = self._app.level_file
        if level.path is None or not any(map(self._touches, replayed)):
            return
        data = level.base_bytes
        with suppress(SceneError):
            for moves in filter(self._touches, replayed):
                data, _ = renamed_level(
                    data,
                    self._fields,
                    lambda _place, text, moves=moves: moves.new_name(text),  # type: ignore[misc]
                    is_binary=is_binary(level.path),
                )
            if data != level.base_bytes and data == read_file(level.path):
                level.take_rewritten(data)

    def levels_rewritten(self, moves: FileMoves) -> list[str]:
        """Return the levels on disk that `carry_out` changed, by the paths that they had."""
        done = self._done.get(moves)
        return list(done.places) if done is not None else []

    def _touches(self, moves: FileMoves) -> bool:
        return moves.root == str(self._app.root)

    def _do(self, moves: FileMoves, only: Places | None, done: _Done) -> None:
        root = self._app.root
        for path in (path for pair in (*moves.moved, *moves.copied) for path in pair):
            self._app.assets.resolve(path)
        levels, done.places = self._new_levels(moves, only)
        moved = _files_below(root, moves.moved)
        self.before()
        with ExitStack() as undo:
            for old, new in moves.moved:
                done.folders += _move(root / old, root / new, undo)
            for source, target in moves.copied:
                if _copy(root / source, root / target, undo):
                    done.copies.append(root / target)
            for level, before, after in levels:
                self._write(root / moves.new_name(level), before, after, undo)
            undo.pop_all()
        self._app.assets.follow(moved)
        self._app.levels.follow(moved)
        if levels:
            self._app.levels.check_for_changes()
        self._follow(moved)

    def _new_levels(
        self, moves: FileMoves, only: Places | None
    ) -> tuple[list[tuple[str, bytes, bytes]], Places]:
        """Return the levels that name what is renamed, as they are and as they shall be."""
        found: list[tuple[str, bytes, bytes]] = []
        places: Places = {}
        for level in dict.fromkeys(self._levels_naming(moves.renamed)):
            path = self._app.root / level
            chosen = None if only is None else only.get(level, only.get(moves.new_name(level)))
            data = read_file(path)

            def renamed(place: Place, text: str, chosen: list[Place] | None = chosen) -> str:
                return moves.new_name(text) if chosen is None or place in chosen else text

            if only is not None and chosen is None:
                continue
            with naming(path):
                after, changed = renamed_level(
                    data, self._fields, renamed, is_binary=is_binary(path)
                )
            if changed:
                found.append((level, data, after))
                places[level] = changed
        project = self._new_project(moves)
        return [*found, *project], places

    def _new_project(self, moves: FileMoves) -> list[tuple[str, bytes, bytes]]:
        """Return project.json with another first level, where that is what was renamed."""
        path = self._app.root / PROJECT_FILE
        if not os.path.isfile(path):
            return []
        data = read_file(path)

        def renamed(found: re.Match[bytes]) -> bytes:
            try:
                name = str(json.loads(found[2]))
            except ValueError:
                return found[0]
            new = moves.new_name(name)
            return found[0] if new == name else found[1] + json.dumps(new).encode()

        after = _FIRST_LEVEL.sub(renamed, data)
        return [(PROJECT_FILE, data, after)] if after != data else []

    def _write(self, path: pathlib.Path, before: bytes, after: bytes, undo: ExitStack) -> None:
        level = self._app.level_file
        is_open = level.path is not None and is_same_file(level.path, path)
        is_followed = is_open and level.base_bytes == before
        write_file(path, after)
        undo.callback(write_file, path, before)
        if is_followed:
            level.take_rewritten(after)
            undo.callback(level.take_rewritten, before)


def _files_below(root: pathlib.Path, moved: Pairs) -> dict[str, str]:
    """Return every file that moves, folders taken apart, old to new."""
    found: dict[str, str] = {}
    for old, new in moved:
        place = root / old
        if not os.path.isdir(place):
            found[old] = new
            continue
        for folder, _, names in os.walk(place):
            below = os.path.relpath(folder, place).replace(os.sep, "/")
            prefix = "" if below == "." else f"{below}/"
            found.update({f"{old}/{prefix}{name}": f"{new}/{prefix}{name}" for name in names})
    return found


def _move(old: pathlib.Path, new: pathlib.Path, undo: ExitStack) -> list[pathlib.Path]:
    """Move a file or folder; return the folders that had to be made."""
    if not os.path.lexists(old):
        raise AssetError(f"{old}: there is no such file")
    if os.path.lexists(new) and not is_same_file(old, new):
        raise AssetError(f"{new}: something is there already; nothing was moved")
    try:
        made = _make_folder(new.parent, undo)
        os.rename(old, new)
    except OSError as error:
        raise AssetError(f"{old} can't be moved to {new}: {error.strerror or error}") from error
    undo.callback(_move_back, new, old)
    return made


def _copy(source: pathlib.Path, target: pathlib.Path, undo: ExitStack) -> bool:
    """Copy a file; False where the same content lies there already."""
    if holds_the_same(source, target):
        return False
    if os.path.lexists(target):
        raise AssetError(f"{target}: something is there already; nothing was moved")
    if not os.path.isfile(source):
        raise AssetError(f"{source}: there is no such file")
    try:
        _make_folder(target.parent, undo)
        shutil.copyfile(source, target)
    except OSError as error:
        _drop_file(target)
        raise AssetError(f"{source} can't be copied: {error.strerror or error}") from error
    undo.callback(_drop_file, target)
    return True


def _make_folder(folder: pathlib.Path, undo: ExitStack) -> list[pathlib.Path]:
    missing = [path for path in (folder, *folder.parents) if not os.path.exists(path)][::-1]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        undo.callback(_drop_folder, made)
    return missing


def _move_back(new: pathlib.Path, old: pathlib.Path) -> None:
    try:
        os.rename(new, old)
    except OSError as error:
        reason = error.strerror or error
        raise AssetError(f"{new} can't be moved back to {old}: {reason}") from error


def _drop_file(file: pathlib.Path) -> None:
    with suppress(OSError):
        file.unlink(missing_ok=True)


def _drop_folder(folder: pathlib.Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def _drop_copy(source: pathlib.Path, target: pathlib.Path) -> None:
    """Remove a copy that nobody changed since; the folder too when it is empty then."""
    if holds_the_same(source, target):
        with suppress(OSError):
            target.unlink()
            target.parent.rmdir()


def is_same_file(a: pathlib.Path, b: pathlib.Path) -> bool:
    """Whether two paths lead to one file; also of links that lead nowhere."""
    try:
        return os.path.samefile(a, b)
    except OSError:
        return is_same_path(a, b)

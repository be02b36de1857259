"""`ProjectFileMover`: moves files of a project and lets every level on disk follow, or nothing.

Levels are rewritten one by one, each whole at every moment; when one can't be, those before it and
all files go back to what they were. Bytes of assets are never rewritten.
"""

from __future__ import annotations

import os
import pathlib
import shutil
import uuid
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace

from editor.document.level_rewriting import rewritten
from editor.document.move_intent import MoveIntent, Rewrite, digest
from editor.model.file_moves import FileMoves, Pairs
from engine.app import App
from engine.errors import AssetError, SceneError
from engine.plain_file import holds_the_same, is_same_path, open_plain
from engine.project import PROJECT_FILE
from engine.scene.levels.asset_references import AssetFields, Place
from engine.scene.levels.atomic_file import read_file, replacing, write_file

Places = dict[str, list[Place]]


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
        Called before anything on disk is touched; returns the name of the session's journal.
    tell : callable
        Told where a crash within the step could not be put right.
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
        # Copies that were changed by the time they would have been taken back.
        self._left: set[pathlib.Path] = set()
        self._replayed: list[FileMoves] = []
        self.is_replaying: Callable[[], bool] = lambda: False
        self._standing: MoveIntent | None = None
        self.before: Callable[[], str] = lambda: ""
        self.tell: Callable[[str], None] = lambda text: None

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
            self._do(self._without_left(moves), None, done)
            self._done[moves] = done

    def take_back(self, moves: FileMoves) -> None:
        """Undo `carry_out`; levels get the old names where they got the new ones then."""
        if self.is_replaying():
            self._replayed.append(moves.reversed())
            return
        if not self._touches(moves):
            return
        done = self._done.get(moves)
        if done is None:
            self._do(moves.reversed(), None, _Done())
            return
        root = self._app.root
        originals = {root / new: old for old, new in moves.copied}
        dropped = tuple(
            (originals[copy], copy.relative_to(root).as_posix()) for copy in done.copies
        )
        self._do(moves.reversed(), done.places, _Done(), dropped)
        for original, copy in dropped:
            drop_copy(root / original, root / copy)
        self._left.update(root / copy for _, copy in dropped if os.path.isfile(root / copy))
        for folder in reversed(done.folders):
            _drop_folder(folder)

    def _without_left(self, moves: FileMoves) -> FileMoves:
        """Return moves without the copies that were changed and so were never taken back."""
        root = self._app.root
        copied = [
            (source, target)
            for source, target in moves.copied
            if root / target not in self._left or not os.path.isfile(root / target)
        ]
        return replace(moves, copied=tuple(copied))

    def forget(self) -> None:
        """Drop the record of the last moves: they are whole, and the step is in the journal."""
        standing, self._standing = self._standing, None
        if standing is not None:
            standing.drop()

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
                data, _ = rewritten(level.path, data, moves, self._fields)
            if data != level.base_bytes and data == read_file(level.path):
                level.take_rewritten(data)

    def levels_rewritten(self, moves: FileMoves) -> list[str]:
        """Return the levels on disk that `carry_out` changed, by the paths that they had."""
        done = self._done.get(moves)
        return list(done.places) if done is not None else []

    def _touches(self, moves: FileMoves) -> bool:
        return moves.root == str(self._app.root)

    def _do(self, moves: FileMoves, only: Places | None, done: _Done, dropped: Pairs = ()) -> None:
        for path in (path for pair in (*moves.moved, *moves.copied) for path in pair):
            self._app.assets.resolve(path)
        levels, done.places = self._new_levels(moves, only)
        moved = _files_below(self._app.root, moves.moved)
        intent = self._note(moves, levels, done.places if only is not None else None, dropped)
        undo = ExitStack()
        try:
            self._touch(intent, levels, done, undo)
        except BaseException:
            # Where that fails, too, the record stays, and the next session finishes it.
            undo.close()
            intent.drop()
            raise
        self.forget()
        self._standing = intent
        self._app.assets.follow(moved)
        self._app.levels.follow(moved)
        if levels:
            self._app.levels.check_for_changes()
        self._follow(moved)

    def _note(
        self,
        moves: FileMoves,
        levels: list[tuple[str, bytes, bytes]],
        places: Places | None,
        dropped: Pairs,
    ) -> MoveIntent:
        """Keep what is about to be done where a crash does not reach it."""
        rewrites = tuple(
            Rewrite(
                level,
                moves.new_name(level),
                digest(before),
                digest(after),
                tuple(places.get(level, ())) if places is not None else None,
            )
            for level, before, after in levels
        )
        intent = MoveIntent(uuid.uuid4().hex, moves, rewrites, dropped, self.before())
        try:
            intent.write()
        except SceneError as error:
            self.tell(f"A crash while files move could not be put right at present: {error}")
        return intent

    def _touch(
        self,
        intent: MoveIntent,
        levels: list[tuple[str, bytes, bytes]],
        done: _Done,
        undo: ExitStack,
    ) -> None:
        root, moves = self._app.root, intent.moves
        for old, new in moves.moved:
            done.folders += move(root / old, root / new, undo)
        for source, target in moves.copied:
            if copy_file(root / source, root / target, undo, intent.token):
                done.copies.append(root / target)
        for level, before, after in levels:
            self._write(root / moves.new_name(level), before, after, undo, intent.token)

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

            if only is not None and chosen is None:
                continue
            after, changed = rewritten(path, data, moves, self._fields, chosen)
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

        after, _ = rewritten(path, data, moves, self._fields)
        return [(PROJECT_FILE, data, after)] if after != data else []

    def _write(
        self, path: pathlib.Path, before: bytes, after: bytes, undo: ExitStack, token: str
    ) -> None:
        level = self._app.level_file
        is_open = level.path is not None and is_same_file(level.path, path)
        is_followed = is_open and level.base_bytes == before
        write_file(path, after, token=token)
        undo.callback(write_file, path, before, token=token)
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


def move(old: pathlib.Path, new: pathlib.Path, undo: ExitStack) -> list[pathlib.Path]:
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


def copy_file(source: pathlib.Path, target: pathlib.Path, undo: ExitStack, token: str) -> bool:
    """Copy a file; False where the same content lies there already."""
    if holds_the_same(source, target):
        return False
    if os.path.lexists(target):
        raise AssetError(f"{target}: something is there already; nothing was moved")
    if not os.path.isfile(source):
        raise AssetError(f"{source}: there is no such file")
    try:
        _make_folder(target.parent, undo)
        with open_plain(source) as read, replacing(target, token=token) as write:
            shutil.copyfileobj(read, write)
    except (OSError, SceneError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AssetError(f"{source} can't be copied: {reason}") from error
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


def drop_copy(source: pathlib.Path, target: pathlib.Path) -> None:
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

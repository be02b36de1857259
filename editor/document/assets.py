"""Steps that reach into the project's files: moving, relinking, copying and importing them."""

from __future__ import annotations

import itertools
import os
import pathlib
import posixpath
from collections.abc import Iterable, Sequence

from editor.commands import EditContext, NamedFile, RenameFiles
from editor.document.asset_moves import checked_name, plan_moves
from editor.document.file_mover import ProjectFileMover
from editor.document.level_sides import files_of_level
from editor.document.move_recovery import finish_moves, finished_moves, forget_finished
from editor.document.project import LevelProject
from editor.document.project_files import copy_beside, copy_folder, copy_level
from editor.document.relocate import moves_in, settle_moves
from editor.document.side_files import side_files
from editor.model.file_moves import FileMoves, Pairs
from editor.model.history import Command, StepEvent
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.errors import AssetError
from engine.project import project_root
from engine.reflect import Entity
from engine.scene.levels.scene_file import LEVEL_SUFFIXES


class LevelAssets(LevelProject):
    """What renames, moves, relinks and copies files is one step, other levels on disk included."""

    _is_following = False

    def _begin_level(self) -> None:
        super()._begin_level()
        self._mover = ProjectFileMover(self.app, self._levels_naming, self._follow)
        self._mover.is_replaying = lambda: self._is_quiet or self._is_following
        self._mover.before = self._begin_journal
        self._mover.tell = lambda text: self.post("warning", text)
        self.context.files = self._mover

    def _begin_journal(self) -> str:
        self._journal.begin()
        return self._journal.file_name

    def _on_step(self, event: StepEvent, step: Command[EditContext]) -> None:
        super()._on_step(event, step)
        self._mover.forget()

    def _after_replay(self) -> None:
        self._mover.follow_replayed()

    def _finish_moves(self, root: pathlib.Path) -> None:
        self._mover.forget()
        finish_moves(
            root,
            self.uses.fields,
            lambda text: self.post("info", text),
            lambda text: self.post("warning", text),
            self._journal.file_name,
        )

    def _follow_finished(self, journal: str) -> None:
        for intent in finished_moves(journal):
            if intent.moves.root == str(self.root):
                self._is_following = True
                try:
                    self._repeat(intent.moves)
                    self._mover.follow_replayed()
                finally:
                    self._is_following = False
            forget_finished(intent)

    def _repeat(self, moves: FileMoves) -> None:
        """Make the step whose work on the disk is done, unless the journal had it."""
        steps, index = self.history.steps, self.history.index
        last = list(moves_in(steps[index - 1])) if index else []
        following = list(moves_in(steps[index])) if index < len(steps) else []
        if moves in last or any(m.reversed() == moves for m in following):
            return
        if any(m.reversed() == moves for m in last):
            self.undo()
        elif moves in following:
            self.redo()
        else:
            named = self._named([a for a in self.uses.assets() if moves.new_name(a) != a])
            self.push(RenameFiles("Move files", moves, named))

    def _settle_in(self, target: pathlib.Path) -> None:
        old_root = self.root
        super()._settle_in(target)
        if self.root != old_root:
            settle_moves(self.history, self.uses.fields, str(self.root))

    # -- steps -------------------------------------------------------------------------------

    def relink(self, old: str, new: str, *, wait: bool = True) -> list[str]:
        """Let everything that names `old` name `new`, as one step: here and in other levels.

        Returns
        -------
        list of str
            The other levels of the project that follow.

        Raises
        ------
        AssetError
            There is no file `new`.
        SceneError
            Another level can't be read or written; nothing changed.
        """
        with self._reporting():
            if not self.is_there(new):
                raise AssetError(f"{new}: there is no such file")
            moves = FileMoves(renamed=((old, new),), root=str(self.root))
            name = posixpath.basename(old)
            return self._rename(f"Relink {name} to {posixpath.basename(new)}", moves, wait)

    def rename_asset(self, asset: str, name: str, *, wait: bool = True) -> list[str]:
        """Give a file or folder another name, its suffix included, as one step.

        Everything that names it follows. Returns the other levels that do.

        Raises
        ------
        AssetError
            Something of that name is there, or something would not find it any more.
        SceneError
            Another level can't be read or written; nothing changed.
        """
        with self._reporting():
            new = posixpath.join(posixpath.dirname(asset), checked_name(name))
            label = f"Rename {posixpath.basename(asset)} to {posixpath.basename(new)}"
            return self._move(label, [(asset, new)], wait)

    def move_assets(self, assets: Sequence[str], folder: str, *, wait: bool = True) -> list[str]:
        """Move files and folders into a folder of the project, as one step.

        Side files go with their asset. Returns the other levels of the project that follow.

        Raises
        ------
        AssetError
            Something is in the way there, or something would not find its files any more.
        SceneError
            Another level can't be read or written; nothing changed.
        """
        with self._reporting():
            pairs = [(a, posixpath.join(folder, posixpath.basename(a))) for a in assets]
            pairs = [(old, new) for old, new in pairs if old != new]
            if not pairs:
                return []
            what = posixpath.basename(pairs[0][0]) if len(pairs) == 1 else f"{len(pairs)} assets"
            return self._move(f"Move {what} to {folder or 'the project'}", pairs, wait)

    def copy_file(self, source: str, target: str, *, wait: bool = True) -> None:
        """Put a copy of a file where another one is missing, as one step.

        Raises
        ------
        AssetError
            The file is not there, something else is in the way, or it leaves the project.
        """
        with self._reporting():
            self.app.assets.resolve(target)
            moves = FileMoves(copied=((source, target),), root=str(self.root))
            self.push(RenameFiles(f"Copy {posixpath.basename(source)}", moves, []), wait=wait)
            self.reload_assets(force=True, wait=wait)

    def make_unique(self, entities: Sequence[Entity], asset: str, *, wait: bool = True) -> str:
        """Copy a file and let entities that name it name the copy, as one step.

        Side files stay shared. Returns the copy's path.

        Raises
        ------
        AssetError
            There is no such file, or it can't be copied; nothing changed.
        """
        with self._reporting():
            stem, suffix = posixpath.splitext(asset)
            numbered = (f"{stem}-{number}{suffix}" for number in itertools.count(2))
            copy = next(path for path in numbered if not os.path.lexists(self.root / path))
            if not self.is_there(asset):
                raise AssetError(f"{asset}: there is no such file")
            moves = FileMoves(copied=((asset, copy),), root=str(self.root))
            named = [place for place in self._named([asset]) if place.entity in set(entities)]
            label = f"Make {posixpath.basename(asset)} unique"
            self.push(RenameFiles(label, moves, named, {asset: copy}), wait=wait)
            if wait:
                self.settle()
            return copy

    def make_folder(self, folder: str, name: str) -> str:
        """Make an empty folder in a folder of the project; return its path. It is no step.

        Raises
        ------
        AssetError
            Something of that name is there, or it can't be made.
        """
        with self._reporting():
            path = posixpath.join(folder, checked_name(name))
            try:
                (self.root / path).mkdir(parents=True)
            except OSError as error:
                reason = error.strerror or error
                raise AssetError(f"{path}: the folder can't be made: {reason}") from error
            return path

    def import_into(self, paths: Sequence[pathlib.Path], folder: str) -> list[str]:
        """Copy files and whole folders from outside into a folder of the project.

        A glTF comes with its side files, in their layout; a level with all that it uses, in the
        places that it names. Returns what is there now, relative to the project.

        Raises
        ------
        AssetError
            One of them is missing, hostile or can't be copied; those before it are there.
        """
        with self._reporting():
            self._make_project()
            target = self.app.assets.resolve(folder) if folder else self.root
            copied = []
            for path in paths:
                try:
                    source = path.resolve()
                except (OSError, ValueError, RuntimeError) as error:
                    raise AssetError(f"{str(path)!r}: not a usable path ({error})") from error
                if os.path.isdir(source):
                    copied.append(copy_folder(self.root, target, source).asset)
                elif not os.path.isfile(source):
                    raise AssetError(f"{path}: there is no such file")
                elif source.suffix.lower() in LEVEL_SUFFIXES:
                    home = project_root(source)
                    used = files_of_level(source, home, self.uses.fields)
                    copied.append(copy_level(self.root, target, source, home, used).asset)
                else:
                    is_gltf = source.suffix.lower() in GLTF_SUFFIXES
                    sides = side_files(source, project_root(source)) if is_gltf else []
                    copied.append(copy_beside(self.root, target, source, sides).asset)
            return copied

    def reimport(self, assets: Iterable[str], *, wait: bool = True) -> list[str]:
        """Import files again, past what was kept of them, with the models that a picture is of.

        It is no edit: the level, its history, the selection and all overrides stay. One that is
        broken now leaves what it last was in view. `assets_changed` tells what came of each.

        Returns
        -------
        list of str
            What is imported; of pictures, and models they are part of, only what is shown.
        """
        shown = {entry.path for entry in self.app.assets.entries()}
        wanted: dict[str, None] = {}
        for asset in assets:
            parts_of = self.contents.assets_naming(asset)
            wanted |= dict.fromkeys((asset, *(model for model in parts_of if model in shown)))
        started = self.app.import_again(wanted)
        if wait:
            self.settle()
        else:
            self._tell_tasks()
        return started

    def files_of(self, asset: str) -> list[pathlib.Path]:
        """Return what goes with an asset: the file, and the side files that are its alone."""
        paths = [asset, *self.contents.own_sides(asset)]
        return [self.root / path for path in paths]

    def _move(self, label: str, pairs: Sequence[tuple[str, str]], wait: bool) -> list[str]:
        self._make_project()
        self.contents.read()
        return self._rename(label, plan_moves(self.contents, pairs, self._own_path()), wait)

    def _make_project(self) -> None:
        if self._scratch is not None:
            self._scratch.create()

    def _rename(self, label: str, moves: FileMoves, wait: bool) -> list[str]:
        named = self._named([a for a in self.uses.assets() if moves.new_name(a) != a])
        self.push(RenameFiles(label, moves, named), wait=wait)
        if wait:
            self.settle()
        own = {self._own_path()}
        return [level for level in self._mover.levels_rewritten(moves) if level not in own]

    def _named(self, assets: Iterable[str]) -> list[NamedFile]:
        """Return the fields of the level that name one of some files."""
        return [
            NamedFile(entity, use.component, use.field, use.asset, use.is_kept)
            for asset in assets
            for entity in self.uses.users(asset)
            for use in self.uses.uses_of(entity)
            if use.asset == asset
        ]

    def _levels_naming(self, renamed: Pairs) -> Iterable[str]:
        """Return the levels on disk that hold a name that changes."""
        self.contents.read()
        names = [name for name, _ in renamed]
        for level, content in self.contents.files.items():
            if any(_stands_for(name, used) for used in content.uses or () for name in names):
                yield level

    def _follow(self, moved: dict[str, str]) -> None:
        self.contents.follow(moved)
        self._favourites.follow(self.root, moved, keep=self._scratch is None)
        self.contents_changed.emit(None)

    def close(self) -> None:
        """Let go of the level and of the moves that are under way."""
        self._mover.forget()
        super().close()


def _stands_for(name: str, used: str) -> bool:
    return used == name or used.startswith(f"{name}/")

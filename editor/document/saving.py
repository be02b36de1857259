"""Saving levels, also into another project, where what they use comes along."""

from __future__ import annotations

import contextlib
import os
import pathlib

from editor.document.asset_copies import AssetCopies
from editor.document.asset_uses import AssetUses
from editor.document.files import LevelFiles
from editor.document.level_paths import expect_folder, expect_level_name, usable_path
from editor.document.project_files import missing_folders, remove_empty
from editor.document.relocate import relocate_history, relocate_world, used_by_levels, used_files
from editor.document.side_files import side_files
from editor.document.slow_work import Beside, Loading, Work, finish
from editor.model.change_set import ChangeSet
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.errors import AssetError, EngineError, SceneError
from engine.plain_file import is_same_path
from engine.project import project_root


class LevelSaving(LevelFiles):
    """Writes the level to its file or to another one."""

    def save(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> None:
        """Write the level to its file, or to another one, which becomes its file.

        When the file lies in another project (or the level was in none), the assets in use are
        copied beside it first. What somebody else wrote to the level's file since it was read is
        merged into the level before.

        Parameters
        ----------
        path : path, optional
        overwrite : bool
            Replace what somebody else wrote instead.

        Raises
        ------
        SceneError
            There is no path yet, somebody else changed the same things (`MergeConflicts`), or the
            file can't be written; what was on disk stays as it was.
        AssetError
            An asset can't be copied.
        """
        finish(self.saving(path, overwrite=overwrite), self.settle)

    def saving(
        self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False
    ) -> Work[None]:
        """Return a `save` that a window carries out beside other things.

        Closed before its end it leaves level and disk as they were.
        """
        with self._reporting():
            target = usable_path(path) if path is not None else self.path
        if target is None:
            raise SceneError("the level has no file yet; choose where to save it")
        with self._reporting(target):
            expect_level_name(target)
            if self.path is not None and is_same_path(target, self.path):
                expect_folder(target)
                if not overwrite:
                    self._merge_before_save()
            copies = yield from self._copying(project_root(target))
            self._write(target, copies, overwrite)
        self._settle_in(target)

    # -- inside ------------------------------------------------------------------------------

    def _loading(self) -> Work[None]:
        """Have all there that the level uses."""
        if self.app.is_loading:
            yield Loading("Loading what the level uses")
        self.settle()

    def _copying(self, root: pathlib.Path) -> Work[AssetCopies]:
        """Copy what the level uses into the project at `root`; nothing when that is its own.

        What was imported for a level that has no file yet comes along, placed or not.
        """
        if root == self.root:
            return AssetCopies(root, self.root)
        yield from self._loading()
        copies = AssetCopies(root, self.root)
        try:
            # Once more where something was placed meanwhile.
            while self._is_lacking(copies):
                yield Beside(copies.run, copies.stop, copies.progress)
                yield from self._loading()
                yield from self._reading_ahead(copies)
        except BaseException:
            self.app.drop_mount()
            copies.undo()
            raise
        return copies

    def _reading_ahead(self, copies: AssetCopies) -> Work[None]:
        """Have what was copied read in its new place; whoever waits in any case does so later."""
        if not self.waits:
            moved, used = copies.moved, AssetUses(self.world, self.registry).assets()
            names = [moved.get(asset, asset) for asset in (*used, *copies.fixed)]
            self.app.prepare_mount(copies.root, names)
            yield Loading("Reading what was copied")

    def _is_lacking(self, copies: AssetCopies) -> bool:
        """Tell copies what has to come along by now; whether some of it has not yet."""
        named = used_by_levels(self.world, self.app.levels)
        assets = [*AssetUses(self.world, self.registry).assets(), *named]
        return copies.lack(self._imported_files() | used_files(assets, self.app.assets), named)

    def _imported_files(self) -> dict[str, list[pathlib.Path]]:
        """Return what was imported for a level without a file: the assets, each with its sides."""
        imported = self._scratch.imported() if self._scratch is not None else []
        units = {asset: [self.root / asset] for asset in imported}
        for unit in units.values():
            if unit[0].suffix.lower() in GLTF_SUFFIXES:
                with contextlib.suppress(AssetError):
                    unit += side_files(unit[0], self.root)
        sides = {path for _, *others in units.values() for path in others}
        return {asset: unit for asset, unit in units.items() if unit[0] not in sides}

    def _write(self, target: pathlib.Path, copies: AssetCopies, overwrite: bool) -> None:
        moved = copies.moved
        uses = AssetUses(self.world, self.registry)
        relocate_world(self.world, uses, moved)
        folders = missing_folders(target.parent)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self.app.save(
                target,
                overwrite=overwrite,
                before_writing=lambda data: self._before_writing(target, data),
            )
        except (EngineError, OSError) as error:
            relocate_world(self.world, uses, {new: old for old, new in moved.items()})
            self.app.drop_mount()
            copies.undo()
            remove_empty(folders)
            if isinstance(error, EngineError):
                raise
            raise SceneError(f"{target}: can't be written: {error}") from error
        relocate_history(self.history, uses.fields, moved)

    def _before_writing(self, target: pathlib.Path, data: bytes) -> None:
        """Keep all that goes with the journal, which is done with as soon as the file is there."""
        if self.path is not None and is_same_path(self.path, target):
            self._keep_view_state()
        self._journal.note_save(target, data)

    def _settle_in(self, target: pathlib.Path) -> None:
        """Take the file as the level's own, now that it is written."""
        if self.path is None or not is_same_path(self.path, target):
            self._enter(target)
            self.path = target
            self._keep_view_state()
        self.path = target
        if project_root(target) != self.root:
            self.app.mount_assets(project_root(target))
            self._catch_up()
            self.changed.emit(ChangeSet())
        self._journal.end()
        if self._scratch is not None:
            self._scratch.remove()
            self._scratch = None
        self.history.mark_saved()
        self._begin_project()

    def _merge_before_save(self) -> None:
        """Take in what somebody else wrote to the level's file; the merging part does it."""

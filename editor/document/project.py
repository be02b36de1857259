"""The project around the open level: what lies in it, and who uses which file."""

from __future__ import annotations

import os
import pathlib
import posixpath
from collections.abc import Callable

from editor.document.asset_copies import AssetCopies
from editor.document.asset_uses import AssetUses
from editor.document.favourites import Favourites
from editor.document.project_contents import ProjectContents
from editor.document.saving import LevelSaving
from editor.model.change_set import ChangeSet
from editor.model.signal import Signal
from engine.app import App
from engine.errors import AssetError
from engine.reflect import Entity


class LevelProject(LevelSaving):
    """Questions about the files of the project; nothing here changes them.

    Attributes
    ----------
    uses : AssetUses
        Which entities of the open level name which files.
    contents_changed : Signal[None]
        Files of the project came, went or hold something else.
    """

    uses: AssetUses

    def __init__(self, app: App | None = None) -> None:
        self.contents_changed: Signal[None] = Signal()
        self._favourites = Favourites()
        self._contents: ProjectContents | None = None
        super().__init__(app)
        self.changed.connect(self._note_uses)

    def _begin_level(self) -> None:
        super()._begin_level()
        self.uses = AssetUses(self.world, self.registry)

    def _write(self, target: pathlib.Path, copies: AssetCopies, overwrite: bool) -> None:
        super()._write(target, copies, overwrite)
        self.uses.start_over()

    def _note_uses(self, changes: ChangeSet) -> None:
        self.uses.note(changes)

    @property
    def contents(self) -> ProjectContents:
        """What lies in the project, as it was last looked at."""
        if self._contents is None or self._contents.root != self.root:
            if self._contents is not None:
                self._contents.close()
            self._contents = ProjectContents(
                self.root, self.uses.fields, is_kept=self._scratch is None
            )
        return self._contents

    def refresh_contents(self, on_done: Callable[[], None]) -> None:
        """Let a worker look at the project; `on_done` is called there when it is done."""
        self.contents.on_done = on_done
        self.contents.refresh()

    def poll_contents(self) -> None:
        """Take in what the worker found, on the main thread."""
        if self.contents.poll():
            self.contents_changed.emit(None)

    # -- questions ---------------------------------------------------------------------------

    def asset_users(self, asset: str) -> list[Entity]:
        """Return the entities of the level that name a file, in whatever component."""
        return self.uses.users(asset)

    def asset_user_count(self, asset: str) -> int:
        """Return how many entities of the level name a file: the "used by 12" of a field."""
        return self.uses.count(asset)

    def other_levels_using(self, asset: str) -> dict[str, int]:
        """Return the other levels of the project that name a file, with how many entities do."""
        own = self._own_path()
        found = self.contents.levels_using(asset)
        return {level: count for level, count in found.items() if level != own}

    def is_used(self, asset: str) -> bool:
        """Whether anything names a file: an entity here, another level, or a glTF file."""
        contents = self.contents
        is_named = self.uses.count(asset) or self.other_levels_using(asset)
        return bool(is_named or contents.assets_naming(asset) or asset == self._own_path())

    def used_files(self) -> set[str]:
        """Return every file for which `is_used` holds."""
        own = self._own_path()
        return {*self.uses.assets(), *self.contents.named_files(but=own), own}

    def missing_assets(self) -> list[str]:
        """Return the files that the level names and that are not there."""
        return [asset for asset in self.uses.assets() if not self.is_there(asset)]

    def relink_candidates(self, asset: str) -> list[str]:
        """Return what may stand for a missing asset: equal content first, then equal names."""
        return self.contents.candidates(asset)

    def is_there(self, asset: str) -> bool:
        """Whether there is a file of that path in the project."""
        try:
            return os.path.isfile(self.app.assets.resolve(asset))
        except AssetError:
            return False

    def files_called(self, name: str) -> list[str]:
        """Return the files of the project of that name, in whatever folder."""
        wanted = name.lower()
        files = self.contents.files
        return sorted(path for path in files if posixpath.basename(path).lower() == wanted)

    def path_of(self, file: pathlib.Path) -> str:
        """Return a file's path relative to the project, which it need not be in."""
        return pathlib.Path(os.path.relpath(file, self.root)).as_posix()

    @property
    def favourites(self) -> frozenset[str]:
        """The files of the project that the user marked."""
        return self._favourites.of(self.root)

    def set_favourite(self, asset: str, on: bool) -> None:
        """Mark a file, or not; it is the user's own state, not the level's or the project's."""
        self._favourites.mark(self.root, asset, on, keep=self._scratch is None)

    def _own_path(self) -> str:
        """Return the open level's file relative to the project; empty where it has none."""
        path = self.app.level_file.path
        if path is None:
            return ""
        found = pathlib.Path(os.path.realpath(path))
        return found.relative_to(self.root).as_posix() if found.is_relative_to(self.root) else ""

    def close(self) -> None:
        """Let go of the level, and of the worker that looks at the project."""
        if self._contents is not None:
            self._contents.close()
        super().close()

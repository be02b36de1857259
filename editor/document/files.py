"""Opening levels: which file is open, and in which project it lies."""

from __future__ import annotations

import os
import pathlib
from collections import Counter
from collections.abc import Callable

from editor.commands import EditContext
from editor.document.asset_uses import AssetUses
from editor.document.level_paths import expect_level, usable_path
from editor.document.presence import LevelPresence
from editor.document.scratch import ScratchProject, cache_folder
from editor.document.session_journal import SessionJournal
from editor.document.view_state import LevelViewState
from editor.model.history import Command, StepEvent
from editor.model.journal import JournalHeader
from engine.app import App
from engine.ecs import QuerySpec
from engine.errors import EngineError, SceneError
from engine.project import PROJECT_FILE, begin_project, first_level, project_folder, project_root
from engine.scene import KeptRecords
from engine.scene.level_library import LevelLoop
from engine.scene.levels.atomic_file import write_file
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

MOST_MARKS_AT_ONCE = 2000
_KEPT = QuerySpec(KeptRecords)


class LevelFiles(LevelViewState):
    """Which file the level is, and where its project lies.

    Attributes
    ----------
    path : pathlib.Path or None
        The level's file; None before its first save.
    step_count : int
        Grows with every step that is made, undone or redone.
    """

    def __init__(self, app: App | None = None) -> None:
        self.path: pathlib.Path | None = None
        self.step_count = 0
        self._scratch: ScratchProject | None = None
        self._presence: LevelPresence | None = None
        super().__init__(app)
        self.app.cache_folder = cache_folder
        self.path = self.app.level_file.path
        if not self.app.has_project:
            self._scratch = ScratchProject()
            self.app.mount_assets(self._scratch.root)

    @property
    def root(self) -> pathlib.Path:
        """The folder that asset paths are relative to."""
        return self.app.root

    @property
    def upgraded_from(self) -> int | None:
        """The version of the file where it was an older one, until it is saved."""
        return self.app.level_file.upgraded_from

    @property
    def changed_on_disk(self) -> bool:
        """Whether somebody else wrote the level's file since it was read."""
        return self.app.level_file.changed_on_disk()

    @property
    def name(self) -> str:
        """What to call the level in a title."""
        opened = self.path or self.app.level_file.path
        return opened.stem if opened is not None else "Untitled"

    @property
    def is_in_project(self) -> bool:
        """Whether the open project is somebody's, not a scratch one that goes with the level."""
        return self._scratch is None

    def new(self, *, stay: bool = False) -> None:
        """Begin an empty level in a scratch project.

        Parameters
        ----------
        stay : bool
            Begin it in the open project instead, so that what lies there can be placed at once;
            from a scratch project it goes to a fresh one all the same.
        """
        self._keep_view_state()
        scratch = ScratchProject() if self._scratch is not None or not stay else None
        self.app.new(scratch.root if scratch is not None else None)
        self._replace(None, scratch)

    def open(
        self, path: str | os.PathLike[str], *, wait: bool = True, allow_loops: bool = False
    ) -> None:
        """Open a level in place of the present one.

        Parameters
        ----------
        path : path
        wait : bool
            Return when the assets are there; otherwise they come frame by frame.
        allow_loops : bool
            Open also a level that holds itself, with a box where it would begin again.

        Raises
        ------
        SceneError
            The file is missing, broken, hostile or newer, or it holds itself through the levels
            that it places; everything stays as it was.
        """
        with self._reporting():
            level = usable_path(path)
        with self._reporting(level):
            self._finish_moves(project_root(level))
            expect_level(level)
            self._keep_view_state()
        try:
            self.app.load(level, allow_loops=allow_loops)
        except LevelLoop:
            # Whoever asked can still have it opened with the loop cut.
            raise
        except EngineError as error:
            self.post("error", str(error), path=level)
            raise
        self._replace(level, None)
        if wait:
            self.settle()

    def open_copy(self, path: str | os.PathLike[str], *, wait: bool = True) -> None:
        """Open a copy of a level and its project, as a level that was never saved.

        This is how the sample project opens: where it lies may not be written to.
        """
        with self._reporting():
            level = usable_path(path)
        scratch = ScratchProject()
        with self._reporting(level):
            expect_level(level)
            root = project_root(level)
            try:
                scratch.copy_in(root)
                self._keep_view_state()
                self.app.load(scratch.root / level.relative_to(root))
            except OSError as error:
                scratch.remove()
                raise SceneError(f"{level}: its project can't be copied: {error}") from error
            except EngineError:
                scratch.remove()
                raise
        self._replace(None, scratch)
        if wait:
            self.settle()

    def first_level(self, project: str | os.PathLike[str]) -> pathlib.Path:
        """Return a project's first level; what a crash cut short there is finished before.

        Raises
        ------
        SceneError
            There is no project.json, it can't be read, or it names no level.
        """
        self._finish_moves(project_folder(project))
        return first_level(project)

    def revert(self, *, wait: bool = True) -> None:
        """Open the level's file again, dropping what was not saved."""
        if self.path is None:
            raise SceneError("the level was never saved; there is nothing to go back to")
        self.open(self.path, wait=wait)

    def sync_journal(self) -> None:
        """Have the steps so far outlive a power failure; they outlive this process anyway."""
        self._journal.sync()

    def close(self) -> None:
        """Let go of the level: keep the view state, remove the journal and scratch project."""
        self._keep_view_state()
        self._journal.end()
        self._enter(None)
        self.app.close()
        if self._scratch is not None:
            self._scratch.remove()

    # -- inside ------------------------------------------------------------------------------

    def _begin_project(self) -> None:
        """Make the level's folder a project where it places a level that lies further down.

        That one, opened by itself, would else look for what it names in its own folder.
        """
        marker = self.root / PROJECT_FILE
        if self._scratch is not None or self.path is None or os.path.lexists(marker):
            return
        used = AssetUses(self.world, self.registry).assets()
        if not any("/" in asset and asset.endswith(LEVEL_SUFFIXES) for asset in used):
            return
        try:
            write_file(marker, begin_project(self.root, self.path.name))
        except SceneError as error:
            self.post("warning", f"{error}; levels in folders below it can't be opened alone")
        else:
            self.post("info", f"{self.root.name} is a project now: its files are named from there")

    def _replace(
        self,
        path: pathlib.Path | None,
        scratch: ScratchProject | None,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the level that the app has loaded as the open one.

        `prepare` may still change it; only then does anybody hear of it.
        """
        self._journal.end()
        old, self._scratch = self._scratch, scratch
        self.path = path
        problem = self._load_view_state()
        self._begin_level()
        self._recall_marks()
        self._is_quiet = True
        try:
            prepare()
        finally:
            self._is_quiet = False
            self.context.changes.take()
        self._shown_selection = self.selection
        if old is not None:
            old.remove()
        self._enter(path)
        for warning in [*self._warnings(), *([problem] if problem else [])]:
            self.post("warning", warning, path=path)
        self.replaced.emit(None)
        self.selection_changed.emit(self.selection)
        self.history_changed.emit(None)

    def _warnings(self) -> list[str]:
        """Return what opening the level found that a person should know."""
        unknown = Counter(
            record.name
            for table in _KEPT.tables(self.world)
            for kept in table.objects(KeptRecords)
            for _, record in kept.records
            if self.registry.type_named(record.name) is None
        )
        kept = [
            f"no component is called {name}; kept as it is on "
            f"{'1 entity' if count == 1 else f'{count:,} entities'}"
            for name, count in sorted(unknown.items())
        ]
        return [*self.app.level_file.warnings, *kept]

    def _begin_level(self) -> None:
        super()._begin_level()
        self._journal = SessionJournal(
            self.context,
            self.app.level_file,
            self._describe,
            lambda text: self.post("warning", text),
        )

    def _enter(self, level: pathlib.Path | None) -> None:
        """Let other editors see which level is open here, and say so where one has it open."""
        if self._presence is not None:
            self._presence.leave()
        self._presence = LevelPresence(level) if level is not None else None
        if self._presence is not None and self._presence.other:
            text = (
                f"{level} is also open in another editor ({self._presence.other}); "
                "what both save is merged"
            )
            self.post("warning", text, path=level)

    def _after_replay(self) -> None:
        """Take in what the steps of another session did to the disk; the assets' part does it."""

    def _finish_moves(self, root: pathlib.Path) -> None:
        """Finish what a crash cut short in a project; the assets' part does it."""

    def _follow_finished(self, journal: str) -> None:
        """Make the step that a crash cut short, where its files moved; the assets' part does it."""

    def _describe(self) -> JournalHeader:
        """Return what a journal has to say of the open level."""
        level = str(self.path) if self.path is not None else ""
        is_scratch = self._scratch is not None
        return JournalHeader(self.name, level, root=str(self.root), is_scratch=is_scratch)

    def _on_marks(self) -> None:
        """Keep marks at once that no journal keeps, since nothing is unsaved.

        So many that it would hold up the next picture are kept with the next save or on closing.
        """
        marks = self.context.marks
        is_quick = len(marks.hidden) + len(marks.locked) <= MOST_MARKS_AT_ONCE
        if self._journal.path is None and is_quick:
            self._keep_view_state()

    def _on_step(self, event: StepEvent, step: Command[EditContext]) -> None:
        self.step_count += 1
        if self._is_quiet:
            self._journal.steps.note(event, step)
        else:
            self._journal.note(event, step)

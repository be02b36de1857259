"""New, open, save, revert, recent, quit: nothing unsaved is ever dropped without asking."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from editor.document import LevelDocument
from editor.main_window.prompts import Choice, FileQuestion, Prompts, Question
from editor.main_window.work_runner import WorkRunner
from editor.model.settings import Settings
from editor.qt.report import guarded
from engine.math import quat_from_euler_deg
from engine.project import first_level
from engine.reflect import SceneComponent
from engine.scene import Environment, LightSource, LocalTransform, Name
from engine.scene.level_library import LevelLoop

__all__ = ["EXPORT_FILTER", "LEVEL_FILTER", "FileActions", "sample_project"]

EXPORT_FILTER: Final = "Binary glTF (*.glb)"
LEVEL_FILTER: Final = "Levels (*.scene *.cscn);;Text levels (*.scene);;Binary levels (*.cscn)"
_LEVELS: Final = "levels"
_CHOICES: Final = (Choice("save", "Save"), Choice("discard", "Don't save", destructive=True))


def sample_project() -> Path:
    """Return the folder of the project that a first start shows."""
    return Path(__file__).resolve().parents[2] / "resources" / "sample"


def _daylight() -> Iterator[tuple[SceneComponent, ...]]:
    """Yield what a new level begins with: light that shows the first prop from its best side."""
    yield Name("Environment"), Environment(ambient=(0.2, 0.22, 0.28), occlusion=0.7)
    yield (
        Name("Sun"),
        LocalTransform((-4, 6, 5), quat_from_euler_deg((-45, -35, 0))),
        LightSource(color=(1.0, 0.92, 0.8), intensity=3.2, cast_shadows=True),
    )


class FileActions:
    """Which level is open, as the window's actions.

    Parameters
    ----------
    prompts
        A function that returns what asks, so that it can be replaced at any time.
    notify
        Shows a short notice: level and text.
    work
        Carries out what takes long.

    Attributes
    ----------
    before_save : callable
        Called before a save with how to go on: what somebody else wrote is looked at first.
    """

    def __init__(
        self,
        document: LevelDocument,
        settings: Settings,
        prompts: Callable[[], Prompts],
        notify: Callable[[str, str], None],
        work: WorkRunner,
    ) -> None:
        self._document = document
        self._work = work
        self._settings = settings
        self._prompts = prompts
        self._notify = notify
        self.before_save: Callable[[Callable[[], None]], None] = lambda go_on: go_on()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the actions of this concern."""
        return {
            "new": self.new,
            "open": self.open,
            "save": lambda: self.save(lambda: None),
            "save_as": lambda: self.save_as(lambda: None),
            "revert": self.revert,
            "export": lambda: self.export(selection_only=False),
            "export_selection": lambda: self.export(selection_only=True),
        }

    def if_safe(self, go_on: Callable[[], None]) -> None:
        """Go on at once if nothing is unsaved, else after asking."""
        if not self._document.dirty:
            go_on()
            return
        question = Question(
            f"Save changes to {self._document.name}?",
            "What is not saved is lost when another level opens or the window closes.",
            _CHOICES,
        )

        def answered(answer: str) -> None:
            if answer == "save":
                self.save(go_on)
            elif answer == "discard":
                go_on()

        self._prompts().ask(question, answered)

    def new(self) -> None:
        """Begin a level of the open project that has nothing but a sky and a sun."""
        self.if_safe(self._new)

    @guarded
    def _new(self) -> None:
        document = self._document
        document.new(stay=True)
        with document.gesture("Begin with a sky and a sun"):
            for entity in _daylight():
                document.spawn(*entity)
        document.history.mark_saved()

    def open(self) -> None:
        """Ask for a level and open it."""
        question = FileQuestion("Open a level", "open", self._folder(), LEVEL_FILTER)
        self.if_safe(
            lambda: self._prompts().ask_file(question, lambda files: self.open_path(files[0]))
        )

    def open_asking(self, path: Path) -> None:
        """Open a level after asking about unsaved changes."""
        self.if_safe(lambda: self.open_path(path))

    @guarded
    def open_path(self, path: Path) -> None:
        """Open a level, or the first level of a project."""
        if os.path.isdir(path) or path.name == "project.json":
            path = self._document.first_level(path)
        try:
            self._open(path)
        except LevelLoop as error:
            self._ask_about_loop(path, error)

    def _open(self, path: Path, *, allow_loops: bool = False) -> None:
        self._document.open(path, wait=False, allow_loops=allow_loops)
        self._settings.add_recent(path.absolute())
        self._settings.set("last_folder", str(path.absolute().parent))

    def _ask_about_loop(self, path: Path, error: LevelLoop) -> None:
        """Offer to open a level that holds itself, so that the loop can be taken out of it."""
        question = Question(
            "This level holds itself",
            f"{error}\n\nIt can be opened with a box where it would begin again. It is saved only "
            "when the loop is gone.",
            (Choice("open", "Open with a box"),),
        )
        self._prompts().ask(question, lambda answer: self._open_anyway(path, answer))

    @guarded
    def _open_anyway(self, path: Path, answer: str) -> None:
        if answer == "open":
            self._open(path, allow_loops=True)

    @guarded
    def save(self, done: Callable[[], None]) -> None:
        """Save to the level's file, asking for one when there is none."""
        if self._document.path is None:
            self.save_as(done)
            return
        self.before_save(lambda: self._save(done))

    @guarded
    def _save(self, done: Callable[[], None]) -> None:
        self._document.save()
        path = self._document.path
        self._notify("good", f"Saved {path.name if path is not None else self._document.name}")
        done()

    def save_as(self, done: Callable[[], None]) -> None:
        """Ask where to save."""
        name = f"{self._document.name}.scene"
        question = FileQuestion(
            "Save the level", "save", self._folder() / name, LEVEL_FILTER, suffix="scene"
        )
        self._prompts().ask_file(question, lambda files: self._save_to(files[0], done))

    @guarded
    def _save_to(self, path: Path, done: Callable[[], None]) -> None:
        if path.absolute() == self._document.path:
            self.save(done)
            return
        former, count = self._document.root, len(self._document.uses.assets())

        def saved() -> None:
            self._settings.add_recent(path.absolute())
            self._settings.set("last_folder", str(path.absolute().parent))
            has_copies = count and self._document.root != former
            files = "the file" if count == 1 else f"the {count:,} files"
            told = f" and copied {files} that it uses beside it" if has_copies else ""
            self._notify("good", f"Saved {path.name}{told}")
            done()

        work = self._document.saving(path)
        self._work.run(f"Saving {path.name}", work, lambda nothing: saved())

    def export(self, *, selection_only: bool) -> None:
        """Ask where to write the level, or what is selected, as glTF."""
        name = f"{self._document.name}.glb"
        title = "Export the selection" if selection_only else "Export the level"
        question = FileQuestion(title, "save", self._folder() / name, EXPORT_FILTER, suffix="glb")
        self._prompts().ask_file(question, lambda files: self._export_to(files[0], selection_only))

    @guarded
    def _export_to(self, path: Path, selection_only: bool) -> None:
        work = self._document.exporting(path, selection_only)
        self._work.run(f"Exporting {path.name}", work, lambda found: self._exported(path, found))

    def _exported(self, path: Path, warnings: list[str]) -> None:
        told = f", with {len(warnings)} warnings in the console" if warnings else ""
        self._notify("warning" if warnings else "good", f"Exported {path.name}{told}")

    def revert(self) -> None:
        """Open the file again, after asking."""
        if not self._document.dirty:
            self._revert()
            return
        question = Question(
            f"Go back to the saved {self._document.name}?",
            "All changes since the last save are dropped.",
            (Choice("revert", "Revert", destructive=True),),
        )
        self._prompts().ask(question, lambda a: self._revert() if a == "revert" else None)

    @guarded
    def _revert(self) -> None:
        self._document.revert(wait=False)

    def _folder(self) -> Path:
        if self._document.path is not None:
            return self._document.path.parent
        if self._document.is_in_project:
            root = Path(self._document.root)
            return root / _LEVELS if _is_there(root / _LEVELS, stat.S_ISDIR) else root
        last = Path(self._settings.last_folder) if self._settings.last_folder else Path.home()
        return last if _is_there(last, stat.S_ISDIR) else Path.home()

    def recent(self) -> list[Path]:
        """Return the recent levels that are still there, the latest first."""
        paths = [Path(text) for text in self._settings.recent_levels]
        return [path for path in paths if _is_there(path, stat.S_ISREG)]

    def open_sample(self) -> None:
        """Open the sample project as a level that was never saved, after asking."""
        self.if_safe(self._open_sample)

    @guarded
    def _open_sample(self) -> None:
        self._document.open_copy(first_level(sample_project()), wait=False)

    def fill_recent(self, menu: QMenu) -> None:
        """List the recent levels in a menu; files that are gone are left out."""
        menu.clear()
        for path in self.recent():
            action = QAction(f"{path.stem}   —   {path.parent}", menu)
            action.triggered.connect(lambda checked=False, path=path: self.open_asking(path))
            menu.addAction(action)
        if menu.isEmpty():
            menu.addAction("No recent levels").setEnabled(False)
            return
        menu.addSeparator()
        menu.addAction("Clear").triggered.connect(lambda: self._settings.set("recent_levels", []))


def _is_there(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether there is such a thing; the settings may name what no path can be."""
    try:
        return is_kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False

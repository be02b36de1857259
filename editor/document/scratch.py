"""Scratch projects: where a level lives that was never saved.

A scratch project is a folder below the user's data folder, made when the first file has to go
there. The first save copies what the level uses and what was imported; then, or when the level is
closed, the folder goes. Folders of programs that no longer run are removed when the next one is
made, but for those that a journal belongs to: they go with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import uuid

from editor.document.session_journal import SUFFIX, journal_folder
from editor.model.folders import data_folder
from editor.model.journal import JournalHeader, read_header
from engine.assets.cache_folder import CACHE_FOLDER, shared_folder
from engine.errors import SceneError
from engine.plain_file import read_plain

_GIVEN = ".given.json"
"""Names what was copied in, so that what came since is known after a crash, too."""


class ScratchProject:
    """One scratch project; nothing is on disk before `create`.

    Parameters
    ----------
    root : pathlib.Path, optional
        That of a session that is no more, to go on with.
    """

    def __init__(self, root: pathlib.Path | None = None) -> None:
        name = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.root = root if root is not None else scratch_folder() / name

    @staticmethod
    def owns(root: pathlib.Path) -> bool:
        """Whether a folder is that of a scratch project, which may be removed."""
        return root.parent == scratch_folder() and root.name != ".."

    def create(self) -> None:
        """Make the folder, if it isn't there.

        Raises
        ------
        SceneError
            It can't be made.
        """
        if os.path.isdir(self.root):
            return
        with contextlib.suppress(OSError):
            _remove_abandoned()
        try:
            self.root.mkdir(parents=True)
        except OSError as error:
            reason = error.strerror or error
            raise SceneError(
                f"{self.root}: the folder of a level without a file can't be made: {reason}"
            ) from error

    def copy_in(self, project: pathlib.Path) -> None:
        """Fill it with a copy of another project."""
        self.create()
        kept = shutil.ignore_patterns(CACHE_FOLDER)
        shutil.copytree(project, self.root, dirs_exist_ok=True, ignore=kept)
        (self.root / _GIVEN).write_text(json.dumps(self._files()), "utf-8")

    def imported(self) -> list[str]:
        """Return the files that came since, relative to the folder."""
        given = set()
        with contextlib.suppress(OSError, ValueError):
            given = set(json.loads(read_plain(self.root / _GIVEN)))
        return [file for file in self._files() if file not in given]

    def _files(self) -> list[str]:
        paths = self.root.rglob("*") if os.path.isdir(self.root) else ()
        files = (path.relative_to(self.root) for path in paths if os.path.isfile(path))
        return [f.as_posix() for f in files if not any(p.startswith(".") for p in f.parts)]

    def remove(self) -> None:
        """Remove the folder with all that is in it, unless it is none of ours."""
        if self.owns(self.root):
            shutil.rmtree(self.root, ignore_errors=True)


def cache_folder(root: pathlib.Path) -> pathlib.Path | None:
    """Return where what is made of a scratch project's files is kept, as it goes; None for others.

    All of them share it, so that the sample project opens quicker the second time.
    """
    with contextlib.suppress(RuntimeError):
        return shared_folder() if ScratchProject.owns(root) else None
    return None


def scratch_folder() -> pathlib.Path:
    """Return the folder of all scratch projects."""
    return data_folder() / "scratch"


def _remove_abandoned() -> None:
    folder = scratch_folder()
    if not os.path.isdir(folder):
        return
    needed = {header.root for header in _journals()}
    for project in folder.iterdir():
        owner = project.name.partition("-")[0]
        is_left = owner.isdigit() and not _is_running(int(owner))
        if is_left and str(project) not in needed:
            shutil.rmtree(project, ignore_errors=True)


def _journals() -> list[JournalHeader]:
    found = []
    for path in journal_folder().glob(f"*{SUFFIX}"):
        with contextlib.suppress(SceneError):
            found.append(read_header(path))
    return found


def _is_running(process: int) -> bool:
    if process == os.getpid():
        return True
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True

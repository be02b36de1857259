"""Where what can be made anew of a project's files is kept: beside it, or in the user's cache.

A project has a folder of its own, which goes along with it. Nothing is strewn over folders that are
no projects: all of those share one folder below the user's cache, in which what is kept is known by
the folder that it is of.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from engine.assets.asset_ids import asset_file_name
from engine.project import PROJECT_FILE
from engine.user_cache import cache_dir

CACHE_FOLDER = ".cinder"


@dataclass(frozen=True, slots=True)
class CachePlace:
    """Where what is made of the files of one root is kept.

    Parameters
    ----------
    folder : pathlib.Path
    owner : str
        What tells this root from others that keep things in the same folder.
    project : pathlib.Path, optional
        The project's folder, where `folder` lies in it.
    """

    folder: Path
    owner: str = ""
    project: Path | None = None

    def name(self, asset_path: str) -> str:
        """Return what is kept of a file is known by: one word, of ASCII."""
        # No folder's path has two, so that a folder below another one has names of its own.
        path = f"{self.owner}//{asset_path}" if self.owner else asset_path
        return quote(path, safe="", errors="surrogatepass")

    def file(self, asset_path: str, what: str, suffix: str) -> Path:
        """Return where one thing that is made of a file is kept."""
        return self.folder / asset_file_name(f"{self.name(asset_path)}#{what}", suffix)

    def make(self) -> None:
        """Make the folder where there is none; one in a project is ignored by git.

        Raises
        ------
        OSError
            It cannot be made, or a link leads out of the project there.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise OSError(f"{self.folder} is no folder") from None
        if self.project is None:
            return
        if not self.folder.resolve().is_relative_to(self.project.resolve()):
            raise OSError(f"{self.folder} leads out of the project")
        _make_ignore_file(self.folder / ".gitignore")


def cache_place(root: Path, folder: Path | None = None) -> CachePlace | None:
    """Return where what is made of the files below `root` is kept; None: nowhere.

    Parameters
    ----------
    root : pathlib.Path
    folder : pathlib.Path, optional
        A folder for it, whichever root the files are below.
    """
    if folder is not None:
        return CachePlace(folder)
    if os.path.isfile(os.path.join(root, PROJECT_FILE)):
        return CachePlace(root / CACHE_FOLDER, project=root)
    try:
        return CachePlace(shared_folder(), root.as_posix())
    except RuntimeError:
        return None


def shared_folder() -> Path:
    """Return the folder of everything that is in no project.

    Raises
    ------
    RuntimeError
        The system knows no home of the user.
    """
    return cache_dir() / "imports"


def _make_ignore_file(path: Path) -> None:
    try:
        # A new file, and not one to which a link of this name may lead.
        with open(path, "x", encoding="utf-8") as file:
            file.write("*\n")
    except FileExistsError:
        return
    except OSError:
        path.unlink(missing_ok=True)
        raise

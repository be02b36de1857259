"""The folder beside a project in which what can be made anew is kept."""

import os
from pathlib import Path

CACHE_FOLDER = ".cinder"


def make_cache_folder(root: Path) -> Path:
    """Make the folder, ignored by git, where there is none.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.

    Raises
    ------
    OSError
        It cannot be made, or a link leads out of the project there.
    """
    folder = root / CACHE_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if not folder.resolve().is_relative_to(root.resolve()):
        raise OSError(f"{folder} leads out of the project")
    ignore = folder / ".gitignore"
    if not os.path.exists(ignore):
        ignore.write_text("*\n", "utf-8")
    return folder

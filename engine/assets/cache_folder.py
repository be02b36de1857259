"""The folder beside a project in which what can be made anew is kept."""

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
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OSError(f"{folder} is no folder") from None
    if not folder.resolve().is_relative_to(root.resolve()):
        raise OSError(f"{folder} leads out of the project")
    _make_ignore_file(folder / ".gitignore")
    return folder


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

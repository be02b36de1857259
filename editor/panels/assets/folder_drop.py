"""Dropping files on a folder: those of the project move there, those from outside are copied."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent

from editor.qt.mime import read_outside_files, read_project_files

__all__ = ["FolderDrop", "take_drag"]


@dataclass(frozen=True)
class FolderDrop:
    """What was dropped on which folder.

    Attributes
    ----------
    inside
        Files of the project, by their paths relative to it.
    outside
        Files and folders of other places.
    """

    folder: Path
    inside: tuple[str, ...] = ()
    outside: tuple[Path, ...] = ()


def take_drag(event: QDropEvent, root: Path, folder: Path | None) -> FolderDrop | None:
    """Accept a drag over a folder where it makes sense; None, and the event ignored, elsewhere."""
    data = event.mimeData()
    inside = [path for path in read_project_files(data) if _may_move(root / path, folder)]
    outside = read_outside_files(data)
    if folder is None or not (inside or outside):
        event.ignore()
        return None
    event.setDropAction(Qt.DropAction.MoveAction if inside else Qt.DropAction.CopyAction)
    event.accept()
    return FolderDrop(folder, tuple(inside), tuple(outside))


def _may_move(path: Path, folder: Path | None) -> bool:
    if folder is None or path.parent == folder:
        return False
    return path != folder and not folder.is_relative_to(path)

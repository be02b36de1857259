"""What a drag inside the editor carries: entities, or asset paths."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent

from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.reflect import Entity
from engine.scene.levels.asset_references import FILE_SUFFIXES
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

__all__ = [
    "ASSET_MIME",
    "ENTITY_MIME",
    "FILES_MIME",
    "accept_drop",
    "asset_mime",
    "entity_mime",
    "read_asset_files",
    "read_assets",
    "read_entities",
    "read_outside_files",
    "read_project_files",
]

ASSET_MIME: Final = "application/x-cinder-asset"
ENTITY_MIME: Final = "application/x-cinder-entities"
FILES_MIME: Final = "application/x-cinder-files"
_PLACED_SUFFIXES: Final = (*GLTF_SUFFIXES, *LEVEL_SUFFIXES)
_FILE_SUFFIXES: Final = frozenset(FILE_SUFFIXES)


def entity_mime(entities: Iterable[Entity]) -> QMimeData:
    """Return drag data for entities of the open level."""
    data = QMimeData()
    data.setData(ENTITY_MIME, " ".join(str(int(entity)) for entity in entities).encode())
    return data


def read_entities(data: QMimeData) -> list[Entity]:
    """Return the dragged entities, none if the data holds something else."""
    if not data.hasFormat(ENTITY_MIME):
        return []
    words = bytes(data.data(ENTITY_MIME).data()).split()
    return [Entity(int(word)) for word in words if word.isdigit()]


def asset_mime(path: str) -> QMimeData:
    """Return drag data for one asset path."""
    data = QMimeData()
    data.setData(ASSET_MIME, path.encode())
    return data


def read_project_files(data: QMimeData) -> list[str]:
    """Return all files and folders of the project that are dragged from the assets panel."""
    if not data.hasFormat(FILES_MIME):
        return []
    return bytes(data.data(FILES_MIME).data()).decode(errors="replace").split("\n")


def read_outside_files(data: QMimeData) -> list[Path]:
    """Return files and folders that are dragged in from another program."""
    if data.hasFormat(FILES_MIME) or data.hasFormat(ASSET_MIME):
        return []
    paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
    return [path for path in paths if os.path.isdir(path) or path.suffix.lower() in _FILE_SUFFIXES]


def read_assets(data: QMimeData) -> list[str]:
    """Return what is dragged and may be placed, the one under the pointer first.

    Models and levels come from the assets panel, models also from outside.
    """
    if data.hasFormat(FILES_MIME) or data.hasFormat(ASSET_MIME):
        own = read_project_files(data) or [_read_asset(data)]
        return [path for path in own if path.lower().endswith(_PLACED_SUFFIXES)]
    files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return [path for path in files if path.lower().endswith(GLTF_SUFFIXES)]


def read_asset_files(data: QMimeData) -> list[str]:
    """Return dragged files of any kind: a path of the project, or files from outside."""
    if data.hasFormat(ASSET_MIME):
        return [_read_asset(data)]
    return [url.toLocalFile() for url in data.urls() if url.isLocalFile()]


def _read_asset(data: QMimeData) -> str:
    return bytes(data.data(ASSET_MIME).data()).decode(errors="replace")


def accept_drop(event: QDropEvent) -> None:
    """Take what is dragged; of files from outside a copy, or the other program removes its own."""
    own = (ASSET_MIME, FILES_MIME, ENTITY_MIME)
    if any(map(event.mimeData().hasFormat, own)):
        event.acceptProposedAction()
    else:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

"""What a drag inside the editor carries: entities, or asset paths."""

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QMimeData

from engine.reflect import Entity

__all__ = [
    "ASSET_MIME",
    "ENTITY_MIME",
    "asset_mime",
    "entity_mime",
    "read_assets",
    "read_entities",
]

ASSET_MIME: Final = "application/x-cinder-asset"
ENTITY_MIME: Final = "application/x-cinder-entities"
_ASSET_SUFFIXES: Final = (".glb", ".gltf")


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


def read_assets(data: QMimeData) -> list[str]:
    """Return dragged asset paths: from the assets panel, or glTF files from outside."""
    if data.hasFormat(ASSET_MIME):
        return [bytes(data.data(ASSET_MIME).data()).decode(errors="replace")]
    files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return [path for path in files if path.lower().endswith(_ASSET_SUFFIXES)]

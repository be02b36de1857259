"""What the assets panel lists: folders and files of a project, read when they are looked at."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["AssetItem", "child_folders", "has_folders", "list_folder", "search_folder"]

_KINDS: Final = {
    ".glb": "model",
    ".gltf": "model",
    ".scene": "level",
    ".cscn": "level",
    ".hdr": "image",
    ".exr": "image",
    ".ktx2": "image",
}
_MOST_FOUND: Final = 2000
_MOST_LOOKED_AT: Final = 50_000


@dataclass(frozen=True)
class AssetItem:
    """One tile.

    Attributes
    ----------
    kind
        "folder", "model", "level" or "image".
    asset
        Path relative to the project, with "/".
    """

    kind: str
    path: Path
    asset: str

    @property
    def title(self) -> str:
        """The name under the tile."""
        return self.path.name if self.kind == "folder" else self.path.stem


def _visible(name: str) -> bool:
    return not name.startswith((".", "__"))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if _visible(entry.name)]
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.name.lower())


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def child_folders(folder: Path) -> list[Path]:
    """Return the folders in a folder, by name."""
    return [Path(entry.path) for entry in _entries(folder) if _is_folder(entry)]


def has_folders(folder: Path) -> bool:
    """Whether a folder holds others."""
    return any(_is_folder(entry) for entry in _entries(folder))


def _item(entry: os.DirEntry[str], root: Path) -> AssetItem | None:
    path = Path(entry.path)
    kind = "folder" if _is_folder(entry) else _KINDS.get(path.suffix.lower(), "")
    return AssetItem(kind, path, path.relative_to(root).as_posix()) if kind else None


def list_folder(root: Path, folder: Path) -> list[AssetItem]:
    """Return what is in one folder: folders first, then models, levels and images."""
    items = [item for entry in _entries(folder) if (item := _item(entry, root)) is not None]
    return sorted(items, key=lambda item: item.kind != "folder")


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    stack = [folder]
    looked_at = 0
    while stack and looked_at < _MOST_LOOKED_AT:
        for entry in _entries(stack.pop()):
            looked_at += 1
            if _is_folder(entry):
                stack.append(Path(entry.path))
            else:
                yield entry


def search_folder(root: Path, folder: Path, text: str) -> list[AssetItem]:
    """Return files below a folder whose path holds all words of the text."""
    words = text.lower().split()
    found: list[AssetItem] = []
    for entry in _walk(folder):
        item = _item(entry, root)
        if item is not None and all(word in item.asset.lower() for word in words):
            found.append(item)
            if len(found) >= _MOST_FOUND:
                break
    return sorted(found, key=lambda item: item.asset.lower())

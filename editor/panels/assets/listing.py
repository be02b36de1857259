"""What the assets panel lists: a folder, or what a search finds, with what is known of each."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from editor.document import LevelDocument
from editor.panels.assets.model import TileNote
from editor.panels.assets.project_listing import (
    AssetItem,
    AssetQuery,
    list_folder,
    search_folder,
    search_known,
)

__all__ = ["AssetListing"]

_USABLE: Final = ("model", "image")


class AssetListing:
    """Answers what a folder holds and what a search finds, from the disk and what is known."""

    def __init__(self, document: LevelDocument) -> None:
        self._document = document

    def items(self, root: Path, folder: Path, query: AssetQuery) -> list[AssetItem]:
        """Return what a folder holds, or what of the project fits a search."""
        found = list_folder(root, folder) if query.is_empty else self._search(root, query)
        files = self._document.contents.files
        return [
            replace(item, triangles=content.triangles)
            if (content := files.get(item.asset)) is not None and content.triangles >= 0
            else item
            for item in found
        ]

    def _search(self, root: Path, query: AssetQuery) -> list[AssetItem]:
        """Return what fits, of the files that are known: a walk would hold up every key."""
        document = self._document
        favourites = document.favourites
        used = document.used_files() if query.unused else set()

        def accepts(asset: str, kind: str) -> bool:
            if query.favourite and asset not in favourites:
                return False
            return not query.unused or (kind in _USABLE and asset not in used)

        known = document.contents.files
        if query.asks_for_folders or not known:
            return search_folder(root, root, query, accepts)
        stamps = {asset: content.stamp for asset, content in known.items()}
        return search_known(root, stamps, query, accepts)

    def notes(self, items: Iterable[AssetItem]) -> dict[str, TileNote]:
        """Return what is said of files beside their pictures, by asset."""
        marked, files = self._document.favourites, self._document.contents.files
        notes = {}
        for item in items:
            content = files.get(item.asset)
            problem = content.error if content is not None else ""
            if content is not None and content.missing:
                problem = "\n".join(words for _, words in content.missing)
            if problem or item.asset in marked:
                notes[item.asset] = TileNote(item.asset in marked, problem)
        return notes

    def nothing(self, query: AssetQuery) -> tuple[str, str]:
        """Return what is said where there is nothing: a heading, and what to do."""
        if query.favourite:
            return "No favourites here", "Click the star on a file to mark it."
        if query.unused and self._document.contents.is_busy:
            return "Looking …", "The project's files are being read."
        if query.unused:
            return "Nothing is unused", "Every file of the project is used."
        if not query.is_empty:
            return "Nothing found", "No asset's path holds all of these words."
        return "No assets here", "Drop a .glb or .gltf here to copy it into the project."

"""What every part of the importer shares while one file is read."""

import threading
from collections.abc import Callable
from pathlib import Path

from engine.assets.gltf.asset import GltfAsset
from engine.assets.gltf.limits import Budget, ImportLimits
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.uris import UriReader


class Document:
    """One file being imported: its JSON root, where URIs lead, warnings and memory budget.

    `finishers` run at the end, when every picture is decoded; `converted_images` remembers by
    their sources what pairs of pictures they made.
    """

    def __init__(
        self,
        path: Path,
        root_folder: Path,
        root: JsonObject,
        limits: ImportLimits,
    ) -> None:
        self.path = path
        self.root = root
        self.limits = limits
        self.budget = Budget(limits)
        self.uris = UriReader(path.parent, root_folder, self.budget)
        self.asset = GltfAsset(path.stem)
        self.extensions_used = frozenset(
            name for name in root.array("extensionsUsed") if type(name) is str
        )
        self.finishers: list[Callable[[GltfAsset], None]] = []
        self.converted_images: dict[object, tuple[int, int]] = {}
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    def warn(self, pointer: str, text: str) -> None:
        """Record a warning, once."""
        self._record(f"{pointer}: {text}", self.asset.warnings)

    def change(self, pointer: str, text: str) -> None:
        """Warn of data that was changed to be usable."""
        self._record(f"{pointer}: {text}", self.asset.warnings, self.asset.changed)

    def ignore(self, pointer: str, text: str) -> None:
        """Warn of something that was not understood."""
        self._record(f"{pointer}: {text}", self.asset.warnings, self.asset.not_understood)

    def convert(self, pointer: str, text: str) -> None:
        """Note data that was changed as it should be, which is nothing to warn of."""
        self._record(f"{pointer}: {text}", self.asset.changed)

    def _record(self, message: str, *lists: list[str]) -> None:
        with self._lock:
            if message not in self._warned:
                self._warned.add(message)
                for messages in lists:
                    messages.append(message)

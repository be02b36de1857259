"""Writing an exported level, on any thread."""

from __future__ import annotations

import pathlib

from engine.errors import SceneError
from engine.scene.export import Export, write_export


class ExportWriting:
    """One file on its way to the disk.

    Attributes
    ----------
    warnings : list of str
        What was not exported as it is, once `run` is over.
    """

    def __init__(self, target: pathlib.Path, export: Export) -> None:
        self.warnings: list[str] = []
        self._target = target
        self._export = export
        self._is_stopped = False

    def run(self) -> None:
        """Write the file; raises SceneError or AssetError where that fails or was stopped."""
        self.warnings = write_export(self._target, self._export, self._expect_wanted)

    def stop(self) -> None:
        """Leave the file as it was."""
        self._is_stopped = True

    def _expect_wanted(self) -> None:
        if self._is_stopped:
            raise SceneError(f"{self._target}: given up")

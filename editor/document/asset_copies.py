"""Copying what a level uses into the project that it is saved into: all of it, or nothing."""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Mapping

from editor.document.project_files import Copied, copy_kept
from engine.errors import AssetError

Units = Mapping[str, list[pathlib.Path]]


class AssetCopies:
    """The files that came along so far.

    Parameters
    ----------
    root, old_root : pathlib.Path
        The project that the level goes to, and the one that it is in.

    Attributes
    ----------
    copied : dict of str to Copied
        By what the level calls the asset.
    """

    def __init__(self, root: pathlib.Path, old_root: pathlib.Path) -> None:
        self.root = root
        self.copied: dict[str, Copied] = {}
        self.fixed: Collection[str] = ()
        self._old_root = old_root
        self._units: dict[str, list[pathlib.Path]] = {}
        self._is_stopped = False

    def lack(self, units: Units, fixed: Collection[str]) -> bool:
        """Take in what has to come along; whether some of it has not yet.

        Parameters
        ----------
        units : mapping of str to list of Path
            By what the level calls each asset: its file, then those beside it.
        fixed : collection of str
            The attribute from now on.
        """
        self._units.update(units)
        self.fixed = fixed
        return any(asset not in self.copied for asset in self._units)

    def run(self) -> None:
        """Copy what is missing, on any thread.

        Raises
        ------
        AssetError
            An asset can't be copied, or is another one there that can't be called otherwise.
        """
        for asset, files in self._units.items():
            if self._is_stopped:
                return
            if asset not in self.copied:
                self.copied[asset] = copy_kept(self.root, self._old_root, files)
            if asset in self.fixed and self.copied[asset].asset != asset:
                there = self.root / asset
                raise AssetError(
                    f"{there}: is another file than the {asset} that placed levels use"
                )

    def stop(self) -> None:
        """Have `run` end with the asset that it is at."""
        self._is_stopped = True

    def progress(self) -> str:
        """Return how far it is."""
        at = min(len(self.copied) + 1, len(self._units))
        return f"Copying {at:,} of {len(self._units):,} files that the level uses"

    @property
    def moved(self) -> dict[str, str]:
        """The assets that are called otherwise in the other project, by what the level says."""
        return {asset: c.asset for asset, c in self.copied.items() if c.asset != asset}

    def undo(self) -> None:
        """Remove what was copied."""
        for copy in reversed(self.copied.values()):
            copy.undo()

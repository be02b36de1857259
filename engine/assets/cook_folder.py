"""`CookFolder`: where the cooked file of a logical path lies, by a manifest that may grow."""

from pathlib import Path

from engine.assets.asset_loading import Stamp, file_stamp
from engine.assets.cook_manifest import MANIFEST_NAME, CookManifest
from engine.errors import AssetError


class CookFolder:
    """A folder that `cinder-cook` filled, or fills.

    Parameters
    ----------
    root : pathlib.Path

    Attributes
    ----------
    manifest_path : pathlib.Path
    manifest_stamp : Stamp or None
        What the manifest looked like when it was read last.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._manifest = CookManifest()
        self.manifest_path = root / MANIFEST_NAME
        self.manifest_stamp: Stamp | None = None

    def path_of(self, logical: str) -> Path:
        """Return the file, after another look at a manifest that was written anew.

        Raises
        ------
        AssetError
            The manifest has no such path, or cannot be read.
        """
        if self._manifest.find(logical) is None:
            self.read_manifest()
        entry = self._manifest.find(logical)
        if entry is None:
            raise AssetError(f"{logical} is not in {self.manifest_path} (run cinder-cook)")
        return self._root / entry.file

    def read_manifest(self) -> None:
        """Read the manifest where it is another one than it was.

        Raises
        ------
        AssetError
            ``cooked manifest``: it cannot be read.
        """
        stamp = file_stamp(self.manifest_path)
        if stamp != self.manifest_stamp:
            self._manifest, self.manifest_stamp = CookManifest.load(self.manifest_path), stamp

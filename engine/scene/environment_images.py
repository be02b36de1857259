"""`EnvironmentImages`: the panoramas that levels name, read once per version of the file."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from engine.assets.hdr import read_hdr
from engine.errors import AssetError
from engine.render.scene import EnvironmentMap

_KEPT = 4
_log = logging.getLogger("cinder.assets")

Stamp = tuple[Path, int, int]


class EnvironmentImages:
    """Reads environment images of a project.

    Parameters
    ----------
    resolve
        From an asset path to the file's; raises AssetError for a path outside of the project.
    """

    def __init__(self, resolve: Callable[[str], Path]) -> None:
        self._resolve = resolve
        self._images: OrderedDict[Stamp, EnvironmentMap | None] = OrderedDict()

    def get(self, asset_path: str) -> EnvironmentMap | None:
        """Return the image at a path; None, and one warning per version, when there is none."""
        try:
            path = self._resolve(asset_path)
            found = path.stat()
        except (AssetError, OSError) as problem:
            self._miss((Path(asset_path), -1, -1), problem)
            return None
        stamp = (path, found.st_mtime_ns, found.st_size)
        if stamp in self._images:
            self._images.move_to_end(stamp)
            return self._images[stamp]
        try:
            image = EnvironmentMap(read_hdr(path), asset_path)
        except AssetError as problem:
            self._miss(stamp, problem)
            return None
        self._keep(stamp, image)
        return image

    def _miss(self, stamp: Stamp, problem: Exception) -> None:
        if stamp not in self._images:
            _log.warning("environment image: %s", problem)
            self._keep(stamp, None)

    def _keep(self, stamp: Stamp, image: EnvironmentMap | None) -> None:
        self._images[stamp] = image
        while len(self._images) > _KEPT:
            self._images.popitem(last=False)

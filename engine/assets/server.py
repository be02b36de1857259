"""`AssetServer`: the cooked assets of one folder, with nothing else around them."""

import os

from engine.assets.cooked_assets import CookedAssets
from engine.assets.jobs import JobSystem
from engine.assets.record_uploads import CookedStore


class AssetServer(CookedAssets):
    """Loads assets by logical path from a folder that `cinder-cook` filled.

    Parameters
    ----------
    jobs : JobSystem
        Reads files; when its table is full a load runs at once on the calling thread.
    renderer : CookedStore or None
        None uploads nothing; mesh, material and texture ids are -1.
    root : path
        The folder with the manifest.

    Raises
    ------
    AssetError
        ``cooked manifest``: it cannot be read.
    """

    def __init__(
        self, jobs: JobSystem, renderer: CookedStore | None, root: str | os.PathLike[str]
    ) -> None:
        super().__init__(jobs, renderer, root)
        self._folder.read_manifest()

    def check_for_changes(self) -> int:
        """Reload each ready asset whose file is another than when its load began.

        Returns
        -------
        int
            How many reloads were started.
        """
        return self.reload_changed()

    def close(self) -> None:
        """Wait for every job and free everything."""
        self.release_all()

    def __enter__(self) -> "AssetServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

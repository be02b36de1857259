"""Reading another project while the present one is shown still."""

from __future__ import annotations

from collections.abc import Iterable

from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.assets.library import AssetLibrary
from engine.assets.stores import MeshStore
from engine.scene.level_library import LevelLibrary
from engine.scene.levels.scene_file import LEVEL_SUFFIXES


class ProjectMount:
    """The files of a project that is about to take the place of the present one.

    Parameters
    ----------
    assets : AssetLibrary
    levels : LevelLibrary
        Of that project.
    renderer : MeshStore or None
        Where its meshes go.
    """

    def __init__(
        self, assets: AssetLibrary, levels: LevelLibrary, renderer: MeshStore | None
    ) -> None:
        self.assets = assets
        self.levels = levels
        assets.attach(renderer)

    def request(self, files: Iterable[str]) -> None:
        """Begin to read files; of those that are neither models nor levels nothing is known."""
        for file in files:
            name = file.lower()
            if name.endswith(GLTF_SUFFIXES):
                self.assets.get(file)
            elif name.endswith(LEVEL_SUFFIXES):
                self.levels.get(file)

    @property
    def is_loading(self) -> bool:
        """Whether some of it is on its way still."""
        return bool(self.assets.loading()) or self.levels.is_reading

    def poll(self) -> None:
        """Take in what was read, and upload for some milliseconds."""
        self.assets.poll()
        self.levels.poll()

    def finish(self) -> None:
        """Wait until all of it is there."""
        while self.is_loading:
            self.assets.take_all()
            self.poll()

    def close(self) -> None:
        """Let go of all of it."""
        self.assets.close()
        self.assets.attach(None)

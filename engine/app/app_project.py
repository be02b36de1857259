"""Which project an app reads from, and going over to another one."""

from __future__ import annotations

import os
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from engine.app.app_files import AppFiles
from engine.app.project_mount import ProjectMount
from engine.app.renderer import AppRenderer
from engine.assets.library import AssetLibrary
from engine.scene import LevelFile, SceneRegistry
from engine.scene.level_library import LevelLibrary


class AppProject(AppFiles, ABC):
    """The assets and levels of one project at a time."""

    registry: SceneRegistry
    renderer: AppRenderer | None
    level_file: LevelFile
    has_project: bool
    cache_folder: Callable[[pathlib.Path], pathlib.Path | None]
    _mount: ProjectMount | None = None

    @property
    def root(self) -> pathlib.Path:
        """The project's folder."""
        return self.assets.root

    def mount_assets(self, root: str | os.PathLike[str]) -> None:
        """Read assets below another folder from now on; instances are realised anew.

        The folder may be a project's, whose glTF files are read by their paths, or one that
        `cinder-cook` filled, whose assets are read by logical path (`assets.load_mesh`).
        """
        if pathlib.Path(root).resolve() != self.root:
            before = self.realiser
            self._let_go()
            self._use_libraries(*self._libraries(pathlib.Path(root)))
            self._make_drawn()
            self.realiser.take_over(before)

    def prepare_mount(self, root: str | os.PathLike[str], files: Iterable[str]) -> None:
        """Begin to read files below another folder while the present ones are shown.

        A `mount_assets` of that folder then finds them read; `is_loading` until they are.
        """
        self.drop_mount()
        assets, levels = self._libraries(pathlib.Path(root))
        if assets is not self.assets:
            self._mount = ProjectMount(assets, levels, self.renderer)
            self._mount.request(files)

    def drop_mount(self) -> None:
        """Let go of what was read ahead."""
        mount, self._mount = self._mount, None
        if mount is not None:
            mount.close()

    def _libraries(self, root: pathlib.Path) -> tuple[AssetLibrary, LevelLibrary]:
        """Return the assets and levels below a folder, those at hand where they are its own."""
        if root.resolve() == self.root:
            return self.assets, self.levels
        if self._mount is not None and self._mount.assets.root == root.resolve():
            mount, self._mount = self._mount, None
            mount.finish()
            return mount.assets, mount.levels
        assets = AssetLibrary(root, cache_folder=self.cache_folder(root))
        return assets, self._levels_of(assets)

    def _levels_of(self, assets: AssetLibrary) -> LevelLibrary:
        return LevelLibrary(self.registry, assets.resolve, self._home, assets.submit)

    def _home(self) -> pathlib.Path | None:
        path = self.level_file.path
        return path.resolve() if path is not None else None

    def _use_libraries(self, assets: AssetLibrary, levels: LevelLibrary) -> None:
        self.has_project = True
        if assets is self.assets:
            return
        old, self.assets, self.levels = self.assets, assets, levels
        self.assets.attach(self.renderer)
        old.close()
        old.attach(None)

    @abstractmethod
    def _let_go(self) -> None:
        """Free what the present world had made for its picture."""

    @abstractmethod
    def _make_drawn(self) -> None:
        """Begin to make what the present world shows, from the files of the present project."""

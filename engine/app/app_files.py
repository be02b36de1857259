"""What an app makes of files that are other ones now."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.app.news import AssetNews
from engine.app.picture_reimports import PictureReimports
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.assets.library import AssetLibrary
from engine.assets.texture_files import TextureFiles
from engine.assets.watch.changes import FileChanges
from engine.ecs import QuerySpec, World
from engine.scene import Environment, InstanceRealiser
from engine.scene.environment_images import EnvironmentImages
from engine.scene.level_library import LevelLibrary
from engine.scene.material_overrides import MaterialOverrides

LOOKS = QuerySpec(Environment)


class AppFiles:
    """Follows the files of the present project: those that the level shows."""

    world: World
    assets: AssetLibrary
    levels: LevelLibrary
    realiser: InstanceRealiser
    textures: TextureFiles
    overrides: MaterialOverrides
    images: EnvironmentImages
    on_assets: Callable[[AssetNews], None]
    _picture_reimports: PictureReimports

    def files_changed(self, changes: FileChanges) -> int:
        """Read again what is made of files that are other ones now; return how many that are.

        It is no edit: overrides, history and selection stay, and so does what was read before
        until its successor is whole.
        """
        count = len(self.assets.files_changed(changes)) + self.assets.cooked_changed(changes)
        count += len(self.levels.files_changed(changes))
        return count + self.images.files_changed(changes) + self.textures.files_changed(changes)

    def import_again(self, asset_paths: Iterable[str]) -> list[str]:
        """Import glTF files and pictures again, changed or not, past what was kept of them.

        It is no edit. What is shown stays until its successor is whole, and for good where that is
        broken; `on_assets` tells what came of each.

        Returns
        -------
        list of str
            What is being imported; a picture that nothing shows is not.
        """
        paths = list(dict.fromkeys(asset_paths))
        models = [path for path in paths if _is_model(path)]
        self.assets.import_again(models)
        others = (path for path in paths if not _is_model(path))
        return [*models, *filter(self._picture_reimports.begin, others)]

    @property
    def importing_again(self) -> frozenset[str]:
        """The files that are being imported again."""
        return self.assets.importing_again | self._picture_reimports.under_way

    def sources(self) -> set[str]:
        """Return the files that are read again when they change."""
        parts = (self.assets, self.levels, self.images, self.textures)
        return {file for part in parts for file in part.sources()}

    def check_for_changes(self, force: bool = False) -> int:
        """Read again what changed on disk: assets, levels, pictures; everything with `force`.

        Returns
        -------
        int
            How many assets, levels and environment images are being read.
        """
        assets = self.assets.check_for_changes(force)
        levels = self.levels.check_for_changes(force)
        self.textures.check_for_changes()
        return len(assets) + len(levels) + self.images.check_for_changes(force)

    def problems(self) -> list[str]:
        """Return what is wrong with the files that the level uses."""
        looks = [look.image for _, look in LOOKS.each(self.world)]
        found = [*self.realiser.issues.values(), *self.overrides.issues.values()]
        found += [self.images.problems.get(image, "") for image in looks]
        return [text for text in dict.fromkeys(found) if text]

    def _tell(self) -> None:
        """Say which assets are others now."""
        news = {entry.path: False for entry in self.assets.take_changed()}
        news.update((entry.path, True) for entry in self.assets.take_reloaded())
        pictures = {**self.images.take_news(), **self.textures.take_news()}
        news.update({**self.levels.take_news(), **pictures})
        again = (*self.assets.take_reimports(), *self._picture_reimports.take())
        if news or again:
            reloaded = tuple(path for path, is_other in news.items() if is_other)
            is_seen = bool(reloaded or pictures or again)
            self.on_assets(AssetNews(reloaded, tuple(news), is_seen, again))


def _is_model(asset_path: str) -> bool:
    return asset_path.lower().endswith(GLTF_SUFFIXES)

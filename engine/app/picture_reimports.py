"""Pictures that somebody asked to have imported again, until there is something to be said."""

from __future__ import annotations

from engine.assets.reimports import Reimport
from engine.assets.texture_files import TextureFiles
from engine.scene.environment_images import EnvironmentImages


class PictureReimports:
    """What was asked for and is not told of yet, of the pictures that a level shows.

    Attributes
    ----------
    under_way : set of str
        As levels write them.
    """

    def __init__(self, images: EnvironmentImages, textures: TextureFiles) -> None:
        self.under_way: set[str] = set()
        self._images, self._textures = images, textures

    def begin(self, path: str) -> bool:
        """Read a picture again, past what was kept of it; False where nothing shows it."""
        # An environment and a material may both have it.
        is_shown = any([self._images.read_again(path), self._textures.read_again(path)])
        if is_shown:
            self.under_way.add(path)
        return is_shown

    def take(self) -> list[Reimport]:
        """Return what came of pictures since the last call."""
        images, textures = self._images, self._textures
        done = [p for p in self.under_way if not (images.is_reading(p) or textures.is_reading(p))]
        self.under_way.difference_update(done)
        problems = {path: images.problems.get(path) or textures.problem(path) for path in done}
        return [Reimport(path, None, text, bool(text)) for path, text in problems.items()]

"""`App`: one world with its registry, assets, bridge and picture, advanced frame by frame.

It takes a renderer and imports none, so a script, a test or a build machine runs the same program
without a display. A level is read into a world of its own, which takes the place of the present
one only when all of it was understood: a file that can't be opened changes nothing.
"""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.app.blank_scene import blank_scene
from engine.app.frame_stats import FrameStats, PhaseClock
from engine.app.news import AssetNews
from engine.app.picture_reimports import PictureReimports
from engine.app.renderer import AppRenderer
from engine.assets import AssetError
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.assets.library import AssetLibrary
from engine.assets.texture_files import TextureFiles
from engine.assets.watch.changes import FileChanges
from engine.collector import paused_collector
from engine.ecs import QuerySpec, World
from engine.errors import SceneError
from engine.project import project_folder, project_root
from engine.reflect import Entity
from engine.render.scene import Camera
from engine.scene import (
    BUILTIN_COMPONENTS,
    Environment,
    InstanceRealiser,
    LevelFile,
    RenderBridge,
    SceneRegistry,
    level_registry,
    propagate_transforms,
)
from engine.scene.environment_images import EnvironmentImages
from engine.scene.level_library import LevelLibrary, LevelLoop, placed_levels
from engine.scene.light_cache import LightCache
from engine.scene.material_overrides import MaterialOverrides

_NODES_PER_FRAME = 4_000
"""About how many nodes of instances are made in a frame, so that none takes long."""

_LOOKS = QuerySpec(Environment)


class App:
    """A running project.

    Parameters
    ----------
    project : path, optional
        A folder, or its project.json; asset paths are relative to it. A level that is loaded
        later brings its own.
    renderer : AppRenderer, optional
        None: meshes are pending, all else works.

    Attributes
    ----------
    world, registry, bridge, scene, assets, levels, realiser, textures, overrides, images,
    level_file
        Replaced together by `load` and `new`, but for the registry.
    on_realised : callable
        Called with the instance roots whose nodes changed, within `frame` and `settle`.
    on_assets : callable
        Called with the assets whose contents or problems are others now, within `frame` and
        `settle`.
    on_frame : callable
        Called at the end of every `frame`.
    is_held : callable
        Whether what is shown must stay as it is for now: newer versions of files wait.
    has_project : bool
        Whether a project was named; otherwise assets are read below the working directory.
    cache_folder : callable
        Tells where what is made of the files below a folder is kept; None: where
        `engine.assets.cache_folder` has it.
    hidden : frozenset of Entity
        Left out of the picture, with what hangs under them, though the level has them.
    """

    world: World
    level_file: LevelFile
    realiser: InstanceRealiser
    bridge: RenderBridge
    textures: TextureFiles
    overrides: MaterialOverrides
    images: EnvironmentImages

    def __init__(
        self,
        project: str | os.PathLike[str] | None = None,
        renderer: AppRenderer | None = None,
    ) -> None:
        self.registry: SceneRegistry = level_registry()
        self.renderer = renderer
        self.hidden: frozenset[Entity] = frozenset()
        self.on_frame: Callable[[], None] = lambda: None
        self.on_realised: Callable[[tuple[Entity, ...]], None] = lambda _roots: None
        self.on_assets: Callable[[AssetNews], None] = lambda _news: None
        self.is_held: Callable[[], bool] = lambda: False
        self.scene = blank_scene(Camera.look_at((6.0, 4.0, 8.0), (0.0, 0.5, 0.0)))
        self.cache_folder: Callable[[pathlib.Path], pathlib.Path | None] = lambda _root: None
        self.has_project = project is not None
        self.assets = AssetLibrary(project_folder(project))
        self.levels = self._levels_of(self.assets)
        self.assets.attach(renderer)
        self._start(World(), None)

    @property
    def root(self) -> pathlib.Path:
        """The project's folder."""
        return self.assets.root

    def new(self, root: str | os.PathLike[str] | None = None) -> None:
        """Start an empty level, in the project at `root` or the present one."""
        if root is not None:
            self._use_libraries(*self._libraries(pathlib.Path(root)))
        self._let_go()
        self._start(World(), None)

    def load(
        self,
        level: str | os.PathLike[str],
        *,
        data: bytes | None = None,
        allow_loops: bool = False,
    ) -> None:
        """Open a level in place of the present one.

        Parameters
        ----------
        level : path
            Relative to the working directory or else to the project.
        data : bytes, optional
            What its file held when it was last read, to go on from there.
        allow_loops : bool
            Open also a level that holds itself, with a box where it would begin again.

        Raises
        ------
        SceneError
            The file can't be read or understood, or the level holds itself through the levels
            that it places; the present level stays.
        """
        path = pathlib.Path(level)
        if not os.path.exists(path) and not path.is_absolute() and os.path.exists(self.root / path):
            path = self.root / path
        world = World()
        level_file = LevelFile.open(path, world, self.registry, data=data)
        assets, levels = self._libraries(project_root(path))
        levels.check_for_changes()
        loop = "" if allow_loops else levels.find_loop(placed_levels(world), home=path.resolve())
        if loop:
            if assets is not self.assets:
                assets.close()
            raise LevelLoop(f"{path}: {loop}")
        self._let_go()
        self._use_libraries(assets, levels)
        self._start(world, level_file)

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        before_writing: Callable[[bytes], None] = lambda _data: None,
    ) -> None:
        """Write the level to its file, or to another one, which becomes its file.

        `before_writing` is called with what the file will hold right before it is written.

        Raises
        ------
        SceneError
            There is no path, somebody else changed the file since it was read (and not
            `overwrite`), the level would hold itself, or it can't be written; what was there
            stays.
        """
        target = pathlib.Path(path).resolve() if path is not None else None
        loop = self.levels.find_loop(placed_levels(self.world), home=target)
        if loop:
            raise SceneError(f"{path or self.level_file.path}: {loop}")
        self.level_file.save(path, overwrite=overwrite, before_writing=before_writing)

    def mount_assets(self, root: str | os.PathLike[str]) -> None:
        """Read assets below another folder from now on; instances are realised anew.

        The folder may be a project's, whose glTF files are read by their paths, or one that
        `cinder-cook` filled, whose assets are read by logical path (`assets.load_mesh`).
        """
        if pathlib.Path(root).resolve() != self.root:
            self._let_go()
            self._use_libraries(*self._libraries(pathlib.Path(root)))
            self._make_drawn()

    @property
    def is_loading(self) -> bool:
        """Whether a file is being read, or the next frame will take one in."""
        assets = self.assets
        is_reading = bool(assets.loading()) or assets.is_reading_cooked or self.levels.is_reading
        return is_reading or self.realiser.is_behind or self.textures.is_loading()

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

    def attach(self, renderer: AppRenderer | None) -> None:
        """Use a renderer from now on: upload what is pending and set the mesh ids."""
        self.renderer = renderer
        self.assets.attach(renderer)
        self.realiser.attach(renderer)
        self.overrides.attach(renderer)
        self.textures.attach(renderer)

    def frame(self, dt: float) -> FrameStats:
        """Advance by `dt` seconds and bring `scene` up to date.

        In this order: assets, deferred operations, transforms, the picture.
        """
        clock = PhaseClock()
        self.assets.update()
        realised = self.realise(_NODES_PER_FRAME)
        self.world.deferred.flush()
        if self.images.poll():
            self.on_realised(())
        clock.end("Assets")
        moved = propagate_transforms(self.world)
        clock.end("Transforms")
        self.bridge.hidden = self.hidden
        instances = self.bridge.build(self.world, self.scene)
        clock.end("Instances")
        if not self.realiser.is_behind:
            # Instances that are not made anew yet draw what is retired.
            self.assets.release_retired()
        self.textures.release_retired()
        self._tell()
        self.on_frame()
        return FrameStats(realised, moved, instances, tuple(clock.phases))

    def realise(self, nodes: float = math.inf) -> tuple[Entity, ...]:
        """Realise what is loaded already, and wait for nothing; return the roots that changed.

        Parameters
        ----------
        nodes : float
            About how many nodes of instances to make; the others follow with the next frames.
        """
        realised = self._realise(lambda: self.realiser.sync(nodes))
        self.overrides.sync(bool(realised))
        return realised

    def settle(self) -> tuple[Entity, ...]:
        """Wait for every asset in use and realise it; return the roots that changed."""
        for _, look in _LOOKS.each(self.world):
            if look.image:
                self.images.get(look.image)
        realised = self._realise(self.realiser.settle)
        self.assets.wait_all()
        self.overrides.sync(bool(realised))
        self.overrides.settle()
        if self.images.poll():
            self.on_realised(())
        propagate_transforms(self.world)
        self._tell()
        return realised

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
        looks = [look.image for _, look in _LOOKS.each(self.world)]
        found = [*self.realiser.issues.values(), *self.overrides.issues.values()]
        found += [self.images.problems.get(image, "") for image in looks]
        return [text for text in dict.fromkeys(found) if text]

    def render(self, target: Any, width: int, height: int) -> None:
        """Draw the picture as the last `frame` left it.

        Raises
        ------
        AssetError
            There is no renderer.
        """
        self._expect_renderer().render(self.scene, target, width, height)

    def snapshot(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return the picture as the last `frame` left it, (height, width, 4), sRGB.

        Raises
        ------
        AssetError
            There is no renderer.
        """
        return self._expect_renderer().snapshot(self.scene, width, height)

    def close(self) -> None:
        """Let the workers go."""
        self.assets.close()
        self.textures.close()

    def _start(self, world: World, level_file: LevelFile | None) -> None:
        self.world = world
        self.assets.begin_level()
        self.level_file = level_file or LevelFile.new(world, self.registry)
        self.bridge = RenderBridge()
        self._make_drawn()
        self.scene = blank_scene(self.scene.camera)
        self.hidden = frozenset()

    def _make_drawn(self) -> None:
        """Begin to make what the present world shows, from the files of the present project."""
        types = dict.fromkeys((*BUILTIN_COMPONENTS, *self.registry.types))
        self.realiser = InstanceRealiser(self.world, self.assets, self.renderer, types, self.levels)
        self.textures = TextureFiles(self.assets.resolve)
        self.textures.attach(self.renderer)
        self.overrides = MaterialOverrides(self.world, self.textures, self.renderer)
        lights = LightCache(self.assets.root, self.cache_folder(self.assets.root))
        self.images = EnvironmentImages(self.assets.resolve, self.assets.submit, lights)
        self.bridge.images = self.images
        self._picture_reimports = PictureReimports(self.images, self.textures)

    def _let_go(self) -> None:
        """Free what the present world had made for its picture."""
        self.realiser.close()
        self.overrides.close()
        self.textures.close()

    def _libraries(self, root: pathlib.Path) -> tuple[AssetLibrary, LevelLibrary]:
        """Return the assets and levels below a folder: the present ones, where it is theirs."""
        if root.resolve() == self.root:
            return self.assets, self.levels
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

    def _realise(self, step: Callable[[], list[Entity]]) -> tuple[Entity, ...]:
        self.assets.holds_reloads = self.levels.holds_reloads = self.is_held()
        with paused_collector():
            realised = tuple(step())
        if realised:
            self.on_realised(realised)
        return realised

    def _expect_renderer(self) -> AppRenderer:
        if self.renderer is None:
            raise AssetError("there is no renderer to draw with")
        return self.renderer


def _is_model(asset_path: str) -> bool:
    return asset_path.lower().endswith(GLTF_SUFFIXES)

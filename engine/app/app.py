"""`App`: one world with its registry, assets, bridge and picture, advanced frame by frame.

It takes a renderer and imports none, so a script, a test or a build machine runs the same program
without a display. A level is read into a world of its own, which takes the place of the present
one only when all of it was understood: a file that can't be opened changes nothing.
"""

from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.app.app_files import LOOKS
from engine.app.app_project import AppProject
from engine.app.blank_scene import blank_scene
from engine.app.frame_stats import FrameStats, PhaseClock
from engine.app.news import AssetNews
from engine.app.picture_reimports import PictureReimports
from engine.app.renderer import AppRenderer
from engine.assets import AssetError
from engine.assets.library import AssetLibrary
from engine.assets.texture_files import TextureFiles
from engine.collector import paused_collector
from engine.ecs import World
from engine.errors import SceneError
from engine.project import project_folder, project_root
from engine.reflect import Entity
from engine.render.scene import Camera
from engine.scene import (
    BUILTIN_COMPONENTS,
    InstanceRealiser,
    LevelFile,
    RenderBridge,
    SceneRegistry,
    level_registry,
    propagate_transforms,
)
from engine.scene.environment_images import EnvironmentImages
from engine.scene.level_library import LevelLoop, placed_levels
from engine.scene.light_cache import LightCache
from engine.scene.material_overrides import MaterialOverrides

_NODES_PER_FRAME = 4_000
"""About how many nodes of instances are made in a frame, so that none takes long."""


class App(AppProject):
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

    bridge: RenderBridge

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

    @property
    def is_loading(self) -> bool:
        """Whether a file is being read, or the next frame will take one in."""
        assets = self.assets
        is_reading = bool(assets.loading()) or assets.is_reading_cooked or self.levels.is_reading
        is_behind = self.realiser.is_behind or self.textures.is_loading()
        return is_reading or is_behind or (self._mount is not None and self._mount.is_loading)

    def attach(self, renderer: AppRenderer | None) -> None:
        """Use a renderer from now on: upload what is pending and set the mesh ids."""
        self.renderer = renderer
        if self._mount is not None:
            self._mount.assets.attach(renderer)
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
        if self._mount is not None:
            self._mount.poll()
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
        for _, look in LOOKS.each(self.world):
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
        self.drop_mount()
        self.assets.close()
        self.textures.close()

    def _start(self, world: World, level_file: LevelFile | None) -> None:
        self.drop_mount()
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

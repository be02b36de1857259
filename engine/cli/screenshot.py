"""A level as a picture, without a window or a display: `main.py --screenshot OUT.png LEVEL`.

`cinder-scene render` draws through the same door. The view is the first active camera's, or that of
a camera that is named. A level without one is framed whole, as the editor first shows it. The same
level gives the same bytes on the same adapter.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from engine.app import App
from engine.cli.picture_options import add_picture_arguments
from engine.ecs import QuerySpec
from engine.errors import EngineError, SceneError
from engine.project import PROJECT_FILE, first_level
from engine.render.framing import camera_on, scene_corners
from engine.render.open import open_renderer
from engine.render.settings import RenderSettings, Tonemap
from engine.scene import CameraComponent, Name, WorldTransform, is_enabled

_CAMERAS = QuerySpec(CameraComponent, WorldTransform)


def main(argv: Sequence[str]) -> int:
    """Draw one picture and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="main.py --screenshot", description="Draw a level into a PNG file, without a window."
    )
    parser.add_argument("out", type=Path, metavar="OUT.png")
    parser.add_argument("level", type=Path, metavar="LEVEL")
    add_picture_arguments(parser)
    return write_picture(parser.parse_args(argv))


def write_picture(arguments: argparse.Namespace) -> int:
    """Draw what a command line asks for and return the exit status."""
    try:
        _expect_writable(arguments.out)
        width, height = arguments.size
        pixels, problems = draw_level(
            arguments.level, width, height, arguments.camera, arguments.tonemap
        )
        Image.fromarray(pixels[..., :3]).save(arguments.out)
    except (EngineError, OSError, ValueError) as error:
        print(f"no picture: {error}", file=sys.stderr)
        return 1
    for problem in problems:
        print(f"warning: {problem}", file=sys.stderr)
    return 0


def _expect_writable(out: Path) -> None:
    """Raise before the drawing what the writing would raise after it."""
    suffix = out.suffix.lower()
    if Image.registered_extensions().get(suffix) not in Image.SAVE:
        raise ValueError(f"{out}: expected the name of a picture, such as OUT.png")
    if not os.path.isdir(out.absolute().parent):
        raise ValueError(f"{out}: there is no folder {out.parent}")


def draw_level(
    level: Path,
    width: int,
    height: int,
    camera: str | None = None,
    tonemap: Tonemap | None = None,
) -> tuple[NDArray[np.uint8], list[str]]:
    """Return the picture of a level and what was wrong with its assets.

    Parameters
    ----------
    level : path
        A level, a project folder or a project.json.
    width, height : int
        Pixels.
    camera : str, optional
        Name of the camera that takes it, active or not; without one the first active camera does.
    tonemap : str, optional
        In place of the level's tone mapping.

    Returns
    -------
    pixels : (height, width, 4) uint8
        sRGB.
    problems : list of str

    Raises
    ------
    EngineError
        The level can't be opened, has no such camera, or there is no adapter to draw with.
    """
    if os.path.isdir(level) or level.name == PROJECT_FILE:
        level = first_level(level)
    renderer = open_renderer()
    renderer.settings = RenderSettings(tonemap=tonemap)
    app = App(renderer=renderer)
    try:
        app.load(level)
        app.settle()
        if camera is not None:
            _look_through(app, camera)
        app.frame(0.0)
        if not _has_camera(app):
            corners = scene_corners(app.scene, renderer.instance_boxes(app.scene))
            app.scene.camera = camera_on(corners, width / height)
        return app.snapshot(width, height), app.problems()
    finally:
        app.close()


def _has_camera(app: App) -> bool:
    cameras = _CAMERAS.each(app.world)
    return any(camera.active and is_enabled(app.world, entity) for entity, camera, _ in cameras)


def _look_through(app: App, name: str) -> None:
    """Make the camera of a name the only active one.

    Raises
    ------
    SceneError
        No camera that is switched on has the name.
    """
    world = app.world
    cameras = {
        entity: world.get(entity, Name).text if world.has(entity, Name) else ""
        for entity, _, _ in _CAMERAS.each(world)
        if is_enabled(world, entity)
    }
    chosen = [entity for entity, text in cameras.items() if text == name]
    if not chosen:
        known = ", ".join(sorted(filter(None, cameras.values()))) or "none at all"
        raise SceneError(f"camera {name!r}: found no such camera; expected one of: {known}")
    for entity in cameras:
        camera = world.get(entity, CameraComponent)
        camera.active = entity == chosen[0]
        world.set(entity, camera)

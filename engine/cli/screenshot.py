"""A level as a picture: `main.py --screenshot OUT.png LEVEL`, without a window or a display.

The view is the first active camera's. A level without one is framed whole, from the side that the
editor opens on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from engine.app import PROJECT_FILE, App, first_level
from engine.ecs import QuerySpec
from engine.errors import EngineError
from engine.math import bounds_transform
from engine.render.open import open_renderer
from engine.render.scene import Camera
from engine.scene import CameraComponent, GltfInstance, Shape, WorldTransform, is_enabled

DEFAULT_SIZE = (1600, 1000)
LARGEST = 16_384
_FROM = np.array([0.55, 0.42, 0.72], np.float32)


def main(argv: Sequence[str]) -> int:
    """Draw one picture and return the exit status."""
    arguments = _parser().parse_args(argv)
    try:
        _expect_writable(arguments.out)
        pixels, problems = draw_level(arguments.level, *arguments.size)
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
    if not out.absolute().parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.parent}")


def draw_level(level: Path, width: int, height: int) -> tuple[NDArray[np.uint8], list[str]]:
    """Return the picture of a level and what was wrong with its assets.

    Parameters
    ----------
    level : path
        A level, a project folder or a project.json.
    width, height : int
        Pixels.

    Returns
    -------
    pixels : (height, width, 4) uint8
        sRGB.
    problems : list of str

    Raises
    ------
    EngineError
        The level can't be opened, or there is no adapter to draw with.
    """
    if level.is_dir() or level.name == PROJECT_FILE:
        level = first_level(level)
    app = App(renderer=open_renderer())
    try:
        app.load(level)
        app.settle()
        app.frame(0.0)
        if not _has_camera(app):
            app.scene.camera = camera_on_all(app)
        return app.snapshot(width, height), list(app.realiser.issues.values())
    finally:
        app.close()


def _has_camera(app: App) -> bool:
    cameras = QuerySpec(CameraComponent, WorldTransform).each(app.world)
    return any(camera.active and is_enabled(app.world, entity) for entity, camera, _ in cameras)


def camera_on_all(app: App) -> Camera:
    """Return a camera that has every placed prop and shape in view."""
    low, high = _bounds(app)
    centre, radius = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 0.5)
    fov_y = Camera.look_at((0, 0, 1), (0, 0, 0)).fov_y
    distance = radius / np.sin(fov_y / 2) * 1.05
    direction = _FROM / np.linalg.norm(_FROM)
    return Camera.look_at(centre + direction * distance, centre, near=radius / 100)


def _bounds(app: App) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the box (low, high) around what is placed; a point when nothing is."""
    boxes = []
    for entity, instance, world in QuerySpec(GltfInstance, WorldTransform).each(app.world):
        asset = app.assets.get(instance.asset).asset
        if asset is not None and is_enabled(app.world, entity):
            local = asset.world_bounds()
            boxes.append(bounds_transform(world.matrix, local.min, local.max))
    half = np.full(3, 0.5, np.float32)
    for entity, _, world in QuerySpec(Shape, WorldTransform).each(app.world):
        if is_enabled(app.world, entity):
            boxes.append(bounds_transform(world.matrix, -half, half))
    if not boxes:
        return np.zeros(3, np.float32), np.zeros(3, np.float32)
    corners = np.array(boxes, np.float32)
    return corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="main.py --screenshot", description="Draw a level into a PNG file, without a window."
    )
    parser.add_argument("out", type=Path, metavar="OUT.png")
    parser.add_argument("level", type=Path, metavar="LEVEL")
    parser.add_argument(
        "--size",
        type=_size,
        default=DEFAULT_SIZE,
        metavar="WxH",
        help="pixels, 1600x1000 if absent",
    )
    return parser


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT, found {text!r}")
    size = int(width), int(height)
    if not all(1 <= side <= LARGEST for side in size):
        raise argparse.ArgumentTypeError(f"expected sides from 1 to {LARGEST}, found {text!r}")
    return size

"""The options of every command that draws a level."""

from __future__ import annotations

import argparse

from engine.render.settings import TONEMAPS

DEFAULT_SIZE = (1600, 1000)
LARGEST = 16_384


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what a picture of a level is like."""
    parser.add_argument(
        "--size",
        type=_size,
        default=DEFAULT_SIZE,
        metavar="WxH",
        help="pixels, 1600x1000 if absent",
    )
    parser.add_argument("--camera", metavar="NAME", help="the camera that takes the picture")
    parser.add_argument("--tonemap", choices=TONEMAPS, help="in place of the level's tone mapping")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"expected WIDTHxHEIGHT, found {text!r}")
    size = int(width), int(height)
    if not all(1 <= side <= LARGEST for side in size):
        raise argparse.ArgumentTypeError(f"expected sides from 1 to {LARGEST}, found {text!r}")
    return size

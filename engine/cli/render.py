"""Draw a level into a picture, without a window or a display.

The view is the first active camera's, or that of the camera that is named; a level without one is
framed whole, as the editor first shows it. The same level gives the same bytes on the same
adapter. Status 1: there is no picture.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli.picture_options import add_picture_arguments

HELP = "draw a level into a picture"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("level", type=Path, metavar="LEVEL", help="a level or a project folder")
    parser.add_argument("out", type=Path, metavar="OUT.png")
    add_picture_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Draw one picture."""
    # Here and not above, so that the other commands load no GPU library.
    from engine.cli.screenshot import write_picture

    return write_picture(arguments)

"""Write a level as one binary glTF file, with the props that it places.

What could not be exported as it is goes to standard error, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import sys

from engine.errors import SceneError

HELP = "write a level as a .glb file for other programs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("level", metavar="LEVEL")
    parser.add_argument("output", metavar="OUT.glb")


def run(arguments: argparse.Namespace) -> int:
    """Export one level."""
    # Only this command needs a world and its assets.
    from engine.app import App
    from engine.scene.export import write_glb

    if not arguments.output.lower().endswith(".glb"):
        raise SceneError(f"{arguments.output}: found another suffix, expected .glb")
    app = App()
    try:
        app.load(arguments.level)
        app.settle()
        warnings = write_glb(arguments.output, app.world, app.assets, textures=app.textures)
        warnings = [*app.problems(), *warnings]
    finally:
        app.close()
    for warning in dict.fromkeys(warnings):
        print(f"warning: {warning}", file=sys.stderr)
    return 1 if warnings else 0

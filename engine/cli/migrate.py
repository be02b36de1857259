"""Bring a level file to the present version, in place.

Lines that the migration did not change stay as they are. A file of the present version is left
alone; a newer one is refused.
"""

from __future__ import annotations

import argparse

from engine.cli.documents import read_source, rewrite
from engine.scene.document import SCENE_VERSION
from engine.scene.levels import level_registry
from engine.scene.levels.scene_file import naming

HELP = "bring a level file to the present version, in place"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("file", metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Migrate one file."""
    source = read_source(arguments.file)
    stored, version = source.doc.copy(), source.doc.version
    with naming(arguments.file):
        level_registry().migrate(source.doc)
    if version == SCENE_VERSION:
        print(f"{arguments.file}: is of version {SCENE_VERSION} already")
        return 0
    rewrite(arguments.file, source, stored, source.doc)
    print(f"{arguments.file}: version {version} -> {SCENE_VERSION}")
    return 0

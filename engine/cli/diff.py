"""Print what changed between two levels, in an artist's words.

The order of components, the spelling of numbers and comments make no difference. Status 0: none.
1: there are differences. 2: an input can't be read.
"""

from __future__ import annotations

import argparse

from engine.cli.documents import read_source
from engine.cli.words import Words
from engine.scene.document.diff import diff

HELP = "print what changed between two levels"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")


def run(arguments: argparse.Namespace) -> int:
    """Compare two files."""
    a, b = read_source(arguments.a).doc, read_source(arguments.b).doc
    status = 0
    if a.version != b.version:
        print(f"version {a.version} -> {b.version}")
        status = 1
    words = Words(a, b)
    for change in diff(a, b):
        print(words.describe(change))
        status = 1
    return status

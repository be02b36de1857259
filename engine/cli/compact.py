"""Remove the empty records that deleted entities left, and number the others anew.

This changes indices, so versions of the level on other branches no longer merge well with it.
"""

from __future__ import annotations

import argparse

from engine.cli.documents import read_source, write_document
from engine.scene.document.compact import compact

HELP = "remove empty records from a level file, in place (renumbers the entities)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("file", metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Compact one file."""
    source = read_source(arguments.file)
    doc = compact(source.doc)
    removed = len(source.doc) - len(doc)
    if removed:
        write_document(arguments.file, doc, binary=source.is_binary)
    print(f"{arguments.file}: {removed} empty records removed, {len(doc)} entities")
    return 0

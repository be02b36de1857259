"""Write a level in another format: binary for a name that ends in .cscn, else text.

The document's version stays. Text is written in canonical form, without comments.
"""

from __future__ import annotations

import argparse

from engine.cli.documents import read_source, write_document

HELP = "write a level in the format that the output's suffix asks for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT")


def run(arguments: argparse.Namespace) -> int:
    """Convert one file."""
    source = read_source(arguments.input)
    size = write_document(arguments.output, source.doc)
    print(f"{arguments.output}: {len(source.doc)} entities, {size} bytes")
    return 0

"""Write a level in another format: binary for a name that ends in .cscn, else text.

The document's version stays. Text is written in canonical form, without comments. Files of any
length are converted piece by piece, in little memory.
"""

from __future__ import annotations

import argparse

from engine.cli.documents import stream, write_stream

HELP = "write a level in the format that the output's suffix asks for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("input", metavar="IN")
    parser.add_argument("output", metavar="OUT")


def run(arguments: argparse.Namespace) -> int:
    """Convert one file."""
    count, size = write_stream(arguments.output, stream(arguments.input))
    print(f"{arguments.output}: {count} entities, {size} bytes")
    return 0

"""Print what a level file is made of."""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from engine.cli.documents import read_source
from engine.scene.levels.scene_file import Scene

HELP = "print what a level file is made of"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Count what one file holds."""
    source = read_source(arguments.file)
    columns = source.doc.to_columns()
    counts = np.bincount(columns.owners(), minlength=columns.entity_count)
    components: Counter[str] = Counter()
    for table in columns.tables:
        components[table.name] += len(table)
    scene = Scene("", source.doc)
    parents = {pair.child for pair in scene.hierarchy}
    rows = [
        ("format", "binary" if source.is_binary else "text"),
        ("version", source.doc.version),
        ("bytes", len(source.data)),
        ("entities", int((counts > 0).sum())),
        ("empty records", int((counts == 0).sum())),
        ("roots", int((counts > 0).sum()) - len(parents)),
        ("components", components.total()),
        *((f"  {name}", count) for name, count in sorted(components.items())),
        ("mesh files", len(scene.assets.meshes)),
        ("texture files", len(scene.assets.textures)),
    ]
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label:<{width}}  {value}")
    return 0

"""Print what a level file is made of."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable

import numpy as np

from engine.cli.documents import stream
from engine.reflect import Kind
from engine.scene.components import SceneInstance
from engine.scene.document import SceneDoc
from engine.scene.document.chunks import Chunk
from engine.scene.levels.scene_file import Scene

HELP = "print what a level file is made of"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("file", metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Count what one file holds."""
    rows = _Counts(stream(arguments.file)).rows()
    width = max(len(label) for label, _ in rows)
    for label, value in rows:
        print(f"{label:<{width}}  {value}")
    return 0


class _Counts:
    """What the pieces of a document hold, counted as they come."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self.filled = self.empty = self.children = 0
        self.components: Counter[str] = Counter()
        self.meshes: set[str] = set()
        self.textures: set[str] = set()
        self.levels: set[str] = set()
        for chunk in chunks:
            self.last = chunk
            self._add(chunk)

    def _add(self, chunk: Chunk) -> None:
        columns = chunk.columns
        counts = np.bincount(columns.owners(), minlength=columns.entity_count)
        self.filled += int((counts > 0).sum())
        self.empty += int((counts == 0).sum())
        for table in columns.tables:
            self.components[table.name] += len(table)
            level = table.column("level") if table.name == SceneInstance.scene_name() else None
            if level is not None and level.kind is Kind.STRING:
                self.levels.update(filter(None, level.values.tolist()))
        scene = Scene("", SceneDoc.from_columns(chunk.version, columns))
        self.children += len({pair.child for pair in scene.hierarchy})
        self.meshes.update(scene.assets.meshes)
        self.textures.update(scene.assets.textures)

    def rows(self) -> list[tuple[str, object]]:
        """Return labels and figures."""
        return [
            ("format", "binary" if self.last.is_binary else "text"),
            ("version", self.last.version),
            ("bytes", self.last.end),
            ("entities", self.filled),
            ("empty records", self.empty),
            ("roots", self.filled - self.children),
            ("components", self.components.total()),
            *((f"  {name}", count) for name, count in sorted(self.components.items())),
            ("mesh files", len(self.meshes)),
            ("texture files", len(self.textures)),
            ("level files", len(self.levels)),
        ]

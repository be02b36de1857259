"""`FileMoves`: files of a project that get another path, as data that a step can hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Protocol

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FileMoves:
    """What is done to the files of a project, all of it or nothing.

    Paths are relative to the project, with "/".

    Attributes
    ----------
    moved : tuple of (old, new)
        Files and whole folders that go to another path.
    copied : tuple of (source, target)
        Files that are needed in two places from now on.
    renamed : tuple of (old, new)
        What levels call them; a folder stands for everything in it.
    root : str
        The project's folder. Where the level belongs to another by now, no file is touched.
    """

    moved: Pairs = ()
    copied: Pairs = ()
    renamed: Pairs = ()
    root: str = ""

    def new_name(self, asset: str) -> str:
        """Return what a file is called afterwards."""
        return _renamed(self.renamed, asset)

    def reversed(self) -> FileMoves:
        """Return the moves that take these back; copies are left out."""
        turned = [tuple((new, old) for old, new in pairs) for pairs in (self.moved, self.renamed)]
        return FileMoves(turned[0][::-1], (), turned[1][::-1], self.root)

    def to_text(self) -> str:
        """Return it as text for a journal."""
        return json.dumps([self.moved, self.copied, self.renamed, self.root])

    @classmethod
    def from_text(cls, text: str) -> FileMoves:
        """Read what `to_text` returned; raises ValueError."""
        try:
            *parts, root = json.loads(text)
            moved, copied, renamed = (tuple((str(a), str(b)) for a, b in part) for part in parts)
        except (TypeError, RecursionError) as error:
            raise ValueError(str(error)) from error
        return cls(moved, copied, renamed, str(root))


def _renamed(pairs: Pairs, asset: str) -> str:
    for old, new in pairs:
        if asset == old:
            return new
        if asset.startswith(f"{old}/"):
            return new + asset[len(old) :]
    return asset


class FileMover(Protocol):
    """Who moves files on behalf of commands."""

    def carry_out(self, moves: FileMoves) -> None:
        """Move, copy, and rewrite the other levels; raises EngineError, and nothing happened."""

    def take_back(self, moves: FileMoves) -> None:
        """Undo what `carry_out` did; raises EngineError, and nothing happened."""

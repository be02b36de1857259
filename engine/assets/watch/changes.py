"""`FileChanges`: which files are other ones now."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Files that were written, made, moved here or taken away since the last batch.

    Attributes
    ----------
    changed : tuple of str
        Absolute paths of what is there, each with what may be other contents. A link to a folder
        stands for everything below it.
    removed : tuple of str
        Absolute paths of files and folders that are gone; a folder stands for everything below it.
    """

    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    _all: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_all", frozenset(self.paths))

    def __bool__(self) -> bool:
        return bool(self.changed or self.removed)

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return self.changed + self.removed

    def touches(self, paths: Iterable[str]) -> bool:
        """Whether one of `paths` is among them, or lies below one of them."""
        mine = self._all
        return any(path in mine or not mine.isdisjoint(folders_above(path)) for path in paths)


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders that hold a path, the nearest first."""
    above = os.path.dirname(path)
    while above != path:
        yield above
        path, above = above, os.path.dirname(above)

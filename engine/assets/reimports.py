"""Files that somebody asked to have imported again, until there is something to be said of each."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from engine.assets.asset_entry import LoadOutcome
from engine.assets.gltf.asset import GltfAsset

__all__ = ["Reimport", "Reimports"]


@dataclass(frozen=True, slots=True)
class Reimport:
    """What came of importing a file again.

    Attributes
    ----------
    path : str
        As levels write it.
    asset : GltfAsset or None
        What it holds; None where it can't be read, or is another kind of file.
    error : str
        Why its newest contents can't be shown, empty where they can.
    is_shown : bool
        Whether an older version stays in view in spite of the error.
    """

    path: str
    asset: GltfAsset | None = None
    error: str = ""
    is_shown: bool = False


class Reimports:
    """What was asked for and is not told of yet.

    Attributes
    ----------
    asked : set of str
        Assets that are in use; the library knows when they are there.
    """

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self._alone: dict[str, Future[LoadOutcome]] = {}
        self._done: list[Reimport] = []

    @property
    def under_way(self) -> frozenset[str]:
        """What is being imported again."""
        return frozenset(self.asked.union(self._alone))

    def begin_alone(self, path: str, job: Future[LoadOutcome]) -> None:
        """Wait for a file that nobody shows."""
        self._alone[path] = job

    def end(self, done: Reimport) -> None:
        """Note what came of one."""
        self.asked.discard(done.path)
        self._done.append(done)

    def take_alone(self) -> list[tuple[str, LoadOutcome]]:
        """Return what was read since of the files that nobody shows."""
        ready = [(path, job) for path, job in self._alone.items() if job.done()]
        for path, _ in ready:
            del self._alone[path]
        return [(path, job.result()) for path, job in ready if not job.cancelled()]

    def take(self) -> list[Reimport]:
        """Return what came of files since the last call."""
        done, self._done = self._done, []
        return done

    def forget(self) -> None:
        """Wait for nothing any more."""
        self.asked.clear()
        self._alone.clear()
        self._done.clear()

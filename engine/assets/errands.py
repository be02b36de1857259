"""Reading of files that are no assets of their own, done beside the work and waited for like it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass, field
from typing import Any, TypeVar

R = TypeVar("R")
_WORKERS = 2


@dataclass(eq=False, slots=True)
class Errand:
    """Work on a file.

    Parameters
    ----------
    path : str
        The file, as levels write it.
    """

    path: str
    job: Future[Any] = field(repr=False)


class Errands:
    """Does errands two at a time, in threads that start with the first."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._under_way: list[Errand] = []

    def submit(self, path: str, work: Callable[[], R]) -> Future[R]:
        """Have work on a file done."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_WORKERS, "errand")
        job = self._pool.submit(work)
        self._under_way.append(Errand(path, job))
        return job

    def under_way(self) -> list[Errand]:
        """Return what is not done, or was not when `forget_done` was last called."""
        return list(self._under_way)

    def forget_done(self) -> None:
        """Drop what is done."""
        if self._under_way:
            self._under_way = [errand for errand in self._under_way if not errand.job.done()]

    def wait(self, timeout: float | None) -> None:
        """Block until everything is done."""
        wait_for([errand.job for errand in self._under_way], timeout)

    def close(self) -> None:
        """Let the thread go; what it has not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._under_way.clear()

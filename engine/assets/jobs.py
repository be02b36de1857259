"""A small job system: worker threads, a table of bounded size, counters to wait for.

`submit` refuses a job when the table is full, so that whoever has work can do it at once instead
of queueing without end. Whoever waits helps: it runs queued jobs until its counter is at zero, so
a system without workers still gets its work done.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

Job = Callable[[], None]


class JobCounter:
    """How many jobs of a group are not done yet; `JobSystem.submit` counts up, the end down."""

    def __init__(self) -> None:
        self.pending = 0
        self.error: BaseException | None = None


class JobSystem:
    """Worker threads that run jobs.

    Parameters
    ----------
    workers : int
        Threads; 0 runs everything in `wait`.
    job_capacity : int
        Most jobs that are queued or running at one time.
    """

    def __init__(self, workers: int, job_capacity: int = 256) -> None:
        if workers < 0 or job_capacity < 0:
            raise ValueError(f"found {workers} workers and {job_capacity} jobs, expected 0 or more")
        self.job_capacity = job_capacity
        self._changed = threading.Condition()
        self._queue: deque[tuple[Job, JobCounter]] = deque()
        self._in_table = 0
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"job worker {k}", daemon=True)
            for k in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def workers(self) -> int:
        """The number of threads."""
        return len(self._threads)

    def submit(self, job: Job, counter: JobCounter | None = None) -> bool:
        """Queue a job and count it; False, and nothing done, when the table is full or closed."""
        with self._changed:
            if self._is_closed or self._in_table >= self.job_capacity:
                return False
            counter = JobCounter() if counter is None else counter
            counter.pending += 1
            self._in_table += 1
            self._queue.append((job, counter))
            self._changed.notify()
            return True

    def wait(
        self, counter: JobCounter, timeout: float | None = None, *, helps: bool = True
    ) -> bool:
        """Return when every job of `counter` is done, running queued ones meanwhile.

        Parameters
        ----------
        counter : JobCounter
        timeout : float, optional
            Seconds to wait at most; a job that was begun is finished nevertheless.
        helps : bool
            Whether to run queued jobs here too; where there are no workers they are anyway.

        Returns
        -------
        bool
            Whether they are done.

        Raises
        ------
        BaseException
            The first one that a job of the counter let through; it is then forgotten.
        """
        end = None if timeout is None else time.monotonic() + timeout
        helps = helps or not self._threads
        while True:
            with self._changed:
                while counter.pending and not (helps and self._queue):
                    left = None if end is None else end - time.monotonic()
                    if left is not None and left <= 0:
                        return False
                    self._changed.wait(left)
                if not counter.pending:
                    error, counter.error = counter.error, None
                    break
                item = self._queue.popleft()
            self._run(*item)
        if error is not None:
            raise error
        return True

    def wait_any(self, counters: Sequence[JobCounter], timeout: float | None = None) -> bool:
        """Return when the jobs of one of some counters are done, or the seconds are over.

        Returns
        -------
        bool
            Whether one is.
        """
        with self._changed:
            return self._changed.wait_for(lambda: not all(c.pending for c in counters), timeout)

    def wait_all(self, counters: Sequence[JobCounter], timeout: float | None = None) -> bool:
        """Return when the jobs of all of some counters are done, or the seconds are over.

        Returns
        -------
        bool
            Whether they are.
        """
        with self._changed:
            return self._changed.wait_for(lambda: not any(c.pending for c in counters), timeout)

    def close(self, *, wait: bool = True) -> None:
        """Finish what is queued and end the threads; nothing is taken afterwards.

        Without `wait` what is queued is dropped, and jobs that run end in their own time; they
        do not keep the program alive.
        """
        with self._changed:
            self._is_closed = True
            if not wait:
                self._drop_queued()
            self._changed.notify_all()
        if not wait:
            return
        for thread in self._threads:
            thread.join()
        while self._queue:
            self._run(*self._queue.popleft())

    def __enter__(self) -> "JobSystem":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drop_queued(self) -> None:
        for _, counter in self._queue:
            self._in_table -= 1
            counter.pending -= 1
        self._queue.clear()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue and not self._is_closed:
                    self._changed.wait()
                if not self._queue:
                    return
                item = self._queue.popleft()
            self._run(*item)

    def _run(self, job: Job, counter: JobCounter) -> None:
        error: BaseException | None = None
        try:
            job()
        except BaseException as problem:  # noqa: BLE001  told to whoever waits
            error = problem
        with self._changed:
            self._in_table -= 1
            counter.pending -= 1
            counter.error = counter.error or error
            self._changed.notify_all()

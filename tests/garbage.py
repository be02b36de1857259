"""Collecting what nothing refers to any more, for tests that look whether something is gone."""

import gc
import threading


def collect_garbage() -> None:
    """Run a whole collection from beginning to end, whatever other threads are doing.

    `gc.collect` does nothing while a collection is under way in another thread, and that one
    lets this thread run in its midst, where it lets go of what waits (a pipeline of the GPU).
    So it is asked again until one really ran here, and once more for what its finalizers freed.
    """
    for _ in range(2):
        _collect_once()


def _collect_once() -> None:
    here, ran = threading.get_ident(), threading.Event()

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2 and threading.get_ident() == here:
            ran.set()

    gc.callbacks.append(note)
    try:
        while not ran.is_set():
            gc.collect()
            let_others_run()
    finally:
        gc.callbacks.remove(note)


def let_others_run() -> None:
    """Wait for a thread of its own, so that the others go on meanwhile."""
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()

"""Pausing Python's garbage collector while many small objects are made.

Reading a level makes a tuple per record, importing a figure makes thousands of channels. The
collector would look at all of them again and again, which costs up to a third of the time, and
would find nothing: no cycles are made there. Whichever thread it runs in, all others stand still
meanwhile, a tenth of a second where a program is large.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_was_on = False


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the collector from running while any thread is inside such a with statement."""
    global _pauses, _was_on
    with _lock:
        if not _pauses:
            _was_on = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if not _pauses and _was_on:
                gc.enable()

"""Pausing Python's garbage collector while many small objects are made.

Reading a level makes a tuple per record, importing a figure makes thousands of channels. The
collector would look at all of them again and again, which costs up to a third of the time, and
would find nothing: no cycles are made there.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the collector from running inside the with statement, if it was on."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

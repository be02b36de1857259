"""Ending the process as soon as everything is put away.

Taking every object apart in an order of Python's own costs 0.2 s and more, and Qt and graphics
drivers have crashed in it. What has to be done at the end (threads, temporary folders, logs) is
done before; the rest is the system's to take back.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys


class QuickEnd:
    """Ends the process with a status once everybody else is done, where one was given.

    Make it before anything else that wants to be told of the end: who registers first is asked
    last.

    Attributes
    ----------
    status : int or None
        None leaves the end to Python.
    """

    def __init__(self) -> None:
        self.status: int | None = None
        atexit.register(self._end)

    def _end(self) -> None:
        if self.status is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(self.status)

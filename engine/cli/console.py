"""What a command line prints to: a pipe that was closed, a full disk, or nothing at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

INTERRUPTED = 130
"""The status of a command that was stopped from the keyboard, as shells have it."""


def run_printing(program: str, run: Callable[[], int], unwritable: int) -> int:
    """Run a command that prints, and return its exit status.

    Parameters
    ----------
    program : str
        Whose name stands before what is told of.
    run : callable
    unwritable : int
        The status where the system refuses, such as what is printed.
    """
    # A program may be started without them; what is printed then goes nowhere.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    try:
        status = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        # What was begun is left whole or not there; that it was stopped is known to who did it.
        _print_nowhere()
        print(f"{program}: stopped", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has seen enough.
        _print_nowhere()
        return 0
    except OSError as error:
        _print_nowhere()
        print(f"{program}: {error}", file=sys.stderr)
        return unwritable
    return status


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _print_nowhere() -> None:
    """Stop Python from flushing once more as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

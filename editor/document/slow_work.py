"""Work that takes long, as steps, so that a window can go on in between.

Such work is a generator. What it yields says what comes next; whoever carries it out does that and
resumes it. `finish` does all of it at once. Closing the generator gives the work up: it takes back
what it did so far.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeVar, cast

R = TypeVar("R")


@dataclass(frozen=True)
class Loading:
    """All that the level uses has to be there before the next step.

    Attributes
    ----------
    text : str
        What is being done, for people.
    """

    text: str


@dataclass(frozen=True)
class Pause:
    """Nothing is needed; others may have their turn."""

    text: str


@dataclass(frozen=True)
class Beside:
    """A step for another thread.

    Attributes
    ----------
    run : callable
        Touches nothing that anybody else has; what it raises is raised where it was yielded.
    stop : callable
        Has `run` end early, from any thread, since the work is given up.
    progress : callable
        What is being done at present, for people; called from another thread than `run`.
    """

    run: Callable[[], object]
    stop: Callable[[], None]
    progress: Callable[[], str]


Step = Loading | Pause | Beside
Work = Generator[Step, None, R]


def finish(work: Work[R], settle: Callable[[], object]) -> R:
    """Carry work out at once; return what it comes to.

    Parameters
    ----------
    work : Work
    settle : callable
        Waits until all that the level uses is there.
    """
    try:
        step = next(work)
        while True:
            try:
                if isinstance(step, Loading):
                    settle()
                elif isinstance(step, Beside):
                    step.run()
            except BaseException as error:  # noqa: BLE001  the work takes back what it did
                step = work.throw(error)
            else:
                step = work.send(None)
    except StopIteration as end:
        return cast("R", end.value)

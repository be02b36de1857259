"""`Message`: one line for the console, and `Issue`: something about the level to be put right."""

from __future__ import annotations

import pathlib
import time as clock
from dataclasses import dataclass, field
from typing import Literal

from engine.reflect import Entity

Level = Literal["info", "warning", "error"]

CLEAR_PARENT = "Clear the parent"
DROP_SHEAR = "Drop the shear"


@dataclass(frozen=True, slots=True)
class Message:
    """Something that happened.

    Attributes
    ----------
    level : "info", "warning" or "error"
    text : str
    entity : Entity or None
        What to jump to.
    path : pathlib.Path or None
        The file that it is about.
    time : float
        Seconds since the epoch.
    """

    level: Level
    text: str
    entity: Entity | None = None
    path: pathlib.Path | None = None
    time: float = field(default_factory=clock.time)


@dataclass(frozen=True, slots=True)
class Issue:
    """A state of the level that an artist would want to know of; it goes when its cause goes.

    Attributes
    ----------
    entity : Entity
        The entity that it is about.
    text : str
    fix : str or None
        What a click would do, None where there is only one's own judgement.
    """

    entity: Entity
    text: str
    fix: str | None = None

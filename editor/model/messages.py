"""`Message`: one line for the console, and `Issue`: something about the level to be put right."""

from __future__ import annotations

import pathlib
import time as clock
from dataclasses import dataclass, field
from typing import Literal

from engine.reflect import Entity

Level = Literal["info", "warning", "error"]


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
        The entity that it is about, or the first of them.
    text : str
    fix : str or None
        What a click would do, None where there is only one's own judgement.
    check : str
        Who found it.
    entities : tuple of Entity
        All entities that it is about.
    asset : str
        The file that it is about, relative to the project; another one may be chosen for it.
    options : tuple of str
        Files that may take its place, the likeliest first.
    subject : str
        What the click works on beside the entities, for the check that offers it.
    is_hint : bool
        It may well be meant so: worth a look, not a warning.
    """

    entity: Entity
    text: str
    fix: str | None = None
    check: str = ""
    entities: tuple[Entity, ...] = ()
    asset: str = ""
    options: tuple[str, ...] = ()
    subject: str = ""
    is_hint: bool = False

    def __post_init__(self) -> None:
        if not self.entities:
            object.__setattr__(self, "entities", (self.entity,))

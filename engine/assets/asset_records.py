"""What the asset server knows of each asset."""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.assets.asset_loading import Stamp, file_stamp
from engine.assets.cooked.clip import Clip
from engine.assets.cooked.material import CookedMaterial


class AssetState(StrEnum):
    """Where an asset stands; a released one is failed with the error ``released``."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"

    @classmethod
    def loading(cls) -> "AssetState":
        """Return the state of what is being read."""
        return cls.LOADING

    @classmethod
    def ready(cls) -> "AssetState":
        """Return the state of what can be used."""
        return cls.READY

    @classmethod
    def failed(cls) -> "AssetState":
        """Return the state of what can't be read; its message says why."""
        return cls.FAILED


@dataclass(slots=True, eq=False)
class MaterialVersion:
    """A cooked material and the texture records that it holds a reference of, by logical path."""

    cooked: CookedMaterial
    textures: dict[str, int]


@dataclass(slots=True, eq=False)
class AssetRecord:
    """One asset; its place in `AssetServer.records` is its index for ever.

    ``refs`` counts the references, ``reloads`` the reloads that `check_for_changes` began.
    ``error`` is the last load's message; while the state is ready it tells of a reload that
    failed, and what was good before is still in use. ``waits_for`` are files, with their stamps,
    that the load failed by besides its own: another one there gives it another try.
    """

    kind: str
    logical: str
    path: Path
    refs: int = 0
    state: AssetState = AssetState.LOADING
    error: str = ""
    reloads: int = 0
    generation: int = 0
    stamp: Stamp | None = None
    waits_for: dict[Path, Stamp | None] = field(default_factory=dict)
    mesh: int | None = None
    material: int | None = None
    texture: int | None = None
    view: Any = None
    clip: Clip | None = None
    current: MaterialVersion | None = None
    pending: MaterialVersion | None = field(default=None)

    def sources(self) -> list[str]:
        """Return the files whose change may be news to it."""
        return [str(path) for path in (self.path, *self.waits_for)]

    def is_outdated(self) -> bool:
        """Whether its file, or one that its load failed by, is another one now."""
        stamp = file_stamp(self.path)
        if stamp is None:
            return False
        waits_for = self.waits_for.items()
        return stamp != self.stamp or any(file_stamp(path) != seen for path, seen in waits_for)

"""One glTF file of a project: how far it is, and what its files looked like when they were read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from engine.assets.contents import Digests
from engine.assets.gltf.asset import GltfAsset
from engine.assets.jobs import JobCounter
from engine.assets.stores import UploadedGltf
from engine.assets.upload_steps import PreparedMeshes

EntryState = Literal["loading", "ready", "failed"]
Signature = tuple[tuple[str, int, int], ...]
"""What a set of files looked like: path, modification time in ns and size; -1 for a lost file."""

ABSENT = (-1, -1)
_NOT_READ = -2


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """What a worker hands over: an asset, or the words why there is none.

    `is_imported` tells that the asset comes from its own files, not from the cache. With `is_same`
    the files hold what they held, and the asset at hand is still the newest. `prepared` is what the
    renderer needs of the asset's meshes.
    """

    asset: GltfAsset | None
    error: str
    signature: Signature
    is_imported: bool = False
    digests: Digests = ()
    is_same: bool = False
    prepared: PreparedMeshes | None = None


@dataclass(eq=False, slots=True)
class LoadJob:
    """A load under way; a worker sets `outcome`, and nothing afterwards."""

    counter: JobCounter = field(default_factory=JobCounter)
    outcome: LoadOutcome | None = None


@dataclass(eq=False, slots=True)
class ReadState:
    """What a library knows of the reading of one of its entries; of no concern to others.

    Attributes
    ----------
    job : LoadJob or None
        The read under way, or done and not taken in yet.
    signature : Signature
        What the files looked like that were read last.
    digests : Digests
        What those held.
    is_repeated : bool
        Files changed since the job began, so it will be followed by another.
    is_fresh : bool
        The next read imports the file itself, whatever is kept of it.
    is_missed : bool
        The file was gone at the last look.
    last_level : int
        The number of the last level that asked for it.
    """

    job: LoadJob | None = None
    signature: Signature = ()
    digests: Digests = ()
    is_repeated: bool = False
    is_fresh: bool = False
    is_missed: bool = False
    last_level: int = 0


@dataclass(eq=False, slots=True)
class AssetEntry:
    """One asset of the project and how far it is.

    Parameters
    ----------
    path : str
        As levels write it, relative to the project, with "/".
    state : {"loading", "ready", "failed"}
        A ready entry that is being loaded again, or whose newer file is broken, stays ready.
    asset : GltfAsset or None
        Set while ready.
    error : str
        Why it failed, or why the newest file could not be taken; empty otherwise.
    uploaded : UploadedGltf or None
        The ids in the attached renderer, all -1 when there is none; set while ready.
    version : int
        Grows whenever `asset` or `uploaded` becomes another object. No two entries of a library
        ever have the same: after a move another one may have the path.
    is_lost : bool
        The file was found gone, which `error` tells, and nothing was read since.
    reading : ReadState
    """

    path: str
    state: EntryState = "loading"
    asset: GltfAsset | None = None
    error: str = ""
    uploaded: UploadedGltf | None = None
    version: int = 0
    is_lost: bool = False
    reading: ReadState = field(default_factory=ReadState, repr=False)

    @property
    def is_being_read(self) -> bool:
        """Whether a worker reads it, for the first time or again."""
        return self.reading.job is not None

    @property
    def is_gone(self) -> bool:
        """Whether there is no file any more where one was read."""
        signature = self.reading.signature
        return bool(signature) and _stat(signature[0][0]) == ABSENT


def sign(paths: Iterable[str | os.PathLike[str]], started_ns: int | None = None) -> Signature:
    """Describe files as they are; one written after `started_ns` counts as not read."""
    signed = []
    for path in paths:
        modified, size = _stat(path)
        if started_ns is not None and modified > started_ns:
            modified = _NOT_READ
        signed.append((str(path), modified, size))
    return tuple(signed)


def _stat(path: str | os.PathLike[str]) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return ABSENT
    return found.st_mtime_ns, found.st_size

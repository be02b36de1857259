"""The half of the asset server that runs on job threads: a file in, parsed contents out.

A job reads one cooked file into its slot and touches nothing else. The main thread looks at a slot
only after its ``done`` flag is set, which the job does last.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from engine.assets.cooked.clip import read_clip
from engine.assets.cooked.material import read_material
from engine.assets.cooked.mesh import read_mesh
from engine.assets.jobs import Job, JobCounter
from engine.assets.ktx2 import load_ktx2
from engine.errors import AssetError
from engine.plain_file import read_plain

KIND_OF_SUFFIX = {
    ".cmesh": "mesh",
    ".cclip": "clip",
    ".cmat": "material",
    ".ktx2": "texture",
    ".cskel": "skeleton",
    ".root": "source",
}
_READERS: dict[str, Callable[[bytes], Any]] = {
    "mesh": read_mesh,
    "clip": read_clip,
    "material": read_material,
}
Stamp = tuple[int, int, int]


@dataclass(slots=True, eq=False)
class LoadSlot:
    """One load: which record and which of its loads, and what came out of it.

    ``was_read`` is False where the system kept the file from being read, so that what it holds is
    not known.
    """

    index: int
    generation: int
    counter: JobCounter = field(default_factory=JobCounter)
    payload: Any = None
    error: str = ""
    was_read: bool = True
    done: bool = False


def load_job(slot: LoadSlot, kind: str, logical: str, path: Path, prefer_bc7: bool) -> Job:
    """Return the job that fills `slot`; it never raises."""
    return partial(_load, slot, kind, logical, path, prefer_bc7)


def file_stamp(path: Path) -> Stamp | None:
    """Return what changes when a file is written anew; None while there is no file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _load(slot: LoadSlot, kind: str, logical: str, path: Path, prefer_bc7: bool) -> None:
    try:
        slot.payload = _read(kind, path, prefer_bc7)
    except AssetError as error:
        slot.error = f"{error}, in {logical}"
        slot.was_read = not isinstance(error.__cause__, OSError)
    except Exception as error:  # noqa: BLE001  a job thread has nobody to raise to
        slot.error = f"cooked {kind}: {type(error).__name__}: {error}, in {logical}"
        slot.was_read = not isinstance(error, (OSError, MemoryError))
    except BaseException:
        slot.error, slot.was_read = f"cooked {kind}: stopped, in {logical}", False
        raise
    finally:
        slot.done = True


def _read(kind: str, path: Path, prefer_bc7: bool) -> Any:
    if kind == "texture":
        return load_ktx2(path, prefer_bc7)
    try:
        data = read_plain(path)
    except OSError as error:
        raise AssetError(f"cooked {kind} {path}: cannot be read ({error.strerror})") from error
    return _READERS[kind](data)

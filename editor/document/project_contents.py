"""`ProjectContents`: what lies in a project: contents by hash, and who names which file.

A worker reads the files, each again only when its size or time changed; what it finds is taken in
by `poll` on the main thread and kept in the user's data folder. It also remembers what a file held
that is gone, so that an asset that was moved by another program is found again by its content.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from editor.document.project_reading import FileContent, Files, read_project
from editor.model.folders import data_folder
from editor.model.stored_json import write_json
from engine.plain_file import read_plain
from engine.scene.levels.asset_references import AssetFields
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

MOST_GONE = 20_000
_FORMAT = 2


class ProjectContents:
    """The files of one project.

    Parameters
    ----------
    root : pathlib.Path
    fields : AssetFields
        Tells which strings of a level name files.
    is_kept : bool
        Whether to remember it in the user's data folder.

    Attributes
    ----------
    files : dict of str to FileContent
        By path relative to the project, with "/"; as of the last `poll` or `read`.
    gone : dict of str to str
        Digests of assets that were there once.
    on_done : callable
        Called by the worker when there is something to `poll`.
    """

    def __init__(self, root: pathlib.Path, fields: AssetFields, *, is_kept: bool = True) -> None:
        self.root = root
        self._is_kept = is_kept
        self.on_done: Callable[[], None] = lambda: None
        self.files: Files = {}
        self.gone: dict[str, str] = {}
        self._fields = fields
        self._pool: ThreadPoolExecutor | None = None
        self._job: Future[Files] | None = None
        self._is_outdated = False
        self._is_closed = False
        self._is_unsaved = False
        self._storing: Future[None] | None = None
        self._by_digest: dict[str, list[str]] | None = None
        self._level_users: dict[str, dict[str, int]] | None = None
        self._side_users: dict[str, list[str]] | None = None
        if is_kept:
            self._restore()

    # -- reading -----------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a worker is reading, or `poll` has not taken in what it found."""
        return self._job is not None

    def refresh(self) -> None:
        """Let a worker look at the project; while one does, once more behind that."""
        self._is_outdated = self._job is not None
        if self._job is not None or self._is_closed:
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="contents")
        known = dict(self.files)
        self._job = self._pool.submit(read_project, self.root, known, self._fields)
        self._job.add_done_callback(lambda job: self.on_done())

    def poll(self) -> bool:
        """Take in what the worker found; True when that is other than what was known."""
        if self._job is None or not self._job.done() or self._is_closed:
            return False
        job, self._job = self._job, None
        is_news = not job.cancelled() and self._take(job.result())
        if self._is_kept and self._is_unsaved and self._pool is not None:
            self._is_unsaved = False
            self._storing = self._pool.submit(self._store, self.files, dict(self.gone))
        if self._is_outdated:
            self.refresh()
        return is_news

    def read(self) -> None:
        """Look at the project now."""
        if self._job is not None:
            self._take(self._job.result())
            self._job = None
        self._take(read_project(self.root, self.files, self._fields))

    def _take(self, files: Files) -> bool:
        if files == self.files:
            return False
        for path in self.files.keys() - files.keys():
            self.gone[path] = self._whole_digest(path)
        for path in files:
            self.gone.pop(path, None)
        self.files = files
        self._forget_lookups()
        self._is_unsaved = True
        return True

    def follow(self, moved: Mapping[str, str]) -> None:
        """Know moved files by their new paths; they are looked at again by the next `refresh`."""
        # A worker may be writing down what was known so far.
        files = dict(self.files)
        for old, new in moved.items():
            content = files.pop(old, None)
            if content is not None:
                files[new] = content
        self.files = files
        self._is_unsaved = True
        self._forget_lookups()

    def close(self) -> None:
        """Let the worker go; what it finds is not taken in any more."""
        self._is_closed = True
        self.on_done = lambda: None
        if self._storing is not None and self._storing.cancel():
            self._is_unsaved = True
        if self._is_kept and self._is_unsaved:
            self._store(self.files, self.gone)
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _forget_lookups(self) -> None:
        self._by_digest = self._level_users = self._side_users = None

    # -- questions ---------------------------------------------------------------------------

    def digest(self, asset: str) -> str:
        """Return the hash of an asset with its side files, also of one that is gone; or ""."""
        return self._whole_digest(asset) or self.gone.get(asset, "")

    def same_content(self, asset: str) -> list[str]:
        """Return the other files that hold what an asset holds, or held."""
        digest = self.digest(asset)
        if self._by_digest is None:
            self._by_digest = {}
            for path in self.files:
                self._by_digest.setdefault(self._whole_digest(path), []).append(path)
        return [path for path in self._by_digest.get(digest, ()) if path != asset and digest]

    def candidates(self, asset: str) -> list[str]:
        """Return what may stand for a missing asset: equal content first, then equal names."""
        folders = asset.split("/")[:-1]
        name, suffix = asset.rsplit("/", 1)[-1].lower(), os.path.splitext(asset)[1].lower()
        same = [p for p in self.same_content(asset) if p.lower().endswith(suffix)]
        named = [
            path
            for path in self.files
            if path.rsplit("/", 1)[-1].lower() == name and path != asset and path not in same
        ]

        def distance(path: str) -> tuple[int, str]:
            shared = set(path.split("/")[:-1]) & set(folders)
            return -len(shared), path

        return [*sorted(same, key=distance), *sorted(named, key=distance)]

    def levels_using(self, asset: str) -> dict[str, int]:
        """Return the levels on disk that name a file, each with its number of entities."""
        if self._level_users is None:
            self._level_users = {}
            for level, content in self.files.items():
                for used, count in (content.uses or {}).items():
                    self._level_users.setdefault(used, {})[level] = count
        return self._level_users.get(asset, {})

    def assets_naming(self, file: str) -> list[str]:
        """Return the glTF files that name a file by its place."""
        if self._side_users is None:
            self._side_users = {}
            for path, content in self.files.items():
                for side in content.sides:
                    self._side_users.setdefault(side, []).append(path)
        return self._side_users.get(file, [])

    def named_files(self, but: str = "") -> set[str]:
        """Return the files that levels, other than the one given, and glTF files name."""
        levels = (content.uses or {} for path, content in self.files.items() if path != but)
        named = {file for uses in levels for file in uses}
        return named.union(*(content.sides for content in self.files.values() if content.sides))

    def own_sides(self, asset: str) -> list[str]:
        """Return the side files that only this asset names, be it a glTF or a level."""
        content = self.files.get(asset)
        sides = content.sides if content is not None else ()
        return [s for s in sides if self.assets_naming(s) == [asset] and not self.levels_using(s)]

    def _whole_digest(self, path: str) -> str:
        content = self.files.get(path)
        if content is None:
            return ""
        if not content.sides:
            return content.digest
        parts = [content.digest]
        parts += [self.files[s].digest for s in content.sides if s in self.files]
        return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()

    # -- the user's data folder --------------------------------------------------------------

    def _file(self) -> pathlib.Path:
        name = str(self.root).encode("utf-8", "surrogatepass")
        return data_folder() / "contents" / f"{hashlib.sha256(name).hexdigest()[:24]}.json"

    def _store(self, files: Files, gone: Mapping[str, str]) -> None:
        """Write down what is known; in the worker while there is one."""
        rows = {
            path: [*c.stamp, c.digest, c.sides, c.missing, dict(c.uses or {}), c.error, c.triangles]
            for path, c in files.items()
        }
        kept = dict(list(gone.items())[-MOST_GONE:])
        try:
            write_json(self._file(), {"format": _FORMAT, "files": rows, "gone": kept})
        except OSError:
            return

    def _restore(self) -> None:
        """Start from what was known when the project was last open; damage is no error."""
        try:
            stored = json.loads(read_plain(self._file()).decode("utf-8"))
            if stored["format"] != _FORMAT:
                return
            files = {path: _content(path, row) for path, row in stored["files"].items()}
            gone = {str(path): str(digest) for path, digest in stored["gone"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return
        self.files, self.gone = files, gone


def _content(path: str, row: list[object]) -> FileContent:
    size, modified, digest, sides, missing, uses, error, triangles = row
    return FileContent(
        (int(str(size)), int(str(modified))),
        str(digest),
        tuple(map(str, _listed(sides))),
        tuple((str(pointer), str(words)) for pointer, words in map(_listed, _listed(missing))),
        {str(k): int(v) for k, v in dict(uses).items()}  # type: ignore[call-overload]
        if path.endswith(LEVEL_SUFFIXES)
        else None,
        str(error),
        int(str(triangles)),
    )


def _listed(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, found {type(value).__name__}")
    return value

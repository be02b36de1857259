"""Cooking many sources into one folder: prefixes, clashes, and the work shared out.

Several sources go to the executor whole, one to a process; a single source shares out its outputs.
Either way the manifest is filled in the order of the sources, so it comes out the same.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from engine.assets.cook import (
    CookReport,
    Progress,
    check_prefix,
    cook_gltf,
    is_up_to_date,
    root_lines,
)
from engine.assets.cook_manifest import CookManifest, ManifestEntry
from engine.errors import AssetError, EngineError
from engine.leftovers import remove_leftovers

# As `cook` and `atomic_file` name what they write, one within the other.
_PART = re.compile(r"\.{1,2}([0-9a-f]{16}\.\w+|manifest\.txt)(\.[0-9a-f]{8}\.part){1,2}")

Cooked = tuple[CookReport, list[ManifestEntry]]
Task = Callable[[], Cooked]


@dataclass(frozen=True, slots=True)
class Source:
    """A file and the prefix of its logical paths."""

    path: str
    prefix: str


@dataclass(frozen=True, slots=True)
class CookResult:
    """What became of one source: a report, or the error that it failed with."""

    source: Source
    report: CookReport | None
    error: EngineError | None = None


def name_sources(paths: Sequence[str], prefixes: Sequence[str] = ()) -> list[Source]:
    """Pair sources with prefixes: those given, in order, else each file's name without suffix.

    Raises
    ------
    AssetError
        ``cooked prefix``: prefixes are given, but not one for each source.
    """
    if prefixes and len(prefixes) != len(paths):
        raise AssetError(
            f"cooked prefix: {len(prefixes)} prefixes for {len(paths)} sources, expected one each"
        )
    names = prefixes or [Path(path).stem for path in paths]
    sources: dict[tuple[str, str], Source] = {}
    for path, prefix in zip(paths, names, strict=True):
        sources.setdefault((os.path.realpath(path), prefix), Source(path, prefix))
    return list(sources.values())


def prefix_problems(
    sources: Sequence[Source], out_dir: str, manifest: CookManifest
) -> dict[Source, AssetError]:
    """Return why sources cannot have their prefixes: not a name, or another source's."""
    problems: dict[Source, AssetError] = {}
    for source in sources:
        try:
            check_prefix(source.prefix)
        except AssetError as error:
            problems[source] = AssetError(
                f"{error}; name it with --prefix, for example --prefix {_suggestion(source.prefix)}"
            )
            continue
        others = [s.path for s in sources if s.prefix == source.prefix and s is not source]
        others += _owner(source, out_dir, manifest)
        if others:
            problems[source] = AssetError(
                f"cooked prefix '{source.prefix}' is also that of {others[0]}; "
                "give each source a prefix of its own with --prefix"
            )
    return problems


def _suggestion(prefix: str) -> str:
    kept = "".join("_" if letter.isspace() or letter == "#" else letter for letter in prefix)
    return kept or "model"


def _owner(source: Source, out_dir: str, manifest: CookManifest) -> list[str]:
    """Return the other file that was cooked under the prefix, while it is still there."""
    lines = root_lines(source.prefix, out_dir, manifest)
    if not lines or not os.path.isfile(lines[0]):
        return []
    same = os.path.realpath(lines[0]) == os.path.realpath(source.path)
    return [] if same else [lines[0]]


def cook_library(
    sources: Sequence[Source],
    out_dir: str,
    manifest: CookManifest,
    make_executor: Callable[[], Executor] | None = None,
    progress: Progress | None = None,
) -> Iterator[CookResult]:
    """Cook `sources`, yielding what became of each, in order; one that fails stops no other.

    Parameters
    ----------
    sources : sequence of Source
    out_dir : path
    manifest : CookManifest
        Filled as sources finish; the caller saves it.
    make_executor : callable, optional
        Called only when there is something to cook; the caller owns what it returns.
    progress : callable, optional
        Is told the logical path of every finished output of a single source.
    """
    problems = prefix_problems(sources, out_dir, manifest)
    remove_leftovers(out_dir, lambda name: _PART.fullmatch(name) is not None)
    waiting = [s for s in sources if s not in problems and not _is_fresh(s, out_dir, manifest)]
    pool = _Pool(make_executor) if make_executor and waiting else None
    started: dict[Source, Future[Cooked]] = {}
    if pool is not None and len(waiting) > 1:
        started = {s: pool.submit(_task(s, out_dir, manifest)) for s in waiting}
    for source in sources:
        if source in problems:
            yield CookResult(source, None, problems[source])
            continue
        try:
            if pool is not None and source in started:
                task = _task(source, out_dir, manifest)
                report = _merged(source, pool.result(started[source], task), manifest)
            else:
                report = cook_gltf(
                    source.path,
                    source.prefix,
                    out_dir,
                    manifest,
                    executor=None if pool is None else pool.executor,
                    progress=progress,
                )
        except EngineError as error:
            yield CookResult(source, None, error)
        except Exception as error:  # noqa: BLE001  a fault of the cooker stops no other either
            problem = f"cooked source {source.path}: {type(error).__name__}: {error}"
            yield CookResult(source, None, AssetError(problem))
        else:
            yield CookResult(source, report)


class _Pool:
    """An executor, and another one for each that a task took down with it."""

    def __init__(self, make_executor: Callable[[], Executor]) -> None:
        self._make_executor = make_executor
        self.executor = make_executor()

    def submit(self, task: Task) -> Future[Cooked]:
        try:
            return self.executor.submit(task)
        except BrokenExecutor as error:
            failed: Future[Cooked] = Future()
            failed.set_exception(error)
            return failed

    def result(self, future: Future[Cooked], task: Task) -> Cooked:
        """Return what came of a task; whose executor ended gets another try, alone.

        Raises
        ------
        AssetError
            It takes every executor down.
        """
        with suppress(BrokenExecutor):
            return future.result()
        with suppress(BrokenExecutor):
            return self.executor.submit(task).result()
        self.executor = self._make_executor()
        try:
            return self.executor.submit(task).result()
        except BrokenExecutor as error:
            raise AssetError(f"cooked source: a cooking process ended early ({error})") from None


def _is_fresh(source: Source, out_dir: str, manifest: CookManifest) -> bool:
    try:
        return is_up_to_date(source.path, source.prefix, out_dir, manifest)
    except AssetError:
        return False


def _manifest_of(entries: Sequence[ManifestEntry]) -> CookManifest:
    manifest = CookManifest()
    for entry in entries:
        manifest.record(entry.logical, entry.source_hash, entry.file)
    return manifest


def _cook_alone(source: Source, out_dir: str, entries: Sequence[ManifestEntry]) -> Cooked:
    """Cook one source in a process that has only its part of the manifest."""
    manifest = _manifest_of(entries)
    report = cook_gltf(source.path, source.prefix, out_dir, manifest)
    return report, manifest.entries()


def _task(source: Source, out_dir: str, manifest: CookManifest) -> Task:
    return partial(_cook_alone, source, out_dir, manifest.under(f"{source.prefix}#"))


def _merged(source: Source, cooked: Cooked, manifest: CookManifest) -> CookReport:
    report, entries = cooked
    for entry in entries:
        manifest.record(entry.logical, entry.source_hash, entry.file)
    manifest.prune(f"{source.prefix}#", report.outputs)
    return report

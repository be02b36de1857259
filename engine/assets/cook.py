"""The cooker: one glTF file becomes a set of cooked files, recorded in a manifest.

What belongs together is named by a prefix: ``<prefix>#mesh0/prim0``, ``<prefix>#material1`` and so
on, with ``<prefix>#`` the root entry. Nothing is done when the source, its side files and the
cooker are what they were. Files appear all at once at the end, so that a source that fails leaves
what it had. The bytes depend on the input only, not on how many processes cook.
"""

import os
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from engine.assets.asset_ids import asset_file_name, hash_file
from engine.assets.cook_manifest import CookManifest
from engine.assets.cook_tasks import CookTask, plan_tasks, run_task
from engine.assets.gltf import GltfAsset, load_gltf
from engine.assets.ktx2 import can_compress
from engine.assets.ktx2.cook import NO_ENCODER
from engine.errors import AssetError
from engine.plain_file import read_plain

# Grows with every change that makes other bytes of the same source.
COOKER_VERSION = 2
_ABSENT = "-" * 16

PathLike = str | os.PathLike[str]
Progress = Callable[[str], None]


@dataclass(slots=True)
class CookReport:
    """What `cook_gltf` did: files written, files that were up to date, every logical path."""

    cooked: int
    skipped: int
    outputs: list[str]
    warnings: list[str] = field(default_factory=list)


def check_prefix(prefix: str) -> None:
    """Refuse a prefix that logical paths cannot have.

    Raises
    ------
    AssetError
        ``cooked prefix``: empty, or with white space or ``#``.
    """
    if not prefix or "#" in prefix or any(letter.isspace() for letter in prefix):
        raise AssetError(
            f"cooked prefix {prefix!r}: expected a name without spaces and without '#'"
        )


def cook_gltf(
    source: PathLike,
    prefix: str,
    out_dir: PathLike,
    manifest: CookManifest,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> CookReport:
    """Cook a .gltf or .glb file into `out_dir`, unless everything there is up to date.

    Parameters
    ----------
    source : path
    prefix : str
        Begins every logical path; no spaces, no ``#``.
    out_dir : path
        Where files go; it is made if need be.
    manifest : CookManifest
        Learns of what is there and forgets what is not; the caller saves it.
    executor : Executor, optional
        Where the outputs are made, each a task of its own; else here, one after the other.
    progress : callable, optional
        Is told the logical path of every finished output.

    Returns
    -------
    CookReport

    Raises
    ------
    AssetError
        The prefix, the source or the disk is at fault. Files and manifest are as they were.
    """
    check_prefix(prefix)
    source_hash = _source_hash(source)
    if is_up_to_date(source, prefix, out_dir, manifest, source_hash):
        outputs = [entry.logical for entry in manifest.under(f"{prefix}#")]
        return CookReport(0, len(outputs), outputs)
    asset = load_gltf(source)
    tasks = plan_tasks(asset, prefix, _root_text(source, asset))
    _make_files(tasks, Path(out_dir), executor, progress)
    for task in tasks:
        manifest.record(task.logical, source_hash, task.file)
    outputs = [task.logical for task in tasks]
    for entry in manifest.prune(f"{prefix}#", outputs):
        # A manifest that somebody wrote may name any file that lies there.
        if entry.file == asset_file_name(entry.logical, Path(entry.file).suffix):
            with suppress(OSError):
                (Path(out_dir) / entry.file).unlink(missing_ok=True)
    warnings = list(asset.warnings)
    if not can_compress() and any(task.file.endswith(".ktx2") for task in tasks):
        warnings.append(NO_ENCODER)
    return CookReport(len(outputs), 0, outputs, warnings)


def is_up_to_date(
    source: PathLike,
    prefix: str,
    out_dir: PathLike,
    manifest: CookManifest,
    source_hash: str | None = None,
) -> bool:
    """Tell whether cooking `source` would do nothing.

    Raises
    ------
    AssetError
        ``cooked source``: it cannot be read.
    """
    found = _source_hash(source) if source_hash is None else source_hash
    entries = manifest.under(f"{prefix}#")
    if manifest.find(f"{prefix}#") is None:
        return False
    if not all(manifest.up_to_date(entry.logical, found, out_dir) for entry in entries):
        return False
    lines = root_lines(prefix, out_dir, manifest)
    if lines[:2] != [os.fspath(source), f"cooker {COOKER_VERSION}"]:
        return False
    folder = Path(os.path.realpath(source)).parent
    return all(_side_line(folder, line[17:]) == line for line in lines[2:])


def root_lines(prefix: str, out_dir: PathLike, manifest: CookManifest) -> list[str]:
    """Return the lines of a prefix's root file, none when there is no such file."""
    entry = manifest.find(f"{prefix}#")
    if entry is None:
        return []
    try:
        text = read_plain(Path(out_dir) / entry.file)
    except OSError:
        return []
    return text.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")


def _source_hash(source: PathLike) -> str:
    try:
        return hash_file(source)
    except OSError as error:
        raise AssetError(f"cooked source {source}: cannot be read ({error.strerror})") from None


def _side_line(folder: Path, relative: str) -> str:
    """Return the line of a side file as it is now."""
    try:
        return f"{hash_file(folder / relative)} {relative}"
    except (OSError, ValueError):
        return f"{_ABSENT} {relative}"


def _root_text(source: PathLike, asset: GltfAsset) -> bytes:
    folder = Path(os.path.realpath(source)).parent
    own = os.path.realpath(source)
    beside = (os.path.realpath(path) for path in (*asset.source_files, *asset.missing_files))
    names = sorted({Path(os.path.relpath(p, folder)).as_posix() for p in beside if p != own})
    lines = [os.fspath(source), f"cooker {COOKER_VERSION}"]
    lines += [_side_line(folder, name) for name in names]
    for line in lines:
        if "\n" in line:
            raise AssetError(f"cooked source: {line!r} holds a line break")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _make_files(
    tasks: Sequence[CookTask], out_dir: Path, executor: Executor | None, progress: Progress | None
) -> None:
    """Make every file under a name of its own, then let them appear together."""
    token = secrets.token_hex(4)
    parts = [out_dir / f".{task.file}.{token}.part" for task in tasks]
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        _run_all(tasks, parts, executor, progress)
        for task, part in zip(tasks, parts, strict=True):
            os.replace(part, out_dir / task.file)
    except AssetError:
        raise
    except BrokenExecutor as error:
        raise AssetError(f"cooked file: a cooking process ended early ({error})") from None
    except (OSError, ValueError) as error:
        raise AssetError(f"cooked file: {out_dir} cannot be written to ({error})") from None
    finally:
        for part in parts:
            with suppress(OSError, ValueError):
                part.unlink(missing_ok=True)


def _run_all(
    tasks: Sequence[CookTask],
    parts: Sequence[Path],
    executor: Executor | None,
    progress: Progress | None,
) -> None:
    tell = progress or (lambda logical: None)
    if executor is None:
        for task, part in zip(tasks, parts, strict=True):
            run_task(task, part)
            tell(task.logical)
        return
    futures = {executor.submit(run_task, t, p): t for t, p in zip(tasks, parts, strict=True)}
    try:
        for future in as_completed(futures):
            future.result()
            tell(futures[future].logical)
    finally:
        for future in futures:
            future.cancel()
        # What runs still would write files that have been removed by then.
        wait(futures)

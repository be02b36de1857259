"""Finishing moves of files that a crash cut short, before anything of the project is read.

Everything is looked at first, and nothing is touched that is neither as the record knew it before
nor as it shall be. What a level becomes is made from what it holds, so that a record can at most
rename files of the project. What is done already is left, so that a second crash does no harm.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Callable
from contextlib import ExitStack

from editor.document.file_mover import copy_file, drop_copy, move
from editor.document.level_rewriting import rewritten
from editor.document.move_intent import (
    DONE_SUFFIX,
    SUFFIX,
    MoveIntent,
    Rewrite,
    digest,
    intent_folder,
    read_intent,
    remove_stale_temporaries,
)
from editor.document.session_journal import journal_folder
from editor.model.journal import is_in_use
from engine.errors import EngineError, SceneError
from engine.plain_file import holds_the_same, is_same_path
from engine.project import PROJECT_FILE
from engine.scene.level_library import file_below
from engine.scene.levels.asset_references import AssetFields
from engine.scene.levels.atomic_file import read_file, write_file
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

Tell = Callable[[str], None]


def finish_moves(
    root: pathlib.Path, fields: AssetFields, tell: Tell, warn: Tell, own_journal: str = ""
) -> None:
    """Finish what moves of files in a project left; it never raises for what lies on the disk.

    Parameters
    ----------
    root : path
        The project's folder.
    fields : AssetFields
    tell, warn : callable
        Told what was finished; and what was left alone, and why.
    own_journal : str
        Name of this session's own journal, which is in use, but not by another.
    """
    for path in _records(SUFFIX):
        try:
            intent = read_intent(path)
            if not is_same_path(intent.moves.root, root) or _is_living(intent, own_journal):
                continue
            for name in intent.paths():
                file_below(root, name)
        except (SceneError, ValueError) as error:
            _put_aside(path, warn, str(error))
            continue
        except OSError as error:
            warn(f"{path}: can't be read: {error.strerror or error}")
            continue
        _finish(intent, path, root, fields, tell, warn)
    remove_stale_temporaries()


def finished_moves(journal: str) -> list[MoveIntent]:
    """Return what was finished of a session that left this journal, in which it is not."""
    found = []
    for path in _records(DONE_SUFFIX):
        with contextlib.suppress(SceneError, OSError):
            intent = read_intent(path)
            if intent.journal == journal:
                found.append(intent)
            elif not os.path.lexists(journal_folder() / intent.journal):
                path.unlink()
    return found


def forget_finished(intent: MoveIntent) -> None:
    """Drop what `finished_moves` returned: the session's steps have it now."""
    with contextlib.suppress(OSError):
        intent.path.with_suffix(DONE_SUFFIX).unlink()


def _records(suffix: str) -> list[pathlib.Path]:
    try:
        return sorted(intent_folder().glob(f"*{suffix}"))
    except OSError:
        return []


def _is_living(intent: MoveIntent, own_journal: str) -> bool:
    """Whether the session that makes these moves still runs."""
    path = journal_folder() / intent.journal
    is_other = bool(intent.journal) and intent.journal != own_journal
    return is_other and os.path.lexists(path) and is_in_use(path)


def _put_aside(path: pathlib.Path, warn: Tell, why: str) -> None:
    kept = path.with_suffix(".damaged")
    with contextlib.suppress(OSError):
        os.replace(path, kept)
    warn(f"{why}; no file was touched, and the record is kept at {kept}")


def _finish(
    intent: MoveIntent,
    path: pathlib.Path,
    root: pathlib.Path,
    fields: AssetFields,
    tell: Tell,
    warn: Tell,
) -> None:
    try:
        _check_moves(root, intent)
        writes, changed = _check_levels(root, intent, fields)
    except EngineError as error:
        _remove_temporaries(root, intent)
        _put_aside(path, warn, f"A move of {intent.what} was cut short; {error}")
        return
    try:
        is_news = _carry_out(root, intent, writes)
        _remove_temporaries(root, intent)
        if os.path.lexists(journal_folder() / intent.journal) and intent.journal:
            os.replace(path, path.with_suffix(DONE_SUFFIX))
        else:
            path.unlink()
    except (EngineError, OSError) as error:
        warn(f"A move of {intent.what} was cut short and can't be finished at present: {error}")
        return
    for level in changed:
        warn(f"{root / level}: was changed since a move of {intent.what} was cut short; left alone")
    if is_news:
        tell(f"A move of {intent.what} was cut short; it is finished now")


def _is_there(path: pathlib.Path) -> bool:
    """Whether something is called exactly that, also where case makes no difference."""
    try:
        return path.name in os.listdir(path.parent)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise SceneError(f"{path}: can't be looked for: {error.strerror or error}") from error


def _check_moves(root: pathlib.Path, intent: MoveIntent) -> None:
    """Refuse where somebody else moved something since."""
    for old, new in intent.moves.moved:
        is_old, is_new = _is_there(root / old), _is_there(root / new)
        if is_old == is_new:
            found = "both" if is_old else "neither"
            raise SceneError(f"{old}, {new}: expected one of them to be there, found {found}")
    for source, target in intent.moves.copied:
        is_source, is_target = _is_there(root / source), _is_there(root / target)
        if is_target and is_source and not holds_the_same(root / source, root / target):
            raise SceneError(f"{target}: something else is there by now")
        if not is_target and not is_source:
            raise SceneError(f"{source}: there is no such file")


def _check_levels(
    root: pathlib.Path, intent: MoveIntent, fields: AssetFields
) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return what is to be written yet, and the levels that others changed."""
    writes: list[tuple[str, bytes]] = []
    changed: list[str] = []
    for rewrite in intent.rewrites:
        if rewrite.new != PROJECT_FILE and not rewrite.new.endswith(LEVEL_SUFFIXES):
            raise SceneError(f"{rewrite.new}: expected a level")
        if rewrite.new != intent.moves.new_name(rewrite.old):
            raise SceneError(f"{rewrite.new}: expected {intent.moves.new_name(rewrite.old)}")
        after = _after(root, rewrite, intent, fields)
        if after is None:
            changed.append(rewrite.new)
        elif after:
            writes.append((rewrite.new, after))
    return writes, changed


def _after(
    root: pathlib.Path, rewrite: Rewrite, intent: MoveIntent, fields: AssetFields
) -> bytes | None:
    """Return what a level shall hold; nothing where it does already, None where others wrote."""
    is_moved = _is_there(root / rewrite.new)
    try:
        file = root / (rewrite.new if is_moved else rewrite.old)
        data = read_file(file)
        if digest(data) == rewrite.after:
            return b""
        if digest(data) != rewrite.before:
            return None
        after, _ = rewritten(file, data, intent.moves, fields, rewrite.places)
    except SceneError:
        return None
    return after if digest(after) == rewrite.after else None


def _carry_out(root: pathlib.Path, intent: MoveIntent, writes: list[tuple[str, bytes]]) -> bool:
    """Do what is not done yet; whether there was any."""
    # What is done stays done: nothing is ever taken back here.
    kept, is_news = ExitStack(), bool(writes)
    for old, new in intent.moves.moved:
        if not _is_there(root / new):
            move(root / old, root / new, kept)
            is_news = True
    for source, target in intent.moves.copied:
        if not _is_there(root / target):
            is_news = copy_file(root / source, root / target, kept, intent.token) or is_news
    for level, after in writes:
        write_file(root / level, after, token=intent.token)
    for original, copy in intent.dropped:
        drop_copy(root / original, root / copy)
    return is_news


def _remove_temporaries(root: pathlib.Path, intent: MoveIntent) -> None:
    for name in intent.temporaries():
        with contextlib.suppress(OSError):
            (root / name).unlink(missing_ok=True)

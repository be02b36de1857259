"""Files that are whole at every moment: the old one, or the new one.

The new content goes to a temporary file in the same folder, is flushed to the disk and takes the
old one's place by renaming. Permissions stay; a symbolic link is followed, not replaced. Whoever
writes next removes what a program left that was ended meanwhile.
"""

from __future__ import annotations

import os
import pathlib
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import BinaryIO

from engine.errors import EngineError, SceneError
from engine.leftovers import remove_leftovers
from engine.plain_file import open_plain

Stamp = tuple[int, int]

_NAME_LENGTH = 80
_TEMPORARY = re.compile(r"\.(.+)\.[a-z0-9_]{8}\.tmp")
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a regular file.

    Raises
    ------
    SceneError
        It is missing, unreadable or no regular file.
    """
    with reading(path) as (file, _):
        return file.read()


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[tuple[BinaryIO, int]]:
    """Give an open regular file and its size in bytes.

    Raises
    ------
    SceneError
        As `read_file`; also for a fault of the system while it is read inside.
    """
    name = pathlib.Path(path)
    try:
        status = name.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SceneError(f"{name}: expected a file, found something else")
        with open_plain(name) as file:
            yield file, status.st_size
    except EngineError:
        raise
    except FileNotFoundError as error:
        raise SceneError(f"{name}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise SceneError(f"{name}: can't be read: {_reason(error)}") from error


def stamp_of(status: os.stat_result) -> Stamp:
    """Return what differs when a file was written: when that was, and its size."""
    return status.st_mtime_ns, status.st_size


def write_file(
    path: str | os.PathLike[str],
    data: bytes,
    last_look: Callable[[], None] = lambda: None,
    *,
    token: str = "",
) -> Stamp:
    """Replace the content of a file, or make it.

    Parameters
    ----------
    path : path
    data : bytes
    last_look : callable
        Called right before the file is replaced; what it raises keeps the old one.
    token : str
        Names the temporary file (`temporary_of`), so that it is found after a crash.

    Returns
    -------
    Stamp
        Of the file as it was written here, whoever writes it next.

    Raises
    ------
    SceneError
        It is read-only, its folder is missing, or the disk is full. What was there stays.
    """
    with replacing(path, last_look, token=token) as file:
        file.write(data)
        file.flush()
        stamp = stamp_of(os.fstat(file.fileno()))
    return stamp


@contextmanager
def replacing(
    path: str | os.PathLike[str],
    last_look: Callable[[], None] = lambda: None,
    *,
    token: str = "",
) -> Iterator[BinaryIO]:
    """Give a file to write to; when all went well it takes the place of the one at `path`.

    `last_look` is called right before; `token` as for `write_file`.

    Raises
    ------
    SceneError
        As `write_file`; also for a fault of the system inside. What was there stays.
    """
    target, mode = _find_target(path)
    temporary = ""
    try:
        handle, temporary = _open_temporary(target, token)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _take_over(temporary, target, mode)
        last_look()
        os.replace(temporary, target)
    except EngineError:
        _remove(temporary)
        raise
    except (OSError, ValueError) as error:
        _remove(temporary)
        raise SceneError(
            f"{path}: can't be written: {_reason(error)}; what was there stays"
        ) from error
    except BaseException:
        _remove(temporary)
        raise
    _sync_folder(target.parent)
    remove_leftovers(target.parent, partial(_is_leftover, target.parent))


def _is_leftover(folder: pathlib.Path, name: str) -> bool:
    """Whether a name is that of a temporary file without a token, which nobody looks for."""
    found = _TEMPORARY.fullmatch(name)
    return found is not None and (
        len(found[1]) == _NAME_LENGTH or os.path.lexists(folder / found[1])
    )


def temporary_of(name: str, token: str) -> str:
    """Return the name of the temporary file that a file called `name` is written to first."""
    return f".{name[:_NAME_LENGTH]}.{token}.tmp"


def _open_temporary(target: pathlib.Path, token: str) -> tuple[int, str]:
    if not token:
        prefix = temporary_of(target.name, "").removesuffix(".tmp")
        return tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=target.parent)
    path = os.path.join(target.parent, temporary_of(target.name, token))
    _remove(path)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o600), path


def _find_target(path: str | os.PathLike[str]) -> tuple[pathlib.Path, int | None]:
    """Return the file that `path` leads to, and its mode; None where there is none yet."""
    try:
        target = pathlib.Path(os.path.realpath(path))
        status = target.stat()
    except FileNotFoundError:
        return target, None
    except (OSError, ValueError) as error:
        raise SceneError(f"{path}: can't be written: {_reason(error)}") from error
    if not stat.S_ISREG(status.st_mode):
        raise SceneError(f"{path}: can't be written: it is not a file")
    if not status.st_mode & _ANY_WRITE or not os.access(target, os.W_OK):
        raise SceneError(f"{path}: can't be written: the file is read-only")
    return target, stat.S_IMODE(status.st_mode)


def _take_over(temporary: str, target: pathlib.Path, mode: int | None) -> None:
    """Give the temporary file the permissions that the target has, or that a new one gets."""
    if mode is None:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    else:
        owner = target.stat()
        if hasattr(os, "chown") and (owner.st_uid, owner.st_gid) != (os.getuid(), os.getgid()):
            try:
                os.chown(temporary, owner.st_uid, owner.st_gid)
            except OSError:
                # Only an administrator may give files away; the content matters more.
                os.chmod(temporary, mode)
    os.chmod(temporary, mode)


def _sync_folder(folder: pathlib.Path) -> None:
    """Make the renaming itself durable, where the system can."""
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        # Some file systems have no way to flush a folder; the file itself is on the disk.
        return
    finally:
        os.close(handle)


def _remove(temporary: str) -> None:
    if temporary:
        # What kept the file from being written may keep this one from going, too.
        with suppress(OSError):
            os.unlink(temporary)


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)

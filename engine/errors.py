"""The error tree: everything that a file or a user can cause.

::

    EngineError (ValueError)
    |-- SceneError        scene documents, levels, hierarchy, registry
    |-- AssetError        glTF, images, cooked files, the asset server
    |   `-- FileError     about one file, which others may know by another name
    |-- EntityError       a handle that is stale or in use
    |-- ComponentError    a component that is absent, doubled or malformed
    `-- DeviceLostError   the graphics device is gone

A message says what failed, where (file, line or byte, entity and field), what was found and
what was expected. ``assert`` is for invariants of our own code, never for input.
"""

from collections.abc import Iterator
from contextlib import contextmanager


class EngineError(ValueError):
    """Base of every error that a file or a user can cause."""


class SceneError(EngineError):
    """A scene document, level or hierarchy operation that cannot be carried out."""


class AssetError(EngineError):
    """An asset file that is missing, malformed, hostile or not supported."""


class FileError(AssetError):
    """A file that can't be used, by the name that whoever read it knows.

    Parameters
    ----------
    file : str
    problem : str
        What is wrong with it.
    kind : str
        What it is to the reader, where that has to be said.

    Attributes
    ----------
    problem : str
        For whoever tells of the file by a longer name.
    """

    def __init__(self, file: str, problem: str, kind: str = "") -> None:
        super().__init__(file, problem, kind)
        self.problem = problem

    def __str__(self) -> str:
        file, problem, kind = self.args
        return f"{kind} {file}: {problem}" if kind else f"{file}: {problem}"


@contextmanager
def about_file(file: str) -> Iterator[None]:
    """Let asset errors from inside say which file they are about.

    Raises
    ------
    FileError
        In place of an AssetError that names no file.
    """
    try:
        yield
    except FileError:
        raise
    except AssetError as error:
        raise FileError(file, str(error)) from error.__cause__


class EntityError(EngineError):
    """An entity handle that is stale, null or already in use."""


class ComponentError(EngineError):
    """A component that is absent, given twice or declared wrongly."""


class DeviceLostError(EngineError):
    """The graphics device is gone (driver reset, adapter unplugged): make another renderer."""

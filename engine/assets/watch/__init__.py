"""Watching the files of a project: which of them are other ones now, told once they are whole."""

from engine.assets.watch.changes import FileChanges
from engine.assets.watch.file_watch import FileWatch
from engine.assets.watch.settling import SettlingFiles

__all__ = ["FileChanges", "FileWatch", "SettlingFiles"]

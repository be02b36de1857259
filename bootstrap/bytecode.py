"""Keeping the compiled form of this program's modules where Python itself would not.

Python puts it beside the sources. Where that folder is read-only, as of an installed program, or
where nothing is to be written beside sources (`PYTHONDONTWRITEBYTECODE`), every start would
compile some 600 modules, half a second; there it goes to the user's cache folder. Python's own
check by size and time of each source holds there as well.
"""

from __future__ import annotations

import os
import sys
import threading
from importlib.abc import PathEntryFinder
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from pathlib import Path
from types import CodeType

from engine.user_cache import cache_dir

_LOCK = threading.RLock()


def keep_bytecode(root: Path) -> None:
    """Keep what is imported from below a folder from now on, where it would not be kept."""
    if not sys.dont_write_bytecode and os.access(root, os.W_OK):
        return
    below = str(root) + os.sep
    loader = _keeping_below(cache_dir() / "bytecode")
    # An environment below the folder has compiled modules, too.
    compiled = (ExtensionFileLoader, EXTENSION_SUFFIXES)
    hook = FileFinder.path_hook(compiled, (loader, SOURCE_SUFFIXES))

    def finder(path: str) -> PathEntryFinder:
        if path != str(root) and not path.startswith(below):
            raise ImportError
        return hook(path)

    sys.path_hooks.insert(0, finder)
    for known in [path for path in sys.path_importer_cache if (path + os.sep).startswith(below)]:
        del sys.path_importer_cache[known]


def _keeping_below(folder: Path) -> type[SourceFileLoader]:
    prefix = str(folder)

    class KeepingLoader(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType | None:
            # Python knows one place for all modules, so it is that one for a moment only: what
            # others compile belongs where it always is.
            with _LOCK:
                kept = sys.pycache_prefix, sys.dont_write_bytecode
                sys.pycache_prefix, sys.dont_write_bytecode = prefix, False
                try:
                    return super().get_code(fullname)
                finally:
                    sys.pycache_prefix, sys.dont_write_bytecode = kept

    return KeepingLoader

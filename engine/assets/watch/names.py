"""Which names in a project are never an artist's work: what editors and systems leave about."""

import fnmatch
import os
import re

_PATTERNS = (
    ".*",  # hidden: .git, .cinder, our own temporary files, vim's .name.swp
    "*~",
    "#*#",
    "~$*",
    "*.swp",
    "*.swo",
    "*.tmp",
    "*.temp",
    "*.bak",
    "*.part",
    "*.crdownload",
    "*.blend[0-9]",
    "*.blend[0-9][0-9]",
    "*.blend@",
    "*___jb_tmp___",
    "*___jb_old___",
    "4913",  # vim asks with it whether a folder can be written to
    "__pycache__",
    "node_modules",
    "thumbs.db",
    "desktop.ini",
)
_IGNORED = re.compile("|".join(fnmatch.translate(pattern) for pattern in _PATTERNS))


def is_ignored(name: str) -> bool:
    """Whether a file or folder of this name is left out."""
    return _IGNORED.match(name.lower()) is not None


def is_ignored_below(path: str, root: str) -> bool:
    """Whether `path`, or a folder between it and `root`, is left out; so is what lies outside."""
    if path == root:
        return False
    prefix = root if root.endswith(os.sep) else root + os.sep
    if not path.startswith(prefix):
        return True
    return any(map(is_ignored, path[len(prefix) :].split(os.sep)))

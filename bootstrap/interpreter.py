"""Starting another Python on the same command line.

This module is read by interpreters that are too old for the editor, so it keeps to old syntax.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NEWEST_TRIED = 14
_GUARD = "CINDER_BOOTSTRAP_DEPTH"


def run_with_newer_python(script: Path, argv: list[str], oldest: tuple[int, int]) -> int:
    """Go on with a newer Python of this machine, or say which one is needed."""
    python = find_python(oldest)
    if python is None or os.environ.get(_GUARD):
        needed = ".".join(map(str, oldest))
        found = ".".join(map(str, sys.version_info[:3]))
        print(
            f"This needs Python {needed} or newer; {sys.executable} is Python {found}. Install a "
            "newer Python (python.org, or your system's packages) and start main.py with it.",
            file=sys.stderr,
        )
        return 1
    return switch_to(python, script, argv)


def find_python(oldest: tuple[int, int]) -> str | None:
    """Return the newest `pythonX.Y` on the PATH that is not older than `oldest`."""
    for minor in range(NEWEST_TRIED, oldest[1] - 1, -1):
        path = shutil.which(f"python{oldest[0]}.{minor}")
        if path:
            return path
    return None


def switch_to(python: str, script: Path, argv: list[str]) -> int:
    """Run `script` with another interpreter in this process's place; return its status.

    Windows has no true exec: the shell would get its prompt back at once, so there the other
    interpreter is a child that is waited for.
    """
    command = [python, str(script), *argv]
    environment = dict(os.environ)
    environment[_GUARD] = str(int(environment.get(_GUARD, "0")) + 1)
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        return subprocess.call(command, env=environment)
    os.execve(python, command, environment)
    return 1


def switched() -> bool:
    """Whether this process was itself started by `switch_to`."""
    return int(os.environ.get(_GUARD, "0")) > 1


def forget_switches() -> None:
    """Let programs that this process starts switch interpreters again."""
    os.environ.pop(_GUARD, None)

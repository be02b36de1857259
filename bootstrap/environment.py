"""The Python environment: the running one when it will do, else one that is built once.

A built environment carries a note, `cinder-setup.json`, that is written as "building" before the
first step and as "complete" after the last, with the requirements it was built for. So an
interrupted set-up is recognised and built anew, a changed requirement installs what is new, and
an environment that somebody else made at the same place is never deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bootstrap import requirements, system
from bootstrap.errors import SetupError
from bootstrap.interpreter import forget_switches, switch_to, switched
from engine.user_cache import cache_dir

NOTE = "cinder-setup.json"
_OFFLINE = (
    "NewConnectionError",
    "Temporary failure in name resolution",
    "Failed to establish a new connection",
    "getaddrinfo failed",
    "Network is unreachable",
    "ProxyError",
)


def enter(root: Path, script: Path, argv: Sequence[str], extras: Sequence[str]) -> int | None:
    """Make sure that the packages are there.

    Returns None when the running interpreter has them, else the exit status of the same command
    in the environment that was built for them (where exec exists, it does not return at all).
    """
    wanted = requirements.wanted(root / "pyproject.toml", extras)
    folder = environment_folder(root)
    running_there = _is_complete(folder, wanted) and _is_running_in(folder)
    if running_there or not requirements.missing(wanted):
        forget_switches()
        return None
    if switched():
        names = ", ".join(item.text for item in requirements.missing(wanted))
        raise SetupError(f"{folder} was set up but still lacks {names}. Delete it and try again.")
    if not _is_complete(folder, wanted):
        with _one_at_a_time(folder):
            if not _is_complete(folder, wanted):
                build(folder, wanted)
    return switch_to(str(python_of(folder)), script, list(argv))


def environment_folder(root: Path) -> Path:
    """Return `.venv` beside main.py, or a folder in the user's cache when that is read-only."""
    beside = root / ".venv"
    if beside.is_dir() and os.access(beside, os.W_OK):
        return beside
    if not beside.exists() and os.access(root, os.W_OK):
        return beside
    tag = hashlib.sha256(str(root).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return cache_dir() / f"venv-{tag}"


def python_of(folder: Path) -> Path:
    """Return the interpreter inside an environment."""
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def build(folder: Path, wanted: Sequence[requirements.Requirement]) -> None:
    """Create or complete the environment, and install what is wanted."""
    _say(f"Setting up in {folder} (once; it takes a few minutes) ...")
    lines = [item.text for item in wanted]
    state = "foreign"
    if not _reuse(folder):
        _require_venv_module()
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        _write_note(folder, "building", ())
        _create(folder)
    if _state(folder) in ("building", "complete"):
        state = "complete"
    _pip_install(folder, lines)
    _write_note(folder, state, lines)
    _say("Set up.")


def _reuse(folder: Path) -> bool:
    """Whether an environment is there that pip can add to; raise when one is in the way."""
    state = _state(folder)
    if state == "building" or not folder.exists() or not any(folder.iterdir()):
        return False
    python = python_of(folder)
    probe = [str(python), "-c", "import sys, pip; sys.exit(sys.version_info < (3, 11))"]
    works = python.exists() and subprocess.run(probe, capture_output=True).returncode == 0
    if not works and state == "foreign":
        raise SetupError(
            f"{folder} is no Python environment that works here (too old, moved or without pip). "
            "Move it away and start again."
        )
    return works


def _create(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        tail = (done.stdout + done.stderr).strip()[-800:]
        raise SetupError(f"Could not make a Python environment in {folder}:\n{tail}")


def _require_venv_module() -> None:
    if importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip"):
        return
    package = f"python3.{sys.version_info.minor}-venv"
    system.install_packages([package], f"{sys.executable} lacks the venv module")


def _pip_install(folder: Path, lines: Sequence[str]) -> None:
    command = [str(python_of(folder)), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-input", "--progress-bar", "off", *lines]
    tail: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            tail = [*tail[-30:], line.rstrip()]
            if line.startswith(("Collecting", "Installing", "Successfully")):
                _say("  " + line.strip()[:100])
    if process.returncode:
        raise SetupError(_pip_message(tail))


def _pip_message(tail: Sequence[str]) -> str:
    text = "\n".join(tail)
    if any(sign in text for sign in _OFFLINE):
        return (
            "The packages could not be downloaded: no connection to the package index. "
            "Connect and start again; what is already there is kept.\n" + "\n".join(tail[-2:])
        )
    return "pip could not install the packages:\n" + "\n".join(tail[-12:])


def _state(folder: Path) -> str:
    """Return "complete" or "building" for our own environment, "foreign" for any other."""
    try:
        return str(json.loads((folder / NOTE).read_text(encoding="utf-8"))["state"])
    except (OSError, ValueError, KeyError, TypeError):
        return "foreign"


def _is_complete(folder: Path, wanted: Sequence[requirements.Requirement]) -> bool:
    try:
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        done = note["state"] != "building" and python_of(folder).exists()
        return bool(done and {item.text for item in wanted} <= set(note["requirements"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _write_note(folder: Path, state: str, lines: Sequence[str]) -> None:
    text = json.dumps({"state": state, "requirements": sorted(lines)}, indent=1)
    partial = folder / (NOTE + ".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(folder / NOTE)


def _is_running_in(folder: Path) -> bool:
    return Path(sys.prefix).resolve() == folder.resolve()


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Hold a lock that the system drops with the process, so that none can be left behind."""
    path = folder.parent / (folder.name + ".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        if sys.platform == "win32":
            import msvcrt

            locked = False
            while not locked:
                with contextlib.suppress(OSError):  # it gives up after ten seconds
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    locked = True
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)

"""What pip cannot install: shared libraries, a display, a runtime directory.

Linux needs care here, Windows and macOS none: their wheels bring what they load, so every check
below answers at once on them.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bootstrap.errors import SetupError

DRIVER = "vulkan driver"
# What is looked for (a shared library, a Vulkan driver or a program) and the Debian package
# that brings it.
GPU: tuple[tuple[str, str], ...] = (
    ("libvulkan.so.1", "libvulkan1"),
    (DRIVER, "mesa-vulkan-drivers"),
)
WINDOW: tuple[tuple[str, str], ...] = (
    ("libEGL.so.1", "libegl1"),
    ("libGL.so.1", "libgl1"),
    ("libdbus-1.so.3", "libdbus-1-3"),
    ("libfontconfig.so.1", "libfontconfig1"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ("libxcb-cursor.so.0", "libxcb-cursor0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"),
    ("libxcb-image.so.0", "libxcb-image0"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    ("libxcb-randr.so.0", "libxcb-randr0"),
    ("libxcb-render-util.so.0", "libxcb-render-util0"),
    ("libxcb-shape.so.0", "libxcb-shape0"),
    ("libxcb-shm.so.0", "libxcb-shm0"),
    ("libxcb-sync.so.1", "libxcb-sync1"),
    ("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    ("libxcb-xinerama.so.0", "libxcb-xinerama0"),
)
TESTING: tuple[tuple[str, str], ...] = (("Xvfb", "xvfb"), ("xdotool", "xdotool"))

_LIBRARY_FOLDERS = ("/usr/lib/*-linux-gnu*", "/usr/lib64", "/usr/lib", "/lib64", "/lib")
_ICD_FOLDERS = ("/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d")


def require_libraries(needed: Sequence[tuple[str, str]]) -> None:
    """Install what is missing where that is possible, else say the command that does it."""
    missing = [pair for pair in needed if not _is_there(pair[0])]
    if [probe for probe, _ in missing] == [DRIVER] and not _can_install():
        return  # a driver may hide elsewhere; without one the renderer says so itself
    if missing:
        packages = [package for _, package in missing]
        install_packages(packages, "Libraries of the system are missing")


def install_packages(packages: Sequence[str], reason: str) -> None:
    """Install Debian packages when root, else raise with the exact command to type."""
    names = list(packages)
    if shutil.which("apt-get") is None:
        raise SetupError(
            f"{reason}. Install what your system calls these Debian packages, then start again: "
            + " ".join(names)
        )
    command = ["apt-get", "install", "-y", "--no-install-recommends", *names]
    if not _can_install():
        raise SetupError(f"{reason}. Type this, then start again:\n    sudo {shlex.join(command)}")
    print(f"Installing {' '.join(names)} ...", file=sys.stderr, flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-q"], env=environment, capture_output=True)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        tail = (done.stdout + done.stderr).strip()[-800:]
        raise SetupError(f"{reason}, and installing failed:\n    {shlex.join(command)}\n{tail}")


def require_display() -> None:
    """Say in plain words that there is no screen, where Qt would abort."""
    if not sys.platform.startswith("linux"):
        return
    if any(os.environ.get(name) for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        return
    display = os.environ.get("DISPLAY")
    if display and _answers(display):
        return
    why = "neither DISPLAY nor WAYLAND_DISPLAY is set"
    if display:
        why = f"DISPLAY is {display}, where nothing answers"
    raise SetupError(
        f"There is no display ({why}), so no window can be shown.\n"
        "Start it from a desktop session, or with a virtual screen:\n"
        "    xvfb-run -a python3 main.py\nA picture needs no display:\n"
        "    python3 main.py --screenshot OUT.png LEVEL"
    )


def _answers(display: str) -> bool:
    """Whether an X server can be connected to; assumed where the library to ask with is missing."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    xcb.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
    xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(display.encode(), None)
    answers = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return answers


def set_runtime_dir() -> None:
    """Give Qt the private folder that a desktop session would have provided."""
    if not sys.platform.startswith("linux"):
        return
    current = os.environ.get("XDG_RUNTIME_DIR")
    if current and os.path.isdir(current):
        return
    folder = Path(tempfile.gettempdir()) / f"cinder-runtime-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if folder.is_symlink() or status.st_uid != os.getuid():
        folder = Path(tempfile.mkdtemp(prefix="cinder-runtime-"))
    folder.chmod(0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)


def _can_install() -> bool:
    return shutil.which("apt-get") is not None and sys.platform != "win32" and os.geteuid() == 0


def _is_there(probe: str) -> bool:
    if not sys.platform.startswith("linux"):
        return True
    if probe == DRIVER:
        return _has_vulkan_driver()
    if ".so" in probe:
        return _has_library(probe)
    return shutil.which(probe) is not None


def _has_library(soname: str) -> bool:
    """Look on disk first: loading a dozen libraries would cost every start its time."""
    for folder in _LIBRARY_FOLDERS:
        head, _, pattern = folder.partition("*")
        places = Path(head).parent.glob(Path(folder).name) if pattern else [Path(folder)]
        if any((place / soname).exists() for place in places):
            return True
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def _has_vulkan_driver() -> bool:
    if os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES"):
        return True
    data = os.environ.get("XDG_DATA_DIRS", "").split(":")
    folders = [Path(folder) for folder in _ICD_FOLDERS]
    folders += [Path(folder) / "vulkan" / "icd.d" for folder in data if folder]
    folders.append(Path.home() / ".local" / "share" / "vulkan" / "icd.d")
    return any(any(folder.glob("*.json")) for folder in folders if folder.is_dir())

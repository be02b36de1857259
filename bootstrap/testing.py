"""Running the tests on any machine: the test tools, a virtual screen where there is none."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bootstrap import system


def run_tests(root: Path, arguments: Sequence[str]) -> int:
    """Run pytest in the checkout and return its exit status.

    In-process tests of the window use Qt's offscreen platform. Tests that want a real screen
    start programs of their own on DISPLAY, which is a virtual one here on Linux.
    """
    system.require_libraries(system.GPU + system.WINDOW + system.TESTING)
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "pytest", *arguments]
    if not os.access(root, os.W_OK):
        command += ["-p", "no:cacheprovider"]
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
    with virtual_display() as display:
        if display:
            environment["DISPLAY"] = display
        return subprocess.call(command, cwd=root, env=environment)


@contextlib.contextmanager
def virtual_display() -> Iterator[str]:
    """Run an Xvfb on a free display number while the block runs; "" where there is none."""
    xvfb = shutil.which("Xvfb") if sys.platform.startswith("linux") else None
    if xvfb is None:
        yield ""
        return
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [xvfb, "-displayfd", str(writing), "-screen", "0", "1920x1080x24", "-nolisten", "tcp"],
        pass_fds=(writing,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        yield f":{number}" if number else ""
    finally:
        process.terminate()
        process.wait()

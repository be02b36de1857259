"""`main.py`, started by this interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.patience import PROCESS_S

ROOT = Path(__file__).resolve().parents[2]


MAIN = ROOT / "main.py"


def run_main(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run main.py with this interpreter; an empty value takes a variable away."""
    env = {**os.environ, **changes}
    env = {key: value for key, value in env.items() if value}
    return subprocess.run(
        [sys.executable, str(MAIN), *arguments],
        capture_output=True,
        text=True,
        env=env,
        timeout=PROCESS_S,
        stdin=subprocess.DEVNULL,
    )

"""Opening a level again, against the first time; and what an import leaves of a frame.

`pytest -m bench tests/bench/test_reopening.py`; the budgets are those of the project's table.
"""

import shutil
import time
from pathlib import Path

import pytest

from editor.document import LevelDocument
from engine.app import App
from engine.assets.cache_folder import CACHE_FOLDER
from engine.render import Renderer
from tests.bench.sponza_size import write_project

pytestmark = pytest.mark.bench
SAMPLE = Path(__file__).resolve().parents[2] / "resources/sample"
AGAIN = 0.4
ROUNDS = 9
LONGEST_FRAME_MS = 50.0


@pytest.fixture(scope="module")
def renderer():
    return Renderer()


def opening(level, renderer):
    """Open a level in a session of its own; return the seconds until everything stands."""
    app = App(level.parent, renderer)
    document = LevelDocument(app)
    start = time.perf_counter()
    document.open(level)
    app.frame(0.0)
    seconds = time.perf_counter() - start
    app.assets.cache.wait()
    app.attach(None)
    document.close()
    return seconds


def test_opening_the_sample_again_takes_a_fraction_of_the_first_time(tmp_path, renderer):
    project = shutil.copytree(SAMPLE, tmp_path / "sample")
    level = project / "levels/village.scene"
    first, again = [], []
    for _ in range(ROUNDS):
        shutil.rmtree(project / CACHE_FOLDER, ignore_errors=True)
        first.append(opening(level, renderer))
        again.append(opening(level, renderer))
    ratio = min(again) / min(first)
    print(f"first {min(first) * 1e3:.0f} ms, again {min(again) * 1e3:.0f} ms: {ratio:.2f}")
    assert ratio <= AGAIN


def longest_frame(level, renderer):
    """Run the program's loop while a level arrives; return the longest `frame` by the CPU.

    What a software adapter does on threads of its own would be another chip's work.
    """
    app = App(level.parent, renderer)
    document = LevelDocument(app)
    app.frame(0.0)
    document.open(level, wait=False)
    longest = 0.0
    while True:
        before = time.thread_time()
        app.frame(1 / 60)
        longest = max(longest, time.thread_time() - before)
        if not app.assets.loading():
            break
        time.sleep(1 / 120)
    assert len(app.scene.instances) > 100
    app.assets.cache.wait()
    app.attach(None)
    document.close()
    return longest * 1e3


def test_a_prop_of_the_size_of_sponza_blocks_no_frame(tmp_path, renderer):
    level = write_project(tmp_path / "project")
    for name in ("first", "again"):
        longest = longest_frame(level, renderer)
        print(f"{name}: the longest frame takes {longest:.1f} ms")
        assert longest <= LONGEST_FRAME_MS

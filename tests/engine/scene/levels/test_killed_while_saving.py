"""A process that is killed while it saves leaves the old file or the new one, whole."""

import pathlib
import random
import subprocess
import sys
import time

import pytest

from engine.scene.document import read_text
from tests.engine.scene.levels.save_loop import ENTITIES

ROOT = pathlib.Path(__file__).resolve().parents[4]


def kill_once(path, delay):
    command = [sys.executable, "-m", "tests.engine.scene.levels.save_loop", str(path)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        time.sleep(delay)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def check(tmp_path, times, seed):
    rng = random.Random(seed)
    path = tmp_path / "a.scene"
    lines = [f'entity {i}\n  Name text="save 0"\n' for i in range(ENTITIES)]
    path.write_text("cinder-scene 2\n" + "".join(lines))
    for _ in range(times):
        kill_once(path, rng.uniform(0, 0.25))
        doc = read_text(path.read_bytes())
        texts = {e.components[0].get("text").value for e in doc.entities}
        assert len(doc) == ENTITIES
        assert len(texts) == 1


def test_killed_a_few_times(tmp_path):
    check(tmp_path, 4, 1)


@pytest.mark.full
def test_killed_at_200_moments(tmp_path):
    check(tmp_path, 200, 2)

"""The real editor, killed at any moment of a session: at most the edit in flight is lost."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from editor.document import LevelDocument
from tests.gui.scripted_edits import EDITS, edit, seen

ROOT = Path(__file__).resolve().parents[2]
LEVEL = "cinder-scene 2\n# by hand\n" + "".join(
    f'entity {i}\n  Name text="e{i:02}"\n  LocalTransform translation=[{i},0,0]\n'
    for i in range(20)
)


def expected_states(folder, seed):
    """What the level holds after each number of edits, played without a window."""
    folder.mkdir()
    path = folder / "level.scene"
    path.write_text(LEVEL)
    document = LevelDocument()
    document.open(path)
    rng = random.Random(seed)
    states = [seen(document)]
    for number in range(EDITS):
        edit(document, rng, number)
        states.append(seen(document))
    document.close()
    return states


def killed_session(path, seed, after, delay):
    """Play the session in the editor and kill it; return how many edits it had finished."""
    command = [sys.executable, "-m", "tests.gui.scripted_edits", str(path), str(seed), str(EDITS)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    done = 0
    try:
        for line in process.stdout:
            words = line.split()
            done = int(words[1]) + 1 if words[:1] == [b"done"] else done
            if words and done >= after:
                break
        time.sleep(delay)
    finally:
        process.kill()
        # Not `communicate`: that passes over what was read ahead here, edits that it had finished.
        rest = process.stdout.read()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    finished = [int(line.split()[1]) + 1 for line in rest.splitlines() if line[:4] == b"done"]
    return max([done, *finished])


def reopened(path):
    """The level as the next start finds it, with what can be recovered."""
    document = LevelDocument()
    entries = document.recoverable()
    assert len(entries) <= 1
    if entries:
        document.recover(entries[0])
    else:
        document.open(path)
    return document


def kill_at_random(tmp_path, times, seed):
    rng = random.Random(seed)
    states = expected_states(tmp_path / "reference", seed)
    for number in range(times):
        path = tmp_path / f"run{number}" / "level.scene"
        path.parent.mkdir()
        path.write_text(LEVEL)
        after = rng.randint(1, EDITS - 5)
        done = killed_session(path, seed, after, rng.uniform(0, 0.03))
        assert done >= after, "the session ended by itself"
        document = reopened(path)
        found = seen(document)
        if not document.history.count:
            # Nothing was unsaved, and what was selected is no work.
            found, states_now = found[0], [state[0] for state in states]
        else:
            states_now = states
        assert found in states_now[done : done + 2], f"run {number}: {done} edits were done"
        document.save()
        document.close()
        assert document.recoverable() == []


def test_killed_at_a_few_moments(tmp_path):
    kill_at_random(tmp_path, 3, 1)


@pytest.mark.full
def test_killed_at_20_moments(tmp_path):
    kill_at_random(tmp_path, 20, 2)

"""The real editor, killed after steps on instances and files: they come back, and so do files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from editor.document import LevelDocument
from tests.editor.document.levels import crash, named
from tests.gui.asset_steps import STEPS, files, snapshot, write_project
from tests.gui.killed_move import KILLED
from tests.patience import PROCESS_S

ROOT = Path(__file__).resolve().parents[2]
# What is missing from the beginning, also where its folder is called something else.
LOST = {"props/lost.gltf", "things/props/lost.gltf"}
# Steps that do not stand in each other's way, in an order that does not either.
TOGETHER = (
    "material", "variant", "revert", "relink", "apply", "place level", "make unique", "rename file",
    "revert all", "make instance", "move folder", "unpack",
)  # fmt: skip


def played_and_killed(folder, steps):
    """Play steps in the editor, kill it, and return what its level and its project held."""
    level = write_project(folder / "project")
    out = folder / "out.json"
    command = [sys.executable, "-m", "tests.gui.asset_steps", str(level), str(out), *steps]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stdin=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    words = process.stdout.readline()
    process.kill()
    _, told = process.communicate()
    assert words == "done\n", told
    return level, json.loads(out.read_text())


def check_recovery(level, expected):
    """The next start offers the work; it is all there, and outlives saving and opening."""
    assert files(level.parent) == expected["files"]
    document = LevelDocument()
    [entry] = document.recoverable()
    document.recover(entry)
    found = snapshot(document)
    assert found["text"] == expected["text"]
    assert found["shown"] == expected["shown"]
    assert found["files"] == expected["files"]
    assert document.dirty
    document.save()
    document.close()
    again = LevelDocument()
    assert again.recoverable() == []
    again.open(level)
    assert snapshot(again)["shown"] == expected["shown"]
    again.close()


def check_undo(level, expected):
    """What came back can be taken back to the beginning, files too, and made again."""
    document = LevelDocument()
    [entry] = document.recoverable()
    steps = document.recover(entry)
    assert steps
    while document.history.index:
        document.undo()
        document.settle()
    while document.history.index < steps:
        document.redo()
        document.settle()
    assert snapshot(document) == expected
    document.close()


@pytest.mark.parametrize("step", STEPS)
def test_a_step_comes_back_after_a_crash(tmp_path, step):
    """As a kill, without a window: what the system does then is done here."""
    level = write_project(tmp_path / "project")
    document = LevelDocument()
    document.open(level)
    told = []
    document.message_posted.connect(told.append)
    STEPS[step](document)
    expected = snapshot(document)
    crash(document)
    assert [m.text for m in told if m.level != "info"] == []
    check_recovery(level, expected)


def test_killed_after_many_kinds_of_steps(tmp_path):
    check_recovery(*played_and_killed(tmp_path, TOGETHER))


@pytest.mark.full
@pytest.mark.parametrize("step", STEPS)
def test_killed_after_one_step(tmp_path, step):
    check_recovery(*played_and_killed(tmp_path, [step]))


@pytest.mark.full
@pytest.mark.parametrize("step", STEPS)
def test_what_was_recovered_can_be_undone_and_redone(tmp_path, step):
    check_undo(*played_and_killed(tmp_path, [step]))


@pytest.mark.full
@pytest.mark.parametrize(
    "step", ["rename file", "move files", "move folder", "rename level", "relink", "apply"]
)
def test_killed_within_a_step_on_files(tmp_path, step):
    """The next start finds all of it done or nothing, and what was done before comes back."""
    before, after = files(write_project(tmp_path / "none").parent), {}
    at, is_over, ends = 1, False, []
    while not is_over:
        level = write_project(tmp_path / str(at) / "project")
        command = [sys.executable, "-m", "tests.gui.killed_move", str(level), step, str(at)]
        status = subprocess.run(command, cwd=ROOT, timeout=PROCESS_S).returncode
        assert status in (0, KILLED)
        is_over = status == 0
        assert whole_files(before) <= whole_files(files(level.parent))
        document = LevelDocument()
        [entry] = document.recoverable()
        document.recover(entry)
        after = files(level.parent)
        ends.append(after if step != "apply" else without_temporaries(after))
        assert named(document, "Earth")
        assert set(document.missing_assets()) <= LOST
        document.save()
        document.close()
        for other in ("other.scene", "yard.scene"):
            again = LevelDocument()
            again.open(level.with_name(other))
            assert set(again.missing_assets()) <= LOST
            again.close()
        at += 1
    assert at > 2
    assert [found for found in ends if found not in (before, after)] == []


def without_temporaries(found):
    """What applying leaves, one write to one level, of which a temporary file may stay."""
    return {name: digest for name, digest in found.items() if not name.endswith(".tmp")}


def whole_files(found):
    """What the files of a project hold that no step writes to."""
    return {digest for name, digest in found.items() if not name.endswith((".scene", ".tmp"))}

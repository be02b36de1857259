"""Undoing all and doing all again gives the same file, however often a prop changes meanwhile."""

import os

import pytest

from tests.editor.document.undo_sessions import Step, differences, drawn

SEEDS = int(os.environ.get("CINDER_UNDO_SEEDS", "40"))
STEPS = int(os.environ.get("CINDER_UNDO_STEPS", "40"))

KINDS = {
    "a reference to a node that goes": [
        Step("reparent", "Ground", "Box/Body"),
        Step("export", "other"),
    ],
    "a reference that moves to a node that goes": [
        Step("place", "room.scene"),
        Step("hang", "Box/Body"),
        Step("reparent", "Box/Body/Hat", "room/Table/Body/Arm"),
        Step("export", "body"),
        Step("revert_instance", "room"),
        Step("undo"),
        Step("redo"),
    ],
    "a reference to a node that was changed under another path": [
        Step("export", "deeper"),
        Step("add", "Box/Top/Body", "Enabled"),
        Step("export", "limb"),
        Step("refer", "Box/Body"),
    ],
    "a node that is known by the path of a change that was taken back": [
        Step("hang", "Box/Body/Arm"),
        Step("export", "deeper"),
        Step("revert", "Box/Top/Body/Arm"),
        Step("export", "limb"),
    ],
    "a change that is taken back while something holds on to the node": [
        Step("add", "Box/Body", "LightSource"),
        Step("hang_instance", "Box/Body", "room.scene"),
        Step("remove", "Box/Body", "LightSource"),
        Step("export", "deeper"),
        Step("export", "other"),
    ],
    "a node in a level that was made": [
        Step("revert_instance", "Box"),
        Step("make", "Box"),
        Step("export", "limb"),
    ],
    "what hangs in a level that was made": [
        Step("make", "Box"),
        Step("hang_instance", "Box/Box/Body/Arm", "crate.gltf"),
        Step("hang", "Box/Box/Body"),
        Step("export", "other"),
    ],
    "a record of a node that had one in the file": [
        Step("make", "Box"),
        Step("export", "deeper"),
        Step("add", "Box/Box/Top/Body/Arm", "LightSource"),
    ],
    "a reference into a level that was made": [
        Step("place", "room.scene"),
        Step("export", "deeper"),
        Step("refer", "room/Table/Top/Body/Arm"),
        Step("make", "room"),
        Step("export", "limb"),
    ],
    "a change without a node that was unpacked": [
        Step("export", "other"),
        Step("unpack", "Box"),
        Step("export", "plain"),
    ],
    "a changed node that was unpacked": [
        Step("override", "Box/Body"),
        Step("unpack", "Box"),
        Step("export", "deeper"),
    ],
    "a change that a placed level leaves behind": [
        Step("make", "Box"),
        Step("export", "other"),
        Step("unpack", "Box"),
    ],
    "a change that is made again on a node without a place": [
        Step("place", "room.scene"),
        Step("unpack", "room"),
        Step("export", "body"),
        Step("revert", "room/Table/Arm"),
        Step("override", "room/Table/Arm"),
        Step("export", "plain"),
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_undo_and_redo_are_exact(tmp_path, kind):
    assert differences(tmp_path, KINDS[kind]) == []


@pytest.mark.parametrize("seed", [59])
def test_sessions_that_once_differed(tmp_path, seed):
    assert differences(tmp_path, drawn(seed)) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", range(1000, 1000 + SEEDS))
def test_every_session_is_undone_and_done_again(tmp_path, seed):
    assert differences(tmp_path, drawn(seed, STEPS)) == []

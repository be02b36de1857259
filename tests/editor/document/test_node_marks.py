"""Hiding and locking nodes of placed props and levels: the user's own state, kept by address."""

import pytest

from editor.document import LevelDocument
from editor.model.user_state import store_state
from engine.scene import SceneInstance, children
from tests.editor.document.placed import ROOM, node
from tests.editor.document.props import write_prop


@pytest.fixture
def placed(house, folder):
    house.open(folder / "house.scene")
    root = house.place("room.scene")
    house.save()
    return root


def again(house):
    """The placed level after the document was opened anew."""
    path = house.path
    house.open(path)
    return next(e for e in house.children() if house.world.has(e, SceneInstance))


def test_marks_of_nodes_are_no_change_of_the_level(house, folder, placed):
    text = (folder / "house.scene").read_bytes()
    arm, table = node(house, placed, "Table/Body/Arm"), node(house, placed, "Table")
    house.set_hidden([arm], True)
    house.set_locked([table], True)
    assert (house.hidden(arm), house.locked(table), house.dirty) == (True, True, False)
    assert house.app.hidden == {arm}
    assert house.app.level_file.draft_bytes() == text
    house.undo()
    house.undo()
    assert (house.hidden(arm), house.locked(table), house.dirty) == (False, False, False)
    assert house.app.hidden == frozenset()


def test_they_are_there_again_when_the_level_is_opened_anew(house, placed):
    house.set_hidden([node(house, placed, "Table/Body/Arm"), node(house, placed, "Sign")], True)
    house.set_locked([node(house, placed, "Table")], True)
    root = again(house)
    shown = {e: path for e, path in house.nodes_of(root) if not house.hidden(e)}
    assert sorted(set(dict(house.nodes_of(root)).values()) - set(shown.values())) == [
        "Sign", "Table/Body/Arm",
    ]  # fmt: skip
    assert house.locked(node(house, root, "Table"))
    assert not house.locked(node(house, root, "Sign"))
    assert house.app.hidden == {node(house, root, "Table/Body/Arm"), node(house, root, "Sign")}
    assert not house.dirty
    house.set_hidden([node(house, root, "Sign")], False)
    root = again(house)
    assert not house.hidden(node(house, root, "Sign"))
    assert house.hidden(node(house, root, "Table/Body/Arm"))


def test_a_node_with_a_change_keeps_its_mark_as_well(house, placed):
    sign = node(house, placed, "Sign")
    house.rename(sign, "Board")
    house.set_hidden([sign], True)
    house.save()
    root = again(house)
    assert house.hidden(node(house, root, "Sign"))


def test_they_outlive_a_level_that_is_other_on_disk(house, folder, placed):
    arm, sign = node(house, placed, "Table/Body/Arm"), node(house, placed, "Sign")
    house.set_hidden([arm, sign], True)
    (folder / "room.scene").write_text(ROOM.replace("exposure=3.0", "exposure=2.0"))
    house.reload_assets(force=True)
    assert house.hidden(node(house, placed, "Sign"))
    assert house.hidden(node(house, placed, "Table/Body/Arm"))


def test_a_node_that_goes_and_comes_back_is_hidden_again(house, folder, placed):
    heard = []
    house.changed.connect(heard.append)
    house.set_hidden([node(house, placed, "Table/Body/Arm")], True)
    write_prop(folder, nodes=[{"name": "Body", "mesh": 0}])
    house.reload_assets(force=True)
    write_prop(folder)
    house.reload_assets(force=True)
    arm = node(house, placed, "Table/Body/Arm")
    assert house.hidden(arm)
    assert arm in house.app.hidden


def test_what_is_not_there_yet_is_kept_for_later(house, folder, placed):
    house.set_locked([node(house, placed, "Table/Body/Arm")], True)
    write_prop(folder, nodes=[{"name": "Body", "mesh": 0}])
    root = again(house)
    root = again(house)
    write_prop(folder)
    house.reload_assets(force=True)
    assert house.locked(node(house, root, "Table/Body/Arm"))


def test_a_state_that_somebody_garbled_hides_nothing(house, placed):
    house._keep_view_state = lambda: None
    for garbled in ([[0], "x", [-1, "Sign"], [99, "Sign"], [1, 2], None], "Sign", {"a": 1}):
        store_state(house.path, {"hidden_nodes": garbled})
        root = again(house)
        assert house.app.hidden == frozenset()
        assert children(house.world, root)


def test_two_open_documents_do_not_share_them(house, placed):
    other = LevelDocument()
    other.open(house.path)
    house.set_hidden([node(house, placed, "Sign")], True)
    assert other.app.hidden == frozenset()
    other.close()

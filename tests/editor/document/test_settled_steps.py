"""Without a window every method returns with the nodes of instances as the step says."""

import pytest

from engine.scene import (
    GltfInstance,
    LightSource,
    LocalTransform,
    Name,
    SceneInstance,
    is_enabled,
)
from tests.editor.document.placed import node
from tests.editor.document.props import write_prop


def state(document):
    """Return what stands in the level, whatever the handles are, and what of it is on."""
    world = document.world
    return sorted(
        (
            document.full_name(entity),
            sorted(view.name for view in document.components(entity)),
            is_enabled(world, entity),
        )
        for entity in world.entities()
    )


def set_asset(document, root):
    document.set_fields([root], GltfInstance, asset="other.gltf")


def add_instance(document, root):
    entity = document.spawn(Name("Added"), LocalTransform())
    document.add_component([entity], GltfInstance(asset="other.gltf"))


def change_and_revert(document, root):
    document.delete([node(document, root, "Body/Arm")])
    document.revert_override([node(document, root, "Body/Arm")])


def take_and_give_back(document, root):
    arm = node(document, root, "Body/Arm")
    document.add_component([arm], LightSource)
    document.remove_component([arm], LightSource)


STEPS = {
    "another asset": set_asset,
    "another component": add_instance,
    "a spawned instance": lambda document, root: document.spawn(
        Name("Room"), LocalTransform(), SceneInstance(level="room.scene")
    ),
    "a removed node": lambda document, root: document.delete([node(document, root, "Body/Arm")]),
    "a node that came back": change_and_revert,
    "a component of a node": take_and_give_back,
    "no instance any more": lambda document, root: document.remove_component([root], GltfInstance),
    "a deleted instance": lambda document, root: document.delete([root]),
    "unpacked": lambda document, root: document.unpack([root]),
    "in a level of its own": lambda document, root: document.make_instance("made.scene", [root]),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_step_its_undo_and_its_redo_return_settled(house, folder, step):
    write_prop(folder, "other", nodes=[{"name": "Other", "mesh": 0}])
    root = house.place("crate.gltf")
    STEPS[step](house, root)
    states = [state(house)]
    house.undo()
    states.append(state(house))
    house.redo()
    states.append(state(house))
    assert states[2] == states[0] != states[1]
    for act, seen in zip((lambda: None, house.undo, house.redo), states, strict=True):
        act()
        house.settle()
        house.app.frame(0.0)
        assert state(house) == seen


def test_what_is_not_waited_for_is_not_there_yet(house):
    root = house.place("crate.gltf", wait=False)
    assert not house.nodes_of(root)
    house.settle()
    assert house.nodes_of(root)

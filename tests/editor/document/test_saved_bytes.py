"""Any edits of a level with instances: undo and redo save the same bytes, step by step."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor.document import LevelDocument
from engine.errors import EngineError
from engine.reflect import Entity
from engine.scene import (
    Enabled,
    GltfInstance,
    LightSource,
    LocalTransform,
    Name,
    Placeholder,
    Realised,
)
from engine.scene.instance_nodes import node_path
from tests.editor.document.levels import named
from tests.editor.document.placed import node
from tests.editor.document.props import gltf, write_prop

NUMBER = st.floats(-10, 10, width=32)
LEVEL = """\
cinder-scene 2
# written by hand
entity 0
  Name text="well"
  Wind force=3.0 at=#2
entity 1
entity 2
  Name text="crate"
  Parent entity=#0
  LocalTransform translation=[1, 2.50, 3]
  GltfInstance asset="props/crate.gltf"
entity 3
  InstanceNode root=#2 path="Body/Arm"
  LocalTransform scale=[2,2,2]
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    write_prop(folder / "props", "crate")
    write_prop(folder / "props", "lamp", nodes=[{"name": "Body", "mesh": 0}])
    (folder / "project.json").write_text(json.dumps({}))
    return folder


def edit(document, draw):
    """Carry out one edit, which may well be refused."""
    world = document.world
    alive = sorted(world.entities(), key=world.serial)
    some = draw(st.lists(st.sampled_from(alive), max_size=3)) if alive else []
    one = draw(st.sampled_from([None, *alive]))
    other = draw(st.sampled_from([None, *alive]))
    vector = (draw(NUMBER), draw(NUMBER), draw(NUMBER))
    asset = f"props/{draw(st.sampled_from(['crate', 'lamp', 'missing']))}.gltf"
    edits = {
        "place": lambda: document.place(asset, parent=one),
        "spawn": lambda: document.spawn(LocalTransform(vector), parent=one),
        "move": lambda: document.set_fields(some, LocalTransform, translation=vector),
        "scale": lambda: document.set_fields(some, LocalTransform, scale=vector),
        "rename": lambda: document.set_fields(some, Name, text=draw(st.text(max_size=3))),
        "swap": lambda: document.set_fields(some, GltfInstance, asset=asset),
        "add": lambda: document.add_component(some, LightSource(intensity=vector[0])),
        "remove": lambda: document.remove_component(
            some, draw(st.sampled_from(["LightSource", "Wind", "GltfInstance", "LocalTransform"]))
        ),
        "enable": lambda: document.add_component(some, Enabled(False)),
        "delete": lambda: document.delete(some),
        "duplicate": lambda: document.duplicate(some),
        "reparent": lambda: document.reparent(some, one, draw(st.booleans())),
        "order": lambda: document.order(some, one, other),
        "group": lambda: document.group(some),
        "revert": lambda: document.revert_override(some),
        "select": lambda: document.select(some),
        "paste": lambda: document.paste(document.copy()),
    }
    edits[draw(st.sampled_from(sorted(edits)))]()


def tree(document):
    def below(entity):
        return [(document.world.get(e, Name).text, below(e)) for e in document.children(entity)]

    return below(Entity.null())


def selected(document):
    """Return what is selected: entities by handle, nodes (made anew at times) by their address."""
    world = document.world
    return [node_path(world, e) if world.has(e, Realised) else e for e in document.selection]


def seen(document):
    document.settle()
    return document.app.level_file.to_bytes(), tree(document), selected(document)


def test_a_selected_node_is_selected_again_when_its_asset_is_back(project):
    (project / "a.scene").write_text(LEVEL)
    document = LevelDocument()
    document.open(project / "a.scene")
    crate = named(document, "crate")
    document.select([node(document, crate, "Body")])
    document.set_fields([crate], GltfInstance, asset="props/missing.gltf")
    assert selected(document) == []
    told = []
    document.selection_changed.connect(told.append)
    document.undo()
    document.settle()
    assert selected(document) == [(crate, "Body")]
    assert told[-1] == document.selection
    document.undo()
    document.redo()
    assert selected(document) == [(crate, "Body")]
    document.close()


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_every_step_is_saved_as_it_was(project, data):
    (project / "a.scene").write_text(LEVEL)
    document = LevelDocument()
    document.open(project / "a.scene")
    states = [seen(document)]
    assert states[0][0] == LEVEL.encode()
    for _ in range(data.draw(st.integers(1, 10))):
        count = document.history.count
        try:
            edit(document, data.draw)
        except EngineError:
            assert document.history.count == count
            assert seen(document) == states[-1]
        if document.history.count > count:
            states.append(seen(document))
    for state in states[-2::-1]:
        document.undo()
        assert seen(document) == state
    assert not document.dirty
    for state in states[1:]:
        document.redo()
        assert seen(document) == state
    if document.dirty:
        document.save(project / "b.scene")
        document.open(project / "b.scene")
        assert (document.app.level_file.to_bytes(), tree(document)) == states[-1][:2]
    document.close()


def test_the_prop_is_what_the_paths_say():
    assert [node["name"] for node in gltf()["nodes"]] == ["Body", "Arm"]


def test_a_node_that_was_gone_for_a_while_leaves_no_record(project):
    (project / "a.scene").write_text(LEVEL)
    document = LevelDocument()
    document.open(project / "a.scene")
    crate = next(e for e in document.world.entities() if document.world.has(e, GltfInstance))
    document.spawn(Name("on it"), parent=document.children(crate)[0])
    document.remove_component([crate], GltfInstance)
    document.settle()
    document.undo()
    document.settle()
    document.undo()
    assert document.app.level_file.to_bytes() == LEVEL.encode()
    document.close()


@pytest.mark.parametrize("act", ["select", "hide"])
def test_a_step_on_a_node_that_was_made_anew_still_means_that_node(project, act):
    (project / "a.scene").write_text(LEVEL)
    document = LevelDocument()
    document.open(project / "a.scene")
    crate = next(e for e in document.world.entities() if document.label(e) == "crate")
    document.set_fields([crate], GltfInstance, asset="props/missing.gltf")
    (box,) = [e for e in document.children(crate) if document.world.has(e, Placeholder)]
    if act == "select":
        document.select([box])
    else:
        document.set_hidden([box], True)
    for _ in range(2):
        document.undo()
        document.settle()
    for _ in range(2):
        document.redo()
        document.settle()
    (box,) = [e for e in document.children(crate) if document.world.has(e, Placeholder)]
    assert list(document.selection) == [box] if act == "select" else document.hidden(box)
    document.close()


def test_what_was_changed_on_a_node_and_taken_back_leaves_no_line(house):
    root = house.place("crate.gltf")
    house.save()
    before, arm = house.path.read_bytes(), node(house, root, "Body/Arm")

    def taken_back():
        house.save()
        return house.path.read_bytes() == before

    child = house.spawn(Name("Bulb"), LocalTransform(), parent=arm)
    assert not taken_back()
    house.delete([child])
    assert taken_back()
    house.set_fields([arm], LocalTransform, translation=(5, 5, 5))
    assert not taken_back()
    house.revert_override([arm], "LocalTransform", "translation")
    assert taken_back()
    house.add_component([arm], LightSource)
    assert not taken_back()
    house.remove_component([arm], LightSource)
    assert taken_back()
    assert house.change_count(arm) == 0
    house.delete([arm])
    assert not taken_back()
    house.revert_override([arm])
    assert taken_back()


def test_a_change_comes_back_with_its_entity_when_its_node_was_made_anew(project):
    (project / "a.scene").write_text(LEVEL)
    document = LevelDocument()
    document.open(project / "a.scene")
    crate = next(e for e in document.world.entities() if document.world.has(e, GltfInstance))
    document.revert_override([node(document, crate, "Body/Arm")])
    document.remove_component([crate], GltfInstance)
    document.undo()
    document.undo()
    assert document.app.level_file.to_bytes() == LEVEL.encode()
    assert not document.dirty
    document.close()

"""Edits of realised nodes are overrides, addressed by (instance, path)."""

import numpy as np
import pytest

from editor.commands import (
    AddComponent,
    Despawn,
    Duplicate,
    RemoveComponent,
    Reparent,
    RevertOverride,
    SetFields,
    Spawn,
)
from engine.errors import ComponentError, SceneError
from engine.reflect import from_record
from engine.scene import (
    CameraComponent,
    Enabled,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    Name,
    Parent,
    Realised,
    children,
)
from engine.scene.node_paths import NodePaths


class Prop:
    """An instance as the realiser leaves it: Body/Arm below the root."""

    def __init__(self, level):
        self.level = level
        self.root = level.entity("prop", None, GltfInstance(asset="prop.glb"))
        self.realise()

    def realise(self):
        paths = NodePaths.of(self.level.world)
        self.body = self.level.entity("Body", self.root, Realised())
        self.arm = self.level.entity("Arm", self.body, Realised(), LightSource(intensity=2))
        paths.bind(self.root, "Body", self.body)
        paths.bind(self.body, "Arm", self.arm)
        self.level.context.inherited = self.inherited

    def inherited(self, node, type_):
        base = LightSource(intensity=2) if type_ is LightSource else None
        base = LocalTransform() if type_ is LocalTransform else base
        kept = KeptRecords()
        if self.level.world.has(node, KeptRecords):
            kept = self.level.world.get(node, KeptRecords)
        record = kept.find(type_.scene_name())
        return from_record(type_, record) if record is not None and base is not None else base

    def kept(self, node):
        if not self.level.world.has(node, KeptRecords):
            return {}
        records = self.level.world.get(node, KeptRecords).records
        return {record.name: [f.name for f in record.fields] for _, record in records}


@pytest.fixture
def prop(level):
    return Prop(level)


def test_exactly_the_fields_that_were_set_become_an_override(level, prop):
    level.check_laws(SetFields([prop.arm], LocalTransform, {"translation": (0, 1, 0)}))
    assert prop.kept(prop.arm) == {"LocalTransform": ["translation"]}
    link = level.world.get(prop.arm, InstanceNode)
    assert (link.root, link.path) == (prop.root, "Body/Arm")
    assert list(level.world.get(prop.arm, LocalTransform).translation) == [0, 1, 0]
    assert "LocalTransform translation=[0.0,1.0,0.0]\n" in level.text()


def test_undo_removes_the_override_again(level, prop):
    level.push(SetFields([prop.arm], LocalTransform, {"translation": (0, 1, 0)}))
    level.push(SetFields([prop.arm], LocalTransform, {"scale": (2, 2, 2)}))
    assert prop.kept(prop.arm) == {"LocalTransform": ["translation", "scale"]}
    level.history.undo()
    assert prop.kept(prop.arm) == {"LocalTransform": ["translation"]}
    level.history.undo()
    assert prop.kept(prop.arm) == {}
    assert not level.world.has(prop.arm, InstanceNode)


def test_an_override_equal_to_the_base_is_one_all_the_same(level, prop):
    level.check_laws(SetFields([prop.arm], LightSource, {"intensity": 2}))
    assert prop.kept(prop.arm) == {"LightSource": ["intensity"]}


def test_a_drag_of_a_node_is_one_override(level, prop):
    with level.history.begin_gesture("Drag"):
        for i in range(30):
            level.push(SetFields([prop.arm], LocalTransform, {"translation": (0, i, 0)}))
    assert level.history.steps[0].cost < 8000
    level.history.undo()
    assert prop.kept(prop.arm) == {}
    assert list(level.world.get(prop.arm, LocalTransform).translation) == [0, 0, 0]


def test_a_step_finds_the_node_by_its_path_after_a_reload(level, prop):
    level.push(SetFields([prop.arm], LightSource, {"intensity": 5}))
    level.history.undo()
    for old in (prop.arm, prop.body):
        level.world.despawn(old)
    prop.realise()
    level.history.redo()
    assert level.world.get(prop.arm, LightSource).intensity == 5
    assert prop.kept(prop.arm) == {"LightSource": ["intensity"]}


def test_a_step_whose_node_is_gone_is_parked_with_a_message(level, prop):
    level.push(SetFields([prop.arm], LightSource, {"intensity": 5}))
    level.world.despawn(prop.arm)
    level.history.undo()
    assert level.history.index == 0
    assert "Body/Arm" in level.messages[0].text
    assert level.messages[0].entity == prop.root
    level.history.redo()
    assert level.history.index == 1


def test_an_added_component_is_kept_whole(level, prop):
    level.check_laws(AddComponent([prop.body], LightSource(intensity=3)))
    assert "intensity" in prop.kept(prop.body)["LightSource"]
    assert level.world.get(prop.body, LightSource).intensity == 3
    level.check_laws(RemoveComponent([prop.body], LightSource))
    assert not level.world.has(prop.body, LightSource)


def test_a_removed_component_is_named_on_the_link_and_can_come_back(level, prop):
    level.check_laws(RemoveComponent([prop.arm], LightSource))
    assert level.world.get(prop.arm, InstanceNode).removed_components == "LightSource"
    level.check_laws(AddComponent([prop.arm], LightSource(intensity=4)))
    assert level.world.get(prop.arm, InstanceNode).removed_components == ""
    level.check_refused(RemoveComponent([prop.arm], Enabled), ComponentError)
    level.check_refused(RemoveComponent([prop.arm], InstanceNode), SceneError)


def test_a_deleted_node_is_marked_as_removed(level, prop):
    level.check_laws(Despawn([prop.arm]))
    assert level.world.get(prop.arm, InstanceNode).removed
    assert level.world.alive(prop.arm)


def test_reverting_one_field_keeps_the_others(level, prop):
    fields = {"translation": (0, 1, 0), "scale": (2, 2, 2)}
    level.push(SetFields([prop.arm], LocalTransform, fields))
    level.check_laws(RevertOverride([prop.arm], "LocalTransform", "translation"))
    assert prop.kept(prop.arm) == {"LocalTransform": ["scale"]}
    transform = level.world.get(prop.arm, LocalTransform)
    assert np.array_equal([transform.translation, transform.scale], [[0, 0, 0], [2, 2, 2]])


def test_reverting_everything_leaves_no_trace(level, prop):
    before = level.text()
    level.push(SetFields([prop.arm], LocalTransform, {"translation": (0, 1, 0)}))
    level.push(RemoveComponent([prop.arm], LightSource))
    level.push(Despawn([prop.arm]))
    level.check_laws(RevertOverride([prop.arm]))
    assert level.text() == before
    assert level.world.get(prop.arm, LightSource).intensity == 2
    level.check_refused(RevertOverride([prop.root]), SceneError, "not part of an instance")


def test_a_node_does_not_leave_its_instance(level, prop):
    outside = level.entity("outside")
    level.check_refused(Reparent([prop.arm], outside), SceneError, "unpack")
    level.check_refused(Duplicate([prop.arm]), SceneError, "unpack")
    command = SetFields([prop.arm], Parent, {"entity": outside})
    level.check_refused(command, SceneError, "unpack")


def test_an_entity_may_hang_under_a_node(level, prop):
    hat = level.check_laws(Spawn([Name("hat")], prop.arm)).entity
    assert children(level.world, prop.arm) == [hat]


def test_deleting_the_instance_takes_its_nodes_and_brings_back_the_same(level, prop):
    hat = level.push(Spawn([Name("hat")], prop.arm)).entity
    level.push(SetFields([prop.arm], LightSource, {"intensity": 5}))
    level.check_laws(Despawn([prop.root]))
    assert len(level.world) == 0
    level.history.undo()
    assert all(map(level.world.alive, (prop.root, prop.body, prop.arm, hat)))
    level.history.undo()
    assert level.world.get(prop.arm, LightSource).intensity == 2


def test_a_component_that_was_added_to_a_node_goes_without_a_trace(level, prop):
    level.check_laws(AddComponent([prop.body], CameraComponent()))
    level.check_laws(RemoveComponent([prop.body], CameraComponent))
    assert not level.world.has(prop.body, CameraComponent)
    assert not level.world.has(prop.body, InstanceNode)
    # What the asset gives has to be left out, other changes or not.
    level.check_laws(SetFields([prop.arm], LightSource, {"intensity": 5}))
    level.check_laws(RemoveComponent([prop.arm], LightSource))
    assert level.world.get(prop.arm, InstanceNode).removed_components == "LightSource"

"""Steps on nodes of an instance that its asset lacks for a while."""

import json

import pytest

from engine.scene import LightSource, LocalTransform, children
from engine.scene.dresser import Dresser
from engine.scene.instance_nodes import find_node
from tests.editor.document.props import gltf, write_prop

BODY_ONLY = [{"name": "Body", "mesh": 0}]


class Reloaded:
    """A level with a prop whose arm comes and goes, and what the artist is told."""

    def __init__(self, document, folder):
        self.document = document
        document.save(folder / "a.scene")
        self.path = write_prop(folder / "models")
        self.root = document.place(self.path)
        document.save()
        self.told = []
        document.message_posted.connect(lambda message: self.told.append(message.text))

    @property
    def arm(self):
        return find_node(self.document.world, self.root, "Body/Arm")

    def lose_arm(self):
        self.path.write_text(json.dumps(gltf(nodes=BODY_ONLY)))
        assert self.document.reload_assets() == 1

    def get_arm_back(self):
        self.path.write_text(json.dumps(gltf()))
        assert self.document.reload_assets() == 1

    def scale(self):
        return list(self.document.world.get(self.arm, LocalTransform).scale)

    def records(self):
        text = self.document.app.level_file.draft_bytes().decode()
        of_nodes = text.partition("InstanceNode")[2]
        return [line.strip() for line in of_nodes.splitlines() if "LocalTransform" in line]

    def told_of_step(self):
        told, self.told[:] = [t for t in self.told if "parked" in t], []
        return told


@pytest.fixture
def reloaded(document, tmp_path):
    return Reloaded(document, tmp_path)


@pytest.mark.parametrize("frames", [False, True])
def test_undo_and_redo_of_a_step_whose_node_is_gone(document, reloaded, frames):
    document.set_fields(reloaded.arm, LocalTransform, scale=(3, 3, 3))
    changed = reloaded.records()
    reloaded.lose_arm()
    index = document.history.index
    for _ in range(2):
        document.undo()
        assert (document.history.index, document.dirty) == (index - 1, False)
        [text] = reloaded.told_of_step()
        assert "Body/Arm" in text
        if frames:
            document.app.frame(0)
        assert reloaded.records() == []
        document.redo()
        assert (document.history.index, document.dirty) == (index, True)
        assert len(reloaded.told_of_step()) == 1
        if frames:
            document.app.frame(0)
        assert reloaded.records() == changed
    reloaded.get_arm_back()
    assert reloaded.scale() == [3, 3, 3]
    document.undo()
    document.settle()
    assert reloaded.scale() == [1, 1, 1]
    document.redo()
    document.settle()
    assert reloaded.scale() == [3, 3, 3]
    assert reloaded.told_of_step() == []
    assert len(children(document.world, reloaded.root)) == 1


def test_a_jump_over_steps_whose_node_is_gone(document, reloaded):
    document.set_fields(reloaded.arm, LocalTransform, scale=(3, 3, 3))
    with document.gesture("Drag"):
        document.set_fields(reloaded.arm, LocalTransform, translation=(1, 0, 0))
        document.set_fields(reloaded.arm, LocalTransform, scale=(4, 4, 4))
        document.remove_component(reloaded.arm, LocalTransform)
        document.rename(reloaded.root, "renamed")
    index = document.history.index
    document.history.jump(index - 2)
    reloaded.lose_arm()
    reloaded.told_of_step()
    document.history.jump(index)
    assert document.history.index == index
    assert len(reloaded.told_of_step()) == 2
    assert document.label(reloaded.root) == "renamed"
    document.history.jump(index - 2)
    assert document.history.index == index - 2
    assert document.label(reloaded.root) != "renamed"
    document.settle()
    document.history.jump(index - 1)
    assert reloaded.records() == ["LocalTransform scale=[3.0,3.0,3.0]"]
    reloaded.get_arm_back()
    assert reloaded.scale() == [3, 3, 3]


def test_a_component_that_only_the_node_had_is_no_obstacle(document, reloaded):
    document.add_component(reloaded.arm, LightSource())
    document.set_fields(reloaded.arm, LightSource, color=(1, 0, 0))
    reloaded.lose_arm()
    index = document.history.index
    document.undo()
    document.undo()
    document.redo()
    document.redo()
    assert document.history.index == index
    reloaded.get_arm_back()
    assert list(document.world.get(reloaded.arm, LightSource).color) == [1, 0, 0]


def test_an_override_given_up_while_its_node_is_gone_comes_back(document, reloaded):
    document.set_fields(reloaded.arm, LocalTransform, scale=(3, 3, 3))
    reloaded.lose_arm()
    document.revert_override(reloaded.arm)
    document.settle()
    assert not reloaded.arm
    document.undo()
    document.settle()
    assert reloaded.records() == ["LocalTransform scale=[3.0,3.0,3.0]"]
    reloaded.get_arm_back()
    assert reloaded.scale() == [3, 3, 3]


def test_what_a_parked_step_left_is_saved_and_opened(document, reloaded, tmp_path):
    document.set_fields(reloaded.arm, LocalTransform, scale=(3, 3, 3))
    document.undo()
    reloaded.lose_arm()
    document.redo()
    document.save()
    document.open(tmp_path / "a.scene")
    [reloaded.root] = document.children()
    reloaded.get_arm_back()
    assert reloaded.scale() == [3, 3, 3]


def test_a_level_of_wrong_paths_is_gone_through_once(document, tmp_path, monkeypatch):
    dressed = []
    for way in ("dress", "_lay_records"):
        real = getattr(Dresser, way)

        def counted(self, entity, *rest, real=real):
            dressed.append(entity)
            return real(self, entity, *rest)

        monkeypatch.setattr(Dresser, way, counted)
    write_prop(tmp_path)
    level = tmp_path / "a.scene"
    wrong = (
        f'entity {i}\n  InstanceNode root=#0 path="Body/Nope {i}"\n  LocalTransform scale=[2,2,2]\n'
        for i in range(1, 41)
    )
    level.write_text(
        'cinder-scene 2\nentity 0\n  GltfInstance asset="crate.gltf"\n' + "".join(wrong)
    )
    document.open(level, wait=False)
    document.app.frame(0)
    document.settle()
    document.app.frame(0)
    [root] = document.children()
    parked = [e for e in children(document.world, root) if "Nope" in document.label(e)]
    assert len(parked) == 40
    assert [dressed.count(entity) for entity in parked] == [1] * 40

"""Sessions at random over instances inside instances: undo and redo, saving and opening agree."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import EngineError
from engine.reflect import Entity
from engine.scene import Enabled, LightSource, LocalTransform, MeshRenderer, Name, Realised
from engine.scene.hierarchy import children, is_enabled, world_matrix
from tests.editor.document.placed import ROOM
from tests.editor.document.props import write_prop

STEPS = int(os.environ.get("CINDER_STEPS", "25"))
SEEDS = int(os.environ.get("CINDER_SEEDS", "6"))
HALL = (
    'cinder-scene 2\nentity 0\n  Name text="Left"\n  LocalTransform translation=[-5.0,0.0,0.0]\n'
    '  SceneInstance level="room.scene"\n'
    'entity 1\n  InstanceNode root=#0 path="Table/Body"\n  LocalTransform scale=[1.5,1.5,1.5]\n'
    'entity 2\n  Name text="Right"\n  LocalTransform translation=[5.0,0.0,0.0]\n'
    '  SceneInstance level="room.scene"\n'
)


class Session:
    """A document, and edits that an artist might make next."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.folder = folder
        (folder / "project.json").write_text("{}")
        write_prop(folder)
        (folder / "room.scene").write_text(ROOM)
        (folder / "hall.scene").write_text(HALL)
        (folder / "house.scene").write_text("cinder-scene 2\n")
        self.document = LevelDocument()
        self.document.open(folder / "house.scene")
        for level in ("hall.scene", "room.scene"):
            self.document.place(level)
        self.document.place("crate.gltf")
        self.document.save()

    def picture(self, document: LevelDocument | None = None) -> list:
        """What stands where, in the order of the tree."""
        document = document or self.document
        world, found = document.world, []
        todo = [(Entity.null(), "")]
        while todo:
            above, prefix = todo.pop(0)
            for child in children(world, above):
                name = f"{prefix}/{document.label(child)}"
                place = np.round(world_matrix(world, child), 3).tolist()
                light = (
                    float(world.get(child, LightSource).intensity)
                    if (world.has(child, LightSource))
                    else None
                )
                drawn = world.has(child, MeshRenderer)
                found.append((name, place, light, drawn, is_enabled(world, child)))
                todo.append((child, name))
        return sorted(found, key=repr)

    def any(self, *, own: bool | None = None) -> Entity | None:
        world = self.document.world
        found = [
            e
            for e in world.entities()
            if world.has(e, Name) and own in (None, not world.has(e, Realised))
        ]
        return self.rng.choice(sorted(found)) if found else None

    def edit(self) -> None:
        kinds = (
            self.move, self.move, self.light, self.switch, self.delete, self.remove, self.hang,
            self.unpack, self.make, self.revert, self.duplicate, self.reparent, self.revert_one,
            self.apply, self.bind,
        )  # fmt: skip
        self.rng.choice(kinds)()

    def move(self) -> None:
        entity = self.any()
        if entity and self.document.world.has(entity, LocalTransform):
            place = [float(self.rng.randrange(-4, 5)) for _ in range(3)]
            self.document.set_fields(entity, LocalTransform, translation=place)

    def light(self) -> None:
        entity = self.any()
        if entity and not self.document.world.has(entity, LightSource):
            self.document.add_component(entity, LightSource(intensity=self.rng.randrange(1, 9)))
        elif entity:
            self.document.set_fields(entity, LightSource, intensity=self.rng.randrange(1, 9))

    def switch(self) -> None:
        entity = self.any()
        if entity and not self.document.world.has(entity, Enabled):
            self.document.add_component(entity, Enabled(False))

    def delete(self) -> None:
        entity = self.any()
        if entity and len(self.document.children()) > 2:
            self.document.delete(entity)

    def remove(self) -> None:
        entity = self.any()
        if entity and self.document.world.has(entity, LightSource):
            self.document.remove_component(entity, LightSource)

    def hang(self) -> None:
        entity = self.any()
        if entity:
            self.document.spawn(Name("Hat"), LocalTransform((0, 1, 0)), parent=entity)

    def unpack(self) -> None:
        entity = self.any()
        if entity and self.rng.random() < 0.4:
            self.document.unpack(entity)

    def make(self) -> None:
        entity = self.any(own=True)
        if entity:
            self.document.make_instance(entities=[entity])

    def revert(self) -> None:
        entity = self.any(own=True)
        if entity:
            self.document.revert_instance(entity)

    def revert_one(self) -> None:
        entity = self.any(own=False)
        if entity:
            self.document.revert_override(entity)

    def duplicate(self) -> None:
        entity = self.any(own=True)
        if entity and len(self.document.world) < 150:
            self.document.duplicate(entity)

    def reparent(self) -> None:
        entity, parent = self.any(own=True), self.any()
        if entity and parent:
            self.document.reparent(entity, parent)

    def apply(self) -> None:
        entity = self.any(own=True)
        document = self.document
        if entity and (document.overridden(entity) or document.added_under(entity)):
            document.apply_overrides(entity)

    def bind(self) -> None:
        """Let changes of a node that is gone apply to another one."""
        entity = self.any(own=True)
        parked = list(self.document.parked_overrides(entity)) if entity else []
        nodes = self.document.nodes_of(entity) if parked and entity else []
        if nodes:
            self.document.move_overrides(self.rng.choice(parked), self.rng.choice(nodes)[0])

    def export_anew(self) -> None:
        """Somebody saves the prop with other nodes."""
        body = {"name": "Body", "mesh": 0, "children": [1]}
        trees = (
            [body, {"name": "Arm", "mesh": 0}],
            [{"name": "Body", "mesh": 0}],
            [{"name": "Top", "children": [1]}, {**body, "children": [2]}, {"name": "Arm"}],
            [body, {"name": "Limb", "mesh": 0}],
        )
        write_prop(self.folder, nodes=self.rng.choice(trees))
        self.document.reload_assets(force=True)

    def state(self) -> tuple[bytes, list]:
        self.document.settle()
        return self.document.app.level_file.draft_bytes(), self.picture()

    def check_undo(self, before: tuple[bytes, list]) -> None:
        after = self.state()
        self.document.undo()
        assert self.state() == before
        self.document.redo()
        assert self.state() == after

    def check_file(self) -> None:
        self.document.save()
        again = LevelDocument()
        again.open(self.folder / "house.scene")
        assert self.picture(again) == self.picture()
        assert again.app.level_file.draft_bytes() == (self.folder / "house.scene").read_bytes()
        again.close()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_step_over_instances_can_be_taken_back_and_saved(tmp_path, seed):
    session = Session(tmp_path, seed)
    for step in range(STEPS):
        if step % 7 == 6:
            session.export_anew()
        before, index = session.state(), session.document.history.index
        try:
            session.edit()
        except EngineError:
            assert session.state() == before
            assert session.document.history.index == index
            continue
        if session.document.history.index > index:
            session.check_undo(before)
        if step % 5 == 4:
            session.check_file()
    while session.document.history.index:
        session.document.undo()
    session.document.settle()
    assert len(session.document.children()) in (0, 3)
    session.document.close()

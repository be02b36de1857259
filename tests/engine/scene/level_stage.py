"""Levels in levels, and an app that has one of them open."""

from pathlib import Path

from engine.app import App
from engine.reflect import Entity
from engine.scene import (
    Realised,
)
from engine.scene.instances import find_node, node_path
from tests.engine.scene.instance_stage import ARM, write_asset

SHELF = """cinder-scene 2
entity 0
  Name text="Shelf"
  LocalTransform translation=[1.0,0.0,0.0]
  GltfInstance asset="arm.gltf"
entity 1
  InstanceNode root=#0 path="Body/Arm"
  LocalTransform translation=[0.0,5.0,0.0]
entity 2
  Name text="Lamp"
  Parent entity=#1
  LightSource intensity=3.0
entity 3
  Name text="Book"
  Parent entity=#0
  LocalTransform translation=[0.0,0.0,2.0]
entity 4
  Name text="Eye"
  CameraComponent active=true
  acme.Watch at=#1 what=#3
entity 5
  Name text="Look"
  Environment exposure=4.0
"""


ROOM = """cinder-scene 2
entity 0
  Name text="Room"
  LocalTransform translation=[0.0,0.0,10.0]
  SceneInstance level="shelf.scene"
entity 1
  InstanceNode root=#0 path="Shelf/Body/Arm"
  LocalTransform scale=[2.0,2.0,2.0]
"""


HOUSE = """cinder-scene 2
entity 0
  Name text="House"
  LocalTransform translation=[0.0,100.0,0.0]
  SceneInstance level="room.scene"
"""


class Project:
    """A folder of levels, and an app that has one of them open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "project.json").write_text("{}")
        write_asset(folder / "arm.gltf", ARM)
        for name, text in (("shelf", SHELF), ("room", ROOM), ("house", HOUSE)):
            self.write(name, text)
        self.app = App(folder)

    def write(self, name: str, text: str) -> None:
        (self.folder / f"{name}.scene").write_text(text)

    def rewrite(self, name: str, text: str) -> None:
        self.write(name, text)
        self.app.levels.check_for_changes(force=True)
        self.app.settle()

    def open(self, name: str = "house") -> Entity:
        self.app.load(self.folder / f"{name}.scene")
        self.app.settle()
        return self.app.level_file.entity_at(0)

    def node(self, root: Entity, path: str) -> Entity:
        found = find_node(self.app.world, root, path)
        assert found, path
        return found

    def paths(self) -> set[str]:
        world = self.app.world
        return {node_path(world, e)[1] for e in world.entities() if world.has(e, Realised)}

    def text(self, name: str = "house") -> str:
        self.app.save()
        return (self.folder / f"{name}.scene").read_text()


ARM_PATH = "Room/Shelf/Body/Arm"

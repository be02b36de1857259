"""A level that is placed, and looks at a document that places it."""

import numpy as np

from editor.document import LevelDocument
from engine.reflect import Entity
from engine.scene import LightSource, MeshRenderer
from engine.scene.hierarchy import descendants, world_matrix
from engine.scene.instances import find_node

ROOM = """cinder-scene 2
entity 0
  Name text="Table"
  LocalTransform translation=[1.0,0.0,0.0]
  GltfInstance asset="crate.gltf"
entity 1
  Name text="Candle"
  Parent entity=#2
  LocalTransform translation=[0.0,2.0,0.0]
  LightSource intensity=5.0
entity 2
  InstanceNode root=#0 path="Body/Arm"
  LocalTransform translation=[0.0,3.0,0.0]
entity 3
  Name text="Sign"
  acme.Points at=#1 to=#2 gold=3
entity 4
  Name text="Look"
  Environment exposure=3.0
"""


def node(document: LevelDocument, root: Entity, path: str) -> Entity:
    found = find_node(document.world, root, path)
    assert found, path
    return found


def pose(document: LevelDocument, root: Entity) -> dict[str, tuple]:
    """What stands where below an entity, by name, and whether it draws."""
    world = document.world
    return {
        document.label(e): (
            np.round(world_matrix(world, e), 5).tolist(),
            world.has(e, MeshRenderer),
            world.has(e, LightSource),
        )
        for e in [root, *descendants(world, root)]
    }


def check_undo(document: LevelDocument, before: bytes) -> None:
    """Undo gives the same bytes, redo the others again."""
    after = document.app.level_file.draft_bytes()
    for _ in range(2):
        document.undo()
        document.settle()
        assert document.app.level_file.draft_bytes() == before
        document.redo()
        document.settle()
        assert document.app.level_file.draft_bytes() == after


def below(document, root, *names):
    for name in names:
        root = next(e for e in document.children(root) if document.label(e) == name)
    return root

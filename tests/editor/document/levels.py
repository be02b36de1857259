"""A level written by hand, what stands in it by name, and an end that no session expects."""

from editor.document import LevelDocument
from engine.reflect import Entity
from engine.scene import Name

LEVEL = """\
cinder-scene 2
# the well
entity 0
  Name text="well"
  LocalTransform translation=[1, 2.50, 3]
entity 1
entity 2
  Name text="bucket"
  Parent entity=#0
  Wind force=3.0 at=#0
  LocalTransform scale=[2,2,2]
"""


def write(folder, text, name="a.scene"):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def crash(document):
    """End a session as a kill does: the system closes its files, nothing is tidied up."""
    document.app.close()
    journal = document._journal
    if journal._copying is not None:
        journal._copying.join()
    if journal._writer is not None:
        journal._writer.close(keep=True)


def named(document: LevelDocument, name: str) -> Entity:
    """The first entity of that name."""
    world = document.world
    return next(
        e for e in world.entities() if world.has(e, Name) and world.get(e, Name).text == name
    )

"""Sessions of random steps over instances whose prop comes and goes, all undone and redone.

A session is a list of steps that say by numbers what they choose, so that steps can be left out of
one that fails until what is left is as short as can be. Sessions that are written down say by names
what they choose.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editor.document import LevelDocument
from engine.errors import EngineError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import (
    Enabled,
    GltfInstance,
    InstanceNode,
    KeptRecords,
    LightSource,
    LocalTransform,
    Name,
    Realised,
    SceneInstance,
)
from engine.scene.hierarchy import ancestors
from tests.editor.document.placed import ROOM
from tests.editor.document.props import write_prop

HOUSE = (
    'cinder-scene 2\nentity 0\n  Name text="Ground"\n'
    'entity 1\n  Name text="Box"\n  GltfInstance asset="crate.gltf"\n'
    'entity 2\n  InstanceNode root=#1 path="Body/Arm"\n  LocalTransform scale=[2.0,2.0,2.0]\n'
)
BODY = {"name": "Body", "mesh": 0, "children": [1]}
ARM = {"name": "Arm", "mesh": 0}
TREES: dict[str, list[dict]] = {
    "plain": [BODY, ARM],
    "body": [{"name": "Body", "mesh": 0}],
    "deeper": [{"name": "Top", "children": [1]}, {**BODY, "children": [2]}, ARM],
    "limb": [BODY, {"name": "Limb", "mesh": 0}],
    "other": [{"name": "Other", "mesh": 0}],
}
_KINDS = {
    "place": 3, "override": 5, "rename": 1, "add": 3, "remove": 2, "hang": 4, "hang_instance": 2,
    "refer": 2, "reparent": 4, "delete": 3, "make": 2, "unpack": 2, "export": 6,
    "revert": 2, "revert_instance": 2, "undo": 5, "redo": 4,
    "save": 2,
}  # fmt: skip
_MOST_ENTITIES = 120
_ASSETS = ("crate.gltf", "room.scene")
_TYPES: dict[str, type] = {
    "LightSource": LightSource,
    "Enabled": Enabled,
    "LocalTransform": LocalTransform,
}


@dataclass(frozen=True)
class Step:
    """What is done, and the numbers or names that choose what it is done to."""

    kind: str
    a: int | str = 0
    b: int | str = 0

    @classmethod
    def draw(cls, rng: random.Random) -> Step:
        [kind] = rng.choices(list(_KINDS), list(_KINDS.values()))
        return cls(kind, rng.randrange(10_000), rng.randrange(10_000))


def drawn(seed: int, count: int = 40) -> list[Step]:
    """Return the steps of a session."""
    rng = random.Random(seed)
    return [Step.draw(rng) for _ in range(count)]


class Session:
    """A level with a prop, in which steps are carried out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "project.json").write_text("{}")
        write_prop(folder)
        (folder / "room.scene").write_text(ROOM)
        (folder / "house.scene").write_text(HOUSE)
        self.document = LevelDocument()
        self.document.open(folder / "house.scene")
        self.said: list[str] = []

    def close(self) -> None:
        self.document.close()

    def text(self) -> str:
        """What a save would write now."""
        self.document.settle()
        return self.document.app.level_file.draft_bytes().decode()

    def carry_out(self, steps: Sequence[Step]) -> None:
        """Carry out steps as an artist would; what the editor refuses is passed over."""
        for step in steps:
            what = ""
            try:
                what = getattr(self, f"_{step.kind}")(step.a, step.b)
            except EngineError as error:
                what = f"refused: {error}"
            self.document.settle()
            self.said.append(f"{step.kind}: {what}" if what else "")

    # -- what is chosen ----------------------------------------------------------------------

    def named(self, entity: Entity) -> str:
        """Return the names from the top of the tree down to an entity."""
        way = [entity, *ancestors(self.document.world, entity)]
        return "/".join(self.document.label(e) for e in reversed(way))

    def _any(
        self, choice: int | str, *, own: bool | None = None, types: tuple[type, ...] = ()
    ) -> Entity | None:
        world = self.document.world
        found = [
            (self.named(e), int(e), e)
            for e in world.entities()
            if world.has(e, Name) and own in (None, not world.has(e, Realised))
            if not types or any(world.has(e, type_) for type_ in types)
        ]
        if isinstance(choice, str):
            return next(entity for name, _, entity in sorted(found) if name == choice)
        return sorted(found)[choice % len(found)][2] if found else None

    def _node(self, choice: int | str) -> Entity | None:
        return self._any(choice, own=False)

    # -- steps -------------------------------------------------------------------------------

    def _place(self, a: int | str, b: int | str) -> str:
        if len(self.document.world) > _MOST_ENTITIES:
            return ""
        asset = _one_of(_ASSETS, a)
        self.document.place(asset)
        return asset

    def _override(self, a: int | str, b: int | str) -> str:
        node = self._node(a)
        if node is None or not self.document.world.has(node, LocalTransform):
            return ""
        self.document.set_fields(node, LocalTransform, scale=[1.0 + int(b) % 5] * 3)
        return self.named(node)

    def _rename(self, a: int | str, b: int | str) -> str:
        entity = self._any(a)
        if entity is None:
            return ""
        name = self.named(entity)
        self.document.rename(entity, f"New {int(b) % 3}")
        return name

    def _add(self, a: int | str, b: int | str) -> str:
        node = self._node(a)
        if node is None:
            return ""
        type_ = _TYPES[_one_of(list(_TYPES)[:2], b)]
        self.document.add_component(node, type_())
        return f"{type_.__name__} to {self.named(node)}"

    def _remove(self, a: int | str, b: int | str) -> str:
        type_ = _TYPES[_one_of(list(_TYPES), b)]
        node = self._any(a, own=False, types=(type_,))
        if node is None:
            return ""
        self.document.remove_component(node, type_)
        return f"{type_.__name__} of {self.named(node)}"

    def _hang(self, a: int | str, b: int | str) -> str:
        entity = self._any(a)
        if entity is None:
            return ""
        self.document.spawn(Name("Hat"), LocalTransform(), parent=entity)
        return self.named(entity)

    def _hang_instance(self, a: int | str, b: int | str) -> str:
        entity = self._any(a)
        if entity is None or len(self.document.world) > _MOST_ENTITIES:
            return ""
        asset = _one_of(_ASSETS, b)
        self.document.place(asset, parent=entity)
        return f"{asset} under {self.named(entity)}"

    def _refer(self, a: int | str, b: int | str) -> str:
        """Let a record that no class stands for refer to a node."""
        node = self._node(a)
        if node is None:
            return ""
        link = ComponentRecord("Opens", [Field.of("door", Kind.ENTITY, node)])
        self.document.spawn(Name("Door"), KeptRecords([(1, link)]))
        return self.named(node)

    def _reparent(self, a: int | str, b: int | str) -> str:
        entity, parent = self._any(a, own=True), self._any(b)
        if entity is None or parent is None:
            return ""
        says = f"{self.named(entity)} under {self.named(parent)}"
        self.document.reparent(entity, parent)
        return says

    def _delete(self, a: int | str, b: int | str) -> str:
        entity = self._any(a)
        if entity is None:
            return ""
        says = self.named(entity)
        self.document.delete(entity)
        return says

    def _make(self, a: int | str, b: int | str) -> str:
        entity = self._any(a, own=True)
        if entity is None:
            return ""
        says = self.named(entity)
        self.document.make_instance(entities=[entity])
        return says

    def _unpack(self, a: int | str, b: int | str) -> str:
        root = self._any(a, own=True, types=(GltfInstance, SceneInstance))
        if root is None:
            return ""
        says = self.named(root)
        self.document.unpack(root)
        return says

    def _export(self, a: int | str, b: int | str) -> str:
        tree = _one_of(list(TREES), a)
        self.export(tree)
        return tree

    def export(self, tree: str) -> None:
        """Save the prop with other nodes."""
        write_prop(self.folder, nodes=TREES[tree])
        self.document.reload_assets(force=True)
        self.document.settle()

    def _revert(self, a: int | str, b: int | str) -> str:
        node = self._any(a, own=False, types=(InstanceNode,))
        if node is None:
            return ""
        says = self.named(node)
        self.document.revert_override(node)
        return says

    def _revert_instance(self, a: int | str, b: int | str) -> str:
        root = self._any(a, own=True, types=(GltfInstance, SceneInstance))
        if root is None or not self.document.has_changes(root):
            return ""
        self.document.revert_instance(root)
        return self.named(root)

    def _undo(self, a: int | str, b: int | str) -> str:
        for _ in range(1 + int(a) % 3):
            if self.document.history.can_undo:
                self.document.undo()
                self.document.settle()
        return str(1 + int(a) % 3)

    def _redo(self, a: int | str, b: int | str) -> str:
        for _ in range(1 + int(a) % 3):
            if self.document.history.can_redo:
                self.document.redo()
                self.document.settle()
        return str(1 + int(a) % 3)

    def _save(self, a: int | str, b: int | str) -> str:
        self.document.save()
        return "house.scene"

    # -- the law -----------------------------------------------------------------------------

    def undo_all(self) -> None:
        """Take every step back."""
        while self.document.history.can_undo:
            self.document.undo()
            self.document.settle()

    def redo_all(self) -> None:
        """Carry every step out again."""
        while self.document.history.can_redo:
            self.document.redo()
            self.document.settle()


def differences(folder: Path, steps: Sequence[Step]) -> list[str]:
    """Carry steps out, take all back, carry all out again; return what is not as it was."""
    session = Session(folder)
    try:
        before = session.text()
        session.carry_out(steps)
        session.redo_all()
        after = session.text()
        found = []
        session.undo_all()
        if (text := session.text()) != before:
            found.append(_diff("undone", before, text))
        session.redo_all()
        if (text := session.text()) != after:
            found.append(_diff("done again", after, text))
        return found
    finally:
        session.close()


def _one_of(options: Sequence[str], choice: int | str) -> str:
    return choice if isinstance(choice, str) else options[choice % len(options)]


def _diff(what: str, wanted: str, found: str) -> str:
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), "wanted", what, n=2)
    return "\n".join(lines)

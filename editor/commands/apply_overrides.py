"""`ApplyOverrides`: what this level changes on a placed level is written into that level."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from editor.commands.edit import Edit, Transaction
from editor.commands.kept import kept_records
from editor.commands.level_write import LevelWrite
from editor.commands.naming import name_of
from editor.model.messages import Message
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Kind
from engine.scene import InstanceNode, KeptRecords, SceneInstance
from engine.scene.instance_nodes import InstanceLinks, node_path
from engine.scene.level_apply import AppliedChange, LevelEdit, contradictions
from engine.scene.level_blueprint import LevelBlueprint


@dataclass(frozen=True)
class PlacedLevel:
    """The level that an instance shows.

    Attributes
    ----------
    before : LevelBlueprint
        As it was when it was last read.
    edit : LevelEdit
        As its file has it.
    data : bytes
        What the file holds.
    """

    before: LevelBlueprint
    edit: LevelEdit
    data: bytes


class ApplyOverrides(Edit):
    """Write overrides of an instance into the level that it shows, where they are no more then.

    Changes of nodes that the level lacks stay, and so do references to what is not in it, and what
    was hung under its nodes.

    Parameters
    ----------
    root : Entity
        The instance.
    read : callable
        Reads the level that it shows.
    nodes : iterable of Entity, optional
        Whose overrides; all of them by default.
    """

    def __init__(
        self,
        root: Entity,
        read: Callable[[str], PlacedLevel],
        nodes: Iterable[Entity] | None = None,
    ) -> None:
        super().__init__("")
        self.root = root
        self._read: Callable[[str], PlacedLevel] | None = read
        self._nodes = None if nodes is None else set(nodes)

    def build(self, edit: Transaction) -> None:
        world, read = edit.world, self._read
        self._read = None
        assert read is not None
        if not world.has(self.root, SceneInstance):
            raise SceneError(
                f"{name_of(world, self.root)} shows no level; only a level can take changes in"
            )
        level = world.get(self.root, SceneInstance).level
        placed = read(level)
        found = {
            node: change
            for path, node in InstanceLinks.of(world).under(self.root).items()
            if self._nodes is None or node in self._nodes
            if placed.edit.finds(path) and (change := _change(edit, node, path, self.root))
        }
        if not found:
            raise SceneError(f"{name_of(world, self.root)} has no changes that {level} could take")
        self._refuse_contradictions(level, placed, list(found.values()))
        self.label = f"Apply {len(found)} changed {_nodes(len(found))} to {level}"
        placed.edit.apply(found.values(), _paths(edit, self.root, found.values()))
        edit.do(LevelWrite(level, placed.data, placed.edit.to_bytes()))
        for node, change in found.items():
            _let_go(edit, node, change)
        edit.context.post(Message("info", f"{self.label}; undo takes the file back too"))

    def _refuse_contradictions(
        self, level: str, placed: PlacedLevel, changes: list[AppliedChange]
    ) -> None:
        clashes = contradictions(placed.before, placed.edit.blueprint, changes)
        if clashes:
            more = f" and {len(clashes) - 1} more" if len(clashes) > 1 else ""
            raise SceneError(
                f"{level}: somebody else changed {clashes[0]}{more} meanwhile; reload it and "
                "look first"
            )


def _nodes(count: int) -> str:
    return "node" if count == 1 else "nodes"


def _change(edit: Transaction, node: Entity, path: str, root: Entity) -> AppliedChange | None:
    """Return what of a node's overrides can be written into the level, None for nothing."""
    link = edit.world.get(node, InstanceNode)
    records = []
    for _, record in kept_records(edit.world, node):
        fields = [f for f in record.fields if _is_inside(edit, f.kind, f.integer, root)]
        if fields or not record.fields:
            records.append(ComponentRecord(record.name, fields))
    dropped = tuple(name for name in link.removed_components.split(",") if name)
    if not (records or dropped or link.removed):
        return None
    return AppliedChange(path, records, link.removed, dropped)


def _is_inside(edit: Transaction, kind: Kind, target: int, root: Entity) -> bool:
    """Whether a field holds no reference, or one to a node of the instance."""
    return kind is not Kind.ENTITY or target <= 0 or bool(_path(edit, Entity(target), root))


def _path(edit: Transaction, node: Entity, root: Entity) -> str:
    try:
        found, path = node_path(edit.world, node) if edit.world.alive(node) else (root, "")
    except SceneError:
        return ""
    return path if found == root else ""


def _paths(edit: Transaction, root: Entity, changes: Iterable[AppliedChange]) -> dict[int, str]:
    fields = (f for change in changes for record in change.records for f in record.fields)
    targets = {f.integer for f in fields if f.kind is Kind.ENTITY and f.integer > 0}
    return {target: _path(edit, Entity(target), root) for target in targets}


def _let_go(edit: Transaction, node: Entity, change: AppliedChange) -> None:
    """Take away what was written into the level, leaving what was not."""
    written = {record.name: {f.name for f in record.fields} for record in change.records}
    left = []
    for place, record in kept_records(edit.world, node):
        fields = [f for f in record.fields if f.name not in written.get(record.name, set())]
        if fields:
            left.append((place, ComponentRecord(record.name, fields)))
    if left:
        edit.put(node, KeptRecords(left))
        link = edit.world.get(node, InstanceNode)
        edit.put(node, InstanceNode(link.root, link.path))
        return
    if edit.world.has(node, KeptRecords):
        edit.drop(node, KeptRecords)
    edit.drop(node, InstanceNode)

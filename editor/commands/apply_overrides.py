"""`ApplyOverrides`: what this level changes on a placed level is written into that level."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from editor.commands.additions import Additions, path_below
from editor.commands.edit import Edit, Transaction
from editor.commands.kept import kept_records
from editor.commands.level_write import LevelWrite
from editor.commands.naming import name_of
from editor.commands.ownership import OwnershipChange
from editor.model.messages import Message
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import InstanceNode, KeptRecords, SceneInstance
from engine.scene.hierarchy import parent_of
from engine.scene.instance_nodes import InstanceLinks
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
    find_loop : callable
        Why the level can't place some levels, empty where it can.
    """

    before: LevelBlueprint
    edit: LevelEdit
    data: bytes
    find_loop: Callable[[Iterable[str]], str] = lambda _levels: ""


class ApplyOverrides(Edit):
    """Write into a placed level what the open one changes on it and hung under it.

    What is written is no override any more then, and what was hung under it is part of the
    instance, as the same entities. Changes of nodes that the level lacks stay, and so do references
    to what is not in it.

    Parameters
    ----------
    root : Entity
        The instance.
    read : callable
        Reads the level that it shows.
    nodes : iterable of Entity, optional
        Whose overrides, and what hangs under them; all of them, and the root, by default.
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
        added = self._additions(edit, placed.edit)
        found = self._changed(edit, placed.edit, set(added.branches.inside))
        if not found and not added.tops:
            raise SceneError(f"{name_of(world, self.root)} has no changes that {level} could take")
        self._refuse_contradictions(level, placed, list(found.values()))
        self.label = f"Apply {_in_words(len(found), len(added.tops))} to {level}"
        added.write(world, placed.edit)
        paths = _paths(edit, self.root, found.values())
        placed.edit.apply(found.values(), paths, added.made)
        if loop := placed.find_loop(placed.edit.levels()):
            raise SceneError(f"{level}: {loop}")
        data = placed.edit.to_bytes()
        self._take_over(edit, placed.edit, added)
        for node, change in found.items():
            _let_go(edit, node, change)
        # Last: from here on nothing can be refused any more that would leave the file behind.
        edit.do(LevelWrite(level, placed.data, data))
        edit.context.post(Message("info", f"{self.label}; undo takes the file back too"))

    def _additions(self, edit: Transaction, level: LevelEdit) -> Additions:
        links = InstanceLinks.of(edit.world).under(self.root)
        removed = [
            path
            for path, node in links.items()
            if (self._nodes is None or node in self._nodes)
            and edit.world.get(node, InstanceNode).removed
        ]
        return Additions.collect(edit, self.root, level, self._nodes, removed)

    def _changed(
        self, edit: Transaction, level: LevelEdit, added: set[Entity]
    ) -> dict[Entity, AppliedChange]:
        return {
            node: change
            for path, node in InstanceLinks.of(edit.world).under(self.root).items()
            if self._nodes is None or node in self._nodes
            if level.finds(path) and (change := _change(edit.world, node, path, self.root, added))
        }

    def _take_over(self, edit: Transaction, level: LevelEdit, added: Additions) -> None:
        """Make what was hung under the instance part of it."""
        if not added.tops:
            return
        world = edit.world
        parents = [parent_of(world, entity) for entity in added.tops]
        entries = added.entries(world, level.blueprint, level.redraw())
        edit.do(OwnershipChange(entries, to_level=False))
        for node in added.bare_parents(world, parents):
            edit.drop(node, InstanceNode)

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


def _in_words(changed: int, added: int) -> str:
    nodes = f"{changed} changed {'node' if changed == 1 else 'nodes'}" if changed else ""
    new = f"{added} added {'entity' if added == 1 else 'entities'}" if added else ""
    return " and ".join(filter(None, (nodes, new)))


def can_write(world: World, node: Entity, path: str, root: Entity) -> bool:
    """Whether a placed level could take in something of what is changed on one of its nodes."""
    return _change(world, node, path, root, set()) is not None


def _change(
    world: World, node: Entity, path: str, root: Entity, added: set[Entity]
) -> AppliedChange | None:
    """Return what of a node's overrides can be written into the level, None for nothing."""
    link = world.get(node, InstanceNode)
    records = []
    for _, record in kept_records(world, node):
        fields = [f for f in record.fields if _is_inside(world, f, root, added)]
        if fields or not record.fields:
            records.append(ComponentRecord(record.name, fields))
    dropped = tuple(name for name in link.removed_components.split(",") if name)
    if not (records or dropped or link.removed):
        return None
    return AppliedChange(path, records, link.removed, dropped)


def _is_inside(world: World, item: Field, root: Entity, added: set[Entity]) -> bool:
    """Whether a field holds no reference, or one to what the placed level has then."""
    if item.kind is not Kind.ENTITY or item.integer <= 0:
        return True
    target = Entity(item.integer)
    return target in added or bool(path_below(world, target, root))


def _paths(edit: Transaction, root: Entity, changes: Iterable[AppliedChange]) -> dict[int, str]:
    fields = (f for change in changes for record in change.records for f in record.fields)
    targets = {f.integer for f in fields if f.kind is Kind.ENTITY and f.integer > 0}
    return {target: path_below(edit.world, Entity(target), root) or "" for target in targets}


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

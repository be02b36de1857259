"""Pasting a clipboard document into the level."""

from __future__ import annotations

from editor.commands.edit import Edit, Transaction
from editor.commands.entities import default_name
from editor.commands.kept import kept_records
from editor.commands.naming import FreeNames, names_of, sibling_names
from editor.commands.records import with_fields
from editor.model.clipboard import OutwardReference, split_outside
from editor.model.messages import Message
from editor.model.selection import Selection
from engine.reflect import Entity, Field, Kind
from engine.scene import InstanceNode, KeptRecords, Name, SceneDoc
from engine.scene.hierarchy import parent_of


class Paste(Edit):
    """Spawn the entities of a document of the present version and select the topmost.

    Parameters
    ----------
    doc : SceneDoc
    level : str
        The id of this open document: references to its entities are found again, others become
        null with a warning.

    Attributes
    ----------
    entities : list of Entity
        The topmost of the new entities, once applied.
    """

    def __init__(self, doc: SceneDoc, level: str) -> None:
        super().__init__("Paste")
        self.doc = doc
        self.level = level
        self.entities: list[Entity] = []

    def build(self, edit: Transaction) -> None:
        doc = self.doc.copy()
        outward = split_outside(doc)
        spawned = edit.context.registry.instantiate(edit.world, doc)
        edit.context.changes.spawn(spawned)
        new = set(spawned)
        own = [e for e in spawned if not edit.world.has(e, InstanceNode)]
        self.entities = [e for e in own if parent_of(edit.world, e) not in new]
        bound = [e for e in spawned if edit.world.has(e, InstanceNode)]
        tops = set(self.entities)
        edit.spawned([*self.entities, *(e for e in own if e not in tops), *bound])
        self._name(edit, own)
        self._connect(edit, spawned, outward)
        self.label = f"Paste {names_of(edit.world, self.entities)}"
        edit.select(Selection(self.entities))

    def _name(self, edit: Transaction, own: list[Entity]) -> None:
        world = edit.world
        nameless = [e for e in own if not world.has(e, Name)]
        for entity in nameless:
            world.add(entity, Name(default_name(world.values(entity))))
        wanted = {entity: world.get(entity, Name).text for entity in self.entities}
        parents = {entity: parent_of(world, entity) for entity in self.entities}
        for entity in self.entities:
            world.set(entity, Name(""))
        free = {p: FreeNames(sibling_names(world, p)) for p in set(parents.values())}
        for entity in self.entities:
            world.set(entity, Name(free[parents[entity]].take(wanted[entity])))

    def _connect(
        self, edit: Transaction, spawned: list[Entity], outward: list[OutwardReference]
    ) -> None:
        lost = 0
        for reference in outward:
            target = reference.target
            if target.level == self.level and edit.world.alive(target.entity):
                point_at(edit, spawned[reference.record], reference, target.entity)
            else:
                lost += 1
        if lost:
            text = f"{lost} references of what was pasted lead out of it and are empty now"
            edit.context.post(Message("warning", text))


def point_at(
    edit: Transaction, entity: Entity, reference: OutwardReference, target: Entity
) -> None:
    """Let a field of an entity that was spawned just now refer to `target`."""
    field = Field.of(reference.field, Kind.ENTITY, int(target))
    for type_ in edit.world.types(entity):
        if type_.scene_name() == reference.component:
            edit.world.set(entity, with_fields(edit.world.get(entity, type_), [field]))
    kept = kept_records(edit.world, entity)
    for _, record in kept:
        place = record.find(reference.field)
        if record.name == reference.component and place >= 0:
            record.fields[place] = field.copy()
            edit.world.set(entity, KeptRecords(kept))

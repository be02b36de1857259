"""What panels and tools ask about the open level."""

from __future__ import annotations

from editor.commands.kept import kept_records
from editor.document.reloading import LevelReloading
from editor.document.views import ComponentView
from editor.model.change_set import ComponentType
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, to_record
from engine.scene import (
    InstanceNode,
    LocalMatrix,
    Name,
    Order,
    Parent,
    Realised,
    children,
)
from engine.scene.components import DERIVED_COMPONENTS, LEVEL_COMPONENTS
from engine.scene.hierarchy import parent_of
from engine.scene.instance_nodes import asset_of, node_path, roots_around
from engine.scene.overrides import merged_record

_NOT_SHOWN = frozenset({"DrawnMaterial", "KeptRecords", "Realised", "Placeholder"})
_NOT_OFFERED: tuple[ComponentType, ...] = (
    InstanceNode,
    LocalMatrix,
    Name,
    Order,
    Parent,
)


class LevelReads(LevelReloading):
    """Reads only; nothing here changes the level."""

    def children(self, entity: Entity | None = None) -> list[Entity]:
        """Return the children of an entity in their order; of None: the top of the tree."""
        return children(self.world, entity or Entity.null())

    def parent(self, entity: Entity) -> Entity | None:
        """Return the entity above, None at the top."""
        return parent_of(self.world, entity) or None

    def is_realised(self, entity: Entity) -> bool:
        """Whether the entity is a node of an instance rather than the level's own."""
        return self.world.has(entity, Realised)

    def root_of(self, entity: Entity) -> Entity:
        """Return the outermost instance that a node is part of, or the entity itself."""
        if not self.is_realised(entity):
            return entity
        try:
            return node_path(self.world, entity)[0]
        except SceneError:
            # A node that is gone, whose last change was taken back just now.
            return entity

    def roots_of(self, entity: Entity) -> list[Entity]:
        """Return the instances that a node is part of, the outermost first."""
        return roots_around(self.world, entity) if self.is_realised(entity) else []

    def variants(self, asset: str) -> tuple[str, ...]:
        """Return the material variants that a file offers; none while it is not loaded."""
        known = next((e for e in self.app.assets.entries() if e.path == asset), None)
        return tuple(known.asset.variants) if known is not None and known.asset is not None else ()

    def asset_of(self, entity: Entity) -> str:
        """Return the file that an instance shows, as levels write it; empty for what is none."""
        return asset_of(self.world, entity) if self.world.alive(entity) else ""

    def components(self, entity: Entity) -> list[ComponentView]:
        """Return the components of an entity, what levels store first, then what is derived."""
        world = self.world
        kept = {record.name: record for _, record in kept_records(world, entity)}
        is_node = self.is_realised(entity)
        inner = self.app.realiser.unknown_of(entity) if is_node else {}
        given = self.app.realiser.given(entity) if is_node and kept else None
        views = []
        for type_ in sorted(world.types(entity), key=_rank):
            name = type_.scene_name()
            if name in _NOT_SHOWN:
                continue
            extra = kept.pop(name, None)
            record = to_record(world.get(entity, type_))
            if name in inner:
                record.fields.extend(inner.pop(name).fields)
            names = frozenset(f.name for f in extra.fields) if extra is not None else frozenset()
            if extra is not None and not is_node:
                record.fields.extend(extra.fields)
            is_added = extra is not None and given is not None and name not in given
            views.append(
                ComponentView(
                    name,
                    type_,
                    record,
                    overridden=names if is_node and not is_added else frozenset(),
                    is_added=is_added,
                    derived=type_ in DERIVED_COMPONENTS,
                )
            )
        for name, record in inner.items():
            kept[name] = merged_record(record, kept[name].fields) if name in kept else record
        views.extend(_unknown(record) for record in kept.values())
        return views

    @staticmethod
    def blank_view(type_: ComponentType) -> ComponentView:
        """Return a component as an entity would show it that has it with its defaults."""
        is_derived = type_ in DERIVED_COMPONENTS
        return ComponentView(type_.scene_name(), type_, to_record(type_()), derived=is_derived)

    def addable_components(self) -> list[ComponentType]:
        """Return the component types that an artist may add, by name."""
        offered = [
            t for t in self.registry.types if t not in _NOT_OFFERED and t not in DERIVED_COMPONENTS
        ]
        return sorted(offered, key=lambda type_: type_.scene_name())


def _rank(type_: ComponentType) -> tuple[int, str]:
    if type_ in LEVEL_COMPONENTS:
        return LEVEL_COMPONENTS.index(type_), ""
    return len(LEVEL_COMPONENTS) + (type_ in DERIVED_COMPONENTS), type_.scene_name()


def _unknown(record: ComponentRecord) -> ComponentView:
    return ComponentView(record.name, None, record, unknown=True)

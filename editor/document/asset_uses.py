"""`AssetUses`: which entities of the open level name which files, kept up to date by steps.

Every field that is annotated with `AssetPath` counts, in whatever component; so do the records that
an entity keeps as they are: overrides on a node of an instance and components that no class stands
for. A step costs what it changed, whatever the size of the level.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from editor.commands.kept import kept_records
from editor.model.change_set import ChangeSet, ComponentType
from engine.ecs import World
from engine.reflect import Entity, Kind, component_fields
from engine.scene import KeptRecords, Realised, SceneRegistry
from engine.scene.levels.asset_references import AssetFields


class AssetUse(NamedTuple):
    """One field that names a file.

    Attributes
    ----------
    component, field : str
        As records name them.
    asset : str
    is_kept : bool
        It stands in a record that the entity keeps, not in a live component.
    """

    component: str
    field: str
    asset: str
    is_kept: bool


class AssetUses:
    """The uses of files in one world.

    Parameters
    ----------
    world : World
    registry : SceneRegistry
    """

    def __init__(self, world: World, registry: SceneRegistry) -> None:
        self._world = world
        self._asset_fields: dict[ComponentType, list[str]] = {}
        self._types = registry.types
        self.fields = AssetFields(registry.types)
        self._uses: dict[Entity, tuple[AssetUse, ...]] = {}
        self._users: dict[str, dict[Entity, None]] = {}
        self._stale: set[Entity] | None = None

    def note(self, changes: ChangeSet) -> None:
        """Take in what a step changed; it is looked at when somebody asks."""
        if self._stale is not None:
            self._stale.update(changes.components, changes.spawned, changes.despawned)

    def start_over(self) -> None:
        """Look at the whole level when somebody asks."""
        self._stale = None

    def uses_of(self, entity: Entity) -> tuple[AssetUse, ...]:
        """Return the fields of an entity that name a file."""
        self._catch_up()
        return self._uses.get(entity, ())

    def users(self, asset: str) -> list[Entity]:
        """Return the entities that name a file, in the order in which they came to."""
        self._catch_up()
        return list(self._users.get(asset, ()))

    def count(self, asset: str) -> int:
        """Return how many entities name a file."""
        self._catch_up()
        return len(self._users.get(asset, ()))

    def assets(self) -> list[str]:
        """Return every file that the level names."""
        self._catch_up()
        return list(self._users)

    def _catch_up(self) -> None:
        if self._stale is None:
            self._uses.clear()
            self._users.clear()
            self._stale = set()
            for entity in self._candidates():
                self._look_at(entity)
        elif self._stale:
            stale, self._stale = self._stale, set()
            for entity in stale:
                self._look_at(entity)

    def _candidates(self) -> Iterable[Entity]:
        """Yield the entities that may name a file, found table by table."""
        for table in self._world.tables:
            if KeptRecords in table or any(self._fields_of(type_) for type_ in table.types):
                yield from map(Entity, table.entities.tolist())

    def _fields_of(self, type_: ComponentType) -> list[str]:
        names = self._asset_fields.get(type_)
        if names is None:
            names = [spec.name for spec in component_fields(type_) if spec.asset]
            self._asset_fields[type_] = names
        return names

    def _look_at(self, entity: Entity) -> None:
        now = tuple(self._find(entity)) if self._world.alive(entity) else ()
        before = self._uses.pop(entity, ())
        if now:
            self._uses[entity] = now
        old, new = {use.asset for use in before}, {use.asset for use in now}
        for asset in old - new:
            users = self._users[asset]
            del users[entity]
            if not users:
                del self._users[asset]
        for asset in new - old:
            self._users.setdefault(asset, {})[entity] = None

    def _find(self, entity: Entity) -> Iterable[AssetUse]:
        world = self._world
        types = world.types(entity)
        if Realised not in types:
            for type_ in types:
                names = self._fields_of(type_)
                value = world.get(entity, type_) if names else None
                for name in names:
                    asset = getattr(value, name)
                    if asset:
                        yield AssetUse(type_.scene_name(), name, asset, False)
        for _, record in kept_records(world, entity) if KeptRecords in types else ():
            for field in record.fields:
                text = field.text if field.kind is Kind.STRING else ""
                if self.fields.names_file(record.name, field.name, text):
                    yield AssetUse(record.name, field.name, text, True)

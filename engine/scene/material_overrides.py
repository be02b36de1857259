"""`MaterialOverrides`: what is drawn with another material than its asset says.

A `MaterialOverride` reaches the entity that carries it and the realised nodes below. Each pair of
a material and the fields set over it becomes one material of the renderer, shared by all that look
the same; `DrawnMaterial` names it, and `MeshRenderer` stays as the asset has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Protocol

from engine.assets.material import Material, Sampler, TextureRef
from engine.assets.texture_files import TextureFiles
from engine.ecs import QuerySpec, World
from engine.reflect import Entity
from engine.scene.components import DrawnMaterial, MaterialOverride, MeshRenderer, Realised
from engine.scene.hierarchy_index import HierarchyIndex
from engine.scene.material_looks import AS_IT_IS, Look, look_of, overridden


class MaterialStore(Protocol):
    """What overrides need of a renderer."""

    @property
    def resources(self) -> Any:
        """Where textures and samplers go."""

    def material(self, material: int) -> Any:
        """Return the material that an id stands for."""

    def add_material(self, material: Material) -> int:
        """Upload a material; return its id."""

    def replace_material(self, material: int, source: Material) -> None:
        """Draw with another material under an id from now on."""

    def remove_material(self, material: int) -> None:
        """Free a material."""


_Key = tuple[int, Look]


class MaterialOverrides:
    """Keeps the `DrawnMaterial` of one world as its overrides say.

    Parameters
    ----------
    world : World
    textures : TextureFiles
        Where pictures come from; its `poll` is called here.
    renderer : MaterialStore, optional

    Attributes
    ----------
    issues : dict of Entity to str
        What is wrong with the pictures that an override names.
    """

    def __init__(
        self, world: World, textures: TextureFiles, renderer: MaterialStore | None = None
    ) -> None:
        self.issues: dict[Entity, str] = {}
        self._world = world
        self._textures = textures
        self._renderer = renderer
        self._query = QuerySpec(MaterialOverride)
        self._drawn = QuerySpec(DrawnMaterial)
        self._looks: dict[int, Look] = {}
        self._keys: dict[int, _Key] = {}
        # How many entities are drawn with each key.
        self._uses: Counter[_Key] = Counter()
        self._ids: dict[_Key, int] = {}
        self._sources: dict[_Key, Material] = {}
        self._tick = -1
        self._seen: tuple[int, ...] = ()

    def sync(self, refresh: bool = False) -> None:
        """Bring what is drawn up to date.

        Parameters
        ----------
        refresh : bool
            Whether materials of assets are other ones than before.
        """
        world = self._world
        has_pictures = self._textures.poll()
        index = HierarchyIndex.of(world)
        seen = (index.version, world.version(MeshRenderer), world.version(Realised))
        is_edited = world.version(MaterialOverride) > self._tick
        if not (self._looks or is_edited):
            return
        if refresh or has_pictures or seen != self._seen:
            self._update(index)
        elif is_edited:
            changed = self._changed()
            self._update(index) if changed is None else self._update_some(index, changed)
        self._tick, self._seen = world.tick, seen

    def _changed(self) -> list[int] | None:
        """Return what carries an override that was written since; None where others carry one."""
        found: list[int] = []
        count = 0
        for table in self._query.tables(self._world):
            count += len(table)
            entities = table.entities
            if table.loaned(MaterialOverride) <= self._tick:
                entities = entities[table.row_ticks(MaterialOverride) > self._tick]
            found += entities.tolist()
        is_same = count == len(self._looks) and self._looks.keys() >= set(found)
        return found if is_same else None

    def attach(self, renderer: MaterialStore | None) -> None:
        """Use another renderer; the next `sync` makes the materials there."""
        if renderer is self._renderer:
            return
        self._free(set(self._ids))
        self._renderer = renderer
        self._seen = ()

    def base_of(self, material: int) -> int:
        """Return the material that one made here is an override of; others are their own."""
        return next((key[0] for key, made in self._ids.items() if made == material), material)

    def settle(self) -> None:
        """Wait for every picture that is being read, and show it."""
        while self._textures.is_loading():
            self._textures.wait()
            self.sync()

    def close(self) -> None:
        """Free every material; the world is let go of."""
        self._free(set(self._ids))

    # -- which look each drawn entity has ----------------------------------------------------

    def _update(self, index: HierarchyIndex) -> None:
        world = self._world
        self._looks = {
            entity: Look.of(world.get(Entity(entity), MaterialOverride))
            for table in self._query.tables(world)
            for entity in table.entities.tolist()
        }
        self._use_textures()
        found = self._targets(index, self._looks) if self._renderer is not None else {}
        self._keys = {entity: key for entity, key in found.items() if key is not None}
        self._uses = Counter(self._keys.values())
        self._show(found, set(self._uses))
        self._clear()
        self.issues.clear()
        self._note_problems(self._looks)

    def _update_some(self, index: HierarchyIndex, holders: list[int]) -> None:
        """Bring up to date what these overrides reach; the others are as they were."""
        before = {entity: self._looks[entity] for entity in holders}
        for entity in holders:
            self._looks[entity] = Look.of(self._world.get(Entity(entity), MaterialOverride))
        if any(self._looks[e].textures() != look.textures() for e, look in before.items()):
            self._use_textures()
        found = self._targets(index, holders) if self._renderer is not None else {}
        for entity, key in found.items():
            old = self._keys.pop(entity, None)
            if old is not None:
                self._uses[old] -= 1
            if key is not None:
                self._keys[entity] = key
                self._uses[key] += 1
        self._show(found, {key for key in found.values() if key is not None})
        self._note_problems(holders)

    def _show(self, found: dict[int, _Key | None], changed: set[_Key]) -> None:
        """Draw entities with their keys, of which `changed` may be new or look otherwise."""
        self._make_materials(changed)
        for entity, key in found.items():
            if key is not None:
                self._draw_with(Entity(entity), self._ids[key])
            elif self._world.has(Entity(entity), DrawnMaterial):
                self._world.remove(Entity(entity), DrawnMaterial)

    def _use_textures(self) -> None:
        self._textures.use({path for look in self._looks.values() for path in look.textures()})

    def _targets(self, index: HierarchyIndex, holders: Iterable[int]) -> dict[int, _Key | None]:
        """Return what each drawn entity that these reach is drawn with; None for its own."""
        world = self._world
        found: dict[int, _Key | None] = {}
        for holder in holders:
            for entity in self._reach(index, holder):
                if entity in found or not world.has(entity, MeshRenderer):
                    continue
                material = int(world.get(entity, MeshRenderer).material)
                look = look_of(world, entity)
                is_own = material < 0 or look == AS_IT_IS
                found[entity] = None if is_own else (material, look)
        return found

    def _reach(self, index: HierarchyIndex, holder: int) -> Iterator[Entity]:
        """Yield an entity and the realised nodes below it."""
        yield Entity(holder)
        pending = [index.slot(holder)]
        while pending:
            for node in index.entities(index.child_slots(pending.pop())):
                if self._world.has(node, Realised):
                    yield node
                    pending.append(index.slot(node))

    def _draw_with(self, entity: Entity, material: int) -> None:
        world = self._world
        if not world.has(entity, DrawnMaterial):
            world.add(entity, DrawnMaterial(material))
        elif world.get(entity, DrawnMaterial).material != material:
            world.set(entity, DrawnMaterial(material))

    def _clear(self) -> None:
        world, keys = self._world, self._keys
        stale = [
            entity
            for table in self._drawn.tables(world)
            for entity in table.entities.tolist()
            if entity not in keys
        ]
        for entity in stale:
            world.remove(Entity(entity), DrawnMaterial)

    def _note_problems(self, holders: Iterable[int]) -> None:
        for holder in holders:
            paths = sorted(self._looks[holder].textures())
            problems = [p for path in paths if (p := self._textures.problem(path))]
            self.issues.pop(Entity(holder), None)
            if problems:
                self.issues[Entity(holder)] = "; ".join(problems)

    # -- materials ---------------------------------------------------------------------------

    def _make_materials(self, keys: set[_Key]) -> None:
        """Have a material for each key in use; one that is dragged along keeps its id.

        Parameters
        ----------
        keys : set
            Those that may be new or look otherwise.
        """
        renderer = self._renderer
        if renderer is None:
            return
        spare = {key[0]: key for key in self._unused()}
        for key in keys:
            source = self._source(renderer, key)
            if key not in self._ids and key[0] in spare:
                old = spare.pop(key[0])
                self._ids[key] = self._ids.pop(old)
                self._sources.pop(old, None)
            if key not in self._ids:
                self._ids[key] = renderer.add_material(source)
            elif source != self._sources.get(key):
                renderer.replace_material(self._ids[key], source)
            self._sources[key] = source
        self._free(self._unused())

    def _unused(self) -> set[_Key]:
        return {key for key in self._ids if self._uses[key] <= 0}

    def _free(self, keys: set[_Key]) -> None:
        for key in keys:
            material = self._ids.pop(key)
            self._sources.pop(key, None)
            self._uses.pop(key, None)
            if self._renderer is not None:
                self._renderer.remove_material(material)

    def _source(self, renderer: MaterialStore, key: _Key) -> Material:
        def reference(path: str, srgb: bool, old: TextureRef | None) -> TextureRef | None:
            texture = self._textures.get(path, srgb)
            if texture < 0:
                return old
            if old is not None:
                return replace(old, texture=texture)
            return TextureRef(texture, renderer.resources.add_sampler(Sampler()))

        return overridden(renderer.material(key[0]), key[1], reference)

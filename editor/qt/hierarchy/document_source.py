"""The open level as a `HierarchySource`."""

from collections.abc import Iterable, Sequence

from editor.document import LevelDocument
from editor.qt.hierarchy.entity_icon import entity_icon
from editor.qt.hierarchy.source import RowLook
from engine.reflect import Entity
from engine.scene import GltfInstance, LightSource, SceneInstance, is_enabled
from engine.scene.instance_nodes import is_instance

__all__ = ["DocumentSource", "entity_glyph"]


def entity_glyph(document: LevelDocument, entity: Entity) -> tuple[str, str]:
    """Return icon and colour role of an entity of the level."""
    world = document.world
    if not world.alive(entity):
        return "question", "faint"
    names = {type_.scene_name() for type_ in world.types(entity)}
    kind = str(world.get(entity, LightSource).kind) if "LightSource" in names else ""
    return entity_icon(
        names,
        light_kind=kind,
        has_children=bool(document.children(entity)),
        in_instance=document.is_realised(entity),
    )


def _changes(document: LevelDocument, entity: Entity) -> int:
    """Return how much the level changes on the instance that an entity is the root of."""
    if document.is_realised(entity) or not is_instance(document.world, entity):
        return 0
    return sum(count for _, count in document.overridden(entity))


class DocumentSource:
    """Reads rows from a document.

    While the model takes rows out one by one, Qt asks about rows whose entity is gone already.
    """

    def __init__(self, document: LevelDocument) -> None:
        self._document = document
        self._issues: dict[Entity, str] = {}

    def children(self, entity: Entity) -> Sequence[Entity]:
        if entity and not self._document.world.alive(entity):
            return ()
        return self._document.children(entity)

    def parent(self, entity: Entity) -> Entity:
        if not self._document.world.alive(entity):
            return Entity.null()
        return self._document.parent(entity) or Entity.null()

    def label(self, entity: Entity) -> str:
        return self._document.label(entity) if self._document.world.alive(entity) else ""

    def full_name(self, entity: Entity) -> str:
        return self._document.full_name(entity) if self._document.world.alive(entity) else ""

    def look(self, entity: Entity) -> RowLook:
        document = self._document
        if not document.world.alive(entity):
            return RowLook("circle-dashed")
        glyph, role = entity_glyph(document, entity)
        hidden = document.hidden(entity)
        return RowLook(
            glyph,
            role,
            hidden=hidden,
            locked=document.locked(entity),
            dimmed=hidden or not is_enabled(document.world, entity),
            overridden=document.change_count(entity) > 0,
            changes=_changes(document, entity),
            issue=self._issues.get(entity, ""),
        )

    def can_rename(self, entity: Entity) -> bool:
        return self._document.world.alive(entity) and not self._document.is_realised(entity)

    def set_issues(self, issues: dict[Entity, str]) -> None:
        """Take in what is wrong with which entity."""
        self._issues = issues

    def search_facts(self) -> Iterable[tuple[Entity, str, frozenset[str], str]]:
        world = self._document.world
        names: dict[tuple[type, ...], frozenset[str]] = {}
        for entity in world.entities():
            types = tuple(world.types(entity))
            known = names.get(types)
            if known is None:
                known = names[types] = frozenset(t.scene_name() for t in types)
            is_instance = GltfInstance in types or SceneInstance in types
            asset = self._document.asset_of(entity) if is_instance else ""
            yield entity, self._document.full_name(entity), known, asset

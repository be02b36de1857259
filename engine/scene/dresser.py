"""`Dresser`: gives nodes of instances what their assets say, with what levels changed on top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.ecs import ComponentType, World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import (
    CameraComponent,
    Enabled,
    GltfMesh,
    JointPalette,
    LightSource,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
    Order,
    Parent,
    Placeholder,
    Realised,
    Shape,
)
from engine.scene.level_blueprint import NodeChange, is_referring, resolved_record
from engine.scene.overrides import Values, dress, lay_over, overlaid, overridable

_FROM_ASSET: frozenset[ComponentType] = frozenset(
    {
        CameraComponent,
        Enabled,
        JointPalette,
        LightSource,
        LocalMatrix,
        LocalTransform,
        MeshRenderer,
        Name,
        Order,
        Parent,
        Placeholder,
        Realised,
    }
)


class Dresser:
    """Gives entities what their asset says, with what the level changed on top.

    Attributes
    ----------
    issues : dict of Entity to str
        The changes that could not be applied.
    """

    def __init__(self, world: World, types: Iterable[ComponentType]) -> None:
        self.issues: dict[Entity, str] = {}
        self.world = world
        self._types = overridable(types)
        self._owned = _FROM_ASSET | set(self._types.values())

    def values(self, entity: Entity, base: Iterable[SceneComponent]) -> list[SceneComponent]:
        """Return copies of what an entity with this base should carry."""
        values, _ = overlaid(self.world, entity, base, self._types)
        return [value.copy() for value in values.values()]

    def dress(self, entity: Entity, base: Iterable[SceneComponent]) -> bool:
        """Give an entity its base with its overrides; whether anything changed."""
        values, problems = overlaid(self.world, entity, base, self._types)
        self.issues.pop(entity, None)
        if problems:
            self.issues[entity] = "; ".join(problems)
        owned = self._owned
        if Shape in values or GltfMesh in values:
            # What these draw is derived from them.
            owned = owned - {MeshRenderer, JointPalette}
        return dress(self.world, entity, values, owned)

    def lay(self, values: Values, change: NodeChange, entity_of: Mapping[int, Entity]) -> None:
        """Lay what a placed level changes on a node over its values; what fails changes nothing."""
        records = [
            resolved_record(record, entity_of) if is_referring(record) else record
            for record in change.records
        ]
        lay_over(values, records, change.removed_components, change.removed, self._types)

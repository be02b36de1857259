"""What an instance becomes when it is unpacked: entities of the level that look the same.

The nodes of a prop keep drawing through `GltfMesh`. The entities of a placed level become the
level's own; instances inside it stay instances, one level shallower, with what both levels changed
on their nodes. What the level changed is baked in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.ecs import ComponentType, World
from engine.reflect import (
    ComponentRecord,
    Entity,
    SceneComponent,
    from_record,
    to_record,
)
from engine.scene.components import (
    DERIVED_COMPONENTS,
    GltfInstance,
    GltfMesh,
    InstanceNode,
    KeptRecords,
    MaterialOverride,
    MeshRenderer,
    Parent,
    Realised,
)
from engine.scene.gltf_blueprint import ROOT
from engine.scene.hierarchy import descendants
from engine.scene.instance_branch import InstanceBranch
from engine.scene.instance_links import bind_paths
from engine.scene.instance_nodes import InstanceLinks, is_instance
from engine.scene.level_blueprint import (
    LevelBlueprint,
    LevelPart,
    NodeChange,
    resolved_record,
)
from engine.scene.node_paths import NodePaths
from engine.scene.overrides import kept_records, merged_record
from engine.scene.registry.kept import UnknownFields

_NOT_KEPT: tuple[ComponentType, ...] = (InstanceNode, *DERIVED_COMPONENTS)
Values = list[SceneComponent]


@dataclass(eq=False)
class Unpacked:
    """What becomes of the nodes of one instance.

    Attributes
    ----------
    own : list of (Entity, components)
        Nodes that become entities of the level, parents first.
    linked : list of (Entity, components)
        Nodes of instances inside, which stay nodes, with their changes under the new root.
    lost : list of components
        Changes of the placed level whose node its asset lacks; each a new entity.
    removed : list of Entity
        Nodes that the level had removed, and that nothing of the level hangs under.
    leaves_look : bool
        Whether the placed level has a look of its own, which stays behind.
    """

    own: list[tuple[Entity, Values]] = field(default_factory=list)
    linked: list[tuple[Entity, Values]] = field(default_factory=list)
    lost: list[Values] = field(default_factory=list)
    removed: list[Entity] = field(default_factory=list)
    leaves_look: bool = False


def unpack(world: World, branch: InstanceBranch) -> Unpacked:
    """Plan how the nodes of an instance become the level's own; nothing changes.

    Parameters
    ----------
    branch : InstanceBranch
        Of an entity of the level, as it stands.
    """
    blueprint = branch.blueprint
    plan = Unpacked(leaves_look=isinstance(blueprint, LevelBlueprint) and blueprint.has_look)
    removed = set(_removed(world, branch))
    looks = {branch.root: _look(world, branch.root, None)}
    parts = blueprint.parts if blueprint is not None else []
    for at, (part, node) in enumerate(zip(parts, map(Entity, branch.nodes), strict=True)):
        if node in removed:
            plan.removed.append(node)
            continue
        values = _own_values(world, node)
        if isinstance(part, LevelPart):
            kept = [(p, resolved_record(r, branch.references)) for p, r in part.kept]
            _keep(values, [*kept, *_unknown(world, node)])
        else:
            _keep(values, _unknown(world, node))
        if isinstance(branch.settings, GltfInstance) and world.has(node, MeshRenderer):
            values.append(_mesh(branch, at, branch.settings))
        look = looks[node] = _look(world, node, looks.get(_above(world, node)))
        if look is not None and (world.has(node, MeshRenderer) or is_instance(world, node)):
            values = [v for v in values if not isinstance(v, MaterialOverride)] + [look]
        plan.own.append((node, values))
    for node in branch.parked:
        values = _own_values(world, node)
        _keep(values, _unknown(world, node))
        plan.own.append((node, values))
    for node in branch.inner:
        if node not in removed:
            _relink(world, branch, node, plan)
    return plan


def _own_values(world: World, node: Entity) -> Values:
    """Return what a node carries as it is now, without what follows from something else."""
    return [value for value in world.values(node) if not isinstance(value, _NOT_KEPT)]


def _above(world: World, node: Entity) -> Entity:
    return world.get(node, Parent).entity if world.has(node, Parent) else Entity(0)


def _look(world: World, node: Entity, farther: MaterialOverride | None) -> MaterialOverride | None:
    """Return what changes the materials of a node: its own fields, then those from above."""
    own = world.get(node, MaterialOverride) if world.has(node, MaterialOverride) else None
    if own is None or farther is None:
        return own or farther
    unset, record, above = to_record(MaterialOverride()), to_record(own), to_record(farther)
    for i, item in enumerate(record.fields):
        if item == unset.fields[i]:
            record.fields[i] = above.fields[i]
    return from_record(MaterialOverride, record)


def _mesh(branch: InstanceBranch, at: int, settings: GltfInstance) -> GltfMesh:
    assert branch.blueprint is not None
    segments = []
    while at != ROOT:
        part = branch.blueprint.parts[at]
        segments.append(part.segment)
        at = part.parent
    path = "/".join(reversed(segments))
    return GltfMesh(settings.asset, path, settings.cast_shadows, settings.variant)


def _unknown(world: World, node: Entity) -> list[tuple[int, ComponentRecord]]:
    """Return what overrides of a node hold that no class reads."""
    found = []
    known = {type_.scene_name(): type_ for type_ in world.types(node)}
    for place, record in _placed(world, node):
        type_ = known.get(record.name)
        if type_ is None:
            found.append((place, record))
            continue
        read = {item.name for item in to_record(world.get(node, type_)).fields}
        unread = [item for item in record.fields if item.name not in read]
        if unread:
            found.append((place, UnknownFields(record.name, unread)))
    return found


def _placed(world: World, node: Entity) -> list[tuple[int, ComponentRecord]]:
    return world.get(node, KeptRecords).records if world.has(node, KeptRecords) else []


def _keep(values: Values, kept: Iterable[tuple[int, ComponentRecord]]) -> None:
    """Add the records that no class stands for, the later of two for one component winning."""
    merged: dict[str, tuple[int, ComponentRecord]] = {}
    for place, record in kept:
        if record.name in merged:
            at, known = merged[record.name]
            merged[record.name] = at, merged_record(known, record.fields)
        else:
            merged[record.name] = (place, record.copy())
    if merged:
        values.append(KeptRecords(list(merged.values())))


def _removed(world: World, branch: InstanceBranch) -> Iterator[Entity]:
    """Yield the nodes that go for good: those removed, with all below them."""
    for node in branch.base:
        if world.has(node, InstanceNode) and world.get(node, InstanceNode).removed:
            below = descendants(world, node)
            if all(world.has(entity, Realised) for entity in below):
                yield node
                yield from (entity for entity in below if entity in branch.base)


# -- instances inside --------------------------------------------------------------------------


def _relink(world: World, branch: InstanceBranch, root: Entity, plan: Unpacked) -> None:
    """Give the changed nodes of an instance inside their records under its own root."""
    inner = branch.inner[root]
    changes = next((a.changes for a in inner.layers if a.owner is branch), {})
    links = dict(InstanceLinks.of(world).under(branch.root))
    handed = _handed(branch, links).get(inner.at, {})
    done: set[Entity] = set()
    for path, change in changes.items():
        node = branch.references.get(change.handle, Entity(0))
        if not node and path in handed:
            # The asset lacks the node, which the open level changes too.
            node = links[handed[path]]
        if node and node in done:
            continue
        rest = next((r for r, whole in handed.items() if links[whole] == node), path)
        values = _link_values(world, root, rest, node, _resolved(change, branch), change)
        if node:
            done.add(node)
            plan.linked.append((node, [*_node_values(world, node), *values]))
        else:
            plan.lost.append(values)
    for rest, whole in handed.items():
        node = links[whole]
        if node not in done:
            values = _link_values(world, root, rest, node, [], None)
            plan.linked.append((node, [*_node_values(world, node), *values]))


def _handed(branch: InstanceBranch, links: dict[str, Entity]) -> dict[int, dict[str, str]]:
    if branch.blueprint is None:
        return {}
    roots = {inner.at for inner in branch.inner.values()}
    return bind_paths(branch.blueprint, links, roots).handed


def _resolved(change: NodeChange, branch: InstanceBranch) -> list[ComponentRecord]:
    return [resolved_record(record, branch.references) for record in change.records]


def _node_values(world: World, node: Entity) -> Values:
    return [v for v in world.values(node) if not isinstance(v, (InstanceNode, KeptRecords))]


def _link_values(
    world: World,
    root: Entity,
    path: str,
    node: Entity,
    records: list[ComponentRecord],
    change: NodeChange | None,
) -> Values:
    """Return the link and records of a node: those of the placed level, the open one's on top."""
    merged = {record.name: record for record in records}
    for record in kept_records(world, node) if node else ():
        if record.name in merged:
            merged[record.name] = merged_record(merged[record.name], record.fields)
        else:
            merged[record.name] = record.copy()
    has_link = bool(node) and world.has(node, InstanceNode)
    own = world.get(node, InstanceNode) if has_link else InstanceNode()
    dropped = [*own.removed_components.split(",")]
    if change is not None:
        # What the placed level left out, the open one may have put back.
        left_out = change.removed_components.split(",")
        dropped += [name for name in left_out if name not in merged]
    link = InstanceNode(
        root,
        path,
        own.removed or (change is not None and change.removed),
        ",".join(dict.fromkeys(name.strip() for name in dropped if name.strip())),
    )
    kept = [(i + 1, record) for i, record in enumerate(merged.values())]
    return [link, KeptRecords(kept)] if kept else [link]


def node_step(world: World, node: Entity) -> tuple[Entity, str] | None:
    """Return the parent of a node on the way from its root, and the step from there."""
    return NodePaths.of(world).step_to(node)

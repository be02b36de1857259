"""Changing the nodes of an instance: every edit there is an override, kept as a partial record.

An override is exactly the fields that a command set. It stands in the node's `KeptRecords` beside
an `InstanceNode`, which says what node it belongs to; the node's live components show the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from editor.commands.changes import FieldsChange
from editor.commands.edit import Edit, Transaction
from editor.commands.kept import keep, kept_record, kept_records, without_kept
from editor.commands.naming import name_of, names_of
from editor.commands.records import fields_of, new_fields
from editor.commands.target import Target
from editor.model.change_set import ComponentType
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, SceneComponent, to_record
from engine.scene import (
    GltfInstance,
    InstanceNode,
    KeptRecords,
    Parent,
    Placeholder,
    Realised,
    SceneInstance,
    children,
)
from engine.scene.instance_nodes import is_parked, node_path
from engine.scene.overrides import merged_record


def override_fields(
    edit: Transaction, node: Entity, type_: ComponentType, settings: dict[str, Any]
) -> None:
    """Override fields of a component that the node has."""
    value = edit.world.get(node, type_)
    after = new_fields(value, settings)
    name = type_.scene_name()
    record = kept_record(edit.world, node, name) or ComponentRecord(name)
    _bind(edit, node)
    keep(edit, node, merged_record(record, after))
    before = fields_of(value, settings)
    edit.do(FieldsChange(Target.of(edit.context, node), type_, before, after))


def add_to_node(edit: Transaction, node: Entity, component: SceneComponent) -> None:
    """Give the node a component that its asset doesn't give it, or that was removed."""
    name = type(component).scene_name()
    link = _bind(edit, node)
    dropped = _dropped(link)
    if isinstance(component, (GltfInstance, SceneInstance)) and name not in dropped:
        raise SceneError(
            "a node of an instance can't become an instance; add a child to it instead"
        )
    if name in dropped:
        dropped.remove(name)
        link.removed_components = ",".join(dropped)
        edit.put(node, link)
    keep(edit, node, to_record(component))
    edit.put(node, component)


def remove_from_node(
    edit: Transaction, node: Entity, name: str, type_: ComponentType | None
) -> bool:
    """Take a component from the node; False when it has none of that name."""
    is_kept = kept_record(edit.world, node, name) is not None
    if type_ is None and not is_kept:
        return False
    if type_ is InstanceNode:
        raise SceneError("InstanceNode goes with the last override of the node")
    link = _bind(edit, node)
    if is_kept:
        without_kept(edit, node, name)
    if type_ is not None:
        if edit.context.inherited(node, type_) is not None:
            link.removed_components = ",".join([*_dropped(link), name])
            edit.put(node, link)
        edit.drop(node, type_)
    if not _says_something(edit, node, link):
        edit.drop(node, InstanceNode)
    return True


def remove_node(edit: Transaction, node: Entity) -> None:
    """Leave the node, and what is below it, out of its instance."""
    link = _bind(edit, node)
    link.removed = True
    edit.put(node, link)


def _bind(edit: Transaction, node: Entity) -> InstanceNode:
    """Return the node's link to its instance, made when it has none yet.

    Raises
    ------
    SceneError
        The node only stands in for an asset that can't be shown.
    """
    if edit.world.has(node, Placeholder):
        raise SceneError("this box stands in for an asset that can't be shown; edit the instance")
    if not edit.world.has(node, InstanceNode):
        root, path = node_path(edit.world, node)
        edit.put(node, InstanceNode(root=root, path=path))
    return edit.world.get(node, InstanceNode)


def _says_something(edit: Transaction, node: Entity, link: InstanceNode) -> bool:
    """Whether the level changes anything about the node."""
    return bool(link.removed or link.removed_components or kept_records(edit.world, node))


def _dropped(link: InstanceNode) -> list[str]:
    return [name for name in link.removed_components.split(",") if name]


class RevertOverride(Edit):
    """Let a node inherit again: one field, one component, or everything.

    Parameters
    ----------
    nodes : iterable of Entity
    name : str, optional
        The component's scene name; None: all of them, and what was removed comes back.
    field : str, optional
        One field of it; None: all its fields.
    """

    def __init__(
        self, nodes: Iterable[Entity], name: str | None = None, field: str | None = None
    ) -> None:
        super().__init__("")
        self.nodes = list(dict.fromkeys(nodes))
        self.name = name
        self.field = field

    def build(self, edit: Transaction) -> None:
        what = self.field or self.name or "all overrides"
        self.label = f"Revert {what} of {names_of(edit.world, self.nodes)}"
        for node in self.nodes:
            if not edit.world.has(node, Realised):
                raise SceneError(f"{names_of(edit.world, [node])} is not part of an instance")
            if edit.world.has(node, InstanceNode):
                self._revert(edit, node)

    def _revert(self, edit: Transaction, node: Entity) -> None:
        link = edit.world.get(node, InstanceNode)
        touched = [r for _, r in kept_records(edit.world, node) if self.name in (None, r.name)]
        names = {record.name for record in touched}
        for record in touched:
            self._revert_record(edit, node, record)
        if self.field is None:
            names.update(n for n in _dropped(link) if self.name in (None, n))
            link.removed_components = ",".join(n for n in _dropped(link) if n not in names)
            link.removed = link.removed and self.name is not None
            edit.put(node, link)
        if not _says_something(edit, node, link):
            was_parked = is_parked(edit.world, node)
            edit.drop(node, InstanceNode)
            if was_parked:
                return
        for type_ in _known_types(edit, node):
            if type_.scene_name() in names:
                edit.inherit(node, type_)

    def _revert_record(self, edit: Transaction, node: Entity, record: ComponentRecord) -> None:
        kept = [f for f in record.fields if self.field is not None and f.name != self.field]
        if kept:
            keep(edit, node, ComponentRecord(record.name, kept))
        else:
            without_kept(edit, node, record.name)


def _known_types(edit: Transaction, node: Entity) -> list[ComponentType]:
    return list(dict.fromkeys([*edit.world.types(node), *edit.context.registry.types]))


class MoveOverrides(Edit):
    """Let what a level keeps of a node that its asset lacks apply to another node.

    Parameters
    ----------
    parked : Entity
        What keeps the changes.
    node : Entity
        The node of the same instance that gets them; its own changes stay where these say nothing.
    """

    def __init__(self, parked: Entity, node: Entity) -> None:
        super().__init__("")
        self.parked = parked
        self.node = node

    def build(self, edit: Transaction) -> None:
        world = edit.world
        root, old = node_path(world, self.parked)
        if not is_parked(world, self.parked):
            raise SceneError(f"{name_of(world, self.parked)} is a node that its asset has")
        around, path = node_path(world, self.node)
        if around != root or is_parked(world, self.node):
            raise SceneError(f"{name_of(world, self.node)} is no node of the same instance")
        self.label = f"Apply the changes of {old} to {path}"
        earlier, link = world.get(self.parked, InstanceNode), _bind(edit, self.node)
        records = [record for _, record in kept_records(world, self.parked)]
        for record in records:
            known = kept_record(world, self.node, record.name) or ComponentRecord(record.name)
            keep(edit, self.node, merged_record(known, record.fields))
        names = dict.fromkeys([*_dropped(link), *_dropped(earlier)])
        kept = {record.name for record in records}
        link.removed_components = ",".join(name for name in names if name not in kept)
        link.removed = link.removed or earlier.removed
        edit.put(self.node, link)
        self._leave(edit)
        # That it lacks the node is why this is done.
        edit.context.parked.pop((root, old), None)
        changed = kept | set(_dropped(earlier))
        for type_ in _known_types(edit, self.node):
            if type_.scene_name() in changed:
                edit.inherit(self.node, type_)

    def _leave(self, edit: Transaction) -> None:
        """Let what hangs under the parked entity follow its changes, and that go."""
        for child in children(edit.world, self.parked):
            edit.set_fields(child, Parent, {"entity": self.node})
        if edit.world.has(self.parked, KeptRecords):
            edit.drop(self.parked, KeptRecords)
        edit.drop(self.parked, InstanceNode)

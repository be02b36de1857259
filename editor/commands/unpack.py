"""`Unpack`: an instance becomes entities of the level that look the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from editor.commands.changes import topmost
from editor.commands.edit import Edit, Transaction
from editor.commands.naming import name_of, names_of
from editor.commands.ownership import Ownership, OwnershipChange
from editor.model.messages import Message
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import GltfInstance, MaterialOverride, SceneInstance
from engine.scene.instance_branch import InstanceBranch
from engine.scene.instance_nodes import is_instance, roots_around
from engine.scene.instance_unpack import node_step, unpack

FindBranch = Callable[[Entity], InstanceBranch | None]


class Unpack(Edit):
    """Make the nodes of instances the level's own, what the level changed on them baked in.

    Instances inside a placed level stay instances.

    Parameters
    ----------
    entities : iterable of Entity
        Instances, or nodes of them.
    branch : callable
        What stands under the root of an instance.
    """

    def __init__(self, entities: Iterable[Entity], branch: FindBranch) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self._branch: FindBranch | None = branch

    def build(self, edit: Transaction) -> None:
        find, self._branch = self._branch, None
        assert find is not None
        world = edit.world
        around = [(roots_around(world, e) or [e])[0] for e in self.entities]
        roots = list(dict.fromkeys(around))
        for root in roots:
            if not is_instance(world, root):
                raise SceneError(f"{name_of(world, root)} is no instance; nothing can be unpacked")
        self.label = f"Unpack {names_of(world, roots)}"
        for root in roots:
            self._unpack(edit, root, find(root))

    def _unpack(self, edit: Transaction, root: Entity, branch: InstanceBranch | None) -> None:
        world, name = edit.world, name_of(edit.world, root)
        if branch is None or branch.blueprint is None:
            raise SceneError(f"{name} shows nothing at present that could be unpacked")
        plan = unpack(world, branch)
        if plan.leaves_look:
            text = f"the sky and ambient light of {branch.entry.path} are left behind"
            edit.context.post(Message("info", text, entity=root))
        entries = [self._entry(edit, *made, is_own=True) for made in plan.own]
        entries += [self._entry(edit, *made, is_own=False) for made in plan.linked]
        gone = topmost(world, plan.removed)
        edit.do(OwnershipChange(entries, to_level=True))
        for values in plan.lost:
            entity = world.spawn(*values)
            edit.context.changes.spawn((entity,))
            edit.spawned([entity])
        if gone:
            edit.select(edit.context.selection.without(set(plan.removed)))
            edit.despawn(gone)
        for type_ in (GltfInstance, SceneInstance):
            if world.has(root, type_):
                edit.drop(root, type_)
        if world.has(root, MaterialOverride):
            edit.drop(root, MaterialOverride)

    def _entry(
        self, edit: Transaction, node: Entity, values: list[SceneComponent], *, is_own: bool
    ) -> Ownership:
        step = node_step(edit.world, node) if is_own else None
        return Ownership(node, values, edit.world.values(node), step)

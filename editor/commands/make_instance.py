"""`MakeInstance`: what is selected moves into a level of its own, which is placed instead."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

import numpy as np

from editor.commands.changes import topmost
from editor.commands.copying import Branches, branches_document
from editor.commands.edit import Edit, Transaction
from editor.commands.level_write import LevelWrite
from editor.commands.naming import name_of, names_of, sibling_names, unique_name
from editor.commands.node_entries import (
    Kept,
    cut_references,
    linked_entries,
    node_values,
    overrides_of,
)
from editor.commands.ownership import Ownership, OwnershipChange
from editor.model.selection import Selection
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import (
    Environment,
    LocalMatrix,
    LocalTransform,
    Name,
    Order,
    Parent,
    SceneDoc,
    SceneInstance,
    write_binary,
    write_text,
)
from engine.scene.gltf_blueprint import ROOT
from engine.scene.hierarchy import Float64Matrix, parent_of, world_matrix
from engine.scene.level_blueprint import LevelBlueprint, LevelPart, draw_level
from engine.scene.levels.scene_file import is_binary
from engine.scene.registry.instantiate import instantiate_columns

_PLACEMENT = (LocalTransform, LocalMatrix)


class MakeInstance(Edit):
    """Write entities, with all below them, as a new level, and place that in their stead.

    World transforms stay. References from outside lead to the nodes of the instance; those that
    lead out of it are overrides of the instance. Taking the step back leaves the file where it is.

    Parameters
    ----------
    entities : iterable of Entity
    level : str
        The path of the new level in the project.

    Attributes
    ----------
    entity : Entity
        The instance, once applied.
    """

    def __init__(self, entities: Iterable[Entity], level: str) -> None:
        super().__init__("")
        self.entities = list(dict.fromkeys(entities))
        self.level = level
        self.entity = Entity.null()

    def build(self, edit: Transaction) -> None:
        world = edit.world
        roots = topmost(world, self.entities)
        if not roots:
            raise SceneError("nothing is selected to make an instance from")
        self.label = f"Make {pathlib.PurePosixPath(self.level).name} from {names_of(world, roots)}"
        parent, placement, space = _placement(world, roots)
        found = branches_document(edit.context, roots, space)
        _refuse_look(world, found.inside)
        outward = cut_references(found, lambda target: True)
        blueprint = _drawn(edit, found.doc)
        self._spawn(edit, roots, parent, placement)
        entries = _entries(world, self.entity, blueprint, found, outward)
        edit.do(OwnershipChange(entries, to_level=False))
        edit.select(Selection([self.entity]))
        data = write_binary(found.doc) if is_binary(self.level) else write_text(found.doc).encode()
        # Last: from here on nothing can be refused any more that would leave the file behind.
        edit.do(LevelWrite(self.level, None, data))

    def _spawn(
        self,
        edit: Transaction,
        roots: list[Entity],
        parent: Entity,
        placement: list[SceneComponent],
    ) -> None:
        world = edit.world
        stem = pathlib.PurePosixPath(self.level).stem
        wanted = name_of(world, roots[0]) if len(roots) == 1 else stem
        taken = sibling_names(world, parent) - {name_of(world, root) for root in roots}
        values = [Name(unique_name(wanted, taken)), *placement, SceneInstance(self.level)]
        if parent:
            values.append(Parent(parent))
        if world.has(roots[-1], Order):
            values.append(world.get(roots[-1], Order))
        self.entity = world.spawn(*values)
        edit.context.changes.spawn((self.entity,))
        edit.spawned([self.entity])


def _placement(
    world: World, roots: list[Entity]
) -> tuple[Entity, list[SceneComponent], Float64Matrix]:
    """Return the parent of the new instance, its placement, and where that is in the world."""
    parent = parent_of(world, roots[-1])
    above: Float64Matrix = world_matrix(world, parent) if parent else np.eye(4)
    if len(roots) == 1:
        placement = [world.get(roots[0], t) for t in _PLACEMENT if world.has(roots[0], t)]
        return parent, placement or [LocalTransform()], _regular(world_matrix(world, roots[0]))
    places = np.array([world_matrix(world, root)[:, 3] for root in roots])
    local = np.eye(4)
    middle = np.linalg.solve(_regular(above), places.mean(axis=0))[:3]
    transform = LocalTransform(translation=middle)
    local[:3, 3] = transform.translation
    return parent, [transform], np.asarray(above @ local, np.float64)


def _regular(matrix: Float64Matrix) -> Float64Matrix:
    if not abs(np.linalg.det(matrix[:3, :3])) >= 1e-30:
        raise SceneError("what is scaled to nothing can't be made an instance")
    return matrix


def _refuse_look(world: World, entities: list[Entity]) -> None:
    for entity in entities:
        if world.has(entity, Environment):
            raise SceneError(
                f"{name_of(world, entity)} is the look of this level; a placed level can't bring "
                "one, so leave it out of the selection"
            )


def _drawn(edit: Transaction, doc: SceneDoc) -> LevelBlueprint:
    sketch = World()
    types = {type_.scene_name(): type_ for type_ in edit.context.registry.types}
    columns = doc.copy().to_columns()
    return draw_level(sketch, instantiate_columns(sketch, columns, types, keep_unknown=True))


def _entries(
    world: World, root: Entity, blueprint: LevelBlueprint, found: Branches, outward: Kept
) -> list[Ownership]:
    """Return what becomes of every entity, parents first."""
    entries: list[Ownership] = []
    nodes: list[Entity] = []
    paths: list[str] = []
    for part in blueprint.parts:
        assert isinstance(part, LevelPart)
        entity = found.inside[part.node]
        above = root if part.parent == ROOT else nodes[part.parent]
        prefix = "" if part.parent == ROOT else f"{paths[part.parent]}/"
        nodes.append(entity)
        paths.append(prefix + part.segment)
        values = node_values(world, entity, _PLACEMENT, part.rank)
        values += [v for v in part.values if isinstance(v, _PLACEMENT)]
        hung = Parent(world.get(entity, Parent).entity if part.anchor else above)
        kept = overrides_of(root, paths[-1], outward.get(part.node))
        as_node = [*values, hung, *kept]
        entries.append(Ownership(entity, world.values(entity), as_node, (above, part.segment)))
    return [
        *entries,
        *linked_entries(world, root, found, outward, dict(zip(nodes, paths, strict=True))),
    ]

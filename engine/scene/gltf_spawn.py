"""`spawn_gltf`: an asset becomes a branch of entities; `collision_triangles`: it becomes ground.

Given a `root`, the branch is an instance: its nodes carry `Realised` and know their paths, and
entities that already exist can be bound to nodes instead of spawning new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.assets import GltfAsset, MeshStore, UploadedGltf, upload_gltf
from engine.ecs import World
from engine.reflect import Entity, SceneComponent
from engine.scene.components import LocalMatrix, Name, Parent, Realised
from engine.scene.gltf_blueprint import ROOT, Blueprint, draw_blueprint, placement_values
from engine.scene.node_paths import NodePaths


@dataclass(eq=False, slots=True)
class SpawnedGltf:
    """What `spawn_gltf` made; the entities stay in the world after this value is dropped.

    Attributes
    ----------
    root : Entity
        Carries the root transform; every glTF root node is its child.
    node_entities : list of Entity
        One per glTF node; null for nodes outside the scene graph.
    primitive_entities : list of Entity
        Everything that draws, by node, then by primitive.
    uploaded : UploadedGltf
    issues : list of str
        What a person should know about the asset, such as shear.
    """

    root: Entity
    node_entities: list[Entity]
    primitive_entities: list[Entity]
    uploaded: UploadedGltf
    issues: list[str] = field(default_factory=list)

    def entity_of_node(self, i: int) -> Entity:
        """Return the entity of glTF node `i`; null when out of range or outside the scene."""
        return self.node_entities[i] if 0 <= i < len(self.node_entities) else Entity.null()


def spawn_gltf(
    renderer: MeshStore | None,
    resources: Any,
    asset: GltfAsset,
    world: World,
    root_transform: ArrayLike | None = None,
    lods: bool = True,
    cast_shadows: bool = True,
    skinned_meshes: bool = True,
    *,
    root: Entity | None = None,
    uploaded: UploadedGltf | None = None,
    bind: Mapping[str, Entity] | None = None,
) -> SpawnedGltf:
    """Upload an asset and spawn its nodes.

    Parameters
    ----------
    renderer, resources
        Where the asset is uploaded; a renderer of None gives ids of -1, resources of None means
        the renderer's own.
    asset : GltfAsset
    world : World
    root_transform : (4, 4), optional
        Placement of the root, column vectors; identity for a new root, and a given one keeps its
        own.
    lods, cast_shadows : bool
    skinned_meshes : bool
        False spawns skinned nodes without anything to draw.
    root : Entity, optional
        Becomes the root of an instance: the nodes are tagged `Realised`.
    uploaded : UploadedGltf, optional
        An upload to share.
    bind : mapping of path to Entity, optional
        Live entities to use for nodes; paths that the asset does not have are passed over.

    Raises
    ------
    EntityError
        `root` or a bound entity is not alive; nothing was spawned.
    """
    existing = dict(bind or {})
    for entity in (*((root,) if root else ()), *existing.values()):
        world.types(entity)
    if uploaded is None:
        uploaded = upload_gltf(renderer, resources, asset, lods)
    blueprint = draw_blueprint(
        asset, uploaded, cast_shadows=cast_shadows, skinned_meshes=skinned_meshes
    )
    is_instance = bool(root)
    root = _place_root(world, root, asset.name, root_transform)
    found = ((blueprint.find(path), entity) for path, entity in existing.items())
    bound = {at: entity for at, entity in found if at is not None}
    entities = spawn_parts(world, blueprint, root, bound, is_instance=is_instance)
    return SpawnedGltf(
        root,
        [Entity.null() if at < 0 else entities[at] for at in blueprint.part_of_node],
        [entities[at] for at in blueprint.primitives],
        uploaded,
        list(blueprint.issues),
    )


def _place_root(
    world: World, root: Entity | None, name: str, transform: ArrayLike | None
) -> Entity:
    if not root:
        values = placement_values(np.eye(4) if transform is None else transform)
        return world.spawn(Name(name), *values)
    if transform is not None:
        values = placement_values(transform)
        if len(values) == 1 and world.has(root, LocalMatrix):
            world.remove(root, LocalMatrix)
        for value in values:
            world.add(root, value)
    return Entity(root)


def spawn_parts(
    world: World,
    blueprint: Blueprint,
    root: Entity,
    bound: Mapping[int, Entity],
    *,
    is_instance: bool,
) -> list[Entity]:
    """Spawn the parts of a blueprint under `root`, using `bound` entities where there are any.

    Returns
    -------
    list of Entity
        One per part. A bound entity got the part's components beside its own.
    """
    paths = NodePaths.of(world)
    entities: list[Entity] = []
    for at, part in enumerate(blueprint.parts):
        parent = root if part.parent == ROOT else entities[part.parent]
        values: list[SceneComponent] = [Parent(parent), *part.values]
        if is_instance:
            values.append(Realised())
        entity = bound.get(at)
        if entity is None:
            entity = world.spawn(*values)
        else:
            for value in values:
                world.add(entity, value)
        if is_instance:
            paths.bind(parent, part.segment, entity)
        entities.append(Entity(entity))
    return entities


def collision_triangles(
    asset: GltfAsset, root_transform: ArrayLike | None = None
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return the world-space triangles of every mesh node that is not skinned.

    Parameters
    ----------
    root_transform : (4, 4), optional
        Applied after each node's world matrix.

    Returns
    -------
    positions : (n, 3) float32
    indices : (m,) uint32
        Three per triangle. Lines and points are passed over.
    """
    above = np.eye(4) if root_transform is None else np.asarray(root_transform, np.float64)
    positions = [np.zeros((0, 3), np.float32)]
    indices = [np.zeros(0, np.uint32)]
    base = 0
    for node in (asset.nodes[index] for index in asset.reachable_nodes()):
        if node.mesh is None or node.skin is not None:
            continue
        matrix = above @ node.world.astype(np.float64)
        for primitive in asset.meshes[node.mesh].primitives:
            mesh = primitive.mesh
            if mesh.topology == "triangles":
                moved = mesh.positions @ matrix[:3, :3].T + matrix[:3, 3]
                positions.append(moved.astype(np.float32))
                indices.append(mesh.indices + np.uint32(base))
                base += len(moved)
    return np.concatenate(positions), np.concatenate(indices)

"""Which entities of a level are which nodes of which asset, for the export."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.assets import GltfAsset, GltfNode, UploadedGltf
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import GltfInstance
from engine.scene.export_resources import AssetBlock
from engine.scene.gltf_blueprint import ROOT, Blueprint, BlueprintPart, draw_blueprint
from engine.scene.node_paths import NodePaths, split_path


@dataclass(eq=False, slots=True)
class ExportedInstance:
    """One placed prop.

    Attributes
    ----------
    entities : list of Entity or None
        The entity of each part of the blueprint.
    node_of : dict of int to int
        New index of each node of the asset that is exported.
    skins : dict of int to int
        New index of each of its skins.
    """

    name: str
    block: AssetBlock
    variant: str
    blueprint: Blueprint
    entities: list[Entity | None]
    node_of: dict[int, int] = field(default_factory=dict)
    skins: dict[int, int] = field(default_factory=dict)

    @classmethod
    def find(
        cls, world: World, root: Entity, name: str, block: AssetBlock, settings: GltfInstance
    ) -> ExportedInstance:
        """Find the entities of an instance that is realised."""
        blueprint = draw_blueprint(
            block.source,
            _nothing_uploaded(block.source),
            skinned_meshes=settings.skinned_meshes,
        )
        paths = NodePaths.of(world)
        entities: list[Entity | None] = []
        for part in blueprint.parts:
            above = root if part.parent == ROOT else entities[part.parent]
            entity = None if above is None else paths.step(above, part.segment)
            entities.append(entity if entity is not None and world.alive(entity) else None)
        return cls(name, block, settings.variant, blueprint, entities)


@dataclass(frozen=True, eq=False)
class InstancePart:
    """An entity's place in an instance."""

    instance: ExportedInstance
    at: int

    @property
    def plan(self) -> BlueprintPart:
        """What the blueprint says of it."""
        return self.instance.blueprint.parts[self.at]

    @property
    def asset(self) -> GltfAsset:
        """The asset that it is of."""
        return self.instance.block.source

    @property
    def source(self) -> GltfNode:
        """The asset's node, or the one that the primitive belongs to."""
        return self.asset.nodes[self.plan.node]

    @property
    def primitive(self) -> int:
        """Which primitive of its node's mesh a part draws that is not a node itself."""
        assert self.source.mesh is not None
        owner = self.instance.blueprint.part_of_node[self.plan.node]
        return (self.at - owner - 1) % len(self.asset.meshes[self.source.mesh].primitives)

    def pieces(self) -> list[Entity | None]:
        """Return the entities of a node's primitives, where they are entities of their own."""
        parts, found = self.instance.blueprint.parts, []
        at = self.at + 1
        while at < len(parts) and not parts[at].is_node and parts[at].parent == self.at:
            found.append(self.instance.entities[at])
            at += 1
        return found


def single_part(block: AssetBlock, path: str) -> InstancePart | None:
    """Return the part of an asset that a `GltfMesh` draws, None where there is no mesh."""
    blueprint = draw_blueprint(block.source, _nothing_uploaded(block.source))
    at = blueprint.find(path) if path else None
    if at is None and path:
        at = blueprint.find_named(split_path(path)[-1])
    if at is None:
        return None
    nowhere: list[Entity | None] = [None] * len(blueprint.parts)
    part = InstancePart(ExportedInstance("", block, "", blueprint, nowhere), at)
    return part if part.source.mesh is not None else None


def _nothing_uploaded(asset: GltfAsset) -> UploadedGltf:
    none = [[-1] * len(mesh.primitives) for mesh in asset.meshes]
    return UploadedGltf(none, [-1] * len(asset.materials), -1)

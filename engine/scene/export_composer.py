"""From the entities of a level to the nodes of one glTF asset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.assets import (
    GltfAnimation,
    GltfAsset,
    GltfChannel,
    GltfNode,
    GltfScene,
    GltfSkin,
)
from engine.assets.library import AssetLibrary
from engine.assets.texture_files import TextureFiles
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import (
    Enabled,
    GltfInstance,
    GltfMesh,
    InstanceNode,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    Placeholder,
    Shape,
)
from engine.scene.export_instances import ExportedInstance, InstancePart, single_part
from engine.scene.export_lenses import Lenses
from engine.scene.export_looks import LookBlock
from engine.scene.export_resources import AssetBlock, ShapeBlock
from engine.scene.gltf_blueprint import placement_values
from engine.scene.hierarchy import children, parent_of, world_matrix
from engine.scene.instance_nodes import roots_around

_PLACEMENT = (LocalTransform, LocalMatrix)


@dataclass(frozen=True)
class Export:
    """An exported level and what could not be exported as it is."""

    asset: GltfAsset
    warnings: list[str]


class Composer:
    """Builds the asset, entity by entity, parents first.

    Attributes
    ----------
    export : Export
        Whole when the steps of `compose` are over.
    """

    def __init__(
        self,
        world: World,
        library: AssetLibrary,
        textures: TextureFiles | None,
        *,
        is_whole: bool,
    ) -> None:
        self._world = world
        self._library = library
        self._is_whole = is_whole
        self._asset = GltfAsset("")
        self._warnings: list[str] = []
        self.export = Export(self._asset, self._warnings)
        self._blocks: dict[int, AssetBlock] = {}
        self._shapes = ShapeBlock(self._asset)
        self._looks = LookBlock(world, self._asset, textures)
        self._parts: dict[Entity, InstancePart] = {}
        self._instances: list[ExportedInstance] = []
        self._skipped: set[Entity] = set()
        self._lenses = Lenses(world, self._asset)
        self._skinned: list[tuple[GltfNode, ExportedInstance, int]] = []

    def compose(self, entities: Iterable[Entity] | None) -> Iterator[None]:
        """Take in a level, or some entities with all below them, a little with every step."""
        asset = self._asset
        for root in self._tops(entities):
            if root is not None:
                self._find_instances_around(root)
                yield from self._add_branch(root)
            yield
        for node, instance, skin in self._skinned:
            node.skin = self._skin(instance, skin)
            yield
        for instance in self._instances:
            self._add_animations(instance)
            yield
        asset.roots = [index for index, node in enumerate(asset.nodes) if node.parent is None]
        asset.scenes, asset.default_scene = [GltfScene(asset.name, list(asset.roots))], 0

    def _warn(self, text: str) -> None:
        if text not in self._warnings:
            self._warnings.append(text)

    # What to export ----------------------------------------------------------------------------

    def _tops(self, entities: Iterable[Entity] | None) -> Iterator[Entity | None]:
        """Yield the entities that nothing else to export is above, and None for the others."""
        world = self._world
        if entities is None:
            live = np.array(world.entities(), np.int64)
            order = np.argsort(world.serials(live), kind="stable")
            for entity in map(Entity, live[order].tolist()):
                yield None if parent_of(world, entity) else entity
        else:
            chosen = dict.fromkeys(Entity(e) for e in entities)
            for entity in chosen:
                yield None if self._is_below(entity, chosen) else entity

    def _is_below(self, entity: Entity, chosen: dict[Entity, None]) -> bool:
        above = parent_of(self._world, entity)
        while above:
            if above in chosen:
                return True
            above = parent_of(self._world, above)
        return False

    def _find_instances_around(self, entity: Entity) -> None:
        """Know the nodes of the instance that an exported entity lies inside."""
        around = roots_around(self._world, entity)
        if around and entity not in self._parts and self._world.has(around[-1], GltfInstance):
            self._note_instance(around[-1])

    def _add_branch(self, top: Entity) -> Iterator[None]:
        todo: list[tuple[Entity, int | None]] = [(top, None)]
        while todo:
            entity, parent = todo.pop()
            if entity in self._skipped or self._world.has(entity, Placeholder):
                continue
            source = None
            if self._world.has(entity, GltfInstance):
                source = self._note_instance(entity)
            index = self._add_node(entity, parent)
            if source is not None:
                self._asset.nodes[index].extras = source.extras
            below = children(self._world, entity)
            todo.extend((child, index) for child in reversed(below))
            yield

    # Instances ---------------------------------------------------------------------------------

    def _note_instance(self, root: Entity) -> GltfAsset | None:
        """Take over what an instance needs; return its asset, None when that is not loaded."""
        settings = self._world.get(root, GltfInstance)
        block = self._block(settings.asset)
        if block is None:
            return None
        instance = ExportedInstance.find(self._world, root, self._name(root), block, settings)
        self._instances.append(instance)
        for at, entity in enumerate(instance.entities):
            if entity is not None:
                self._parts[entity] = InstancePart(instance, at)
        return block.source

    def _block(self, asset: str) -> AssetBlock | None:
        """Return what is taken over from an asset, None when that is not loaded."""
        entry = self._library.get(asset)
        if entry.asset is None:
            self._warn(f"{asset}: {entry.error or 'not loaded'}; it is left out")
            return None
        source = entry.asset
        if id(source) not in self._blocks:
            self._blocks[id(source)] = AssetBlock(source, self._asset)
            if self._is_whole:
                self._blocks[id(source)].take_all()
        return self._blocks[id(source)]

    # Nodes -------------------------------------------------------------------------------------

    def _name(self, entity: Entity) -> str:
        return self._world.get(entity, Name).text if self._world.has(entity, Name) else ""

    def _add_node(self, entity: Entity, parent: int | None) -> int:
        world, index = self._world, len(self._asset.nodes)
        node = self._placed_node(entity, parent)
        self._asset.nodes.append(node)
        if parent is not None:
            self._asset.nodes[parent].children.append(index)
        if world.has(entity, Enabled):
            node.visible = world.get(entity, Enabled).on
        part = self._parts.get(entity)
        if part is not None:
            self._dress_part(node, index, entity, part)
        elif world.has(entity, GltfMesh):
            node.mesh = self._gltf_mesh(node.name, world.get(entity, GltfMesh))
        elif world.has(entity, Shape):
            shape = world.get(entity, Shape)
            color = tuple(np.clip(np.nan_to_num(shape.color), 0, 1).tolist())
            node.mesh = self._looks.mesh(self._shapes.mesh(shape.kind, color), [entity])
        elif world.has(entity, MeshRenderer) and world.get(entity, MeshRenderer).mesh >= 0:
            self._warn(f"'{node.name}' draws a mesh that is in no file; it is left out")
        self._lenses.add(node, entity, part)
        return index

    def _gltf_mesh(self, name: str, settings: GltfMesh) -> int | None:
        """Return the mesh of a node of a file, None where there is none; skins stay behind."""
        block = self._block(settings.asset)
        if block is None:
            return None
        part = single_part(block, settings.node)
        if part is None:
            self._warn(f"{settings.asset} has no mesh at node {settings.node!r}; it is left out")
            return None
        if part.source.skin is not None:
            self._warn(f"'{name}': a part of a skinned prop; it is exported without its bones")
        assert part.source.mesh is not None
        if part.plan.is_node:
            return block.mesh(part.source.mesh, settings.variant)
        return block.part(part.source.mesh, part.primitive, settings.variant)

    def _placed_node(self, entity: Entity, parent: int | None) -> GltfNode:
        world = self._world
        if parent is None and parent_of(world, entity):
            placement = placement_values(world_matrix(world, entity))
        else:
            placement = [world.get(entity, kind) for kind in _PLACEMENT if world.has(entity, kind)]
        sheared = [value.matrix for value in placement if isinstance(value, LocalMatrix)]
        parts = [value for value in placement if isinstance(value, LocalTransform)]
        values = parts[0] if parts else LocalTransform()
        local = np.asarray(sheared[0] if sheared else values.to_matrix(), np.float32)
        above = np.eye(4) if parent is None else self._asset.nodes[parent].world
        return GltfNode(
            name=self._name(entity),
            parent=parent,
            children=[],
            mesh=None,
            skin=None,
            camera=None,
            light=None,
            translation=np.asarray(values.translation, np.float32),
            rotation=np.asarray(values.rotation, np.float32),
            scale=np.asarray(values.scale, np.float32),
            local=local,
            world=np.asarray(above @ local, np.float32),
            has_matrix=bool(sheared),
        )

    def _dress_part(self, node: GltfNode, index: int, entity: Entity, part: InstancePart) -> None:
        instance, plan, source = part.instance, part.plan, part.source
        if not plan.is_node:
            self._draw_primitive(node, entity, part)
            return
        instance.node_of[plan.node] = index
        # An unnamed node got its number for a name.
        if node.name == f"#{plan.node}" and not source.name:
            node.name = ""
        node.extras = source.extras
        pieces = part.pieces()
        if source.mesh is None or self._is_removed(entity):
            self._skipped.update(e for e in pieces if e is not None)
            return
        if not pieces:
            is_drawn = self._world.has(entity, MeshRenderer)
        else:
            is_drawn = all(self._is_untouched(part, piece) for piece in pieces)
            if is_drawn:
                self._skipped.update(e for e in pieces if e is not None)
        if not is_drawn:
            return
        drawn = [piece for piece in pieces if piece is not None] or [entity]
        mesh = instance.block.mesh(source.mesh, instance.variant)
        node.mesh = self._looks.mesh(mesh, drawn)
        node.instances = source.instances
        node.morph_weights = source.morph_weights
        if source.skin is not None:
            self._skinned.append((node, instance, source.skin))

    def _is_removed(self, entity: Entity) -> bool:
        world = self._world
        return world.has(entity, InstanceNode) and world.get(entity, InstanceNode).removed

    def _is_untouched(self, part: InstancePart, entity: Entity | None) -> bool:
        """Tell whether a primitive's entity is as the asset made it."""
        world = self._world
        if entity is None or not world.has(entity, MeshRenderer) or children(world, entity):
            return False
        if world.has(entity, Enabled) and not world.get(entity, Enabled).on:
            return False
        planned = [v for v in self._parts[entity].plan.values if isinstance(v, _PLACEMENT)]
        held = [world.get(entity, type_) for type_ in _PLACEMENT if world.has(entity, type_)]
        return (
            planned == held and world.get(entity, Parent).entity == part.instance.entities[part.at]
        )

    def _draw_primitive(self, node: GltfNode, entity: Entity, part: InstancePart) -> None:
        """Draw one primitive of a node on its own, because the level changed it."""
        source, instance = part.source, part.instance
        if source.mesh is None or not self._world.has(entity, MeshRenderer):
            return
        if self._is_removed(entity):
            return
        mesh = instance.block.part(source.mesh, part.primitive, instance.variant)
        node.mesh = self._looks.mesh(mesh, [entity])
        node.morph_weights = source.morph_weights
        if source.skin is not None:
            self._skinned.append((node, instance, source.skin))

    # Skins and animations ----------------------------------------------------------------------

    def _skin(self, instance: ExportedInstance, index: int) -> int | None:
        source = instance.block.source.skins[index]
        if index in instance.skins:
            return instance.skins[index]
        joints = [instance.node_of.get(joint) for joint in source.joints]
        found = [joint for joint in joints if joint is not None]
        if len(found) != len(joints):
            self._warn(f"'{instance.name}': bones of its skin are not exported; it stays unskinned")
            return None
        skeleton = None if source.skeleton is None else instance.node_of.get(source.skeleton)
        instance.skins[index] = len(self._asset.skins)
        self._asset.skins.append(GltfSkin(found, source.inverse_bind, skeleton, source.name))
        return instance.skins[index]

    def _add_animations(self, instance: ExportedInstance) -> None:
        for animation in instance.block.source.animations:
            moved = (self._channel(instance, channel) for channel in animation.channels)
            channels = [channel for channel in moved if channel is not None]
            if not channels:
                continue
            if len(channels) < len(animation.channels):
                self._warn(f"'{instance.name}': parts of '{animation.name}' move nothing exported")
            self._asset.animations.append(GltfAnimation(animation.name, channels))

    def _channel(self, instance: ExportedInstance, channel: GltfChannel) -> GltfChannel | None:
        if channel.pointer:
            pointer = instance.block.pointer(channel.pointer, instance.node_of)
            return None if pointer is None else replace(channel, pointer=pointer)
        node = instance.node_of.get(channel.node)
        return None if node is None else replace(channel, node=node)

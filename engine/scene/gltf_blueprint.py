"""`Blueprint`: which entities an asset becomes, before any of them exists.

One blueprint serves every instance of an asset with the same switches. It lists nodes and
primitives in spawn order, parents before children, with the component values that each gets, and
finds them by path. What an instance changes is laid over these values, so they are also the base
that a reverted override returns to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from engine.assets import GltfAsset, GltfCamera, GltfLight, GltfNode, GltfPrimitive, UploadedGltf
from engine.errors import SceneError
from engine.math import decompose
from engine.reflect import SceneComponent
from engine.scene.components import (
    CameraComponent,
    Enabled,
    JointPalette,
    LightSource,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
)
from engine.scene.node_paths import bare_segment, sibling_segments, split_path

if TYPE_CHECKING:
    from engine.scene.blueprint_change import BlueprintChange
    from engine.scene.part_columns import PartColumns

ROOT = -1
"""The instance's root, as the parent of a part."""


@dataclass(eq=False, slots=True)
class BlueprintPart:
    """One entity to be: a glTF node, or one of several primitives of a node.

    Parameters
    ----------
    node : int
        glTF index of the node, or of the node that the primitive belongs to.
    parent : int
        Position of the parent in the blueprint, or `ROOT`.
    is_node : bool
    values : list of SceneComponent
        What it carries besides `Parent`; shared, never changed.
    segment : str
        Its step in a path, unique among its siblings.
    rank : int
        Its place among its siblings, always below 0, so that what people add stands after it.
    """

    node: int
    parent: int
    is_node: bool
    values: list[SceneComponent]
    segment: str = ""
    rank: int = 0


@dataclass(eq=False, slots=True)
class Blueprint:
    """The parts of one asset in spawn order.

    Attributes
    ----------
    part_of_node : list of int
        Position of each glTF node, -1 for nodes outside the scene.
    primitives : list of int
        Positions of what draws, by node index, then primitive.
    issues : list of str
        What a person should know, such as shear.
    position : dict of int to int
        Where references among the values of the parts lead: by handle, the position of a part.
    columns : PartColumns or None
        The parts as columns, once they were asked for.
    change : BlueprintChange or None
        How the blueprint of before becomes this one, where somebody worked that out ahead.
    """

    parts: list[BlueprintPart] = field(default_factory=list)
    part_of_node: list[int] = field(default_factory=list)
    primitives: list[int] = field(default_factory=list)
    issues: list[str] = field(default_factory=list)
    position: dict[int, int] = field(default_factory=dict)
    columns: PartColumns | None = None
    change: BlueprintChange | None = None
    _steps: dict[tuple[int, str], int] = field(default_factory=dict)
    _named: dict[str, list[int]] | None = None

    def step(self, above: int, segment: str) -> int | None:
        """Return the part one step below another, or below `ROOT`; None when there is none."""
        return self._steps.get((above, segment))

    def find(self, path: str) -> int | None:
        """Return the position of the part at `path`, or None."""
        at = ROOT
        for segment in split_path(path):
            below = self._steps.get((at, segment))
            if below is None:
                return None
            at = below
        return at

    def find_deepest(self, path: str) -> tuple[int, str]:
        """Return the last part on the way along `path` and what is left of the path there."""
        at, segments = ROOT, split_path(path)
        for i, segment in enumerate(segments):
            below = self._steps.get((at, segment))
            if below is None:
                return at, "/".join(segments[i:])
            at = below
        return at, ""

    def find_named(self, segment: str) -> int | None:
        """Return the only part of that name; None when there is not just one.

        Parameters
        ----------
        segment : str
            A step of a path.
        """
        if self._named is None:
            self._named = {}
            for (_, step), at in self._steps.items():
                self._named.setdefault(bare_segment(step), []).append(at)
        found = self._named.get(bare_segment(segment), ())
        return found[0] if len(found) == 1 else None

    def note_step(self, parent: int, segment: str, at: int) -> None:
        """Let `find` know a part by the step to it from its parent."""
        self._steps[parent, segment] = at


def draw_blueprint(
    asset: GltfAsset,
    uploaded: UploadedGltf,
    *,
    cast_shadows: bool = True,
    skinned_meshes: bool = True,
    variant: str = "",
) -> Blueprint:
    """Plan the entities of an asset.

    Each node below the roots appears once, the first time it is reached; when its glTF parent was
    not reached by then it hangs under the root.
    """
    draft = _Draft(asset, uploaded, cast_shadows, skinned_meshes, variant)
    for node in asset.reachable_nodes():
        draft.add_node(node)
    return draft.finish()


class _Draft:
    """A blueprint under construction."""

    def __init__(
        self,
        asset: GltfAsset,
        uploaded: UploadedGltf,
        cast_shadows: bool,
        skinned_meshes: bool,
        variant: str,
    ) -> None:
        self._asset = asset
        self._uploaded = uploaded
        self._cast_shadows = cast_shadows
        self._skinned_meshes = skinned_meshes
        self._variant = asset.variants.index(variant) if variant in asset.variants else -1
        self._blueprint = Blueprint(part_of_node=[-1] * len(asset.nodes))
        self._primitives: list[tuple[int, int]] = []

    def add_node(self, index: int) -> None:
        node = self._asset.nodes[index]
        blueprint = self._blueprint
        parent = ROOT if node.parent is None else blueprint.part_of_node[node.parent]
        part = BlueprintPart(index, parent, True, self._node_values(index, node))
        at = blueprint.part_of_node[index] = len(blueprint.parts)
        blueprint.parts.append(part)
        if node.mesh is None or not (self._skinned_meshes or node.skin is None):
            return
        primitives = self._asset.meshes[node.mesh].primitives
        if node.instances is None:
            self._add_primitives(at, index, primitives)
        else:
            self._add_instances(at, index, primitives)

    def _node_values(self, index: int, node: GltfNode) -> list[SceneComponent]:
        values: list[SceneComponent] = [Name(node.name or f"#{index}"), *self._placement(node)]
        if node.light is not None:
            values.append(light_component(self._asset.lights[node.light]))
        if node.camera is not None:
            values.append(camera_component(self._asset.cameras[node.camera]))
        if not node.visible:
            values.append(Enabled(False))
        return values

    def _placement(self, node: GltfNode) -> list[SceneComponent]:
        if not node.has_matrix:
            return [LocalTransform(node.translation, node.rotation, node.scale)]
        values = placement_values(node.local)
        if len(values) > 1:
            self._blueprint.issues.append(f"node '{node.name}' is sheared; kept as a matrix")
        return values

    def _add_primitives(self, at: int, index: int, primitives: list[GltfPrimitive]) -> None:
        blueprint = self._blueprint
        for k, primitive in enumerate(primitives):
            drawing = self._drawing(index, k, primitive)
            if len(primitives) == 1:
                blueprint.parts[at].values += drawing
                self._primitives.append((index, at))
            else:
                values = [Name(self._primitive_name(k, primitive)), LocalTransform(), *drawing]
                self._primitives.append((index, len(blueprint.parts)))
                blueprint.parts.append(BlueprintPart(index, at, False, values))

    def _add_instances(self, at: int, index: int, primitives: list[GltfPrimitive]) -> None:
        """Give each copy that EXT_mesh_gpu_instancing draws entities of its own below the node."""
        blueprint, matrices = self._blueprint, self._asset.nodes[index].instances
        assert matrices is not None
        drawings = [self._drawing(index, k, primitive) for k, primitive in enumerate(primitives)]
        for i, matrix in enumerate(matrices):
            placement = placement_values(matrix)
            for k, drawing in enumerate(drawings):
                name = f"instance {i}" if len(drawings) == 1 else f"instance {i}, primitive {k}"
                self._primitives.append((index, len(blueprint.parts)))
                values = [Name(name), *placement, *drawing]
                blueprint.parts.append(BlueprintPart(index, at, False, values))

    def _primitive_name(self, k: int, primitive: GltfPrimitive) -> str:
        material = primitive.material
        name = self._asset.materials[material].name if material >= 0 else ""
        return name or f"primitive {k}"

    def _drawing(self, index: int, k: int, primitive: GltfPrimitive) -> list[SceneComponent]:
        node = self._asset.nodes[index]
        assert node.mesh is not None
        mesh = self._uploaded.mesh_ids[node.mesh][k]
        material = self._uploaded.material_of(
            primitive.variants.get(self._variant, primitive.material)
        )
        drawing: list[SceneComponent] = [MeshRenderer(mesh, material, self._cast_shadows)]
        palette = self._palette(index, primitive)
        return drawing if palette is None else [*drawing, palette]

    def _palette(self, index: int, primitive: GltfPrimitive) -> JointPalette | None:
        joints = self._asset.joint_matrices(index) if primitive.mesh.has_skin() else None
        targets = len(primitive.mesh.morph_targets)
        if joints is None and not targets:
            return None
        weights = np.zeros(targets, np.float32)
        rest = self._asset.rest_morph_weights(index)[:targets]
        weights[: len(rest)] = rest
        return JointPalette(() if joints is None else joints, weights)

    def finish(self) -> Blueprint:
        """Sort the primitives and give every part its step."""
        blueprint = self._blueprint
        blueprint.primitives = [at for _, at in sorted(self._primitives)]
        siblings: dict[int, list[int]] = {}
        for at, part in enumerate(blueprint.parts):
            siblings.setdefault(part.parent, []).append(at)
        for parent, parts in siblings.items():
            for rank, at in enumerate(parts, -len(parts)):
                blueprint.parts[at].rank = rank
            parts.sort(key=lambda at: not blueprint.parts[at].is_node)
            segments = sibling_segments(self._step_name(at) for at in parts)
            for at, segment in zip(parts, segments, strict=True):
                blueprint.parts[at].segment = segment
                blueprint.note_step(parent, segment, at)
        return blueprint

    def _step_name(self, at: int) -> tuple[str, int]:
        part = self._blueprint.parts[at]
        if part.is_node:
            return self._asset.nodes[part.node].name, part.node
        k = at - self._blueprint.part_of_node[part.node] - 1
        return f"#primitive{k}", part.node


def placement_values(matrix: ArrayLike) -> list[SceneComponent]:
    """Return the components that place an entity at ``parent_from_local`` (4, 4).

    A `LocalTransform`; where that cannot express the matrix it is the nearest one, and a
    `LocalMatrix` beside it is exact.
    """
    try:
        return [LocalTransform.from_matrix(matrix)]
    except SceneError:
        return [LocalTransform(*decompose(matrix)), LocalMatrix(np.asarray(matrix, np.float32))]


def light_component(light: GltfLight) -> LightSource:
    """Return the component of a light of an asset."""
    return LightSource(
        light.kind,
        light.color,
        light.intensity,
        light.range,
        light.inner_angle,
        light.outer_angle,
        light.cast_shadows,
    )


def camera_component(camera: GltfCamera) -> CameraComponent:
    """Return the component of a camera of an asset, which is not active."""
    return CameraComponent(camera.fov_y, camera.near, active=False)

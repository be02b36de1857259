"""The plain tree that a glTF file becomes.

Every index points into the lists of `GltfAsset` and keeps the file's numbering. Matrices are
(4, 4) float32 for column vectors; quaternions are (x, y, z, w). This module holds data and the
questions one can ask of it; reading files is `engine.assets.gltf.load`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.assets.bounds import SceneBounds
from engine.assets.gltf.measure import scene_bounds
from engine.assets.image import Image
from engine.assets.material import Material, Sampler
from engine.assets.mesh import MeshData
from engine.math import inverse

if TYPE_CHECKING:
    from engine.assets.gltf.report import AssetReport

F32 = NDArray[np.float32]
INTERPOLATIONS = ("LINEAR", "STEP", "CUBICSPLINE")
_TANGENT_EXTENSIONS = ("KHR_materials_anisotropy", "KHR_materials_clearcoat")
CHANNEL_PATHS = ("translation", "rotation", "scale", "weights", "pointer")


@dataclass(slots=True)
class GltfTexture:
    """An image with a sampler; ``image`` is -1 when the file names none that can be read."""

    image: int
    sampler: Sampler
    name: str = ""


@dataclass(slots=True)
class GltfMaterial:
    """A material whose references hold indices of the file's textures.

    ``textures`` lists those indices in slot order (base colour, metallic-roughness, normal,
    occlusion, emissive), -1 when absent. ``extensions`` keeps what the file says beyond the core.
    """

    material: Material
    name: str
    textures: tuple[int, int, int, int, int] = (-1, -1, -1, -1, -1)
    extensions: dict[str, Any] = field(default_factory=dict)
    extras: Any = None

    def needs_tangents(self) -> bool:
        """Tell whether drawing the material reads a tangent frame."""
        return self.material.normal_texture is not None or any(
            name in self.extensions for name in _TANGENT_EXTENSIONS
        )


@dataclass(slots=True)
class GltfPrimitive:
    """A mesh part. ``material`` is -1 for the default one.

    ``variants`` maps an index of `GltfAsset.variants` to the material that it selects.
    """

    mesh: MeshData
    material: int = -1
    variants: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class GltfMesh:
    """Primitives that are drawn together, with the default weights of their morph targets."""

    name: str
    primitives: list[GltfPrimitive]
    weights: F32
    target_names: tuple[str, ...] = ()
    extras: Any = None


@dataclass(slots=True, eq=False)
class GltfNode:
    """A node. Absent parent, mesh, skin, camera and light are None.

    ``local`` and ``world`` are (4, 4) float32; ``morph_weights`` is None unless the node itself
    names weights. ``instances`` holds the (k, 4, 4) matrices of EXT_mesh_gpu_instancing.
    """

    name: str
    parent: int | None
    children: list[int]
    mesh: int | None
    skin: int | None
    camera: int | None
    light: int | None
    translation: F32
    rotation: F32
    scale: F32
    local: F32
    world: F32
    morph_weights: F32 | None = None
    has_matrix: bool = False
    visible: bool = True
    instances: F32 | None = None
    extras: Any = None
    extensions: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class GltfSkin:
    """Joint nodes and their (k, 4, 4) float32 inverse bind matrices."""

    joints: list[int]
    inverse_bind: F32
    skeleton: int | None = None
    name: str = ""


@dataclass(slots=True, eq=False)
class GltfChannel:
    """One animated property.

    ``path`` indexes `CHANNEL_PATHS` (4: `pointer` is the JSON pointer of the property),
    ``interpolation`` indexes `INTERPOLATIONS`. ``values`` holds ``components`` floats per key,
    three times that for cubic spline (in-tangent, value, out-tangent), flat; `times` in seconds.
    """

    node: int
    path: int
    interpolation: int
    components: int
    times: F32
    values: F32
    pointer: str = ""


@dataclass(slots=True, eq=False)
class GltfAnimation:
    """Channels that play together."""

    name: str
    channels: list[GltfChannel]

    @property
    def duration(self) -> float:
        """The last key's time, seconds."""
        ends = (float(channel.times[-1]) for channel in self.channels if len(channel.times))
        return max(ends, default=0.0)


@dataclass(frozen=True, slots=True)
class GltfCamera:
    """A camera looking down its local -Z.

    Perspective: vertical `fov_y` in radians, `aspect` or None, `far` or None (infinite).
    Orthographic: `x_mag` and `y_mag`, half the width and height in metres.
    """

    kind: Literal["perspective", "orthographic"]
    name: str
    fov_y: float = 0.9
    near: float = 0.1
    far: float | None = None
    aspect: float | None = None
    x_mag: float = 1.0
    y_mag: float = 1.0


@dataclass(frozen=True, slots=True)
class GltfLight:
    """A punctual light down its local -Z: lux for directional, candela else; range 0: unlimited.

    The cone angles are half angles from the axis, radians. glTF knows no shadows: that a light
    casts them is kept in its extras under ``cast_shadows``.
    """

    kind: Literal["directional", "point", "spot"]
    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    intensity: float = 1.0
    range: float = 0.0
    inner_angle: float = 0.0
    outer_angle: float = 0.7853981633974483
    name: str = ""
    cast_shadows: bool = False


@dataclass(slots=True)
class GltfScene:
    """A named set of root nodes."""

    name: str
    nodes: list[int]


@dataclass(slots=True, eq=False)
class GltfAsset:
    """Everything that a .gltf or .glb file holds.

    ``default_scene`` is what the file declares (None when it declares none); ``roots`` are the
    nodes of the scene that was asked for, else the declared one, else scene 0, else, in a file
    without scenes, every node without a parent. ``source_files`` lists the file, its buffers and
    images, for change detection; ``missing_files`` are pictures that were not there.
    ``warnings`` tells everything odd, ``changed`` what became other data than the file's and
    ``not_understood`` what was passed over; ``seconds`` is how long the import took.
    """

    name: str
    images: list[Image] = field(default_factory=list)
    textures: list[GltfTexture] = field(default_factory=list)
    materials: list[GltfMaterial] = field(default_factory=list)
    meshes: list[GltfMesh] = field(default_factory=list)
    nodes: list[GltfNode] = field(default_factory=list)
    skins: list[GltfSkin] = field(default_factory=list)
    animations: list[GltfAnimation] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    scenes: list[GltfScene] = field(default_factory=list)
    default_scene: int | None = None
    cameras: list[GltfCamera] = field(default_factory=list)
    lights: list[GltfLight] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)
    extras: Any = None
    asset_info: dict[str, Any] = field(default_factory=dict)
    extensions: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)
    seconds: float = 0.0
    source_files: list[Path] = field(default_factory=list)
    missing_files: list[Path] = field(default_factory=list)

    def reachable_nodes(self) -> Iterator[int]:
        """Yield each node below the roots once, parents before children, in file order."""
        seen: set[int] = set()
        todo = list(reversed(self.roots))
        while todo:
            index = todo.pop()
            if index not in seen:
                seen.add(index)
                yield index
                todo.extend(reversed(self.nodes[index].children))

    def rest_morph_weights(self, node: int) -> F32:
        """Return the weights at rest, (k,): the node's, else the mesh's, else zeros."""
        mesh = self.nodes[node].mesh
        if mesh is None:
            return np.zeros(0, np.float32)
        own = self.nodes[node].morph_weights
        return self.meshes[mesh].weights if own is None else own

    def joint_matrices(self, node: int) -> F32 | None:
        """Return the skin's palette at rest in the node's own space, (k, 4, 4), or None.

        ``inverse(node.world) @ joint.world @ inverse_bind``, so that the node's world matrix can
        be applied as for any other mesh.
        """
        skin_index = self.nodes[node].skin
        if skin_index is None or self.nodes[node].mesh is None:
            return None
        local_from_world = inverse(self.nodes[node].world)
        return (local_from_world @ self.world_joint_matrices(skin_index)).astype(np.float32)

    def world_joint_matrices(self, skin: int) -> NDArray[np.float64]:
        """Return ``joint.world @ inverse_bind`` of each joint, (k, 4, 4) float64."""
        joints = self.skins[skin].joints
        world = np.array([self.nodes[j].world for j in joints], np.float64).reshape(-1, 4, 4)
        return world @ self.skins[skin].inverse_bind.astype(np.float64)

    def report(self) -> "AssetReport":
        """Return what came in, what was changed and what was not understood."""
        from engine.assets.gltf.report import asset_report

        return asset_report(self)

    def world_bounds(self, posed: bool = False) -> SceneBounds:
        """Return the box of every vertex of every mesh below the roots.

        Parameters
        ----------
        posed : bool
            False: node matrices only. True: with default morph weights, skins at rest pose and
            GPU instances.
        """
        return scene_bounds(self, posed)

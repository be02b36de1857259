"""Meshes: primitives with their attributes, indices and morph targets."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf import attributes as attr
from engine.assets.gltf.accessors import AccessorData, Accessors
from engine.assets.gltf.asset import GltfMaterial, GltfMesh, GltfPrimitive
from engine.assets.gltf.buffers import Buffers
from engine.assets.gltf.component_types import ELEMENT_WIDTHS
from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions import applied
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.topology import TOPOLOGIES, is_complete, list_indices
from engine.assets.mesh import MeshData, MorphTarget

F32 = NDArray[np.float32]
Read = Callable[[AccessorData, str], F32]


def _positions(data: AccessorData, where: str) -> F32:
    return attr.vectors(data, ("VEC3",), where)


def _tangents(data: AccessorData, where: str) -> F32:
    return attr.vectors(data, ("VEC4",), where)


_SHAPES: dict[str, tuple[str, Read]] = {
    "POSITION": ("positions", _positions),
    "NORMAL": ("normals", _positions),
    "TANGENT": ("tangents", _tangents),
    "TEXCOORD_0": ("uv0", attr.texcoords),
    "TEXCOORD_1": ("uv1", attr.texcoords),
    "COLOR_0": ("colors", attr.colors),
}
_LIST_MODES = (0, 1, 4)
_MODE_NAMES = {2: "a line loop", 3: "a line strip", 5: "a triangle strip", 6: "a triangle fan"}
_MORPHED = {"POSITION": "positions", "NORMAL": "normals", "TANGENT": "tangents"}


class _Geometry:
    """The accessors of one primitive, wherever they are stored."""

    def __init__(self, reader: "Meshes", source: JsonObject) -> None:
        self.source = source
        self._reader = reader
        self._attributes = source.required_object("attributes")
        self._decoded: dict[str, NDArray[np.generic]] = {}
        self._decoded_indices: NDArray[np.uint32] | None = None
        for extension, body in applied(source):
            found = extension.geometry(reader.document, reader.buffers, source, body)
            if found is not None:
                self._decoded, self._decoded_indices = found

    @property
    def names(self) -> list[str]:
        return list(self._attributes.value)

    def pointer(self, name: str) -> str:
        return self._attributes.pointer(name)

    def attribute(self, name: str) -> AccessorData | None:
        accessors = self._reader.accessors
        index = self._attributes.index(name, len(accessors), "accessors")
        if index is None:
            return None
        if name not in self._decoded:
            return accessors.read(index)
        item = accessors.item(index)
        values = self._decoded[name]
        kind = item.string("type")
        if ELEMENT_WIDTHS.get(kind) != values.shape[1]:
            item.fail("type", f"elements of {values.shape[1]} components, as they are encoded")
        return AccessorData(values, kind, item.boolean("normalized", False), item)

    @property
    def is_triangle_list(self) -> bool:
        """Whether an extension delivered triangles, whatever the mode says."""
        return self._decoded_indices is not None

    def indices(self, vertex_count: int) -> NDArray[np.uint32]:
        if self._decoded_indices is not None:
            indices = self._decoded_indices
        else:
            at = self.source.index("indices", len(self._reader.accessors), "accessors")
            if at is None:
                return np.arange(vertex_count, dtype=np.uint32)
            data = self._reader.accessors.read(at)
            if data.type != "SCALAR" or data.values.dtype.kind != "u":
                data.source.fail("componentType", "unsigned integer scalars for indices")
            indices = data.values.reshape(-1).astype(np.uint32)
        if len(indices) and int(indices.max()) >= vertex_count:
            self.source.fail_range(
                "indices",
                detail=f"index {int(indices.max())}, but there are {vertex_count} vertices",
            )
        return indices

    def check_count(self, name: str, count: int, expected: int) -> None:
        if count != expected:
            self._attributes.fail(name, f"{expected} elements as in POSITION", f"{count} elements")


class Meshes:
    """Reads the meshes of one file."""

    def __init__(
        self,
        document: Document,
        buffers: Buffers,
        accessors: Accessors,
        materials: list[GltfMaterial],
    ) -> None:
        self.document = document
        self.buffers = buffers
        self.accessors = accessors
        self._materials = materials

    def read_all(self) -> list[GltfMesh]:
        """Return the meshes of the document, in its order."""
        return [self._mesh(item) for item in self.document.root.objects("meshes")]

    def _mesh(self, source: JsonObject) -> GltfMesh:
        primitives = [self._primitive(item) for item in source.objects("primitives")]
        if not primitives:
            self.document.warn(source.pointer("primitives"), "a mesh without primitives")
        targets = max((len(p.mesh.morph_targets) for p in primitives), default=0)
        if any(len(p.mesh.morph_targets) != targets for p in primitives):
            self.document.warn(source.pointer("primitives"), "morph target counts differ")
        weights = np.zeros(targets, np.float32)
        given = source.floats("weights", None, ())
        if given and len(given) != targets:
            self.document.change(
                source.pointer("weights"), f"{len(given)} weights for {targets} morph targets"
            )
        weights[: len(given)] = given[:targets]
        extras = source.value.get("extras")
        names = _target_names(extras, targets)
        for primitive in primitives:
            for target, name in zip(primitive.mesh.morph_targets, names, strict=False):
                target.name = name
        return GltfMesh(source.string("name", ""), primitives, weights, names, extras)

    def _primitive(self, source: JsonObject) -> GltfPrimitive:
        mode = source.integer("mode", 4)
        if mode >= len(TOPOLOGIES):
            source.fail("mode", "0 to 6")
        material = source.index("material", len(self._materials), "materials")
        geometry = _Geometry(self, source)
        mesh = self._vertices(geometry)
        vertex_count = len(mesh.positions)
        raw = geometry.indices(vertex_count)
        mode = 4 if geometry.is_triangle_list else mode
        mesh.indices = np.ascontiguousarray(list_indices(mode, raw))
        if not is_complete(mode, len(raw)):
            self.document.change(
                source.pointer(), f"{len(raw)} indices: the incomplete rest is dropped"
            )
        mesh.topology = TOPOLOGIES[mode]
        if mode not in _LIST_MODES:
            self.document.convert(source.pointer("mode"), f"{_MODE_NAMES[mode]} became a list")
        mesh.morph_targets = self._targets(geometry, vertex_count)
        primitive = GltfPrimitive(mesh, -1 if material is None else material)
        for extension, body in applied(source):
            extension.primitive(self.document, primitive, body)
        self._mark_tangents(primitive)
        return primitive

    def _mark_tangents(self, primitive: GltfPrimitive) -> None:
        for index in (primitive.material, *primitive.variants.values()):
            if index >= 0 and self._materials[index].needs_tangents():
                primitive.mesh.needs_tangents = True

    def _vertices(self, geometry: _Geometry) -> MeshData:
        arrays: dict[str, F32] = {}
        count: int | None = None
        for name, (field, read) in _SHAPES.items():
            data = geometry.attribute(name)
            if data is None:
                continue
            arrays[field] = read(data, name)
            count = len(data.values) if count is None else count
            geometry.check_count(name, len(data.values), count)
        if "positions" not in arrays:
            self.document.warn(geometry.pointer("POSITION"), "no positions: nothing is drawn")
            return MeshData(indices=np.zeros(0, np.uint32))
        mesh = MeshData(**arrays, indices=np.zeros(0, np.uint32))  # type: ignore[arg-type]
        self._skin(geometry, mesh)
        return mesh

    def _skin(self, geometry: _Geometry, mesh: MeshData) -> None:
        sets = []
        for number in range(8):
            joints = geometry.attribute(f"JOINTS_{number}")
            weights = geometry.attribute(f"WEIGHTS_{number}")
            if joints is None or weights is None:
                if joints is not weights:
                    name = "JOINTS" if weights is None else "WEIGHTS"
                    pointer = geometry.pointer(f"{name}_{number}")
                    self.document.ignore(pointer, "joints and weights need each other; ignored")
                break
            geometry.check_count(f"JOINTS_{number}", len(joints.values), len(mesh.positions))
            geometry.check_count(f"WEIGHTS_{number}", len(weights.values), len(mesh.positions))
            sets.append((joints, weights))
        if sets:
            found = attr.influences(self.document, sets, geometry.pointer("JOINTS_0"))
            mesh.joints, mesh.weights = found.joints, found.weights

    def _targets(self, geometry: _Geometry, vertex_count: int) -> list[MorphTarget]:
        targets = []
        for source in geometry.source.objects("targets"):
            target = MorphTarget()
            for name, field in _MORPHED.items():
                index = source.index(name, len(self.accessors), "accessors")
                if index is None:
                    continue
                data = self.accessors.read(index)
                values = attr.vectors(data, ("VEC3",), name)
                if len(values) != vertex_count:
                    source.fail(name, f"{vertex_count} elements", f"{len(values)} elements")
                setattr(target, field, values)
            targets.append(target)
        return targets


def _target_names(extras: object, count: int) -> tuple[str, ...]:
    """Return the names that Blender and others put into ``extras.targetNames``."""
    given = extras.get("targetNames") if isinstance(extras, dict) else None
    names = given if isinstance(given, list) else []
    known = [name if isinstance(name, str) else "" for name in names[:count]]
    return (*known, *[""] * (count - len(known)))

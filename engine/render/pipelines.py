"""Shader variants: one compiled pipeline per combination that is really drawn, kept for good.

What a mesh carries, what a material reads and what the pass needs are names of switches; those
that make no difference to a pass are dropped first, so that a thousand materials share a handful
of pipelines.
"""

from typing import Any, NamedTuple

import wgpu

from engine.render.material_layers import EXTRA_TEXTURES
from engine.render.materials import GpuMaterial
from engine.render.mesh_streams import (
    BASE_STRIDE,
    COLOR_STRIDE,
    SKIN_STRIDE,
    TANGENT_STRIDE,
    UV1_STRIDE,
)
from engine.render.meshes import GpuMesh
from engine.render.pipeline_store import PipelineStore

DEPTH_FORMAT = "depth32float"
ID_FORMAT = "rg32uint"
SILHOUETTE_FORMAT = "r8unorm"
OVERDRAW = "VIEW_OVERDRAW"
WEIGHTED = "WEIGHTED"
LAYER_FORMATS = ("rgba16float", "r16float")
"""What weighted surfaces are summed up in: light, and how much shines through; weights."""

_SHADERS = {
    "surface": "surface.wgsl",
    "inspect": "inspect.wgsl",
    "ids": "ids.wgsl",
    "depth": "depth_only.wgsl",
    "distance": "distance.wgsl",
    "silhouette": "silhouette.wgsl",
}
_TOPOLOGIES = {"triangles": "triangle-list", "lines": "line-list", "points": "triangle-list"}
_SOURCE_OVER = {
    "color": {"src_factor": "src-alpha", "dst_factor": "one-minus-src-alpha", "operation": "add"},
    "alpha": {"src_factor": "one", "dst_factor": "one-minus-src-alpha", "operation": "add"},
}
_SUM = {
    "color": {"src_factor": "one", "dst_factor": "one", "operation": "add"},
    "alpha": {"src_factor": "one", "dst_factor": "one", "operation": "max"},
}
# Sums of light and weights, a product of what shines through; one state for both targets, as not
# every adapter has two.
_LAYERS = {
    "color": {"src_factor": "one", "dst_factor": "one", "operation": "add"},
    "alpha": {"src_factor": "zero", "dst_factor": "one-minus-src-alpha", "operation": "add"},
}
_LARGEST = {
    "color": {"src_factor": "one", "dst_factor": "one", "operation": "max"},
    "alpha": {"src_factor": "one", "dst_factor": "one", "operation": "max"},
}


class PassStyle(NamedTuple):
    """How a pass draws everything in it.

    `kind` is "surface", "inspect", "ids", "depth", "distance" or "silhouette"; `switches` are the
    pass's own (tone mapping, shadows); `color_format` is None for depth only.
    """

    kind: str
    color_format: str | None
    samples: int = 1
    switches: frozenset[str] = frozenset()
    wireframe: bool = False

    @property
    def color_formats(self) -> tuple[str, ...]:
        """Formats of the targets that the pass draws into."""
        if WEIGHTED in self.switches:
            return LAYER_FORMATS
        return () if self.color_format is None else (self.color_format,)


class PipelineKey(NamedTuple):
    """Everything that tells one pipeline from another."""

    style: PassStyle
    switches: frozenset[str]
    topology: str
    cull: str
    flipped: bool
    blend: bool


def variant(style: PassStyle, mesh: GpuMesh, material: GpuMaterial) -> frozenset[str]:
    """The switches of a mesh and a material that make a difference to a pass."""
    layout, features = mesh.layout, material.features
    kept = layout & {"SKIN", "MORPH", "POINTS"}
    if style.kind != "silhouette":
        # The bind group has the layout of its layers, whether they are read or not.
        kept |= features & {"LAYERS"}
    if style.kind == "inspect":
        if "VIEW_TANGENTS" in style.switches:
            kept |= layout & {"TANGENTS"}
        return kept | style.switches
    if style.kind == "surface":
        if mesh.topology != "triangles" or "UNLIT" in features | style.switches:
            features = _alpha_features(features) | {"UNLIT"}
        kept |= layout & {"COLORS", "FLAT"} | features
    elif "MASK" in features:
        kept |= layout & {"COLORS"} | _alpha_features(features)
    framed = any(name.partition("=")[0] in _FRAMED for name in kept)
    if framed or any("_TEXTURE" in name for name in kept):
        kept |= {"TEXTURED"}
        if any(name.endswith("_UV1") for name in kept):
            kept |= layout & {"UV1"}
        if framed:
            kept |= layout & {"TANGENTS"} | {"FRAMED"}
    return kept | style.switches


# What needs to know how textures lie on the surface.
_FRAMED = ("NORMAL_TEXTURE", "CLEARCOAT_NORMAL_TEXTURE", "ANISOTROPY")


def _alpha_features(features: frozenset[str]) -> frozenset[str]:
    return frozenset(f for f in features if f in ("MASK", "BLEND") or f.startswith("BASE_COLOR"))


class PipelineCache:
    """The pipelines of passes that draw meshes.

    Parameters
    ----------
    device
        The wgpu device.
    store
        Where pipelines are made and kept.
    layouts
        Bind group layouts of frame, material, morph, and material with layers.
    depth_layouts
        For the silhouette pass: layouts of the scene's depth by sample count.
    """

    def __init__(
        self,
        device: Any,
        store: PipelineStore,
        layouts: list[Any],
        depth_layouts: dict[int, Any],
    ) -> None:
        self.store = store
        frame, material, morph, layered = layouts
        groups = {(False, 0): [frame, material, morph], (True, 0): [frame, layered, morph]}
        # Layers and a bound depth together are more textures than OpenGL has.
        for samples, depth in depth_layouts.items():
            groups[False, samples] = [frame, material, morph, depth]
        self._layouts = {
            key: device.create_pipeline_layout(bind_group_layouts=bound)
            for key, bound in groups.items()
        }
        self._wireframe = "polygon-mode-line" in device.features

    @property
    def version(self) -> int:
        """Grows when pipelines were made anew."""
        return self.store.version

    def get(self, key: PipelineKey) -> Any:
        """The pipeline of a key."""
        shader = _SHADERS[key.style.kind]
        return self.store.get(key, shader, lambda m: self._describe(m, key), key.switches)

    def _describe(self, module: Any, key: PipelineKey) -> dict[str, Any]:
        style = key.style
        primitive: dict[str, Any] = {
            "topology": _TOPOLOGIES[key.topology],
            "cull_mode": key.cull,
            "front_face": "cw" if key.flipped else "ccw",
        }
        if style.wireframe and self._wireframe and key.topology == "triangles":
            primitive["polygon_mode"] = "Line"
        silhouette = style.kind == "silhouette"
        bound_samples = 0
        if silhouette:
            bound_samples = 4 if "MULTISAMPLED" in style.switches else 1
        return {
            "layout": self._layouts["LAYERS" in key.switches, bound_samples],
            "vertex": {
                "module": module,
                "entry_point": "vertex",
                "buffers": vertex_buffers(key.switches),
            },
            "primitive": primitive,
            "depth_stencil": None if silhouette else _depth_state(key),
            "multisample": {"count": style.samples},
            "fragment": self._fragment(module, key),
        }

    @staticmethod
    def _fragment(module: Any, key: PipelineKey) -> dict[str, Any] | None:
        style = key.style
        targets: list[dict[str, Any]] = []
        for color_format in style.color_formats:
            target: dict[str, Any] = {"format": color_format}
            if WEIGHTED in style.switches:
                target["blend"] = _LAYERS
            elif style.kind == "silhouette":
                target["blend"] = _LARGEST
            elif OVERDRAW in style.switches:
                target["blend"] = _SUM
            elif key.blend:
                target["blend"] = _SOURCE_OVER
            targets.append(target)
        if not targets and "MASK" not in key.switches:
            return None
        return {"module": module, "entry_point": "fragment", "targets": targets}


def vertex_buffers(switches: frozenset[str]) -> list[dict[str, Any]]:
    """Layouts of the streams that a variant reads, in the order they are bound."""
    streams = [
        _stream(BASE_STRIDE, ("float32x3", 0, 0), ("float32x3", 12, 1), ("float32x2", 24, 2))
    ]
    if "TANGENTS" in switches:
        streams.append(_stream(TANGENT_STRIDE, ("float32x4", 0, 3)))
    if "UV1" in switches:
        streams.append(_stream(UV1_STRIDE, ("float32x2", 0, 4)))
    if "COLORS" in switches:
        streams.append(_stream(COLOR_STRIDE, ("float32x4", 0, 5)))
    if "SKIN" in switches:
        streams.append(_stream(SKIN_STRIDE, ("uint16x4", 0, 6), ("float32x4", 8, 7)))
    return streams


def _stream(stride: int, *attributes: tuple[str, int, int]) -> dict[str, Any]:
    return {
        "array_stride": stride,
        "step_mode": "vertex",
        "attributes": [
            {"format": kind, "offset": offset, "shader_location": location}
            for kind, offset, location in attributes
        ],
    }


def _depth_state(key: PipelineKey) -> dict[str, Any]:
    state: dict[str, Any] = {
        "format": DEPTH_FORMAT,
        "depth_write_enabled": not key.blend,
        "depth_compare": "greater-equal",
    }
    if OVERDRAW in key.style.switches:
        state |= {"depth_write_enabled": False, "depth_compare": "always"}
    if key.style.kind == "depth":
        state |= {"depth_bias": -1, "depth_bias_slope_scale": -1.5}
    return state


_DEPTH_LAYERS = {"sample_type": "depth", "view_dimension": "2d-array"}


def bind_group_layouts(device: Any) -> list[Any]:
    """Layouts of the groups every pass binds: frame, material, morph; last, a layered material."""
    vertex, fragment = wgpu.ShaderStage.VERTEX, wgpu.ShaderStage.FRAGMENT
    storage: dict[str, Any] = {"type": "read-only-storage"}
    frame = [
        {"binding": 0, "visibility": vertex | fragment, "buffer": {"type": "uniform"}},
        *({"binding": k, "visibility": vertex, "buffer": storage} for k in range(1, 6)),
        {"binding": 6, "visibility": fragment, "buffer": storage},
        {"binding": 7, "visibility": fragment, "texture": {}},
        {"binding": 8, "visibility": fragment, "sampler": {}},
        {"binding": 9, "visibility": fragment, "texture": _DEPTH_LAYERS},
        {"binding": 10, "visibility": fragment, "sampler": {"type": "comparison"}},
        {"binding": 11, "visibility": fragment, "texture": {}},
        {"binding": 12, "visibility": fragment, "buffer": storage},
        {"binding": 13, "visibility": fragment, "texture": {"view_dimension": "cube"}},
    ]
    block = {"type": "uniform", "has_dynamic_offset": True}
    material: list[dict[str, Any]] = [{"binding": 0, "visibility": fragment, "buffer": block}]
    for slot in range(5):
        material.append({"binding": 1 + slot, "visibility": fragment, "texture": {}})
        material.append({"binding": 6 + slot, "visibility": fragment, "sampler": {}})
    layered = list(material)
    for number in range(EXTRA_TEXTURES):
        layered.append({"binding": 11 + number, "visibility": fragment, "texture": {}})
        layered.append({"binding": 18 + number, "visibility": fragment, "sampler": {}})
    morph = [{"binding": 0, "visibility": vertex, "buffer": storage}]
    groups = (frame, material, morph, layered)
    return [device.create_bind_group_layout(entries=entries) for entries in groups]

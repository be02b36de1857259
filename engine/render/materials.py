"""Materials on the GPU: a small uniform block, five textures, and the shader switches they need.

The block's layout is `Material` in `shaders/material.wgsl`. A material keeps its id when it is
replaced; what only changes numbers keeps its place too, so recorded draws stay good. Material
extensions are in `material_layers`; a material with layers has the larger of two layouts.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.render.id_stamps import IdStamps
from engine.render.material_blocks import MaterialBlocks, MaterialGroups
from engine.render.material_layers import (
    EXTRA_TEXTURES,
    LAYER_FLOATS,
    NO_LAYERS,
    Layers,
    material_layers,
)
from engine.render.material_source import MaterialSource
from engine.render.textures import TextureTable
from engine.render.uv_rows import uv_rows

SLOTS = ("BASE_COLOR", "METALLIC_ROUGHNESS", "NORMAL", "OCCLUSION", "EMISSIVE")
BLOCK_FLOATS = 12 + 8 * len(SLOTS)
_UNBOUND = (-1, -1)
_UNTEXTURED = np.array([0.0] * 12 + [*uv_rows(None)] * len(SLOTS), np.float32)


@dataclass(eq=False)
class GpuMaterial:
    """One material's place among the blocks of its kind, and switches.

    `digest` is of its contents.
    """

    blocks: MaterialBlocks
    row: int
    features: frozenset[str]
    bindings: tuple[tuple[int, int], ...]
    blend: bool
    double_sided: bool
    digest: int
    # View and sampler of each binding, to tell when one of them became another.
    held: tuple[Any, ...] = ()
    transmits: bool = False


class MaterialTable:
    """Every material of a renderer, by id."""

    def __init__(
        self, device: Any, layout: Any, layered_layout: Any, textures: TextureTable
    ) -> None:
        self._blocks = MaterialBlocks(device, BLOCK_FLOATS)
        self._layered = MaterialBlocks(device, BLOCK_FLOATS + LAYER_FLOATS)
        self._groups = MaterialGroups(device, layout, layered_layout, len(SLOTS))
        self._textures = textures
        self._textures_version = textures.version
        self._materials: list[GpuMaterial | None] = []
        self._sources: list[MaterialSource | None] = []
        self._free_ids: list[int] = []
        self.stamps = IdStamps()
        self._rebinds = 0

    @property
    def rebinds(self) -> int:
        """Grows when a bind group is another one though its draws stay the same."""
        return self._rebinds + self._blocks.generation + self._layered.generation

    def binding(self, material: GpuMaterial, plain: bool = False) -> tuple[Any, int]:
        """Return the bind group of a material and its dynamic offset in bytes.

        `plain` leaves the layers' textures out, for passes that have none to spare.
        """
        blocks = material.blocks
        group = self._groups.get(material.held, blocks, plain)
        return group, blocks.offset(material.row)

    def flush(self) -> None:
        """Write what is new of the blocks; to be called before draws with them are recorded."""
        self._blocks.flush()
        self._layered.flush()

    def __len__(self) -> int:
        return len(self._materials)

    def get(self, material: int) -> GpuMaterial | None:
        """The material with an id, None when there is none."""
        return self._materials[material] if 0 <= material < len(self._materials) else None

    def source(self, material: int) -> MaterialSource:
        """Return what an id was given last.

        Raises
        ------
        EngineError
            The id holds no material.
        """
        self._require(material)
        found = self._sources[material]
        assert found is not None
        return found

    @property
    def alive(self) -> NDArray[np.bool_]:
        """(n,) which ids hold a material."""
        return np.array([m is not None for m in self._materials], np.bool_)

    @property
    def blending(self) -> NDArray[np.bool_]:
        """(n,) which ids hold a material that blends."""
        return np.array([m is not None and m.blend for m in self._materials], np.bool_)

    @property
    def transmitting(self) -> NDArray[np.bool_]:
        """(n,) which ids hold a material that lets light through."""
        return np.array([m is not None and m.transmits for m in self._materials], np.bool_)

    def add(self, source: MaterialSource) -> int:
        """Upload a material and give its id."""
        made = self._make(source)
        if self._free_ids:
            material = self._free_ids.pop()
            self._materials[material], self._sources[material] = made, source
        else:
            material = len(self._materials)
            self._materials.append(made)
            self._sources.append(source)
        self.stamps.note(material)
        return material

    def replace(self, material: int, source: MaterialSource) -> None:
        """Put another material under the same id.

        Raises
        ------
        EngineError
            The id holds no material.
        """
        old = self._require(material)
        features, bindings = _features(source, self._textures), _bindings(source)
        self._sources[material] = source
        same = (features, bindings, source.double_sided) == (
            old.features,
            old.bindings,
            old.double_sided,
        )
        if same:
            block = _block(source)
            old.blocks.put(old.row, block)
            old.blocks.flush()
            old.digest = self._digest(features, bindings, block)
            return
        self._materials[material] = self._make(source)
        self._free(old)
        self.stamps.note(material)

    def remove(self, material: int) -> None:
        """Free a material; instances that name it draw nothing from now on.

        Raises
        ------
        EngineError
            The id holds no material.
        """
        self._free(self._require(material))
        self._materials[material] = self._sources[material] = None
        self._free_ids.append(material)
        self.stamps.note(material)

    def follow_textures(self) -> None:
        """Bind anew what read textures or samplers that are other ones since the last call."""
        if self._textures_version == self._textures.version:
            return
        self._textures_version = self._textures.version
        for material, (made, source) in enumerate(zip(self._materials, self._sources, strict=True)):
            if made is None or source is None:
                continue
            layer_textures = (texture for texture, _ in made.bindings[len(SLOTS) :] if texture >= 0)
            lost = any(not self._textures.has(texture) for texture in layer_textures)
            if lost or made.features != _features(source, self._textures):
                self._materials[material] = self._make(source)
                self._free(made)
                self.stamps.note(material)
            elif made.held != (held := self._held(made.bindings)):
                self._groups.hold(held)
                self._groups.let_go(made.held)
                made.held = held
                self._rebinds += 1

    def texture_uses(self) -> Iterator[tuple[int, int, float]]:
        """Every material's textures, and how often one repeats in a unit of UV."""
        for material, source in enumerate(self._sources):
            if source is None:
                continue
            for ref in _all_references(source):
                if ref is not None:
                    scale = math.sqrt(abs(float(ref.scale[0]) * float(ref.scale[1])))
                    yield material, ref.texture, max(scale, 1e-3)

    def _require(self, material: int) -> GpuMaterial:
        found = self.get(material)
        if found is None:
            raise EngineError(
                f"material {material}: found no such material, expected an id of add_material"
            )
        return found

    def _make(self, source: MaterialSource) -> GpuMaterial:
        features, bindings, block = (
            _features(source, self._textures),
            _bindings(source),
            _block(source),
        )
        blocks = self._blocks if len(bindings) == len(SLOTS) else self._layered
        made = GpuMaterial(
            blocks=blocks,
            row=blocks.take(block),
            features=features,
            bindings=bindings,
            blend=source.alpha_mode == "blend",
            double_sided=bool(source.double_sided),
            digest=self._digest(features, bindings, block),
            held=self._held(bindings),
            transmits=_layers(source).transmits,
        )
        self._groups.hold(made.held)
        try:
            # Rather refused here than in the middle of a picture.
            self.binding(made)
        except BaseException:
            self._free(made)
            raise
        return made

    def _free(self, made: GpuMaterial) -> None:
        made.blocks.free(made.row)
        self._groups.let_go(made.held)

    def _held(self, bindings: tuple[tuple[int, int], ...]) -> tuple[Any, ...]:
        """View and sampler of each binding."""
        textures = self._textures
        # Most slots of most materials are alike: empty.
        pairs = {pair: (textures.view(pair[0]), textures.sampler(pair[1])) for pair in {*bindings}}
        return tuple(chain.from_iterable([pairs[pair] for pair in bindings]))

    def _digest(
        self,
        features: frozenset[str],
        bindings: tuple[tuple[int, int], ...],
        block: NDArray[np.float32],
    ) -> int:
        digests = {
            pair: self._textures.digest(pair[0]).to_bytes(4, "little") for pair in {*bindings}
        }
        named = " ".join(sorted(features)).encode()
        shown = b"".join([digests[pair] for pair in bindings])
        return crc32(named + shown, crc32(block.data))


def _references(source: MaterialSource) -> tuple[Any, ...]:
    return (
        source.base_color_texture,
        source.metallic_roughness_texture,
        source.normal_texture,
        source.occlusion_texture,
        source.emissive_texture,
    )


def _layers(source: MaterialSource) -> Layers:
    return (
        NO_LAYERS if source.unlit or not source.extensions else (material_layers(source.extensions))
    )


def _bindings(source: MaterialSource) -> tuple[tuple[int, int], ...]:
    references = _all_references(source)
    return tuple([_UNBOUND if ref is None else (ref.texture, ref.sampler) for ref in references])


def _all_references(source: MaterialSource) -> tuple[Any, ...]:
    """Those of every material, and of its layers with None for what they leave free."""
    references: tuple[Any, ...] = _references(source)
    layers = _layers(source)
    if layers.switches:
        unused = EXTRA_TEXTURES - len(layers.textures)
        references += (*layers.textures, *(None for _ in range(unused)))
    return references


def _features(source: MaterialSource, textures: TextureTable) -> frozenset[str]:
    layers = _layers(source)
    names = set(layers.switches)
    if source.alpha_mode != "opaque":
        names.add(source.alpha_mode.upper())
    if source.unlit:
        names.add("UNLIT")
    for slot, ref in zip(SLOTS, _references(source), strict=True):
        if ref is None or not textures.has(ref.texture):
            continue
        names.add(f"{slot}_TEXTURE")
        if ref.texcoord == 1:
            names.add(f"{slot}_UV1")
        if tuple(ref.offset) != (0, 0) or ref.rotation or tuple(ref.scale) != (1, 1):
            names.add(f"{slot}_TRANSFORM")
    return frozenset(names)


def _block(source: MaterialSource) -> NDArray[np.float32]:
    """The uniform block: base colour; emissive, cutoff; four factors; per slot two uv rows."""
    block = _UNTEXTURED.copy()
    block[4:7] = source.emissive
    block[4:7] *= source.emissive_strength
    block[0:4] = source.base_color
    block[7:12] = (
        source.alpha_cutoff,
        source.metallic,
        source.roughness,
        source.normal_scale,
        source.occlusion_strength,
    )
    for slot, ref in enumerate(_references(source)):
        if ref is not None:
            block[12 + 8 * slot : 20 + 8 * slot] = uv_rows(ref)
    layers = _layers(source).block
    return np.concatenate([block, layers]) if len(layers) else block

"""``.cmat``: a material whose texture slots name images by logical path.

Layout (version 1, after the magic ``CMAT`` and the version): string name, vec4 base_color, f32
metallic, roughness, vec3 emissive, f32 emissive_strength, normal_scale, occlusion_strength, u32
alpha_mode, f32 alpha_cutoff, u32 double_sided, vec2 uv_scale, uv_offset, f32 uv_rotation, five
(u8 texcoord, string image), u32 linear_filter, u32 address_mode. One UV transform and one sampler
serve all slots; extensions have no place in version 1.
"""

from dataclasses import dataclass
from typing import Literal

from engine.assets.cooked.stream import CookedReader, CookedWriter
from engine.assets.material import AlphaMode, Material, Sampler, TextureRef, Wrap
from engine.errors import AssetError

MATERIAL_MAGIC = b"CMAT"
MATERIAL_VERSION = 1
ALPHA_MODES: tuple[AlphaMode, ...] = ("opaque", "mask", "blend")
ADDRESS_MODES: tuple[Wrap, ...] = ("clamp", "repeat", "mirror")
SLOTS = (
    "base_color_texture",
    "metallic_roughness_texture",
    "normal_texture",
    "occlusion_texture",
    "emissive_texture",
)


@dataclass(frozen=True, slots=True)
class CookedSlot:
    """One texture slot: a UV set (0 or 1) and the image's logical path; empty when unused."""

    texcoord: int = 0
    image: str = ""


@dataclass(slots=True)
class CookedMaterial:
    """A `Material` with images by logical path; ``slots`` in the order of `SLOTS`.

    ``linear_filter`` and ``address_mode`` describe the sampler of all slots.
    """

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    metallic: float = 1.0
    roughness: float = 1.0
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    emissive_strength: float = 1.0
    normal_scale: float = 1.0
    occlusion_strength: float = 1.0
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    uv_scale: tuple[float, float] = (1.0, 1.0)
    uv_offset: tuple[float, float] = (0.0, 0.0)
    uv_rotation: float = 0.0
    slots: tuple[CookedSlot, ...] = (CookedSlot(),) * len(SLOTS)
    linear_filter: bool = True
    address_mode: Wrap = "repeat"

    def images(self) -> list[str]:
        """Return the logical paths that the slots name, each once, in slot order."""
        return list(dict.fromkeys(slot.image for slot in self.slots if slot.image))

    def sampler(self) -> Sampler:
        """Return the sampler of all slots."""
        choice: Literal["linear", "nearest"] = "linear" if self.linear_filter else "nearest"
        return Sampler(choice, choice, choice, self.address_mode, self.address_mode)

    def material(self, textures: dict[str, int], sampler: int = -1) -> Material:
        """Return the material with the ids of `textures`, by logical path, in its slots."""
        references = {
            name: TextureRef(
                textures[slot.image],
                sampler,
                slot.texcoord,
                self.uv_offset,
                self.uv_rotation,
                self.uv_scale,
            )
            for name, slot in zip(SLOTS, self.slots, strict=True)
            if slot.image
        }
        return Material(
            base_color=self.base_color,
            metallic=self.metallic,
            roughness=self.roughness,
            emissive=self.emissive,
            emissive_strength=self.emissive_strength,
            normal_scale=self.normal_scale,
            occlusion_strength=self.occlusion_strength,
            alpha_mode=self.alpha_mode,
            alpha_cutoff=self.alpha_cutoff,
            double_sided=self.double_sided,
            **references,  # type: ignore[arg-type]
        )


def write_material(material: CookedMaterial) -> bytes:
    """Return the bytes of a ``.cmat`` file.

    Raises
    ------
    AssetError
        ``cooked material``: something that `read_material` would refuse.
    """
    problem = _problem(material)
    if problem:
        raise AssetError(f"cooked material: {problem}")
    out = CookedWriter(MATERIAL_MAGIC, MATERIAL_VERSION, "material")
    out.string(material.name)
    out.floats([*material.base_color, material.metallic, material.roughness])
    out.floats([*material.emissive, material.emissive_strength])
    out.floats([material.normal_scale, material.occlusion_strength])
    out.u32(ALPHA_MODES.index(material.alpha_mode))
    out.floats([material.alpha_cutoff])
    out.u32(int(material.double_sided))
    out.floats([*material.uv_scale, *material.uv_offset, material.uv_rotation])
    for slot in material.slots:
        out.u8(slot.texcoord)
        out.string(slot.image)
    out.u32(int(material.linear_filter), ADDRESS_MODES.index(material.address_mode))
    return out.finish()


def read_material(data: bytes) -> CookedMaterial:
    """Read a ``.cmat`` file.

    Raises
    ------
    AssetError
        ``cooked material``: bad magic, another version, truncation, trailing bytes, or a number
        out of range or not finite.
    """
    source = CookedReader(data, MATERIAL_MAGIC, MATERIAL_VERSION, "material")
    material = CookedMaterial(
        name=source.string(),
        base_color=source.vector(4),
        metallic=source.f32(),
        roughness=source.f32(),
        emissive=source.vector(3),
        emissive_strength=source.f32(),
        normal_scale=source.f32(),
        occlusion_strength=source.f32(),
        alpha_mode=source.choice("alpha mode", ALPHA_MODES),
        alpha_cutoff=source.f32(),
        double_sided=source.choice("double_sided", (False, True)),
        uv_scale=source.vector(2),
        uv_offset=source.vector(2),
        uv_rotation=source.f32(),
        slots=tuple(CookedSlot(source.u8(), source.string()) for _ in SLOTS),
        linear_filter=source.choice("linear_filter", (False, True)),
        address_mode=source.choice("address mode", ADDRESS_MODES),
    )
    source.end()
    problem = _problem(material)
    if problem:
        source.fail(problem)
    return material


def _problem(material: CookedMaterial) -> str:
    if material.alpha_mode not in ALPHA_MODES:
        return f"alpha mode {material.alpha_mode!r}, expected one of {ALPHA_MODES}"
    if material.address_mode not in ADDRESS_MODES:
        return f"address mode {material.address_mode!r}, expected one of {ADDRESS_MODES}"
    if len(material.slots) != len(SLOTS):
        return f"{len(material.slots)} texture slots, expected {len(SLOTS)}"
    for name, slot in zip(SLOTS, material.slots, strict=True):
        if slot.texcoord > 1 or (slot.texcoord and not slot.image):
            return f"{name}: UV set {slot.texcoord} out of range"
    return ""

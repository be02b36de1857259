"""`Look`: what material overrides set for an entity, and the materials that come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from engine.assets.material import Material, TextureRef
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import MaterialOverride, Realised
from engine.scene.hierarchy_index import HierarchyIndex

_SLOTS = {
    "base_color_texture": True,
    "metallic_roughness_texture": False,
    "normal_texture": False,
    "occlusion_texture": False,
    "emissive_texture": True,
}
_BLACK = (0.0, 0.0, 0.0)
_WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Look:
    """The fields that overrides set; None, and "" for a texture, is as the material has it."""

    base_color: tuple[float, ...] | None = None
    alpha: float | None = None
    metallic: float | None = None
    roughness: float | None = None
    emissive: tuple[float, ...] | None = None
    base_color_texture: str = ""
    metallic_roughness_texture: str = ""
    normal_texture: str = ""
    occlusion_texture: str = ""
    emissive_texture: str = ""
    tiling: tuple[float, ...] | None = None

    @classmethod
    def of(cls, value: MaterialOverride) -> Look:
        """Return what a component sets."""
        tiling = _floats(value.tiling)
        return cls(
            base_color=_color(value.base_color),
            alpha=_number(value.alpha),
            metallic=_number(value.metallic),
            roughness=_number(value.roughness),
            emissive=_color(value.emissive),
            tiling=None if tiling == (1.0, 1.0) else tiling,
            **{slot: getattr(value, slot) for slot in _SLOTS},
        )

    def over(self, farther: Look) -> Look:
        """Return these fields, and those of `farther` where these are not set."""
        taken = {
            f.name: getattr(farther, f.name)
            for f in fields(self)
            if getattr(self, f.name) in (None, "")
        }
        return replace(self, **taken)

    def textures(self) -> set[str]:
        """Return the files that it names."""
        return {path for slot in _SLOTS if (path := getattr(self, slot))}


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(np.nan_to_num(np.asarray(values, np.float32)).tolist())


def _number(value: float) -> float | None:
    return min(float(value), 1.0) if value >= 0 else None


def _color(value: Any) -> tuple[float, ...] | None:
    values = _floats(value)
    return None if all(v < 0 for v in values) else tuple(max(v, 0.0) for v in values)


AS_IT_IS = Look()


def look_of(world: World, entity: Entity) -> Look:
    """Return what overrides set for an entity: its own, and those above it in its instance."""
    look = AS_IT_IS
    for at in chain(world, entity):
        if world.has(at, MaterialOverride):
            look = look.over(Look.of(world.get(at, MaterialOverride)))
    return look


def chain(world: World, entity: Entity) -> Iterator[Entity]:
    """Yield an entity and what is above it, up to the root of the outermost instance around it."""
    index = HierarchyIndex.of(world)
    yield entity
    for slot in index.ancestor_slots(index.slot(entity)):
        if not world.has(entity, Realised):
            return
        (entity,) = index.entities(np.array([slot]))
        yield entity


Reference = Callable[[str, bool, TextureRef | None], TextureRef | None]


def overridden(base: Material, look: Look, reference: Reference) -> Material:
    """Return a material with what a look sets.

    Parameters
    ----------
    base : Material
    look : Look
    reference : callable
        ``(path, srgb, old) -> TextureRef or None`` gives the use of a picture in a slot.
    """
    color = base.base_color[:3] if look.base_color is None else look.base_color
    alpha = base.base_color[3] if look.alpha is None else look.alpha
    blends = alpha < 1 and base.alpha_mode == "opaque" and look.alpha is not None
    slots: dict[str, Any] = {}
    for slot, srgb in _SLOTS.items():
        old = getattr(base, slot)
        path = getattr(look, slot)
        slots[slot] = _tiled(reference(path, srgb, old) if path else old, look.tiling)
    emissive, strength = base.emissive, base.emissive_strength
    if look.emissive is not None:
        emissive, strength = look.emissive, 1.0  # type: ignore[assignment]
    elif look.emissive_texture and tuple(emissive) == _BLACK:
        emissive = _WHITE
    return replace(
        base,
        base_color=(*color, alpha),  # type: ignore[arg-type]
        metallic=base.metallic if look.metallic is None else look.metallic,
        roughness=base.roughness if look.roughness is None else look.roughness,
        emissive=emissive,
        emissive_strength=strength,
        alpha_mode="blend" if blends else base.alpha_mode,
        **slots,
    )


def _tiled(ref: TextureRef | None, tiling: tuple[float, ...] | None) -> TextureRef | None:
    if ref is None or tiling is None:
        return ref
    return replace(ref, scale=(ref.scale[0] * tiling[0], ref.scale[1] * tiling[1]))

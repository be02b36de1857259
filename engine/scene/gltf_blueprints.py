"""`GltfBlueprints`: one blueprint per asset and set of switches, shared by all its instances."""

from __future__ import annotations

from engine.assets.library import AssetEntry
from engine.scene.components import GltfInstance
from engine.scene.gltf_blueprint import Blueprint, draw_blueprint


class GltfBlueprints:
    """Draws what is asked for the first time, and again when the asset is another one."""

    def __init__(self) -> None:
        self._drawn: dict[tuple[str, int, bool, bool, str], Blueprint] = {}

    def get(self, entry: AssetEntry, settings: GltfInstance) -> Blueprint | None:
        """Return the blueprint of an asset, None while it is not loaded."""
        if entry.asset is None or entry.uploaded is None:
            return None
        switches = (settings.cast_shadows, settings.skinned_meshes, settings.variant)
        key = (entry.path, entry.version, *switches)
        if key not in self._drawn:
            for old in [k for k in self._drawn if k[0] == entry.path and k[1] != entry.version]:
                del self._drawn[old]
            self._drawn[key] = draw_blueprint(
                entry.asset,
                entry.uploaded,
                cast_shadows=settings.cast_shadows,
                skinned_meshes=settings.skinned_meshes,
                variant=settings.variant,
            )
        return self._drawn[key]

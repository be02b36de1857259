"""The icon of an entity, by what it carries."""

from collections.abc import Collection
from typing import Final

__all__ = ["component_icon", "entity_icon"]

_BY_COMPONENT: Final = (
    ("Environment", "sun-horizon", "quiet"),
    ("LightSource", "lightbulb", "light_icon"),
    ("CameraComponent", "video-camera", "quiet"),
    ("SceneInstance", "stack", "accent"),
    ("GltfInstance", "package", "accent"),
    ("Shape", "cube", "quiet"),
    ("MeshRenderer", "cube", "quiet"),
)
_LIGHTS: Final = {"directional": "sun", "point": "lightbulb", "spot": "flashlight"}
_CARDS: Final = {
    "Enabled": "power",
    "Environment": "sun-horizon",
    "CameraComponent": "video-camera",
    "GltfInstance": "package",
    "GltfMesh": "cube",
    "InstanceNode": "tree-structure",
    "LightSource": "lightbulb",
    "LocalMatrix": "arrows-out-cardinal",
    "LocalTransform": "arrows-out-cardinal",
    "MaterialOverride": "palette",
    "MeshRenderer": "cube",
    "Name": "tag",
    "Order": "list-numbers",
    "Parent": "tree-structure",
    "SceneInstance": "stack",
    "Shape": "cube",
    "WorldTransform": "globe",
}


def entity_icon(
    names: Collection[str],
    *,
    light_kind: str = "",
    has_children: bool = False,
    in_instance: bool = False,
) -> tuple[str, str]:
    """Return icon name and colour role for an entity with these components."""
    for component, glyph, role in _BY_COMPONENT:
        if component in names:
            if component == "LightSource":
                glyph = _LIGHTS.get(light_kind, glyph)
            return glyph, role
    if in_instance:
        return "cube", "quiet"
    return ("folder", "folder") if has_children else ("circle-dashed", "quiet")


def component_icon(name: str) -> str:
    """Return the icon of a component's card."""
    return _CARDS.get(name, "puzzle-piece")

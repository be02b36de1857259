"""Names of components, fields and the viewport's choices as people read them."""

import re
from typing import Final

__all__ = ["MODE_TITLES", "PIVOT_TITLES", "component_title", "field_title"]

MODE_TITLES: Final = {
    "lit": "Lit",
    "unlit": "Unlit",
    "wireframe": "Wireframe",
    "normals": "Normals",
    "tangents": "Tangents",
    "uv": "UV checker",
    "overdraw": "Overdraw",
    "lod": "Levels of detail",
}
PIVOT_TITLES: Final = {
    "median": "Median",
    "individual": "Individual",
    "active": "Active",
}

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPELLINGS = {"Gltf": "glTF"}
_ABBREVIATIONS = {"fov": "FOV", "id": "ID", "lod": "LOD", "lods": "LODs", "uv": "UV"}


def component_title(name: str) -> str:
    """Return ``"Local Transform"`` for ``LocalTransform``; a trailing "Component" goes."""
    if name.endswith("Component") and name != "Component":
        name = name[: -len("Component")]
    return " ".join(_SPELLINGS.get(word, word) for word in _WORDS.split(name))


def field_title(name: str) -> str:
    """Return ``"Cast Shadows"`` for ``cast_shadows`` and ``"FOV Y"`` for ``fov_y``."""
    words = name.replace("_", " ").split()
    return " ".join(_ABBREVIATIONS.get(word, word[:1].upper() + word[1:]) for word in words)

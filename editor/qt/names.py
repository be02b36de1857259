"""Names of components and fields as people read them."""

import re

__all__ = ["component_title"]

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPELLINGS = {"Gltf": "glTF"}


def component_title(name: str) -> str:
    """Return ``"Local Transform"`` for ``LocalTransform``; a trailing "Component" goes."""
    if name.endswith("Component") and name != "Component":
        name = name[: -len("Component")]
    return " ".join(_SPELLINGS.get(word, word) for word in _WORDS.split(name))

"""How many triangles a glTF file draws, as its JSON says it: nothing of it is decoded."""

from typing import Any, Final

__all__ = ["drawn_triangles"]

_TRIANGLES: Final = 4
_STRIPS: Final = (5, 6)
_MOST: Final = 1 << 53


def drawn_triangles(described: dict[str, Any]) -> int:
    """Return the triangles of the scene that a file shows, each as often as a node draws it.

    Whatever is no such thing as it should be counts as none: the import tells of it.

    Parameters
    ----------
    described
        The JSON of the file.
    """
    nodes, meshes = _listed(described, "nodes"), _listed(described, "meshes")
    accessors = _listed(described, "accessors")
    counts = [
        sum(_triangles(part, accessors) for part in _listed(mesh, "primitives")) for mesh in meshes
    ]
    drawn = (_index(nodes[node], "mesh") for node in _reachable(described, nodes))
    return min(sum(counts[mesh] for mesh in drawn if 0 <= mesh < len(counts)), _MOST)


def _reachable(described: dict[str, Any], nodes: list[Any]) -> set[int]:
    """Return the nodes of the shown scene; all of them where there is none."""
    scenes = _listed(described, "scenes")
    if not scenes:
        return set(range(len(nodes)))
    shown = max(_index(described, "scene"), 0)
    stack = _indices(scenes[shown], "nodes") if shown < len(scenes) else []
    found: set[int] = set()
    while stack:
        node = stack.pop()
        if 0 <= node < len(nodes) and node not in found:
            found.add(node)
            stack += _indices(nodes[node], "children")
    return found


def _triangles(part: Any, accessors: list[Any]) -> int:
    if not isinstance(part, dict):
        return 0
    mode = part.get("mode", _TRIANGLES)
    attributes = part.get("attributes")
    at = _index(part, "indices")
    if at < 0:
        at = _index(attributes, "POSITION")
    count = max(_index(accessors[at], "count"), 0) if 0 <= at < len(accessors) else 0
    if mode == _TRIANGLES:
        return count // 3
    return max(count - 2, 0) if mode in _STRIPS else 0


def _listed(holder: Any, name: str) -> list[Any]:
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def _index(holder: Any, name: str) -> int:
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if type(found) is int else -1


def _indices(holder: Any, name: str) -> list[int]:
    return [index for index in _listed(holder, name) if type(index) is int]

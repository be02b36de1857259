r"""Which realised entity is which node of which instance.

A path is the names from the instance's root, joined by "/", with "/" and "\" inside a name escaped
by "\"; an unnamed node is ``#<gltf index>``, and the k-th sibling (k >= 2) of equal name carries
``[k]``. Paths come from the asset, so renaming a node in a level does not change its path. The
table is kept with the world and holds handles; entries of dead entities are ignored, and serve
again when an entity comes back under its old handle.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.ecs import World
from engine.reflect import Entity


class NodePaths:
    """(root, path) of every realised entity of one world."""

    def __init__(self) -> None:
        self._place: dict[int, tuple[Entity, str]] = {}
        self._nodes: dict[int, dict[str, Entity]] = {}

    @classmethod
    def of(cls, world: World) -> NodePaths:
        """Return the table of `world`."""
        return world.resource(cls, cls)

    def bind(self, root: Entity, path: str, entity: Entity) -> None:
        """Note that `entity` is the node `path` of the instance `root`."""
        self.unbind(entity)
        previous = self._nodes.setdefault(root, {}).get(path)
        if previous is not None:
            self._place.pop(previous, None)
        self._nodes[root][path] = Entity(entity)
        self._place[entity] = (Entity(root), path)

    def unbind(self, entity: Entity) -> None:
        """Forget which node `entity` is."""
        place = self._place.pop(entity, None)
        if place is not None:
            root, path = place
            self._nodes[root].pop(path, None)

    def place(self, entity: Entity) -> tuple[Entity, str] | None:
        """Return (root, path) of a realised entity, or None."""
        return self._place.get(entity)

    def find(self, root: Entity, path: str) -> Entity | None:
        """Return the handle bound to a path, dead or alive, or None."""
        return self._nodes.get(root, {}).get(path)

    def nodes(self, root: Entity) -> dict[str, Entity]:
        """Return a copy of the paths and handles of one instance, dead ones included."""
        return dict(self._nodes.get(root, {}))


def escape_name(name: str) -> str:
    """Return a node's name as it stands in a path."""
    return name.replace("\\", "\\\\").replace("/", "\\/")


def split_path(path: str) -> list[str]:
    """Return the escaped segments of a path."""
    segments, start, i = [], 0, 0
    while i < len(path):
        if path[i] == "\\":
            i += 1
        elif path[i] == "/":
            segments.append(path[start:i])
            start = i + 1
        i += 1
    segments.append(path[start:])
    return segments


def sibling_segments(names: Iterable[tuple[str, int]]) -> list[str]:
    """Return the path segments of siblings, all different.

    Parameters
    ----------
    names : iterable of (str, int)
        Name (may be empty) and glTF index of each sibling, in file order.
    """
    segments: list[str] = []
    count: dict[str, int] = {}
    used: set[str] = set()
    for name, index in names:
        base = escape_name(name) if name else f"#{index}"
        k = count.get(base, 0) + 1
        segment = base if k == 1 else f"{base}[{k}]"
        while segment in used:
            k += 1
            segment = f"{base}[{k}]"
        count[base] = k
        used.add(segment)
        segments.append(segment)
    return segments

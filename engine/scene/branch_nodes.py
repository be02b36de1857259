"""What a branch knows of its nodes, worked out when it is asked for.

An instance has as many nodes as its asset, and hardly ever is one of them looked at: so nothing is
kept per node but its handle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.reflect import Entity, SceneComponent

Base = list[SceneComponent]


class NodeBases(Mapping[Entity, Base]):
    """What the asset gives each node of a branch, without what the open level changes.

    Parameters
    ----------
    base_of : callable
        Works out the base of the part at a position.
    """

    def __init__(self, base_of: Callable[[int], Base]) -> None:
        self._base_of = base_of
        # By plain numbers: the garbage collector would look at every `Entity` again and again.
        self._at: dict[int, int] = {}
        self._fixed: dict[int, Base] = {}

    def note(self, nodes: Sequence[int]) -> None:
        """Know the nodes of all parts."""
        self._at = dict(zip(nodes, range(len(nodes)), strict=True))

    def add(self, node: Entity, at: int) -> None:
        """Know the node of one part."""
        self._at[int(node)] = at

    def fix(self, node: Entity, base: Base) -> None:
        """Know a node that is no part."""
        self._fixed[int(node)] = base

    def position(self, node: Entity) -> int:
        """Return the position of the part that a node is."""
        return self._at[node]

    def __getitem__(self, node: Entity) -> Base:
        fixed = self._fixed.get(node)
        return fixed if fixed is not None else self._base_of(self._at[node])

    def __contains__(self, node: object) -> bool:
        return node in self._at or node in self._fixed

    def __iter__(self) -> Iterator[Entity]:
        yield from map(Entity, self._at)
        yield from map(Entity, self._fixed)

    def numbers(self) -> Iterator[int]:
        """Yield the nodes as plain numbers."""
        yield from self._at
        yield from self._fixed

    def __len__(self) -> int:
        return len(self._at) + len(self._fixed)


class References(Mapping[int, Entity]):
    """What handles of a placed level's own world mean in one instance.

    Parameters
    ----------
    position : mapping of int to int
        The parts by those handles.
    nodes : sequence of int
        The nodes of the parts, as far as they are known.
    """

    def __init__(self, position: Mapping[int, int], nodes: Sequence[int]) -> None:
        self._position = position
        self._nodes = nodes
        self._others: dict[int, Entity] = {}

    def set(self, handle: int, node: Entity) -> bool:
        """Note what the handle of a changed node means; whether that is news."""
        is_news = self._others.get(handle) != node
        self._others[handle] = node
        return is_news

    def drop(self, handle: int) -> bool:
        """Forget a changed node; whether it was known."""
        return self._others.pop(handle, None) is not None

    def __getitem__(self, handle: int) -> Entity:
        other = self._others.get(handle)
        if other is not None:
            return other
        at = self._position[handle]
        if at >= len(self._nodes):
            raise KeyError(handle)
        return Entity(self._nodes[at])

    def __iter__(self) -> Iterator[int]:
        yield from self._others
        yield from self._position

    def __len__(self) -> int:
        return len(self._others) + len(self._position)

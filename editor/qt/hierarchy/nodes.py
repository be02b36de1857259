"""The rows that the tree model has fetched so far.

A node's children are None until a view asks for them. Rows are found through a per-parent table
that is rebuilt on first use after that parent's rows changed.
"""

from collections.abc import Iterator

from engine.reflect import Entity

__all__ = ["Node", "NodeTable"]


class Node:
    """One row: its entity, its parent row and, once fetched, its children."""

    __slots__ = ("_rows", "children", "entity", "parent")

    def __init__(self, entity: Entity, parent: "Node | None") -> None:
        self.entity = entity
        self.parent = parent
        self.children: list[Entity] | None = None
        self._rows: dict[Entity, int] | None = None

    def row_of(self, child: Entity) -> int:
        """Return the row of a fetched child."""
        if self._rows is None:
            self._rows = {entity: row for row, entity in enumerate(self.children or ())}
        return self._rows[child]

    @property
    def level(self) -> int:
        """How many rows stand above it; -1 for the root."""
        level, above = -1, self.parent
        while above is not None:
            level, above = level + 1, above.parent
        return level

    def rows_changed(self) -> None:
        """Forget the table of rows."""
        self._rows = None


class NodeTable:
    """All fetched nodes by entity; the null entity is the root."""

    def __init__(self) -> None:
        self.root = Node(Entity.null(), None)
        self._nodes: dict[int, Node] = {0: self.root}

    def clear(self) -> None:
        """Forget everything but the root."""
        self.root = Node(Entity.null(), None)
        self._nodes = {0: self.root}

    def find(self, entity: int) -> Node | None:
        """Return the node of an entity, None if no view asked for it yet."""
        return self._nodes.get(int(entity))

    def add(self, entity: Entity, parent: Node) -> Node:
        """Make the node of a row."""
        node = Node(entity, parent)
        self._nodes[int(entity)] = node
        return node

    def drop(self, entity: Entity) -> None:
        """Forget a node and everything below it."""
        stack = [entity]
        while stack:
            node = self._nodes.pop(int(stack.pop()), None)
            if node is not None and node.children:
                stack.extend(node.children)

    def fetched(self) -> Iterator[Node]:
        """Iterate over all known nodes."""
        return iter(list(self._nodes.values()))

r"""Which realised entity is which node of which instance.

A path is the names from the instance's root, joined by "/", with "/" and "\" inside a name escaped
by "\"; an unnamed node is ``#<gltf index>``, and the k-th sibling (k >= 2) of equal name carries
``[k]``. Paths come from the asset, so renaming a node in a level does not change its path. The
table is kept with the world and holds handles; entries of dead entities are ignored, and serve
again when an entity comes back under its old handle.

Instances may hold instances: the path of a node goes from the outermost root through all of them.
What a level hangs under an instance has a mark in its step that no name can hold, so that it never
meets a node of that instance's asset.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence

from engine.ecs import World
from engine.reflect import Entity

OWN_CHILD = "\\+"
"""In front of the step of what a placed level itself hangs under an instance inside it."""
ANCHORED = "\\@"
"""In front of the step, from a placed level's root, of what hangs under a node inside it."""


class NodePaths:
    """The path of every realised entity of one world, kept step by step as a tree."""

    def __init__(self) -> None:
        # Plain numbers: the garbage collector would look at every `Entity` again and again.
        self._step_to: dict[int, tuple[int, str]] = {}
        self._below: dict[int, dict[str, int]] = {}

    @classmethod
    def of(cls, world: World) -> NodePaths:
        """Return the table of `world`."""
        return world.resource(cls, cls)

    def bind(self, parent: Entity, segment: str, entity: Entity) -> None:
        """Note that `entity` is the node one step below `parent`, an instance's root or a node.

        What stood below the node that was there before is below this one then.
        """
        self.unbind(entity)
        below = self._below.setdefault(parent, {})
        replaced = below.get(segment)
        below[segment] = int(entity)
        self._step_to[int(entity)] = (int(parent), segment)
        if replaced is not None:
            del self._step_to[replaced]
            self._hand_down(replaced, int(entity))

    def _hand_down(self, before: int, now: int) -> None:
        """Let the nodes below one be below another, but for steps that this has already."""
        left, below = self._below.get(before, {}), self._below.setdefault(now, {})
        for segment in [s for s in left if s not in below]:
            below[segment] = left.pop(segment)
            self._step_to[below[segment]] = (now, segment)

    def bind_fresh(
        self,
        root: Entity,
        nodes: Sequence[int],
        parents: Sequence[int],
        segments: Sequence[str],
        children: Iterable[tuple[int, Sequence[str], Sequence[int]]],
    ) -> None:
        """Note many nodes at once whose handles are new.

        Parameters
        ----------
        parents, segments : sequence
            Of each node: the position of its parent among them, below 0 for the root, and its step.
        children : iterable of (int, sequence of str, sequence of int)
            Per node that others hang under: its position, their steps and their positions.
        """
        above = [int(root) if at < 0 else nodes[at] for at in parents]
        for node, parent, segment in zip(nodes, above, segments, strict=True):
            if parent == root:
                self.bind(root, segment, Entity(node))
        self._step_to.update(zip(nodes, zip(above, segments, strict=True), strict=True))
        for at, steps, below in children:
            self._below[nodes[at]] = dict(zip(steps, [nodes[c] for c in below], strict=True))

    def are_bound(
        self,
        root: Entity,
        nodes: Sequence[int],
        parents: Sequence[int],
        segments: Sequence[str],
    ) -> bool:
        """Whether nodes are still those that `bind_fresh` would make of them."""
        above = [int(root) if at < 0 else nodes[at] for at in parents]
        steps = zip(above, segments, strict=True)
        return all(map(operator.eq, map(self._step_to.get, nodes), steps))

    def unbind(self, entity: Entity) -> None:
        """Forget which node `entity` is; what is below it stays below it."""
        step = self._step_to.pop(entity, None)
        if step is not None:
            parent, segment = step
            del self._below[parent][segment]

    def step_to(self, entity: Entity) -> tuple[Entity, str] | None:
        """Return (parent, segment) of a node, or None."""
        step = self._step_to.get(entity)
        return (Entity(step[0]), step[1]) if step is not None else None

    def step(self, parent: Entity, segment: str) -> Entity | None:
        """Return the handle one step below, dead or alive, or None."""
        found = self._below.get(parent, {}).get(segment)
        return Entity(found) if found is not None else None

    def below(
        self, root: Entity, is_root: Callable[[Entity], bool] = lambda _entity: False
    ) -> list[Entity]:
        """Return the handles of all nodes of an instance, parents first, dead ones included.

        Parameters
        ----------
        is_root : callable
            Whether a node is the root of an instance of its own, whose nodes are left out.
        """
        found: list[int] = []
        todo = [int(root)]
        while todo:
            at = todo.pop()
            steps = self._below.get(at, {})
            if at == root or is_root(Entity(at)):
                # What hangs under an instance is not part of it; what is below it, is.
                wanted = at != root
                steps = {s: e for s, e in steps.items() if s.startswith(OWN_CHILD) is wanted}
            found.extend(steps.values())
            todo.extend(steps.values())
        return list(map(Entity, found))

    def place(self, entity: Entity) -> tuple[Entity, str] | None:
        """Return (root, path) of a node, or None."""
        segments: list[str] = []
        at = int(entity)
        while (step := self._step_to.get(at)) is not None:
            at = step[0]
            segments.append(step[1])
        return (Entity(at), "/".join(reversed(segments))) if segments else None

    def ways(self, entity: Entity) -> list[tuple[Entity, str]]:
        """Return everything that a node stands below, the nearest first, and its path from each."""
        found: list[tuple[Entity, str]] = []
        at, path = int(entity), ""
        while (step := self._step_to.get(at)) is not None:
            at = step[0]
            path = f"{step[1]}/{path}" if path else step[1]
            found.append((Entity(at), path))
        return found

    def find(self, root: Entity, path: str) -> Entity | None:
        """Return the handle of a path, dead or alive, or None."""
        at: Entity | None = root
        for segment in split_path(path):
            at = None if at is None else self.step(at, segment)
        return at


def escape_name(name: str) -> str:
    """Return a node's name as it stands in a path."""
    return name.replace("\\", "\\\\").replace("/", "\\/")


def bare_segment(segment: str) -> str:
    """Return a step of a path without the mark of what a placed level itself has there."""
    return segment.removeprefix(OWN_CHILD).removeprefix(ANCHORED)


def shown_name(path: str) -> str:
    """Return the name at the end of a path as people write it."""
    return bare_segment(split_path(path)[-1]).replace("\\/", "/").replace("\\\\", "\\")


def split_path(path: str) -> list[str]:
    """Return the escaped segments of a path."""
    if "\\" not in path:
        return path.split("/")
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

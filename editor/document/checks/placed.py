"""`PlacedProps`: where every prop and plain shape of the level stands, in columns.

What a step moved is looked up again, table by table, whatever the size of the level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from editor.document.checks.boxes import ASSET, SHAPE, LocalBoxes
from editor.model.change_set import ChangeSet, ComponentType
from engine.ecs import Table
from engine.reflect import Entity
from engine.scene import (
    GltfInstance,
    LocalMatrix,
    LocalTransform,
    Parent,
    Realised,
    Shape,
    WorldTransform,
    propagate_transforms,
)
from engine.scene.hierarchy import descendants

if TYPE_CHECKING:
    from editor.document.issues import LevelIssues

_DECIDING: frozenset[ComponentType] = frozenset(
    (LocalTransform, LocalMatrix, Parent, GltfInstance, Shape)
)
_FIRST_ROOM = 64
_FLAT = 0.1
F64 = NDArray[np.float64]


@dataclass(frozen=True)
class Moved:
    """What a look found to be otherwise.

    Attributes
    ----------
    entities : set of Entity
        Props that moved, came or went.
    old_ground : (k, 4) float64
        What they stood over before, as (x, z, x, z).
    is_first : bool
        The level is looked at for the first time.
    """

    entities: set[Entity]
    old_ground: F64
    is_first: bool = False


class PlacedProps:
    """The placed props and shapes of one level.

    Attributes
    ----------
    entities : (n,) int64
    looks : (n,) int64
        A number for each asset or shape, the same for those that look alike.
    matrices : (n, 4, 4) float64
        ``world_from_local``.
    low, high : (n, 3) float64
        The box in the world, metres; NaN until the asset is read.
    size : (n,) float64
        The longest side of the box.
    is_flat : (n,) bool
        Whether it is far longer than high.
    """

    def __init__(self, level: LevelIssues) -> None:
        self._level = level
        self._stale: set[Entity] | None = None
        self._is_filling = True
        self._looks: dict[str, int] = {}
        self._boxes = LocalBoxes(lambda: level.app.assets)
        self.slots: dict[Entity, int] = {}
        self._room(0)

    def _room(self, count: int) -> None:
        size = max(_FIRST_ROOM, 2 * count)
        self._columns: dict[str, NDArray[Any]] = {
            "entities": np.zeros(size, np.int64),
            "looks": np.zeros(size, np.int64),
            "matrices": np.zeros((size, 4, 4)),
            "low": np.full((size, 3), np.nan),
            "high": np.full((size, 3), np.nan),
            "size": np.full(size, np.nan),
            "is_flat": np.zeros(size, np.bool_),
        }

    def _column(self, name: str) -> NDArray[Any]:
        return self._columns[name][: len(self.slots)]

    @property
    def entities(self) -> NDArray[np.int64]:
        return self._column("entities")

    @property
    def looks(self) -> NDArray[np.int64]:
        return self._column("looks")

    @property
    def matrices(self) -> F64:
        return self._column("matrices")

    @property
    def low(self) -> F64:
        return self._column("low")

    @property
    def high(self) -> F64:
        return self._column("high")

    @property
    def size(self) -> F64:
        return self._column("size")

    @property
    def is_flat(self) -> NDArray[np.bool_]:
        return self._column("is_flat")

    def start_over(self) -> None:
        """Look at the whole level next time."""
        self._stale = None
        self._is_filling = True
        self.slots.clear()
        self._looks.clear()
        self._boxes.start_over()
        self._room(0)

    def note(self, changes: ChangeSet) -> None:
        """Take in what a step moved, made or removed."""
        if self._stale is None:
            return
        self._stale.update(changes.despawned, changes.realised)
        moved = [e for e, types in changes.components.items() if not _DECIDING.isdisjoint(types)]
        world = self._level.world
        for entity in (*changes.spawned, *changes.reparented, *moved):
            self._stale.add(entity)
            if world.alive(entity):
                self._stale.update(descendants(world, entity))

    def look(self, most: int | None = None) -> Moved:
        """Bring the columns up to date with what changed.

        Parameters
        ----------
        most : int, optional
            How many entities to look at; the others are left for the next time.
        """
        world = self._level.world
        if self._stale is None:
            propagate_transforms(world)
            self._stale = {
                Entity(e) for t in world.tables if _counts(t) for e in t.entities.tolist()
            }
        for key in self._boxes.take(wait=most is None):
            same = self.looks == self._looks.get(key, -1)
            self._stale.update(map(Entity, self.entities[same].tolist()))
        stale = self._stale
        if most is not None and len(stale) > most:
            stale = {self._stale.pop() for _ in range(most)}
        else:
            self._stale = set()
        is_first, self._is_filling = self._is_filling, self._is_filling and bool(self._stale)
        if not stale:
            return Moved(stale, np.zeros((0, 4)))
        propagate_transforms(world)
        rows = [] if is_first else [self.slots[e] for e in stale if e in self.slots]
        old = np.concatenate([self.low[rows, ::2], self.high[rows, ::2]], axis=1)
        handles = np.fromiter(map(int, stale), np.int64, len(stale))
        tables, places = world.locate(handles)
        gone = set(stale)
        for table_id in np.unique(tables[tables >= 0]).tolist():
            table = world.table(table_id)
            if _counts(table):
                chosen = tables == table_id
                self._take(table, places[chosen], handles[chosen])
                gone.difference_update(map(Entity, handles[chosen].tolist()))
        for entity in gone & self.slots.keys():
            self._drop(entity)
        return Moved(stale, old, is_first)

    @property
    def is_up_to_date(self) -> bool:
        """Whether everything that changed was looked at."""
        return self._stale is not None and not self._stale and not self._boxes.is_measuring

    def close(self) -> None:
        """Let the worker that measures assets go."""
        self._boxes.close()

    def _take(self, table: Table, rows: NDArray[Any], handles: NDArray[np.int64]) -> None:
        """Take in rows of one table."""
        at = np.array([self._slot(Entity(e)) for e in handles.tolist()], np.int64)
        matrices = table.view(WorldTransform, "matrix")[rows].reshape(-1, 4, 4).astype(np.float64)
        type_, name = (GltfInstance, "asset") if GltfInstance in table else (Shape, "kind")
        texts = table.view(type_, name)
        kind = ASSET if type_ is GltfInstance else SHAPE
        keys = [kind + texts[row] for row in rows.tolist()]
        low, high = np.full((len(at), 3), np.nan), np.full((len(at), 3), np.nan)
        for key in set(keys):
            box = self._boxes.get(key)
            if box is not None:
                mine = np.array([k == key for k in keys]) if len(set(keys)) > 1 else slice(None)
                low[mine], high[mine] = _boxes_in_world(matrices[mine], *box)
        with np.errstate(invalid="ignore"):
            size = (high - low).max(axis=1)
            is_flat = high[:, 1] - low[:, 1] < _FLAT * size
        looks = [self._looks.setdefault(key, len(self._looks)) for key in keys]
        values = (handles, looks, matrices, low, high, size, is_flat)
        for column, value in zip(self._columns.values(), values, strict=True):
            column[at] = value

    def _slot(self, entity: Entity) -> int:
        slot = self.slots.get(entity)
        if slot is None:
            slot = self.slots[entity] = len(self.slots)
            if slot == len(self._columns["entities"]):
                old = self._columns
                self._room(slot)
                for before, after in zip(old.values(), self._columns.values(), strict=True):
                    after[:slot] = before
        return slot

    def _drop(self, entity: Entity) -> None:
        """Let the last row take the place of one that is gone."""
        slot, last = self.slots.pop(entity), len(self.slots)
        if slot != last:
            for column in self._columns.values():
                column[slot] = column[last]
            self.slots[Entity(self._columns["entities"][slot])] = slot


def _counts(table: Table) -> bool:
    is_placed = GltfInstance in table or Shape in table
    return is_placed and Realised not in table and WorldTransform in table


def _boxes_in_world(matrices: F64, low: F64, high: F64) -> tuple[F64, F64]:
    """Return the boxes around a local box under many (n, 4, 4) matrices, (n, 3) each."""
    middle, half = (low + high) / 2, (high - low) / 2
    centre = matrices[:, :3, :3] @ middle + matrices[:, :3, 3]
    reach = np.abs(matrices[:, :3, :3]) @ half
    return centre - reach, centre + reach

"""`LevelFile`: an open level, and which entity is which record of its file.

An entity keeps its file index for life: while it is dead its record is empty, and an undo brings
both back. What is written is always composed from the file as it was opened: entities and
components that are what they were then, from their own source lines; the others afresh. So a save
without a change writes the same bytes, and undoing a change also restores how it was spelled.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Sequence

import numpy as np

from engine.ecs import World
from engine.errors import SceneError
from engine.plain_file import is_same_path
from engine.reflect import Entity
from engine.scene.document import SCENE_VERSION, SceneDoc, read_binary, read_text
from engine.scene.document.columns import Columns
from engine.scene.levels.atomic_file import write_file
from engine.scene.levels.disk_state import DiskState
from engine.scene.levels.indices import EntityIndices, Place
from engine.scene.levels.level_snapshot import NodePath, bare_places, snapshot_level
from engine.scene.levels.level_source import BinarySource, LevelSource, TextSource
from engine.scene.levels.scene_file import is_binary, naming
from engine.scene.node_addresses import NodeAddresses
from engine.scene.registry import SceneRegistry
from engine.scene.registry.file_index import IntArray
from engine.scene.registry.instantiate import instantiate_columns


def _node_path(world: World, entity: Entity) -> tuple[Entity, str] | None:
    return NodeAddresses.of(world).lasting(world, entity)


class LevelFile:
    """A level in a world, and the file that it is stored in.

    Made by `open` or `new`.

    Attributes
    ----------
    path : pathlib.Path or None
        Where the level is stored; None before its first save.
    upgraded_from : int or None
        The version of the file, where it was an older one.
    warnings : list of str
        What opening found that a person should know.
    """

    def __init__(
        self, world: World, registry: SceneRegistry, node_path: NodePath = _node_path
    ) -> None:
        self.world = world
        self.registry = registry
        self.path: pathlib.Path | None = None
        self.upgraded_from: int | None = None
        self.warnings: list[str] = []
        self._node_path = node_path
        self._indices = EntityIndices(np.empty(0, np.int64))
        self._source: LevelSource = TextSource.empty()
        self._disk = DiskState()
        self._bare: frozenset[Place] = frozenset()

    @classmethod
    def new(
        cls, world: World, registry: SceneRegistry, node_path: NodePath = _node_path
    ) -> LevelFile:
        """Return a level that was never saved; everything in `world` is part of it."""
        return cls(world, registry, node_path)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        world: World,
        registry: SceneRegistry,
        node_path: NodePath = _node_path,
        *,
        data: bytes | None = None,
    ) -> LevelFile:
        """Read a level into `world`, beside what is there already.

        Parameters
        ----------
        path : path
            Binary where it ends in `.cscn`, else text.
        world : World
        registry : SceneRegistry
        node_path : callable, optional
            ``(world, entity) -> (root, path) or None`` of a realised node.
        data : bytes, optional
            What the file held when it was last read: it is opened as it was then, and what it
            holds now is a change by somebody else.

        Raises
        ------
        SceneError
            The file is missing, malformed or newer than this engine. The world is then as it was.
        """
        level = cls(world, registry, node_path)
        level.path = pathlib.Path(path)
        disk = DiskState.read(level.path) if data is None else DiskState(data)
        held = disk.data
        with naming(path):
            doc = read_binary(held) if is_binary(path) else read_text(held)
            level._take(doc, held)
        level._disk = disk
        return level

    def _take(self, doc: SceneDoc, data: bytes) -> None:
        version, stored = doc.version, doc.to_columns()
        self.registry.migrate(doc)
        current = doc.to_columns()
        types = {type_.scene_name(): type_ for type_ in self.registry.types}
        handles = instantiate_columns(
            self.world, current, types, keep_unknown=self.registry.keep_unknown, skip_empty=True
        )
        self._indices = EntityIndices(handles)
        self._bare = bare_places(self.world)
        baseline = self._numbered(self._indices)
        assert self.path is not None
        make = BinarySource if is_binary(self.path) else TextSource
        self._source = make(data, stored, current, baseline)
        if version != SCENE_VERSION:
            self.upgraded_from = version
            self.warnings.append(f"upgraded from version {version} to {SCENE_VERSION}")

    # -- entities and indices ----------------------------------------------------------------

    def index_of(self, entity: int) -> int:
        """Return the file index of an entity; -1 before its first save."""
        return self._indices.index_of(entity)

    def entity_at(self, index: int) -> Entity:
        """Return the living entity of a record; null where it is empty or there is none."""
        entity = self._indices.entity_at(index)
        return entity if self.world.alive(entity) else Entity.null()

    def give_index(self, index: int, entity: Entity) -> None:
        """Give an entity that came back in another shape the index that it had.

        Nothing happens where a living entity has it.
        """
        if not self.entity_at(index):
            self._indices.give(index, entity)

    def entities_behind(self, first: int) -> list[Entity]:
        """Return the entities of all indices from `first` on, dead ones too; null for none."""
        return [Entity(handle) for handle in self._indices.handles[first:].tolist()]

    def number(self, first: int, entities: Sequence[Entity]) -> None:
        """Give entities the indices from `first` on that a save gave them in another session.

        Null leaves its index empty, for good.
        """
        self._indices.number(first, np.array([int(e) for e in entities], np.int64))

    @property
    def index_count(self) -> int:
        """How many indices are given away, for life."""
        return len(self._indices)

    # -- saving ------------------------------------------------------------------------------

    @property
    def base_bytes(self) -> bytes:
        """The file as it was last read or written; empty before the first save."""
        return self._disk.data

    def changed_on_disk(self) -> bool:
        """Whether the file now holds something else than was last read or written."""
        return self.path is not None and self._disk.is_changed(self.path)

    def is_touched_on_disk(self) -> bool:
        """Whether the file has another time stamp or size than when it was last read or written.

        It may still hold the same; `changed_on_disk` reads it to know.
        """
        return self.path is not None and self._disk.is_touched(self.path)

    def to_bytes(self, *, binary: bool = False) -> bytes:
        """Return what a save would write. New entities get their index here, for life.

        Raises
        ------
        SceneError
            The level holds what no file can.
        """
        return self._source.compose(self._columns(), self.registry, binary=binary)

    def to_doc(self) -> SceneDoc:
        """Return the level as records, under the file indices of a save."""
        return SceneDoc.from_columns(SCENE_VERSION, self._columns())

    def draft(self, room: int = 0) -> tuple[SceneDoc, IntArray]:
        """Return the level as records, without giving anything an index for life.

        Parameters
        ----------
        room : int
            Entities that have no index yet stand behind this many records.

        Returns
        -------
        doc : SceneDoc
        handles : (n,) int64
            The entity of each record, dead ones included; 0 for none.
        """
        columns, indices = self._drafted(room)
        return SceneDoc.from_columns(SCENE_VERSION, columns), indices.handles

    def draft_bytes(self, *, binary: bool = False) -> bytes:
        """Return about what a save would write, without giving anything an index for life."""
        return self._source.compose(self._drafted(0)[0], self.registry, binary=binary)

    def rebase(self, theirs: LevelFile, handles: IntArray) -> None:
        """Stand on what somebody else wrote to the file from now on.

        Entities and components that are as in their file keep its lines, and it counts as read.

        Parameters
        ----------
        theirs : LevelFile
            The file as it is now, opened into another world.
        handles : (n,) int64
            The entity of this world that each of its records is; 0 for none.
        """
        self._source, self._disk = theirs._source, theirs._disk
        self.upgraded_from = theirs.upgraded_from
        self._indices = EntityIndices(np.asarray(handles, np.int64))
        roots = ((self._indices.entity_at(theirs.index_of(r)), path) for r, path in theirs._bare)
        self._bare = frozenset(roots)

    def take_rewritten(self, data: bytes) -> None:
        """Stand on a file that the program itself just wrote with the same records.

        The world is not touched: what differs from it now is what a save will write.
        """
        assert self.path is not None
        theirs = LevelFile.open(self.path, World(), self.registry, self._node_path, data=data)
        now = DiskState.read(self.path)
        self._source = theirs._source
        self._disk = now if now.data == data else DiskState(data)

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        overwrite: bool = False,
        before_writing: Callable[[bytes], None] = lambda _data: None,
    ) -> None:
        """Write the level to its file, or to another one, which becomes its file.

        Parameters
        ----------
        path : path, optional
        overwrite : bool
            Whether to replace what somebody else wrote to the level's file meanwhile.
        before_writing : callable
            Called with what the file will hold, when every entity has its index and nothing was
            written yet.

        Raises
        ------
        SceneError
            There is no path, the file was changed by somebody else, or it can't be written. What
            was on disk stays.
        """
        target = pathlib.Path(path) if path is not None else self.path
        if target is None:
            raise SceneError("the level has no file yet")
        is_own = self.path is not None and is_same_path(target, self.path)
        is_guarded = is_own and not overwrite

        def look() -> None:
            if is_guarded:
                self._disk.expect_unchanged(target)

        look()
        with naming(target):
            data = self.to_bytes(binary=is_binary(target))
        before_writing(data)
        # Looked at again at the last moment: to compose and write a large level takes a while.
        stamp = write_file(target, data, look)
        self.path = target
        self.upgraded_from = None
        self._disk = DiskState(data, stamp)

    def _columns(self) -> Columns:
        return self._numbered(self._indices)

    def _drafted(self, room: int) -> tuple[Columns, EntityIndices]:
        indices = self._indices.draft(room)
        return self._numbered(indices), indices

    def _numbered(self, indices: EntityIndices) -> Columns:
        return snapshot_level(self.world, self.registry, indices, self._node_path, self._bare)

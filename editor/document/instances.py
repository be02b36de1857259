"""Instances as a whole: unpacking them, making them, giving changes to the level they show."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from functools import partial

from editor.commands import MoveOverrides, RevertOverride, Unpack
from editor.commands.additions import hung_under
from editor.commands.apply_overrides import ApplyOverrides, PlacedLevel, can_write
from editor.commands.kept import kept_records
from editor.commands.make_instance import MakeInstance
from editor.document.edits import Entities, EntityEdits
from editor.document.files import LevelFiles
from editor.document.relocate import moves_in
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, component_fields
from engine.scene import InstanceNode, Placeholder, Realised, SceneInstance
from engine.scene.hierarchy import descendants
from engine.scene.hierarchy_index import HierarchyIndex
from engine.scene.instance_nodes import InstanceLinks
from engine.scene.level_apply import LevelEdit
from engine.scene.level_library import file_below
from engine.scene.levels.atomic_file import read_file, write_file
from engine.scene.levels.scene_file import LEVEL_SUFFIXES
from engine.scene.node_paths import NodePaths


class LevelInstances(EntityEdits, LevelFiles):
    """Every method is one step of the history."""

    _added: tuple[object, list[Entity]] | None = None

    def _begin_level(self) -> None:
        super()._begin_level()
        self._added = None
        self.context.write_level = self._write_level

    def unpack(self, entities: Entities | None = None) -> None:
        """Make the nodes of instances (the selected ones) the level's own, looking the same.

        Instances inside a placed level stay instances, one level shallower.

        Raises
        ------
        SceneError
            One is no instance, or shows nothing at present.
        """
        self._catch_up()
        self.push(Unpack(self._chosen(entities), self.app.realiser.branch))
        self._catch_up()

    def make_instance(
        self, path: str | os.PathLike[str] | None = None, entities: Entities | None = None
    ) -> Entity:
        """Move entities (the selected ones) into a new level, and place that in their stead.

        Taking the step back leaves the file where it is.

        Parameters
        ----------
        path : path, optional
            The new level, in the project; a free name beside the open level by default.
        entities : iterable of Entity, optional

        Raises
        ------
        SceneError
            Nothing is selected, a node of an instance is, there is such a file already, it lies
            outside of the project or can't be written.
        """
        with self._reporting():
            self._catch_up()
            chosen = self._chosen(entities)
            level = self.free_level(chosen) if path is None else self._level_path(path)
            if self._scratch is not None:
                self._scratch.create()
            command = MakeInstance(chosen, level)
            self.push(command)
            self._begin_project()
        self._catch_up()
        return command.entity

    def free_level(self, entities: Entities | None = None) -> str:
        """Return a path in the project, beside the open level, that no file has or had.

        Taking a move back needs the name that a file had before, and a level that was made stays.

        Parameters
        ----------
        entities : iterable of Entity, optional
            What the level shall hold; its name comes from the first.
        """
        chosen = self._chosen(entities)
        label = self.label(chosen[0]) if chosen else "instance"
        stem = "".join(c if c.isalnum() or c in " -_" else "-" for c in label).strip() or "instance"
        folder = self.path.parent if self.path is not None else self.root
        if not folder.resolve().is_relative_to(self.root):
            folder = self.root
        moves = (moves for step in self.history.steps for moves in moves_in(step))
        needed = {self.root / name for m in moves for pair in m.moved for name in pair}
        names = (f"{stem}{f'-{n}' if n > 1 else ''}.scene" for n in range(1, 10_000))
        places = (folder.resolve() / name for name in names)
        free = next(p for p in places if p not in needed and not os.path.lexists(p))
        return free.relative_to(self.root).as_posix()

    def apply_overrides(self, root: Entity, nodes: Iterable[Entity] | None = None) -> None:
        """Write what this level changes on a placed level, and hung under it, into its file.

        What was hung under it is part of the instance then, as the same entities. Undo takes the
        file back, as long as nobody else changed it.

        Parameters
        ----------
        root : Entity
            The instance.
        nodes : iterable of Entity, optional
            Whose overrides, and what hangs under them; all of them, and the root, by default.

        Raises
        ------
        SceneError
            It shows no level, there is nothing to write, somebody else changed the same fields in
            the file, or it would hold itself; nothing changed, also on disk.
        """
        with self._reporting():
            self._catch_up()
            self.push(ApplyOverrides(root, self._read_placed, nodes))
        self._catch_up()

    def revert_instance(self, root: Entity) -> None:
        """Let every node of an instance inherit all that its asset says, as one step.

        Raises
        ------
        SceneError
            There is nothing to revert.
        """
        nodes = self._changed_nodes(root)
        if not nodes:
            raise SceneError(f"{self.label(root)} has no changes to revert")
        self.push(RevertOverride(nodes))
        self._catch_up()

    def why_not_apply(self, root: Entity) -> str:
        """Return why an instance's asset can't take changes in, empty where it could take some.

        What somebody else wrote into the level meanwhile is looked at only when it is done.
        """
        if not self.world.has(root, SceneInstance):
            return "Only a placed level takes changes in; a model is changed where it was made"
        if self.added_under(root):
            return ""
        links, parked = InstanceLinks.of(self.world).under(root), self.parked_overrides(root)
        found = (
            node not in parked and can_write(self.world, node, path, root)
            for path, node in links.items()
        )
        if any(found):
            return ""
        if any(self.change_count(node) for node in links.values()):
            return "The level holds nothing that these changes could apply to"
        return "Nothing was changed or added here that could be written into the level"

    def has_changes(self, root: Entity) -> bool:
        """Whether the level changes anything inside an instance, so that it can be reverted."""
        return bool(self._changed_nodes(root))

    def _changed_nodes(self, root: Entity) -> list[Entity]:
        links = InstanceLinks.of(self.world)
        linked = [*links.under(root).values(), *(entity for _, entity in links.spare(root))]
        return [node for node in linked if self.change_count(node)]

    def parked_overrides(self, root: Entity) -> dict[Entity, str]:
        """Return what keeps changes of nodes that the asset lacks at present, with their paths."""
        return self.app.realiser.parked(root)

    def move_overrides(self, parked: Entity, node: Entity) -> None:
        """Let the changes of a node that the asset lacks apply to another node.

        Raises
        ------
        SceneError
            The asset has the first, or the other is no node of the same instance.
        """
        self.push(MoveOverrides(parked, node))
        self._catch_up()

    def nodes_of(self, root: Entity) -> list[tuple[Entity, str]]:
        """Return the nodes of an instance with their paths, in the order of the tree."""
        paths, world = NodePaths.of(self.world), self.world
        places = ((e, paths.place(e)) for e in descendants(world, root) if world.has(e, Realised))
        found = ((e, place[1]) for e, place in places if place is not None and place[0] == root)
        return [(e, path) for e, path in found if not world.has(e, Placeholder)]

    def overridden(self, root: Entity) -> list[tuple[Entity, int]]:
        """Return the nodes of an instance that the level changes, and how much of each.

        Fields, added and removed components and the removal of the node count one each.
        """
        links = InstanceLinks.of(self.world).under(root)
        counted = ((node, self.change_count(node)) for node in links.values())
        return [(node, count) for node, count in counted if count]

    def added_under(self, root: Entity) -> list[Entity]:
        """Return what this level hung right under an instance or its nodes."""
        world = self.world
        key = (root, id(world), HierarchyIndex.of(world).version, world.version(Realised))
        # Asked for at every move of a drag.
        if self._added is None or self._added[0] != key:
            self._added = key, hung_under(world, root)
        return list(self._added[1])

    def change_count(self, node: Entity) -> int:
        """Return how much the level changes on a node of an instance; 0 for anything else."""
        if not self.world.has(node, InstanceNode):
            return 0
        link = self.world.get(node, InstanceNode)
        dropped = [name for name in link.removed_components.split(",") if name]
        counts = (
            1 if self._is_addition(node, record) else max(len(record.fields), 1)
            for _, record in kept_records(self.world, node)
        )
        return sum(counts) + len(dropped) + link.removed

    def _is_addition(self, node: Entity, record: ComponentRecord) -> bool:
        """Whether a record of a node is a component that its asset does not have.

        Of a node that the asset lacks that can't be seen: a record of all fields counts as one.
        """
        type_ = self.registry.type_named(record.name)
        # What is added is kept whole; of other changes, most by far, nothing more is asked.
        if type_ is not None and len(record.fields) < len(component_fields(type_)):
            return False
        given = self.app.realiser.given(node)
        return type_ is not None if given is None else record.name not in given

    def _level_path(self, path: str | os.PathLike[str]) -> str:
        file = (self.root / path).absolute()
        if file.suffix not in LEVEL_SUFFIXES:
            expected = " or ".join(LEVEL_SUFFIXES)
            raise SceneError(f"{file}: expected a name that ends with {expected}")
        try:
            found = file.resolve()
        except (OSError, ValueError, RuntimeError) as error:
            raise SceneError(f"{path!r}: not a usable path ({error})") from error
        if not found.is_relative_to(self.root):
            raise SceneError(f"{file}: lies outside of the project {self.root}")
        if os.path.lexists(file):
            raise SceneError(f"{file}: something is there already; choose another name")
        return found.relative_to(self.root).as_posix()

    def _read_placed(self, level: str) -> PlacedLevel:
        entry = self.app.levels.read(level)
        if entry.blueprint is None:
            raise SceneError(entry.error)
        file = file_below(self.root, level)
        data = read_file(file)
        edit = LevelEdit(file, data, self.registry)
        find_loop = partial(self.app.levels.find_loop, home=file)
        return PlacedLevel(entry.blueprint, edit, data, find_loop)

    def _write_level(self, level: str, before: bytes | None, after: bytes) -> None:
        file = file_below(self.root, level)
        held = read_file(file) if before is not None or os.path.lexists(file) else None
        if held == after:
            return
        if held != before:
            what = "changed on disk since" if before is not None else "something is there already"
            raise SceneError(f"{file}: {what}; nothing was written")
        _make_folder(file.parent)
        write_file(file, after)
        self.app.levels.read_again(level)


def _make_folder(folder: pathlib.Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SceneError(f"{folder}: can't be made: {error.strerror or error}") from error

"""`LevelDocument`: the open level, and every edit an artist can make as a method."""

from __future__ import annotations

import os
import pathlib

from numpy.typing import ArrayLike

from editor.commands import Paste, Spawn
from editor.commands.copying import clipboard_document
from editor.document.arrivals import LevelArrivals
from editor.document.autosave import LevelCopies
from editor.document.export_writing import ExportWriting
from editor.document.instances import LevelInstances
from editor.document.issues import LevelIssues
from editor.document.level_sides import files_of_level
from editor.document.materials import MaterialReads
from editor.document.project_files import Copied, copy_level, copy_unit
from editor.document.side_files import side_files
from editor.document.slow_work import Beside, Pause, Work, finish
from engine.assets import load_gltf
from engine.assets.gltf.container import GLTF_SUFFIXES
from engine.errors import AssetError, EngineError, SceneError
from engine.project import project_root
from engine.reflect import Entity, SceneComponent
from engine.scene import GltfInstance, SceneInstance, read_text, write_text
from engine.scene.export import Export, LevelExport
from engine.scene.levels.scene_file import LEVEL_SUFFIXES

_ATTEMPTS = 3


class LevelDocument(MaterialReads, LevelIssues, LevelInstances, LevelArrivals, LevelCopies):
    """The open level.

    Parameters
    ----------
    app : App, optional
        None makes one without a renderer: meshes are pending, and open, edit, undo and save all
        work.

    Notes
    -----
    Methods return settled: what they placed is there, nodes and all. A window passes
    ``wait=False`` where that takes time and calls `App.frame` instead.
    """

    def place(
        self,
        asset_path: str | os.PathLike[str],
        transform: ArrayLike | None = None,
        parent: Entity | None = None,
        *,
        wait: bool = True,
    ) -> Entity:
        """Place an asset or another level as one step: an entity that shows it, selected.

        Parameters
        ----------
        asset_path : path
            A glTF file or a level: relative to the project, or anywhere. What lies outside is
            copied in, a glTF with its side files, a level with all that it uses.
        transform : (4, 4) array, optional
            ``world_from_local``.
        parent : Entity, optional
        wait : bool
            Return when its nodes are there. Otherwise a box stands in its place until they are;
            where the file then turns out to be broken the box stays, with a message.

        Raises
        ------
        AssetError
            The file is missing, broken or hostile; nothing changed, also on disk.
        SceneError
            It is a level that can't be read, or one that places the open level.
        EntityError
            The parent is not in the level; nothing changed, also on disk.
        """
        path = pathlib.Path(asset_path)
        with self._reporting(path):
            placement = self.placement(transform, parent)
            if path.suffix.lower() in LEVEL_SUFFIXES:
                return self._place_level(path, placement, parent, wait=wait)
            if path.suffix.lower() not in GLTF_SUFFIXES:
                raise AssetError(f"{path}: expected a .gltf or .glb file, or a level")
            taken = self._take_in(path, is_checked=False)
            if wait:
                self._expect_good(taken)
            command = Spawn([*placement, GltfInstance(asset=taken.asset)], parent, True)
            try:
                self.push(command, wait=wait)
            except EngineError:
                taken.undo()
                raise
        if wait:
            self.settle()
        else:
            self._note_arrival(command.entity, path, taken)
        return command.entity

    def _place_level(
        self,
        path: pathlib.Path,
        placement: list[SceneComponent],
        parent: Entity | None,
        *,
        wait: bool,
    ) -> Entity:
        try:
            taken = self._take_in(path)
        except AssetError as error:
            raise SceneError(str(error)) from error
        command = Spawn([*placement, SceneInstance(level=taken.asset)], parent, True)
        try:
            self._expect_placeable(taken.asset, wait=wait)
            self.push(command, wait=wait)
        except EngineError:
            taken.undo()
            raise
        if wait:
            self.settle()
        else:
            self._note_arrival(command.entity, path, taken)
        return command.entity

    def _expect_placeable(self, level: str, *, wait: bool) -> None:
        """Refuse a level that can't be read, as far as that is known without waiting."""
        levels = self.app.levels
        entry = levels.get(level)
        is_broken = bool(entry.error)
        if is_broken:
            levels.check_for_changes()
        if wait or is_broken:
            levels.read(level)
        if entry.state == "failed":
            raise SceneError(entry.error)

    def import_asset(self, asset_path: str | os.PathLike[str]) -> str:
        """Copy a file from outside into the project, a glTF or a level with what it uses.

        Returns
        -------
        str
            Its path relative to the project; one that lies there already is left where it is.

        Raises
        ------
        AssetError
            The file is missing, broken or hostile; nothing changed, also on disk.
        """
        return self._take_in(pathlib.Path(asset_path)).asset

    def _take_in(self, path: pathlib.Path, is_checked: bool = True) -> Copied:
        """Return where an asset lies in the project, copied in when it lay outside.

        With `is_checked` all of it was read before, and is good.
        """
        inside = (self.root / path).absolute()
        source = inside if not path.is_absolute() and os.path.isfile(inside) else path.absolute()
        if not os.path.isfile(source):
            raise AssetError(f"{path}: there is no such file")
        source = source.resolve()
        is_inside = source.is_relative_to(self.root)
        asset = source.relative_to(self.root).as_posix() if is_inside else ""
        sides: list[pathlib.Path] = []
        if source.suffix.lower() in GLTF_SUFFIXES and not self._is_ready(asset):
            root = self.root if is_inside else project_root(source)
            if is_checked:
                sides = load_gltf(str(source), root=str(root)).source_files
            else:
                sides = side_files(source, root)
        if is_inside:
            return Copied(asset)
        if self._scratch is not None:
            self._scratch.create()
        if source.suffix.lower() in LEVEL_SUFFIXES:
            home = project_root(source)
            used = files_of_level(source, home, self.uses.fields)
            folder = self.root / source.relative_to(home).parent
            return copy_level(self.root, folder, source, home, used)
        return copy_unit(self.root, source, sides)

    def _expect_good(self, taken: Copied) -> None:
        """Read an asset; one that turns out to be broken leaves nothing behind."""
        assets = self.app.assets
        entry = assets.get(taken.asset)
        if entry.state == "failed":
            assets.check_for_changes()
        self.settle()
        if entry.state == "failed":
            taken.undo()
            raise AssetError(entry.error)

    def _is_ready(self, asset: str) -> bool:
        return any(e.path == asset and e.state == "ready" for e in self.app.assets.entries())

    def export(self, path: str | os.PathLike[str], selection_only: bool = False) -> list[str]:
        """Write the level, or what is selected with all below it, as a .glb file.

        Returns
        -------
        list of str
            What could not be exported as it is; the console has it too.

        Raises
        ------
        SceneError
            Nothing is selected, or the file cannot be written.
        AssetError
            The file would pass 4 GiB.
        """
        return finish(self.exporting(path, selection_only), self.settle)

    def exporting(
        self, path: str | os.PathLike[str], selection_only: bool = False
    ) -> Work[list[str]]:
        """Return an `export` that a window carries out beside other things.

        Closed before its end it leaves the file as it was.
        """
        target = pathlib.Path(path)
        with self._reporting(target):
            self._expect_exportable(selection_only)
            yield from self._loading()
            export = yield from self._collecting(selection_only)
            writing = ExportWriting(target, export)
            yield Beside(writing.run, writing.stop, lambda: f"Writing {target.name}")
        for warning in writing.warnings:
            self.post("warning", warning, path=target)
        return writing.warnings

    def _expect_exportable(self, selection_only: bool) -> None:
        if selection_only and not self.selection:
            raise SceneError("there is nothing selected to export")

    def _collecting(self, selection_only: bool) -> Work[Export]:
        """Collect what is exported, from the beginning where anything happened in between."""
        for attempt in range(_ATTEMPTS):
            self._expect_exportable(selection_only)
            moment, entities = self.world.tick, list(self.selection) if selection_only else None
            export = LevelExport(self.world, self.app.assets, entities, self.app.textures)
            for _ in export.steps():
                # The last time nothing may come in between.
                if attempt < _ATTEMPTS - 1:
                    yield Pause("Collecting what is exported")
                    if self.world.tick != moment:
                        break
            else:
                break
        return export.result

    def copy(self) -> str:
        """Return the selected subtrees as scene text, for `paste` here or anywhere.

        Raises
        ------
        SceneError
            A node of an instance is selected on its own.
        """
        return write_text(clipboard_document(self.context, self.level_id))

    def paste(self, text: str, *, wait: bool = True) -> list[Entity]:
        """Spawn what `copy` returned, as one step, and select it.

        Returns
        -------
        list of Entity
            The topmost of the new entities.

        Raises
        ------
        SceneError
            The text is no scene document, or of a newer version; nothing changed.
        """
        with self._reporting():
            doc = read_text(text)
            self.registry.migrate(doc)
            if not len(doc):
                return []
            command = Paste(doc, self.level_id)
            self.push(command, wait=wait)
        if wait:
            self.settle()
        return command.entities

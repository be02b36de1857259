"""What the Edit and Select menus do to the open level."""

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from editor.document import LevelDocument
from editor.qt.report import guarded
from engine.reflect import Entity

__all__ = ["EditActions"]


class EditActions:
    """Undo, clipboard, entities, marks and selections."""

    def __init__(self, document: LevelDocument) -> None:
        self._document = document

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the actions of this concern."""
        names = (
            "undo", "redo", "cut", "copy", "paste", "duplicate", "delete", "group", "unparent",
            "hide", "show_all", "lock", "select_all", "select_none", "select_invert",
            "select_parent", "select_children", "select_same_asset", "select_same_type",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    @guarded
    def undo(self) -> None:
        """Take back the last step."""
        if self._document.history.can_undo:
            self._document.undo()

    @guarded
    def redo(self) -> None:
        """Carry out the next step again."""
        if self._document.history.can_redo:
            self._document.redo()

    @guarded
    def copy(self) -> None:
        """Put the selection on the clipboard as scene text."""
        if self._document.selection:
            QGuiApplication.clipboard().setText(self._document.copy())

    @guarded
    def cut(self) -> None:
        """Copy and delete."""
        if self._document.selection:
            QGuiApplication.clipboard().setText(self._document.copy())
            self._document.delete()

    @guarded
    def paste(self) -> None:
        """Spawn what is on the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._document.paste(text, wait=False)

    @guarded
    def duplicate(self) -> None:
        """Copy the selection beside itself."""
        self._document.duplicate(wait=False)

    @guarded
    def delete(self) -> None:
        """Remove the selection."""
        self._document.delete()

    @guarded
    def group(self) -> None:
        """Put the selection under a new empty entity."""
        if self._document.selection:
            self._document.group()

    @guarded
    def unparent(self) -> None:
        """Move the selection to the top, in place."""
        chosen = [e for e in self._document.selection if self._document.parent(e)]
        if chosen:
            self._document.reparent(chosen, None)

    @guarded
    def hide(self) -> None:
        """Hide the selection, or show it if all of it is hidden."""
        chosen = list(self._document.selection)
        if chosen:
            shown = any(not self._document.hidden(e) for e in chosen)
            self._document.set_hidden(chosen, shown)

    @guarded
    def show_all(self) -> None:
        """Show everything that was hidden."""
        hidden = [e for e in self._document.world.entities() if self._document.hidden(e)]
        if hidden:
            self._document.set_hidden(hidden, False)

    @guarded
    def lock(self) -> None:
        """Lock the selection, or unlock it if all of it is locked."""
        chosen = list(self._document.selection)
        if chosen:
            free = any(not self._document.locked(e) for e in chosen)
            self._document.set_locked(chosen, free)

    def _own(self) -> list[Entity]:
        """Return the level's own entities, without nodes of instances."""
        document = self._document
        return [e for e in document.world.entities() if not document.is_realised(e)]

    @guarded
    def select_all(self) -> None:
        """Select every entity of the level that is not locked."""
        self._document.select([e for e in self._own() if not self._document.locked(e)])

    @guarded
    def select_none(self) -> None:
        """Select nothing."""
        self._document.select([])

    @guarded
    def select_invert(self) -> None:
        """Select what is not selected."""
        chosen = set(self._document.selection)
        self._document.select([e for e in self._own() if e not in chosen])

    @guarded
    def select_parent(self) -> None:
        """Select the parents of the selection; at the top nothing changes."""
        parents = [self._document.parent(e) or e for e in self._document.selection]
        self._document.select(parents)

    @guarded
    def select_children(self) -> None:
        """Select the children of the selection, if there are any."""
        below = [c for e in self._document.selection for c in self._document.children(e)]
        if below:
            self._document.select(below)

    @guarded
    def select_same_asset(self) -> None:
        """Select all instances of the assets of the selection."""
        world = self._document.world
        roots = [self._document.root_of(e) for e in self._document.selection]
        assets = {self._document.asset_of(e) for e in roots} - {""}
        if assets:
            users = [e for e in world.entities() if self._document.asset_of(e) in assets]
            self._document.select(users)

    @guarded
    def select_same_type(self) -> None:
        """Select all entities that carry the same components as the active one."""
        chosen = self._document.selection
        if chosen:
            world = self._document.world
            wanted = set(world.types(chosen[-1]))
            self._document.select([e for e in self._own() if set(world.types(e)) == wanted])

"""What menus, toasts and the inspector do to instances as a whole."""

from collections.abc import Callable
from pathlib import Path

from editor.document import LevelDocument
from editor.main_window.prompts import FileQuestion, Prompts
from editor.qt.report import guarded
from engine.reflect import Entity
from engine.scene import SceneInstance
from engine.scene.instance_nodes import is_instance

__all__ = ["InstanceActions"]

_LEVELS = "Levels (*.scene *.cscn)"
_MANY = 2000
"""Looking at each would be felt at every click; the actions say so where they can't be done."""
_NO_INSTANCE = "Select a placed prop or level first"


class InstanceActions:
    """Unpack, make, revert, and write changes into a level."""

    def __init__(
        self,
        document: LevelDocument,
        prompts: Callable[[], Prompts],
        notify: Callable[[str, str], None],
    ) -> None:
        self._document = document
        self._prompts = prompts
        self._notify = notify

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the actions of this concern."""
        names = ("unpack", "make_instance", "apply_overrides", "revert_instance")
        return {name: getattr(self, name) for name in names}

    def refusals(self) -> dict[str, str]:
        """Return why each can't be done to the selection, empty where it can, or where it may be.

        Of a selection that is huge, only trying tells.
        """
        document = self._document
        if len(document.selection) > _MANY:
            return dict.fromkeys(self.handlers(), "")
        roots = self._roots()
        are_changed = any(map(document.has_changes, roots))
        return {
            "unpack": "" if roots else _NO_INSTANCE,
            "revert_instance": ""
            if are_changed
            else "Nothing was changed"
            if roots
            else _NO_INSTANCE,
            "apply_overrides": self._why_not_apply(roots),
            "make_instance": self._why_not_make(),
        }

    def _why_not_apply(self, roots: list[Entity]) -> str:
        reasons = [self._document.why_not_apply(root) for root in roots]
        levels = [r for r, root in zip(reasons, roots, strict=True) if self._shows_level(root)]
        if not roots:
            return _NO_INSTANCE
        return "" if "" in reasons else (levels or reasons)[0]

    def _shows_level(self, root: Entity) -> bool:
        return self._document.world.has(root, SceneInstance)

    def _why_not_make(self) -> str:
        document = self._document
        if not document.selection:
            return "Select what shall be in it first"
        is_node = any(document.is_realised(e) for e in document.selection)
        return "A part of an instance stays in it; unpack the instance first" if is_node else ""

    def _roots(self) -> list[Entity]:
        """Return the outermost instances that the selection is part of."""
        document = self._document
        roots = dict.fromkeys(document.root_of(e) for e in document.selection)
        return [root for root in roots if is_instance(document.world, root)]

    def unpack(self) -> None:
        """Make the nodes of the selected instances the level's own."""
        self.unpack_roots(self._roots())

    @guarded
    def unpack_roots(self, roots: list[Entity]) -> None:
        """Make the nodes of instances the level's own."""
        if roots:
            self._document.unpack(roots)
            many = f"{len(roots)} instances"
            name = self._document.label(roots[0]) if len(roots) == 1 else many
            self._notify("good", f"Unpacked {name}")

    def make_instance(self) -> None:
        """Ask for a file, move the selection into it as a level, and place that."""
        document = self._document
        if not document.selection:
            return
        free = Path(document.root) / document.free_level()
        question = FileQuestion(
            "Make an instance from the selection", "save", free.parent, _LEVELS, ".scene", free.name
        )
        self._prompts().ask_file(question, lambda files: self._make(files[0]))

    @guarded
    def _make(self, file: Path) -> None:
        entity = self._document.make_instance(file)
        level = self._document.asset_of(entity)
        self._notify("good", f"{level} holds the selection now; undo leaves the file there")

    @guarded
    def apply_overrides(self) -> None:
        """Write the changes of the selected placed levels into their files."""
        document = self._document
        for root in self._roots():
            if not document.why_not_apply(root):
                document.apply_overrides(root)
                self._notify("good", f"{document.asset_of(root)} holds the changes now")

    @guarded
    def revert_instance(self) -> None:
        """Let the selected instances be as their assets say."""
        for root in filter(self._document.has_changes, self._roots()):
            self._document.revert_instance(root)

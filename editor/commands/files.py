"""Steps that reach beyond the level: files that move, with everything that names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from editor.commands.context import EditContext
from editor.commands.edit import Edit, Transaction
from editor.commands.fields import set_fields
from editor.commands.kept import keep, kept_record
from editor.model.change_set import ComponentType
from editor.model.file_moves import FileMoves
from engine.reflect import Entity
from engine.scene import Realised


@dataclass(frozen=True)
class FilesChange:
    """Files get another path, and the other levels of the project follow."""

    moves: FileMoves
    # What the open level names is changed beside this; its file holds the same otherwise.
    affects_level: bool = False

    @property
    def is_empty(self) -> bool:
        return self.moves == FileMoves()

    @property
    def cost(self) -> int:
        pairs = (*self.moves.moved, *self.moves.copied, *self.moves.renamed)
        return 200 + sum(200 + len(a) + len(b) for a, b in pairs)

    @property
    def key(self) -> None:
        return None

    def apply(self, context: EditContext) -> None:
        context.mover().carry_out(self.moves)

    def revert(self, context: EditContext) -> None:
        context.mover().take_back(self.moves)

    def joined(self, later: FilesChange) -> FilesChange:
        raise AssertionError("changes without a key are never joined")


class NamedFile(NamedTuple):
    """A field of an entity that names a file; `is_kept`: in a record that it keeps."""

    entity: Entity
    component: str
    field: str
    asset: str
    is_kept: bool


class RenameFiles(Edit):
    """Move files and let the fields that name them follow, as one step.

    Parameters
    ----------
    label : str
    moves : FileMoves
    named : sequence of NamedFile
        The fields of the level that change, with what they hold.
    names : mapping, optional
        What they shall name instead, where that is not what `moves` renames.
    """

    def __init__(
        self,
        label: str,
        moves: FileMoves,
        named: Sequence[NamedFile],
        names: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(label)
        self.moves = moves
        self.named = list(named)
        self.names = dict(names or {})

    def build(self, edit: Transaction) -> None:
        if self.moves != FileMoves():
            edit.do(FilesChange(self.moves))
        for place in self.named:
            name = self.names.get(place.asset) or self.moves.new_name(place.asset)
            rename_in(edit, place, name)
        self.named.clear()


def rename_in(edit: Transaction, place: NamedFile, name: str) -> None:
    """Let one field name another file."""
    types = edit.world.types(place.entity)
    type_: ComponentType | None = edit.context.registry.type_named(place.component)
    is_live = type_ is not None and type_ in types
    if is_live and type_ is not None and (not place.is_kept or Realised in types):
        settings: dict[str, Any] = {place.field: name}
        set_fields(edit, place.entity, type_, settings)
        return
    record = kept_record(edit.world, place.entity, place.component)
    field = record.get(place.field) if record is not None else None
    if record is not None and field is not None:
        field.text = name
        keep(edit, place.entity, record)

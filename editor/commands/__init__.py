"""Every undoable change of a level, as commands over an `EditContext`. No Qt, no GPU.

A command's first `apply` works out what it does and remembers it as a list of small changes; undo
and redo play that list backwards and forwards.
"""

from editor.commands.components import AddComponent, RemoveComponent
from editor.commands.context import EditContext, Marks
from editor.commands.edit import Edit, Transaction
from editor.commands.entities import Despawn, Duplicate, Spawn
from editor.commands.fields import ResetField, SetFieldEach, SetFields
from editor.commands.files import NamedFile, RenameFiles
from editor.commands.hierarchy import Group, Reorder, Reparent
from editor.commands.instances import MoveOverrides, RevertOverride
from editor.commands.marks import SelectEntities, SetHidden, SetLocked
from editor.commands.paste import Paste
from editor.commands.references import ClearReferences
from editor.commands.unpack import Unpack

__all__ = [
    "AddComponent",
    "ClearReferences",
    "Despawn",
    "Duplicate",
    "Edit",
    "EditContext",
    "Group",
    "Marks",
    "MoveOverrides",
    "NamedFile",
    "Paste",
    "RemoveComponent",
    "RenameFiles",
    "Reorder",
    "Reparent",
    "ResetField",
    "RevertOverride",
    "SelectEntities",
    "SetFieldEach",
    "SetFields",
    "SetHidden",
    "SetLocked",
    "Spawn",
    "Transaction",
    "Unpack",
]

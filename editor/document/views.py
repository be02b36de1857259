"""What panels get to see of an entity's components."""

from __future__ import annotations

from dataclasses import dataclass

from editor.model.change_set import ComponentType
from engine.reflect import ComponentRecord


@dataclass(frozen=True)
class ComponentView:
    """One component of an entity as the inspector shows it.

    Attributes
    ----------
    name : str
        The component's scene name.
    type_ : component type or None
        None for one that no class stands for.
    record : ComponentRecord
        Its fields; entity fields hold handles.
    overridden : frozenset of str
        On a node of an instance: the fields that the level sets; none of a component that it added.
    is_added : bool
        On a node of an instance: its asset does not have the component.
    derived : bool
        It follows from other components and is shown read-only.
    unknown : bool
        It is kept as it was in the file.
    """

    name: str
    type_: ComponentType | None
    record: ComponentRecord
    overridden: frozenset[str] = frozenset()
    is_added: bool = False
    derived: bool = False
    unknown: bool = False

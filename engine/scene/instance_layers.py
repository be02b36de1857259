"""What placed levels change on the nodes of instances that are inside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.scene.level_blueprint import NodeChange, is_referring

if TYPE_CHECKING:
    from engine.scene.instance_branch import InstanceBranch


@dataclass(eq=False, slots=True)
class Layer:
    """What a placed level changes below one root inside it.

    Attributes
    ----------
    owner : InstanceBranch
        The branch of the level.
    changes : dict of str to NodeChange
        By path below the root.
    """

    owner: InstanceBranch
    changes: dict[str, NodeChange]

    @property
    def refers(self) -> bool:
        """Whether any of its changes names another entity."""
        return any(is_referring(r) for change in self.changes.values() for r in change.records)


@dataclass(eq=False, slots=True)
class InnerRoot:
    """A node that is the root of an instance itself.

    Attributes
    ----------
    at : int
        Its position in the blueprint.
    layers : list of Layer
        What levels change below it, the innermost first.
    count : int
        How many parts of the level hang under it.
    """

    at: int
    layers: list[Layer] = field(default_factory=list)
    count: int = 0

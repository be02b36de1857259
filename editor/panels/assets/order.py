"""The orders in which the assets panel shows files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from editor.panels.assets.project_listing import AssetItem

__all__ = ["BY_NAME", "COLUMNS", "ORDERS", "Order", "sort_items"]

COLUMNS: Final = {
    "name": "Name",
    "kind": "Kind",
    "size": "Size",
    "triangles": "Triangles",
    "modified": "Modified",
}
_KINDS: Final = ("folder", "model", "level", "image")


@dataclass(frozen=True)
class Order:
    """By which column, and from which end.

    Attributes
    ----------
    column
        One of `COLUMNS`.
    """

    column: str = "name"
    is_descending: bool = False

    @classmethod
    def of(cls, text: str) -> "Order":
        """Read what `text` gave; the order by name where it is something else."""
        column = text.removeprefix("-")
        return cls(column, text.startswith("-")) if column in COLUMNS else BY_NAME

    @property
    def text(self) -> str:
        """The order as the settings have it."""
        return f"-{self.column}" if self.is_descending else self.column


BY_NAME: Final = Order()
ORDERS: Final = {
    BY_NAME: "Name",
    Order("kind"): "Kind",
    Order("modified", True): "Newest first",
    Order("size", True): "Largest first",
    Order("triangles", True): "Most triangles first",
}


def sort_items(items: Sequence[AssetItem], order: Order, *, first: str = "") -> list[AssetItem]:
    """Return items in an order, folders before files; those that are alike are by name.

    By name, those whose names begin with `first` stand before others.
    """

    def name(item: AssetItem) -> str:
        return item.path.name.lower()

    values: dict[str, Callable[[AssetItem], Any]] = {
        "name": name,
        "kind": lambda item: _KINDS.index(item.kind),
        "size": lambda item: item.size,
        "triangles": lambda item: item.triangles,
        "modified": lambda item: item.modified,
    }
    found = sorted(items, key=name)
    found.sort(key=values[order.column], reverse=order.is_descending)
    if order.column == "name":
        found.sort(key=lambda item: not name(item).startswith(first))
    return sorted(found, key=lambda item: item.kind != "folder")

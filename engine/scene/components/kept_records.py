"""Records that no component class stands for."""

from __future__ import annotations

from typing import Any

from engine.reflect import ComponentRecord, SceneComponent, component


@component(id=17)
class KeptRecords(SceneComponent):
    """Unknown components, unknown fields and instance overrides, kept to be written back.

    Parameters
    ----------
    records : list of (int, ComponentRecord)
        Each with its position among the entity's records; entity fields hold handles. A record
        that a component of the entity also has holds only that component's unknown fields.
    """

    def __init__(self, records: list[tuple[int, ComponentRecord]] | None = None) -> None:
        self.records: list[tuple[int, ComponentRecord]] = list(records or ())

    def find(self, name: str) -> ComponentRecord | None:
        """Return the kept record called `name`, or None."""
        return next((record for _, record in self.records if record.name == name), None)

    def copy(self) -> Any:
        return KeptRecords([(position, record.copy()) for position, record in self.records])

"""What a document holds beyond the registered types, kept on the entity and written back."""

from __future__ import annotations

from engine.reflect import ComponentRecord, Field


class UnknownFields(ComponentRecord):
    """The fields of a known component that its class does not read.

    They belong to the component: without it they are not written.
    """

    __slots__ = ()

    def copy(self) -> UnknownFields:
        """Return an independent copy."""
        return UnknownFields(self.name, [field.copy() for field in self.fields])


def with_fields(record: ComponentRecord, extra: list[Field]) -> ComponentRecord:
    """Return `record` with the fields of `extra` behind its own, unless it has one so called."""
    added = [field for field in extra if record.find(field.name) < 0]
    return ComponentRecord(record.name, [*record.fields, *added])

"""What a document holds beyond the registered types, kept on the entity and written back."""

from __future__ import annotations

from collections.abc import Sequence

from engine.reflect import ComponentRecord, Field


class UnknownFields(ComponentRecord):
    """The fields of a known component that its class does not read.

    They belong to the component: without it they are not written.

    Attributes
    ----------
    order : tuple of str
        The names of all fields of the record that these were found in.
    """

    __slots__ = ("order",)

    def __init__(self, name: str, fields: list[Field], order: Sequence[str] = ()) -> None:
        super().__init__(name, fields)
        self.order = tuple(order)

    def copy(self) -> UnknownFields:
        """Return an independent copy."""
        return UnknownFields(self.name, [field.copy() for field in self.fields], self.order)


def with_fields(
    record: ComponentRecord, extra: Sequence[Field], order: Sequence[str]
) -> ComponentRecord:
    """Return `record` with those fields of `extra` that it does not have.

    Fields named in `order` come first, in its order; then the others.
    """
    fields = {field.name: field for field in (*extra, *record.fields)}
    names = [name for name in order if name in fields]
    ordered = set(order)
    names += [f.name for f in (*record.fields, *extra) if f.name not in ordered]
    return ComponentRecord(record.name, [fields[name] for name in dict.fromkeys(names)])

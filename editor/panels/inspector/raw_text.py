"""A record as the lines it has in a level file, for components that have no declaration."""

from editor.qt.number_format import exact_number
from engine.reflect import ComponentRecord, Field, Kind

__all__ = ["record_lines"]

_MOST_FLOATS = 16


def _value(field: Field) -> str:
    if field.kind is Kind.STRING:
        return '"' + field.text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if field.kind is Kind.BOOL:
        return "true" if field.value else "false"
    if field.kind is Kind.FLOAT:
        return exact_number(float(field.number))
    if field.kind is Kind.FLOATS:
        shown = [exact_number(float(v)) for v in field.floats[:_MOST_FLOATS]]
        rest = ["…"] if len(field.floats) > _MOST_FLOATS else []
        return "[" + " ".join(shown + rest) + "]"
    return f"#{field.integer}" if field.kind is Kind.ENTITY else str(field.integer)


def record_lines(record: ComponentRecord) -> list[str]:
    """Return ``name = value`` for every field, in order."""
    return [f"{field.name} = {_value(field)}" for field in record.fields] or ["no fields"]

"""A record as the lines it has in a level file, for components that have no declaration."""

from editor.qt.number_format import exact_number
from engine.reflect import ComponentRecord, Field, Kind

__all__ = ["record_lines"]

_MOST_FLOATS = 16
_MOST_LINES = 100
_MOST_TEXT = 400


def _value(field: Field) -> str:
    if field.kind is Kind.STRING:
        more = "…" if len(field.text) > _MOST_TEXT else ""
        text = field.text[:_MOST_TEXT].replace("\\", "\\\\").replace('"', '\\"')
        return f'"{text}{more}"'
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
    """Return ``name = value`` for every field, in order; of very many the first."""
    lines = [f"{field.name} = {_value(field)}" for field in record.fields[:_MOST_LINES]]
    more = len(record.fields) - len(lines)
    return [*lines, f"and {more:,} more"] if more else lines or ["no fields"]

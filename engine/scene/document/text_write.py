"""Documents to text, column by column.

Each table makes all of its lines at once; the lines are then put between those of the entities.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Kind
from engine.scene.document.checks import check_writable
from engine.scene.document.columns import Columns, ComponentTable, FieldColumn, pack
from engine.scene.document.floats import format_column, format_rows
from engine.scene.document.scene_doc import SceneDoc


def write_text(doc: SceneDoc) -> str:
    r"""Return `doc` in the text format: lines end in "\n", no byte order mark.

    Raises
    ------
    SceneError
        A name, version or string that the format cannot hold.
    """
    columns = doc.to_columns()
    check_writable(doc.version, columns)
    return f"{text_header(doc.version)}{text_body(columns)}"


def text_header(version: int) -> str:
    """Return the first line of a document."""
    return f"cinder-scene {version}\n"


def text_body(columns: Columns, first: int = 0) -> str:
    """Return the lines of entities that were checked, of which the first one is `first`.

    Raises
    ------
    SceneError
        A string that UTF-8 cannot hold.
    """
    text = "\n".join((*_document_lines(columns, first), ""))
    check_encodable(text)
    return text


def check_encodable(text: str) -> None:
    """Raise SceneError where UTF-8 cannot hold `text`."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise SceneError(f"line {line}: not valid UTF-8 (a lone surrogate)") from error


def _document_lines(columns: Columns, first: int) -> list[str]:
    counts = np.bincount(columns.owners(), minlength=columns.entity_count)
    first_line = np.arange(columns.entity_count) + np.cumsum(counts) - counts
    lines = np.empty(columns.entity_count + int(counts.sum()), object)
    numbers = range(first, first + columns.entity_count)
    lines[first_line] = [f"entity {i}" for i in numbers]
    for table in columns.tables:
        lines[first_line[table.owner] + 1 + table.position] = table_lines(table)
    result: list[str] = lines.tolist()
    return result


def table_lines(table: ComponentTable) -> list[str]:
    """Return the line of every row, indented, without its line end."""
    if not table.fields:
        return [f"  {table.name}"] * len(table)
    names = [table.name, *(f.name for f in table.fields)]
    component, *fields = (name.replace("%", "%%") for name in names)
    shapes = (_SHAPES[f.kind] for f in table.fields)
    template = f"  {component} " + " ".join(map("{}={}".format, fields, shapes))
    texts = [_FORMATS[f.kind](f) for f in table.fields]
    rows: Iterable[Any] = zip(*texts, strict=True)
    return list(map(template.__mod__, rows))


def record_line(record: ComponentRecord) -> str:
    """Return the line of one record, indented, without its line end."""
    return table_lines(pack([(0, 0, record)])[0])[0]


def _format_integers(field: FieldColumn) -> list[int]:
    return field.values.tolist()  # type: ignore[no-any-return]


def _format_bools(field: FieldColumn) -> list[str]:
    return ["true" if value else "false" for value in field.values.tolist()]


def _format_strings(field: FieldColumn) -> list[str]:
    texts: list[str] = field.values.tolist()
    joined = "".join(texts)
    if '"' in joined or "\\" in joined or "\n" in joined:
        return [quote(text) for text in texts]
    return texts


def quote(text: str) -> str:
    """Return `text` escaped as it stands between quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


_SHAPES = {
    Kind.FLOAT: "%s",
    Kind.INT: "%d",
    Kind.BOOL: "%s",
    Kind.STRING: '"%s"',
    Kind.ENTITY: "#%d",
    Kind.FLOATS: "[%s]",
}
_FORMATS: dict[Kind, Any] = {
    Kind.FLOAT: lambda field: format_column(field.values),
    Kind.INT: _format_integers,
    Kind.BOOL: _format_bools,
    Kind.STRING: _format_strings,
    Kind.ENTITY: _format_integers,
    Kind.FLOATS: lambda field: format_rows(field.values),
}

"""Which files a level names, and the same level with other names for them.

A known component names files by the fields that are annotated with `AssetPath`. Of components and
fields that no class stands for, a string counts that ends like a file the editor knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.ecs import ComponentType
from engine.reflect import Kind, component_fields
from engine.scene.document import SceneDoc, read_binary, read_text, write_binary
from engine.scene.document.columns import Columns, ComponentTable, FieldColumn
from engine.scene.document.source import LevelText, edit_chunk
from engine.scene.document.text_lines import with_quoted
from engine.scene.document.text_write import quote

FILE_SUFFIXES = (
    ".glb", ".gltf", ".scene", ".cscn", ".cmat", ".cmesh", ".hdr", ".exr", ".ktx2", ".png",
    ".jpg", ".jpeg", ".webp",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class Place:
    """One string of a level that names a file: which record, component and field it is."""

    entity: int
    component: str
    field: str


class AssetFields:
    """Tells which strings of records name files.

    Parameters
    ----------
    types : iterable of component types
        The known ones.
    """

    def __init__(self, types: Iterable[ComponentType]) -> None:
        self._known = {
            type_.scene_name(): {spec.name: bool(spec.asset) for spec in component_fields(type_)}
            for type_ in types
        }

    def names_file(self, component: str, field: str, text: str) -> bool:
        """Whether a string of a record names a file."""
        if not text:
            return False
        is_asset = self._known.get(component, {}).get(field)
        return text.lower().endswith(FILE_SUFFIXES) if is_asset is None else is_asset

    def may_name_file(self, component: str, field: str) -> bool:
        """Whether some string in that field would name a file."""
        return self._known.get(component, {}).get(field) is not False


def named_files(doc: SceneDoc, fields: AssetFields) -> Counter[str]:
    """Return the files that a document names, each with the number of entities that do."""
    users: dict[str, set[int]] = {}
    for table, column in _string_columns(doc.to_columns(), fields):
        for owner, text in zip(table.owner.tolist(), column.values.tolist(), strict=True):
            if fields.names_file(table.name, column.name, text):
                users.setdefault(text, set()).add(owner)
    return Counter({text: len(owners) for text, owners in users.items()})


def _string_columns(
    columns: Columns, fields: AssetFields
) -> Iterator[tuple[ComponentTable, FieldColumn]]:
    for table in columns.tables:
        for column in table.fields:
            if column.kind is Kind.STRING and fields.may_name_file(table.name, column.name):
                yield table, column


Renamed = Callable[[Place, str], str]


def renamed_level(
    data: bytes, fields: AssetFields, renamed: Renamed, *, is_binary: bool
) -> tuple[bytes, list[Place]]:
    """Return the bytes of a level with other names for its files.

    Everything else of a text stays byte for byte, and the version stays what it is.

    Parameters
    ----------
    data : bytes
    fields : AssetFields
    renamed : callable
        From a place and the name that stands there to the one that shall.
    is_binary : bool

    Returns
    -------
    data : bytes
    places : list of Place
        Where another name stands now.

    Raises
    ------
    SceneError
        The bytes are no level.
    """
    doc = read_binary(data) if is_binary else read_text(data)
    columns = doc.to_columns()
    tables, texts = [], {}
    for table in columns.tables:
        changed, found = _renamed_table(table, fields, renamed)
        tables.append(changed)
        texts.update(found)
    if not texts:
        return data, []
    if is_binary:
        changed_doc = SceneDoc.from_columns(doc.version, Columns(columns.entity_count, tables))
        return write_binary(changed_doc), sorted(texts)
    return _respelled(data.decode(), doc, texts), sorted(texts)


def _renamed_table(
    table: ComponentTable, fields: AssetFields, renamed: Renamed
) -> tuple[ComponentTable, dict[Place, str]]:
    columns, found = [], {}
    for column in table.fields:
        if column.kind is Kind.STRING and fields.may_name_file(table.name, column.name):
            values = np.array(column.values, dtype=object)
            for row, text in enumerate(values.tolist()):
                if not fields.names_file(table.name, column.name, text):
                    continue
                place = Place(int(table.owner[row]), table.name, column.name)
                name = renamed(place, text)
                if name != text:
                    values[row], found[place] = name, name
            column = FieldColumn(column.name, column.kind, values)
        columns.append(column)
    return ComponentTable(table.name, tuple(columns), table.owner, table.position), found


def _respelled(text: str, doc: SceneDoc, texts: dict[Place, str]) -> bytes:
    source = LevelText.of(text, len(doc))
    by_entity: dict[int, dict[str, list[tuple[str, str]]]] = {}
    for place, name in texts.items():
        lines = by_entity.setdefault(place.entity, {})
        lines.setdefault(place.component, []).append((place.field, quote(name)))
    chunks = {}
    columns = doc.to_columns()
    for entity, lines in by_entity.items():
        order = [table.name for table, _ in columns.rows_of(entity)]
        changed = {name: _respell(strings) for name, strings in lines.items()}
        chunks[entity] = edit_chunk(source.chunk(entity), order, changed, source.line_end)
    return source.rewritten(doc.version, len(doc), chunks).encoded()


def _respell(strings: list[tuple[str, str]]) -> Callable[[str | None], str]:
    def respell(line: str | None) -> str:
        text = (line or "").lstrip(" \t")
        for name, quoted in strings:
            text = with_quoted(text, name, quoted)
        return text

    return respell

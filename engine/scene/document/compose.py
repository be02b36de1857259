"""A changed document as text, composed from the text that it was read from.

Unchanged entities, and unchanged components of changed ones, come from their own lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.reflect import ComponentRecord, Field
from engine.scene.document.columns import Columns, ComponentTable
from engine.scene.document.source import LevelText, edit_chunk, new_chunk
from engine.scene.document.text_lines import parse_component
from engine.scene.document.text_read import line_pattern
from engine.scene.document.text_write import record_line, table_lines

# The fields that a component has without saying so; None where its record is to be kept as it is.
Defaults = Callable[[str], Mapping[str, Field] | None]


def compose_text(
    source: LevelText,
    current: Columns,
    rows: Sequence[NDArray[np.bool_]],
    entities: NDArray[np.bool_],
    version: int,
    defaults: Defaults = lambda _name: None,
) -> LevelText:
    """Return `source` with the entities that changed written anew.

    Parameters
    ----------
    source : LevelText
    current : Columns
        What the text shall say.
    rows : list of (n,) bool
        For each table of `current`, which records differ from those of the source.
    entities : (m,) bool
        Which entities to write anew, m the number of them.
    version : int
        What the header shall declare.
    defaults : callable, optional
        Fields that a line left out stay away while they hold the value named here.
    """
    spelling = _Spelling(current, rows, entities, source, defaults)
    chunks = {i: spelling.chunk(i) for i in np.flatnonzero(entities).tolist()}
    return source.rewritten(version, current.entity_count, chunks)


class _Rows(NamedTuple):
    """Where a line came from, and what a line of the same fields in the same order looks like."""

    table: ComponentTable
    pattern: re.Pattern[str]


class _Spelling:
    """Spells the entities of a level that changed."""

    def __init__(
        self,
        current: Columns,
        rows: Sequence[NDArray[np.bool_]],
        is_changed: NDArray[np.bool_],
        text: LevelText,
        defaults: Defaults,
    ) -> None:
        self._current = current
        self._text = text
        self._defaults_of = defaults
        self._lines: dict[tuple[int, str], tuple[str, _Rows, int]] = {}
        self._defaults: dict[str, Mapping[str, Field] | None] = {}
        is_new = np.arange(current.entity_count) >= text.entity_count
        for table, is_changed_row in zip(current.tables, rows, strict=True):
            wanted = is_changed_row | is_new[table.owner]
            self._spell(table, np.flatnonzero(wanted & is_changed[table.owner]))

    def _spell(self, table: ComponentTable, rows: NDArray[np.int64]) -> None:
        if not len(rows):
            return
        chosen = table.take(rows, table.owner[rows], table.position[rows])
        origin = _Rows(table, line_pattern(table.layout))
        spelled = zip(chosen.owner.tolist(), table_lines(chosen), rows.tolist(), strict=True)
        for owner, line, row in spelled:
            self._lines[owner, table.name] = (line.lstrip(" "), origin, row)

    def chunk(self, entity: int) -> str:
        """Return the new source of one entity."""
        names = [table.name for table, _ in self._current.rows_of(entity)]
        line_end = self._text.line_end
        if entity >= self._text.entity_count:
            lines = [f"  {self._lines[entity, name][0]}" for name in names]
            return new_chunk(entity, lines, line_end)
        changed = {
            name: lambda old, name=name: self._respell(entity, name, old)
            for name in names
            if (entity, name) in self._lines
        }
        return edit_chunk(self._text.chunk(entity), names, changed, line_end)

    def _respell(self, entity: int, name: str, old_line: str | None) -> str:
        """Return a component's line, with the fields in their old order.

        Fields that the old line left out stay away while they hold their default.
        """
        line, origin, row = self._lines[entity, name]
        defaults = self._default_fields(name)
        if old_line is None or defaults is None or origin.pattern.fullmatch(old_line):
            return line
        fields = {field.name: field for field in origin.table.fields_of(row)}
        old = parse_component(old_line)
        kept = [fields.pop(field.name) for field in old.fields if field.name in fields]
        added = [field for field in fields.values() if defaults.get(field.name) != field]
        return record_line(ComponentRecord(name, kept + added)).lstrip(" ")

    def _default_fields(self, name: str) -> Mapping[str, Field] | None:
        if name not in self._defaults:
            self._defaults[name] = self._defaults_of(name)
        return self._defaults[name]

"""A level's file as it was opened, and how a changed level is composed from it."""

from __future__ import annotations

from functools import partial
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from engine.reflect import Field, Kind, to_record
from engine.scene.document import SCENE_VERSION, SceneDoc, write_binary, write_text
from engine.scene.document.checks import check_writable
from engine.scene.document.columns import Columns, ComponentTable
from engine.scene.document.compare import changed_rows
from engine.scene.document.compose import compose_text
from engine.scene.document.merge_text import without_trailing
from engine.scene.document.source import LevelText
from engine.scene.registry import SceneRegistry


class LevelSource(Protocol):
    """What composes the bytes of a level."""

    def compose(self, current: Columns, registry: SceneRegistry, *, binary: bool) -> bytes:
        """Return the file that stores the records of `current`."""


class Opened:
    """The records of a level when it was opened, to tell what was changed since.

    Parameters
    ----------
    stored : Columns
        What the file holds.
    migrated : Columns
        The same in the present version.
    baseline : Columns
        What was written of the world directly after opening.
    """

    def __init__(self, stored: Columns, migrated: Columns, baseline: Columns) -> None:
        self._stored = _emptiness(stored)
        self._is_migrated = np.zeros(stored.entity_count, np.bool_)
        self._baseline = baseline
        if migrated is not stored:
            rows, entities = changed_rows(stored, migrated)
            self._is_migrated = entities[: stored.entity_count]
            self._baseline = _without(baseline, migrated, rows)

    @property
    def entity_count(self) -> int:
        """How many records the file has, the empty ones too."""
        return self._stored.entity_count

    def trimmed(self, current: Columns) -> Columns:
        """Return `current` without the trailing records that became empty since."""
        return without_trailing(self._stored, current)

    def compare(self, current: Columns) -> tuple[list[NDArray[np.bool_]], NDArray[np.bool_]]:
        """Return the changed rows of each table, and the entities to write anew."""
        rows, entities = changed_rows(self._baseline, current)
        entities = entities[: current.entity_count]
        known = min(len(entities), self.entity_count)
        entities[:known] |= self._is_migrated[:known]
        return rows, entities


def _emptiness(stored: Columns) -> Columns:
    """Return columns that only know which records are empty, so that the rest can be freed."""
    owner = np.unique(stored.owners())
    return Columns(stored.entity_count, [ComponentTable("", (), owner, np.zeros_like(owner))])


def _without(baseline: Columns, migrated: Columns, rows: list[NDArray[np.bool_]]) -> Columns:
    """Return the baseline without the records that a migration changed: they have no source."""
    changed: dict[str, list[NDArray[np.int64]]] = {}
    for table, is_changed in zip(migrated.tables, rows, strict=True):
        changed.setdefault(table.name, []).append(table.owner[is_changed])
    tables = []
    for table in baseline.tables:
        owners = np.concatenate(changed.get(table.name, [np.empty(0, np.int64)]))
        kept = np.flatnonzero(~np.isin(table.owner, owners))
        tables.append(table.take(kept, table.owner[kept], table.position[kept]))
    return Columns(baseline.entity_count, tables)


class BinarySource:
    """A level that was opened from a binary file."""

    def __init__(self, data: bytes, stored: Columns, migrated: Columns, baseline: Columns) -> None:
        self._data = data
        self._is_current = migrated is stored
        self._migrated = migrated
        self._opened = Opened(stored, migrated, baseline)

    def compose(self, current: Columns, registry: SceneRegistry, *, binary: bool) -> bytes:
        """Return the file; records of unchanged entities as they lay in the old one."""
        current = self._opened.trimmed(current)
        _, is_changed = self._opened.compare(current)
        is_same = not is_changed.any() and current.entity_count == self._opened.entity_count
        if is_same and self._is_current and binary:
            return self._data
        columns = _mixed(self._migrated, current, is_changed)
        doc = SceneDoc.from_columns(SCENE_VERSION, columns)
        return write_binary(doc) if binary else write_text(doc).encode()


def _mixed(old: Columns, new: Columns, is_changed: NDArray[np.bool_]) -> Columns:
    """Return the changed entities of `new` and all others of `old`."""
    indices = np.arange(len(is_changed))
    from_new = np.where(is_changed, indices, -1)
    from_old = np.full(old.entity_count, -1, np.int64)
    shared = min(len(indices), old.entity_count)
    from_old[:shared] = np.where(is_changed[:shared], -1, indices[:shared])
    count = new.entity_count
    return Columns(count, old.reordered(from_old) + new.reordered(from_new))


class TextSource:
    """A level that was opened from a text file, or was never saved."""

    def __init__(self, data: bytes, stored: Columns, migrated: Columns, baseline: Columns) -> None:
        self._data = data
        self._text: LevelText | None = None
        self._opened = Opened(stored, migrated, baseline)

    @classmethod
    def empty(cls) -> Self:
        """Return the source of a level that was never saved."""
        nothing = Columns(0, [])
        return cls(f"cinder-scene {SCENE_VERSION}\n".encode(), nothing, nothing, nothing)

    def compose(self, current: Columns, registry: SceneRegistry, *, binary: bool) -> bytes:
        """Return the file; everything unchanged from its own lines."""
        current = self._opened.trimmed(current)
        if binary:
            return write_binary(SceneDoc.from_columns(SCENE_VERSION, current))
        check_writable(SCENE_VERSION, current)
        rows, is_changed = self._opened.compare(current)
        defaults = partial(_default_fields, registry)
        source = self._level_text()
        text = compose_text(source, current, rows, is_changed, SCENE_VERSION, defaults)
        return text.encoded()

    def _level_text(self) -> LevelText:
        if self._text is None:
            self._text = LevelText.of(self._data.decode(), self._opened.entity_count)
        return self._text


def _default_fields(registry: SceneRegistry, name: str) -> dict[str, Field] | None:
    """Return the fields of a component without arguments: none where it needs some."""
    type_ = registry.type_named(name)
    if type_ is None:
        return None
    try:
        record = to_record(type_())
    except TypeError:
        return {}
    for field in record.fields:
        if field.kind is Kind.ENTITY:
            field.value = -1
    return {field.name: field for field in record.fields}

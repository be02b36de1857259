"""Three-way merging of documents on records and fields, without a registry.

An index names one entity for life, so entities are paired by index; `identity` tells an edit from
a deletion whose record was given to another entity. Each entity that either side added, changed
or deleted gets its index in the result first; then references of all three documents are
expressed in those indices, and only then are fields compared. Entities that neither side touched
are never looked at one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document.columns import Columns, IndexArray
from engine.scene.document.compare import changed_rows
from engine.scene.document.identity import Records, find_record, is_same_entity, label_of
from engine.scene.document.merge_records import Conflict, Found, Report, merge_entity
from engine.scene.document.scene_doc import EntityRecord, SceneDoc

GONE = -1


@dataclass
class MergeResult:
    """A merged document and what could not be decided.

    Attributes
    ----------
    doc : SceneDoc
        In the order of ours; conflicts hold what ours has.
    conflicts : list of Conflict
    moved : dict of int to int
        Entities that theirs added, whose index in the result is another one.
    """

    doc: SceneDoc
    conflicts: list[Conflict] = field(default_factory=list)
    moved: dict[int, int] = field(default_factory=dict)


def merge(base: SceneDoc, ours: SceneDoc, theirs: SceneDoc) -> MergeResult:
    """Merge what `theirs` changed since `base` into `ours`.

    The three have to be of one version. Nothing is changed in place.
    """
    return _Merge(base, ours, theirs).run()


class _Side:
    """One of the three documents, and where its entities went in the result."""

    def __init__(self, doc: SceneDoc) -> None:
        self.columns = doc.to_columns()
        self.goes_to: dict[int, int] = {}

    def records(self, index: int) -> Records:
        if index >= self.columns.entity_count:
            return []
        return self.columns.records_of(index)

    def resolved(self, index: int) -> list[ComponentRecord]:
        """Return the records, which are made anew, with references as in the result."""
        return [
            ComponentRecord(record.name, [self._field(f) for f in record.fields])
            for record in self.records(index)
        ]

    def _field(self, found: Field) -> Field:
        if found.kind is not Kind.ENTITY:
            return found
        return Field.of(found.name, Kind.ENTITY, self.place(found.integer))

    def place(self, index: int) -> int:
        return self.goes_to.get(index, index)


class _Merge:
    def __init__(self, base: SceneDoc, ours: SceneDoc, theirs: SceneDoc) -> None:
        self._version = ours.version
        self._base, self._ours, self._theirs = _Side(base), _Side(ours), _Side(theirs)
        sides = (self._base, self._ours, self._theirs)
        self._count = max(side.columns.entity_count for side in sides)
        self._merged: dict[int, Records] = {}
        self._edited: list[int] = []
        self._added: list[tuple[int, int]] = []
        self._conflicts: list[Conflict] = []
        self._clashes: list[int] = []

    def run(self) -> MergeResult:
        by_ours = _changed(self._base.columns, self._ours.columns)
        by_theirs = _changed(self._base.columns, self._theirs.columns)
        # An entity that a side came to refer to counts as one that it works on, so that a deletion
        # by the other side is a conflict and not a reference lost in silence.
        used_by_ours = by_ours | _newly_used(self._base, self._ours, by_ours)
        used_by_theirs = by_theirs | _newly_used(self._base, self._theirs, by_theirs)
        for index in sorted(by_ours | by_theirs):
            self._place(index, index in used_by_ours, index in used_by_theirs)
        self._join_nodes()
        for index in self._edited:
            self._merge_fields(index)
        for source, target in self._added:
            self._merged[target] = self._theirs.resolved(source)
        for index in self._clashes:
            self._report_entity(index)
        self._update_references()
        moved = {source: target for source, target in self._added if source != target}
        return MergeResult(self._result(), self._conflicts, moved)

    # -- where every entity goes ---------------------------------------------------------------

    def _place(self, index: int, is_ours: bool, is_theirs: bool) -> None:
        """Decide what becomes of the entities that the three documents hold at `index`."""
        base, ours, theirs = (
            side.records(index) for side in (self._base, self._ours, self._theirs)
        )
        ours_is_new = bool(ours) and not (base and is_same_entity(base, ours))
        theirs_is_new = bool(theirs) and not (base and is_same_entity(base, theirs))
        if base:
            ours_stays = bool(ours) and not ours_is_new
            theirs_stays = bool(theirs) and not theirs_is_new
            self._place_old(index, (ours_stays, theirs_stays), (is_ours, is_theirs))
        if theirs_is_new:
            self._place_new(index, ours, theirs, ours_is_new)

    def _place_old(self, index: int, stays: tuple[bool, bool], changed: tuple[bool, bool]) -> None:
        """Decide about an entity of the base."""
        ours_stays, theirs_stays = stays
        if ours_stays and theirs_stays:
            self._edited.append(index)
            return
        if (ours_stays and changed[0]) or (theirs_stays and changed[1]):
            self._clashes.append(index)
        if not ours_stays or not changed[0]:
            self._delete(index, ours_stays)

    def _delete(self, index: int, ours_stays: bool) -> None:
        self._base.goes_to[index] = GONE
        if ours_stays:
            self._ours.goes_to[index] = GONE
            self._merged[index] = []
        self._theirs.goes_to.setdefault(index, GONE)

    def _place_new(self, index: int, ours: Records, theirs: Records, ours_is_new: bool) -> None:
        """Give an entity that theirs added its index."""
        if ours_is_new and list(ours) == list(theirs):
            self._theirs.goes_to[index] = index
            return
        is_free = not ours or self._ours.place(index) == GONE
        target = index if is_free else self._next_index()
        self._theirs.goes_to[index] = target
        self._added.append((index, target))

    def _next_index(self) -> int:
        self._count += 1
        return self._count - 1

    def _join_nodes(self) -> None:
        """Let overrides that both sides added to one node of an instance be one entity."""
        own = {}
        for index in np.flatnonzero(_carries(self._ours.columns, "InstanceNode")).tolist():
            if not self._base.records(index):
                own[_node_of(self._ours, index)] = index
        for source, target in list(self._added):
            node = _node_of(self._theirs, source)
            if node is not None and node in own:
                self._added.remove((source, target))
                self._theirs.goes_to[source] = own[node]
                self._merge_node(own[node], source)

    def _merge_node(self, index: int, source: int) -> None:
        ours, theirs = self._ours.resolved(index), self._theirs.resolved(source)
        self._merged[index] = merge_entity([], ours, theirs, self._reporter(index, ours))

    # -- what they hold ------------------------------------------------------------------------

    def _merge_fields(self, index: int) -> None:
        base, ours, theirs = (
            side.resolved(index) for side in (self._base, self._ours, self._theirs)
        )
        merged = merge_entity(base, ours, theirs, self._reporter(index, ours))
        if list(merged) != list(self._ours.records(index)):
            self._merged[index] = merged

    def _reporter(self, index: int, records: Records) -> Report:
        label = label_of(records)

        def report(component: str, name: str, base: Found, ours: Found, theirs: Found) -> None:
            self._conflicts.append(Conflict(index, label, component, name, base, ours, theirs))

        return report

    def _report_entity(self, index: int) -> None:
        base = tuple(self._base.resolved(index))
        sides = []
        for side in (self._ours, self._theirs):
            records = tuple(side.resolved(index))
            sides.append(records if records and is_same_entity(base, records) else None)
        label = label_of(sides[0] or sides[1] or base)
        self._conflicts.append(Conflict(index, label, "", "", base, *sides))

    def _update_references(self) -> None:
        """Rewrite what ours refers to where it went elsewhere."""
        moved = np.array([i for i, to in self._ours.goes_to.items() if i != to], np.int64)
        for index in _referring(self._ours.columns, moved).tolist():
            if index in self._merged:
                continue
            base, ours, theirs = (
                side.records(index) for side in (self._base, self._ours, self._theirs)
            )
            is_shared = base and theirs and all(is_same_entity(base, r) for r in (ours, theirs))
            if is_shared:
                # Theirs may refer to what took the place of the entity that is gone.
                self._merge_fields(index)
            else:
                self._merged[index] = self._ours.resolved(index)

    def _result(self) -> SceneDoc:
        doc = SceneDoc.from_columns(self._version, self._ours.columns)
        if not self._merged:
            return doc
        count = max(len(doc), *(i + 1 for i in self._merged))
        doc.entities.extend(EntityRecord() for _ in range(count - len(doc)))
        for index, records in self._merged.items():
            doc.entities[index] = EntityRecord(records)
        return SceneDoc.from_columns(self._version, doc.to_columns())


def _changed(base: Columns, other: Columns) -> set[int]:
    return set(np.flatnonzero(changed_rows(base, other)[1]).tolist())


def _newly_used(base: _Side, side: _Side, changed: set[int]) -> set[int]:
    """Return what the changed entities of a side refer to and did not refer to in the base."""
    found: set[tuple[str, str, int]] = set()
    for index in changed:
        found |= _references(side.records(index)) - _references(base.records(index))
    return {target for _, _, target in found if target >= 0}


def _references(records: Records) -> set[tuple[str, str, int]]:
    return {
        (record.name, field.name, field.integer)
        for record in records
        for field in record.fields
        if field.kind is Kind.ENTITY
    }


def _carries(columns: Columns, name: str) -> NDArray[np.bool_]:
    carries = np.zeros(columns.entity_count, np.bool_)
    for table in columns.tables:
        if table.name == name:
            carries[table.owner] = True
    return carries


def _node_of(side: _Side, index: int) -> tuple[int, str] | None:
    """Return the instance, by its index in the result, and the path that a record stands for."""
    record = find_record(side.records(index), "InstanceNode")
    root = record.get("root") if record else None
    path = record.get("path") if record else None
    if root is None or path is None:
        return None
    return side.place(root.integer), path.text


def _referring(columns: Columns, targets: IndexArray) -> IndexArray:
    """Return the entities of which a field refers to one of `targets`."""
    found = [np.empty(0, np.int64)]
    for table in columns.tables:
        for column in table.fields:
            if column.kind is Kind.ENTITY:
                found.append(table.owner[np.isin(column.values, targets)])
    return np.unique(np.concatenate(found))

"""`InstanceSync`: the drawn entities of a world, copied into a scene's instance columns.

The instances of a scene are those of each archetype table in turn, row by row, without the rows
that draw nothing or are switched off. As long as that selection stands, only rows that changed are
copied; otherwise the columns are filled again. Either way they end up the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from engine.ecs import QuerySpec, Table, World
from engine.reflect.entity import INDEX_MASK
from engine.render.scene import InstanceArrays, RenderScene
from engine.scene.components import (
    DrawnMaterial,
    JointPalette,
    MeshRenderer,
    WorldTransform,
)
from engine.scene.render_values import drop_placeless

Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(slots=True)
class _Segment:
    """The instances of one table; `rows` None means every row in order."""

    table: Table
    start: int
    count: int
    rows: Rows | None
    entities: Rows
    joint_counts: list[int] = field(default_factory=list)
    weight_counts: list[int] = field(default_factory=list)

    @property
    def stop(self) -> int:
        return self.start + self.count

    @property
    def selection(self) -> Rows | slice:
        return slice(None) if self.rows is None else self.rows

    def positions(self, table_rows: Rows) -> tuple[Rows, Rows]:
        """Return where these rows of the table stand in the segment, and the rows that do."""
        if self.rows is None:
            return table_rows, table_rows
        at = np.searchsorted(self.rows, table_rows)
        at[at == len(self.rows)] = 0
        is_drawn = self.rows[at] == table_rows if len(self.rows) else np.zeros(len(at), np.bool_)
        return at[is_drawn], table_rows[is_drawn]

    def palettes(self) -> list[JointPalette]:
        """Return the palettes of the segment's instances, not copied."""
        stored: list[JointPalette] = self.table.objects(JointPalette)
        return stored if self.rows is None else [stored[row] for row in self.rows.tolist()]


class InstanceSync:
    """Keeps `scene.instances`, `scene.joints` and the morph weights as one world has them."""

    def __init__(self) -> None:
        self._query = QuerySpec(MeshRenderer, WorldTransform)
        self._segments: list[_Segment] = []
        self._world: ReferenceType[World] | None = None
        self._scene: ReferenceType[RenderScene] | None = None
        self._tick = -1
        self._disabled: Flags | None = None
        self._written = (-1, -1, -1)

    def build(self, world: World, scene: RenderScene, disabled: Flags | None) -> int:
        """Bring the columns up to date and return the number of instances.

        Parameters
        ----------
        disabled : flags by slot, or None
            What is switched off; the same object as long as nothing changed.
        """
        if not self._is_own(world, scene) or not self._update(world, scene, disabled):
            self._refill(world, scene, disabled)
        self._tick = world.tick
        self._written = _versions(scene)
        return len(scene.instances)

    def _is_own(self, world: World, scene: RenderScene) -> bool:
        if self._world is None or self._scene is None:
            return False
        is_same = self._world() is world and self._scene() is scene
        return is_same and self._written == _versions(scene)

    # -- filling anew ------------------------------------------------------------------------

    def _refill(self, world: World, scene: RenderScene, disabled: Flags | None) -> None:
        self._world, self._scene, self._disabled = ref(world), ref(scene), disabled
        self._segments = []
        start = 0
        for table in self._query.tables(world):
            rows = _visible(table, disabled)
            count = len(table) if rows is None else len(rows)
            segment = _Segment(table, start, count, rows, table.entities.copy())
            self._segments.append(segment)
            start += count
        scene.instances.resize(start)
        arrays = scene.instances.columns()
        for segment in self._segments:
            if segment.count:
                _fill(segment, arrays)
        self._fill_palettes(scene, arrays)

    def _fill_palettes(self, scene: RenderScene, arrays: InstanceArrays) -> None:
        joints, weights = 0, 0
        skinned = [s for s in self._segments if s.count and JointPalette in s.table]
        for segment in skinned:
            palettes = segment.palettes()
            segment.joint_counts = [len(p.joints) for p in palettes]
            segment.weight_counts = [len(p.morph_weights) for p in palettes]
            counts = np.array([segment.joint_counts, segment.weight_counts], np.int64)
            offsets = np.cumsum(counts, axis=1) - counts + [[joints], [weights]]
            rows = slice(segment.start, segment.stop)
            arrays.joint_offset[rows] = np.where(counts[0] > 0, offsets[0], -1)
            arrays.morph_offset[rows] = np.where(counts[1] > 0, offsets[1], -1)
            arrays.morph_count[rows] = counts[1]
            joints += int(counts[0].sum())
            weights += int(counts[1].sum())
        scene.joints.resize(joints)
        scene.morph_weights.resize(weights)
        for segment in skinned:
            _write_palettes(segment, range(segment.count), segment.palettes(), scene, arrays)
        scene.joints.touch()
        scene.morph_weights.touch()

    # -- copying what changed ----------------------------------------------------------------

    def _update(self, world: World, scene: RenderScene, disabled: Flags | None) -> bool:
        """Copy what changed since the last time; False when the selection is another."""
        if world.tick == self._tick and disabled is self._disabled:
            return True
        if not self._is_selection_current(world, disabled):
            return False
        if world.version(JointPalette) > self._tick and not self._update_palettes(scene):
            return False
        if max(world.version(MeshRenderer), world.version(DrawnMaterial)) > self._tick:
            self._update_meshes(scene)
        if world.version(WorldTransform) > self._tick:
            self._update_transforms(scene)
        return True

    def _is_selection_current(self, world: World, disabled: Flags | None) -> bool:
        tables = self._query.tables(world)
        if len(tables) != len(self._segments):
            return False
        is_redrawn = disabled is not self._disabled
        has_new_meshes = world.version(MeshRenderer) > self._tick
        for segment in self._segments:
            table = segment.table
            is_moved = table.structure > self._tick
            if is_moved and not np.array_equal(table.entities, segment.entities):
                return False
            if is_moved or is_redrawn or (has_new_meshes and _is_newer(table, self._tick)):
                rows = _visible(table, disabled)
                if not _same_rows(rows, segment.rows):
                    return False
        self._disabled = disabled
        return True

    def _update_meshes(self, scene: RenderScene) -> None:
        arrays = scene.instances.columns()
        touched = False
        for segment in self._segments:
            if segment.count and _is_newer(segment.table, self._tick):
                _fill_meshes(segment, arrays)
                touched = True
        if touched:
            scene.instances.touch()

    def _update_transforms(self, scene: RenderScene) -> None:
        matrices = scene.instances.columns().world_from_local
        moved: list[Rows] = []
        for segment in self._segments:
            if not segment.count:
                continue
            table = segment.table
            source = table.view(WorldTransform, "matrix")
            if table.loaned(WorldTransform) > self._tick:
                matrices[segment.start : segment.stop] = source[segment.selection]
                drop_placeless(matrices[segment.start : segment.stop])
                moved.append(np.arange(segment.start, segment.stop))
                continue
            rows = np.flatnonzero(table.row_ticks(WorldTransform) > self._tick)
            if len(rows):
                at, rows = segment.positions(rows)
                written = source[rows]
                drop_placeless(written)
                matrices[segment.start : segment.stop][at] = written
                moved.append(at + segment.start if segment.start else at)
        if moved:
            scene.instances.moved(moved[0] if len(moved) == 1 else np.concatenate(moved))

    def _update_palettes(self, scene: RenderScene) -> bool:
        """Rewrite palettes in place; False when one changed its size."""
        arrays = scene.instances.columns()
        touched = False
        for segment in self._segments:
            if not segment.count or JointPalette not in segment.table:
                continue
            rows = np.flatnonzero(segment.table.row_ticks(JointPalette) > self._tick)
            at, _ = segment.positions(rows)
            palettes = segment.palettes()
            for i in at.tolist():
                sizes = (len(palettes[i].joints), len(palettes[i].morph_weights))
                if sizes != (segment.joint_counts[i], segment.weight_counts[i]):
                    return False
            _write_palettes(segment, at.tolist(), palettes, scene, arrays)
            touched = touched or len(at) > 0
        if touched:
            scene.joints.touch()
            scene.morph_weights.touch()
        return True


def _versions(scene: RenderScene) -> tuple[int, int, int]:
    return scene.instances.serial, scene.joints.version, scene.morph_weights.version


def _is_newer(table: Table, tick: int) -> bool:
    """Whether what a row of the table draws was written after `tick`."""
    return any(
        table.loaned(type_) > tick
        or bool(len(table) and table.row_ticks(type_).max(initial=-1) > tick)
        for type_ in (MeshRenderer, DrawnMaterial)
        if type_ in table
    )


def _visible(table: Table, disabled: Flags | None) -> Rows | None:
    """Return the rows that draw something and are on; None when all do."""
    drawn = table.view(MeshRenderer, "mesh") >= 0
    if disabled is not None:
        drawn &= ~disabled[table.entities & INDEX_MASK]
    return None if drawn.all() else np.flatnonzero(drawn)


def _same_rows(a: Rows | None, b: Rows | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b)


def _fill(segment: _Segment, arrays: InstanceArrays) -> None:
    rows, here = segment.selection, slice(segment.start, segment.stop)
    _fill_meshes(segment, arrays)
    arrays.world_from_local[here] = segment.table.view(WorldTransform, "matrix")[rows]
    drop_placeless(arrays.world_from_local[here])
    arrays.entity[here] = segment.entities[rows]
    arrays.joint_offset[here] = -1
    arrays.morph_offset[here] = -1
    arrays.morph_count[here] = 0


def _fill_meshes(segment: _Segment, arrays: InstanceArrays) -> None:
    table, rows, here = segment.table, segment.selection, slice(segment.start, segment.stop)
    arrays.mesh[here] = table.view(MeshRenderer, "mesh")[rows]
    drawn_with = DrawnMaterial if DrawnMaterial in table else MeshRenderer
    arrays.material[here] = table.view(drawn_with, "material")[rows]
    arrays.cast_shadows[here] = table.view(MeshRenderer, "cast_shadows")[rows]


def _write_palettes(
    segment: _Segment,
    at: range | list[int],
    palettes: list[JointPalette],
    scene: RenderScene,
    arrays: InstanceArrays,
) -> None:
    """Copy the palettes of instances `at` in the segment to their places in the scene."""
    joints, weights = scene.joints.array, scene.morph_weights.array
    for i in at:
        palette = palettes[i]
        if segment.joint_counts[i]:
            first = int(arrays.joint_offset[segment.start + i])
            joints[first : first + segment.joint_counts[i]] = palette.joints
        if segment.weight_counts[i]:
            first = int(arrays.morph_offset[segment.start + i])
            weights[first : first + segment.weight_counts[i]] = palette.morph_weights

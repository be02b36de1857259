"""The words in the bottom corners: what is selected, and what the picture holds."""

import numpy as np

from editor.document import LevelDocument
from editor.viewport.context import ViewContext
from editor.viewport.picture import Picture
from engine.ecs import QuerySpec
from engine.scene.components import GltfInstance, Shape

_PROPS = (QuerySpec(GltfInstance), QuerySpec(Shape))


def grouped(number: int) -> str:
    """Return a whole number in groups of three digits."""
    return f"{number:,}"


def short(number: int) -> str:
    """Return a number with at most four digits and a unit."""
    if number < 10_000:
        return grouped(number)
    if number < 1_000_000:
        return f"{number / 1000:.0f} k"
    return f"{number / 1_000_000:.1f} M"


def plural(number: int, one: str, many: str) -> str:
    """Return a count with its noun."""
    return f"{short(number)} {one if number == 1 else many}"


class SelectionSummary:
    """Says what is selected; the triangles are counted anew only when they can differ."""

    def __init__(self, context: ViewContext, picture: Picture) -> None:
        self._context = context
        self._picture = picture
        self._counted: tuple[object, int] = (None, 0)

    def parts(self) -> list[str]:
        """Return "1 selected", its name, its triangles; nothing without a selection."""
        document = self._context.document
        chosen = document.selection
        if not chosen:
            return []
        parts = [f"{grouped(len(chosen))} selected"]
        if len(chosen) == 1:
            parts.append(document.label(chosen[0]))
        triangles = self._triangles()
        if triangles:
            parts.append(f"{grouped(triangles)} triangles")
        return parts

    def _triangles(self) -> int:
        """Return how many triangles the selection draws."""
        if not self._picture.is_open:
            return 0
        instances = self._picture.scene.instances
        wanted = self._context.selected_subtree()
        key = (wanted, instances.version)
        if self._counted[0] != key:
            columns = instances.columns()
            rows = np.isin(columns.entity, np.fromiter(wanted, np.int64, len(wanted)))
            ids, counts = np.unique(columns.mesh[rows], return_counts=True)
            geometry = self._picture.geometry
            pairs = zip(ids.tolist(), counts.tolist(), strict=True)
            total = sum(geometry.triangle_count(mesh) * count for mesh, count in pairs)
            self._counted = (key, total)
        return self._counted[1]


def texture_part(used: int, whole: int) -> str:
    """Return the memory that textures take, of what they would take in full detail."""
    if whole < 1 << 20:
        return ""
    if used < whole:
        return f"{used >> 20} of {whole >> 20} MB textures"
    return f"{used >> 20} MB textures"


def count_parts(document: LevelDocument, picture: Picture) -> list[str]:
    """Return props, triangles, draw calls, texture memory and, once known, a picture's time."""
    props = sum(len(table) for spec in _PROPS for table in spec.tables(document.world))
    report = picture.report
    parts = [
        plural(props, "prop", "props"),
        plural(report.triangles, "triangle", "triangles"),
        plural(report.draws, "draw", "draws"),
    ]
    if textures := texture_part(report.texture_bytes, report.whole_texture_bytes):
        parts.append(textures)
    if report.milliseconds:
        parts.append(f"{report.milliseconds:.1f} ms")
    if report.gpu_ms:
        parts.append(f"GPU {report.gpu_ms:.1f} ms")
    return parts

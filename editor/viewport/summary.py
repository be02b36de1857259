"""The words in the bottom corners: what is selected, and what the picture holds."""

import numpy as np

from editor.document import LevelDocument
from editor.viewport.context import ViewContext
from editor.viewport.picture import Picture
from engine.ecs import QuerySpec
from engine.scene.components import GltfInstance, Shape

_PROPS = (QuerySpec(GltfInstance), QuerySpec(Shape))
THIN_SPACE = "\u2009"


def grouped(number: int) -> str:
    """Return a whole number in groups of three digits."""
    return f"{number:,}".replace(",", THIN_SPACE)


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


def selection_parts(document: LevelDocument, context: ViewContext, picture: Picture) -> list[str]:
    """Return "1 selected", its name, its triangles; nothing without a selection."""
    chosen = document.selection
    if not chosen:
        return []
    parts = [f"{len(chosen)} selected"]
    if len(chosen) == 1:
        parts.append(document.label(chosen[0]))
    triangles = selected_triangles(context, picture)
    if triangles:
        parts.append(f"{grouped(triangles)} triangles")
    return parts


def selected_triangles(context: ViewContext, picture: Picture) -> int:
    """Return how many triangles the selection draws."""
    if not picture.is_open:
        return 0
    columns = picture.scene.instances.columns()
    wanted = context.subtree(context.document.selection)
    rows = np.isin(columns.entity, np.fromiter(wanted, np.int64, len(wanted)))
    ids, counts = np.unique(columns.mesh[rows], return_counts=True)
    geometry = picture.geometry
    pairs = zip(ids.tolist(), counts.tolist(), strict=True)
    return sum(geometry.triangle_count(mesh) * count for mesh, count in pairs)


def count_parts(document: LevelDocument, picture: Picture) -> list[str]:
    """Return props, triangles, draw calls and the time of the last picture."""
    props = sum(len(table) for spec in _PROPS for table in spec.tables(document.world))
    report = picture.report
    return [
        plural(props, "prop", "props"),
        plural(report.triangles, "triangle", "triangles"),
        plural(report.draws, "draw", "draws"),
        f"{report.milliseconds:.1f} ms",
    ]

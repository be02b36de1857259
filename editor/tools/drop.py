"""Putting the selection down onto what is below it (the End key), as one undo step."""

import numpy as np

from editor.tools.base import ToolContext
from editor.tools.select import is_locked
from editor.tools.surface import drop_distance
from editor.tools.targets import Edit, moved, targets_of
from editor.tools.transform import write_edits
from engine.reflect import Entity


def drop_to_floor(context: ToolContext) -> bool:
    """Lower each chosen thing until its bounds stand on a mesh or on the ground y = 0.

    Each falls on what is not chosen; one without a surface of its own falls by its origin.

    Returns
    -------
    bool
        Whether anything moved.
    """
    document, scene = context.document, context.raycaster()
    chosen = [e for e in document.selection if not is_locked(document, e)]
    ignore = context.subtree(chosen)
    edits: list[Edit] = []
    for target in targets_of(document.world, chosen):
        bounds = scene.bounds(context.subtree([Entity(target.entity)]))
        lo, hi = bounds if bounds is not None else (target.origin, target.origin)
        distance = drop_distance(scene, lo, hi, ignore)
        if abs(distance) > 1e-6:
            edits += moved([target], np.array([0.0, -distance, 0.0]))
    if not edits:
        return False
    gesture = document.begin_gesture("Drop to floor")
    write_edits(document, edits)
    gesture.commit()
    return True

"""A merged document as a file: what was not changed keeps the lines of ours."""

from __future__ import annotations

import numpy as np

from engine.scene.document.checks import check_writable
from engine.scene.document.columns import Columns
from engine.scene.document.compare import changed_rows
from engine.scene.document.compose import compose_text
from engine.scene.document.scene_doc import SceneDoc
from engine.scene.document.source import LevelText


def text_from_source(source: bytes, stored: SceneDoc, doc: SceneDoc) -> bytes:
    """Return `doc` as text, everything that is as in `stored` from its own lines.

    Parameters
    ----------
    source : bytes
        A file in the text format.
    stored : SceneDoc
        What `source` holds.
    doc : SceneDoc
        What the file shall hold. Trailing records that became empty are dropped.

    Raises
    ------
    SceneError
        `doc` holds what no file can.
    """
    before = stored.to_columns()
    current = without_trailing(before, doc.to_columns())
    check_writable(doc.version, current)
    rows, entities = changed_rows(before, current)
    text = LevelText.of(source.decode(), before.entity_count)
    entities = entities[: current.entity_count]
    return compose_text(text, current, rows, entities, doc.version).encoded()


def without_trailing(before: Columns, current: Columns) -> Columns:
    """Return `current` without the trailing records that were not empty, or not there, before."""
    counts = np.bincount(before.owners(), minlength=before.entity_count)
    is_needed = np.bincount(current.owners(), minlength=current.entity_count) > 0
    known = min(before.entity_count, current.entity_count)
    is_needed[:known] |= counts[:known] == 0
    used = np.flatnonzero(is_needed)
    count = int(used[-1]) + 1 if len(used) else 0
    return current if count == current.entity_count else Columns(count, current.tables)

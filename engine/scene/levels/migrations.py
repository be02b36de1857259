"""What changed from one version of level files to the next.

A step is one function on documents and one line in `MIGRATIONS`; it never looks at component
classes, so that it keeps working when they change.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.scene.document import SceneDoc


def rename_health(doc: SceneDoc) -> None:
    """1 -> 2: `Health.hp` became `Health.health`."""
    for entity in doc.entities:
        for record in entity.components:
            if record.name == "Health":
                record.rename_field("hp", "health")


MIGRATIONS: dict[int, Callable[[SceneDoc], None]] = {1: rename_health}

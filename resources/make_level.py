"""Write the level of the sample project:   python -m resources.make_level [OUT.scene]"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from engine.reflect import ComponentRecord, Entity, FieldWriter, SceneComponent
from engine.scene import (
    CameraComponent,
    Environment,
    GltfInstance,
    LightSource,
    LocalTransform,
    Name,
    Parent,
)
from engine.scene.document import EntityRecord, SceneDoc, write_text
from resources.modelling.village import Entry, village

DEFAULT_OUT = Path(__file__).parent / "sample" / "levels" / "village.scene"
TYPES: dict[str, type[SceneComponent]] = {
    "CameraComponent": CameraComponent,
    "Environment": Environment,
    "LightSource": LightSource,
}


def level_document(entries: list[Entry]) -> SceneDoc:
    """Return the entries as a document; the order of the file is the order of the list."""
    index_of = {entry.name: index for index, entry in enumerate(entries)}
    if len(index_of) != len(entries):
        raise ValueError("two entries share a name")
    document = SceneDoc()
    document.entities = [_record(entry, index_of) for entry in entries]
    return document


def _record(entry: Entry, index_of: dict[str, int]) -> EntityRecord:
    components: list[Any] = [Name(text=entry.name)]
    if entry.group:
        components.append(Parent(entity=Entity.of(index_of[entry.group], 1)))
    if entry.name != "Environment":
        components.append(
            LocalTransform(
                translation=np.round(entry.translation, 3) + 0.0,
                rotation=np.round(entry.rotation, 5) + 0.0,
                scale=(entry.scale,) * 3,
            )
        )
    if entry.asset:
        components.append(GltfInstance(asset=entry.asset))
    for name, fields in entry.components.items():
        components.append(TYPES[name](**fields))
    return EntityRecord(_write(component, len(index_of)) for component in components)


def _write(component: Any, count: int) -> ComponentRecord:
    writer = FieldWriter(type(component).scene_name(), range(count))
    component.write_scene(writer)
    return writer.record


def main(argv: list[str]) -> int:
    """Write the level."""
    out = Path(argv[0]) if argv else DEFAULT_OUT
    out.parent.mkdir(parents=True, exist_ok=True)
    text = write_text(level_document(village()))
    out.write_bytes(text.encode("utf-8"))
    print(f"{out.name}: {len(village())} entities, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

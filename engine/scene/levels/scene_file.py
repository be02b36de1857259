"""`Scene`: a whole world as a named document, saved in canonical form.

Unlike a `LevelFile`, a scene remembers nothing of the file that it came from.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity, Kind
from engine.scene.components.instance_node import InstanceNode
from engine.scene.components.realised import Realised
from engine.scene.document import (
    SceneDoc,
    read_binary,
    read_text,
    write_binary,
    write_text,
)
from engine.scene.levels.atomic_file import read_file, write_file
from engine.scene.registry import SceneRegistry
from engine.scene.registry.file_index import IntArray

BINARY_SUFFIX = ".cscn"
LEVEL_SUFFIXES = (".scene", BINARY_SUFFIX)
_SUFFIXES = {
    "textures": (".png", ".jpg", ".jpeg", ".webp", ".ktx2", ".hdr", ".exr"),
    "materials": (".cmat",),
    "meshes": (".glb", ".gltf", ".cmesh"),
}


class HierarchyPair(NamedTuple):
    """One link of a scene's tree, by file index."""

    parent: int
    child: int


@dataclass(frozen=True)
class SceneAssets:
    """The asset files that a scene names, each once, in file order."""

    textures: tuple[str, ...] = ()
    materials: tuple[str, ...] = ()
    meshes: tuple[str, ...] = ()


@dataclass
class Scene:
    """A named document.

    Parameters
    ----------
    name : str
    doc : SceneDoc
    """

    name: str = ""
    doc: SceneDoc = field(default_factory=SceneDoc)

    @property
    def hierarchy(self) -> list[HierarchyPair]:
        """The (parent, child) pairs of the entities that have a parent, in the children's order."""
        pairs = []
        for table in self.doc.to_columns().tables:
            column = table.column("entity") if table.name == "Parent" else None
            if column is None or column.kind is not Kind.ENTITY:
                continue
            links = zip(column.values.tolist(), table.owner.tolist(), strict=True)
            pairs += [HierarchyPair(parent, child) for parent, child in links if parent >= 0]
        return sorted(pairs, key=lambda pair: pair.child)

    @property
    def assets(self) -> SceneAssets:
        """The files that string fields name, told apart by their suffixes."""
        found: dict[str, dict[str, None]] = {kind: {} for kind in _SUFFIXES}
        for text in _file_like_strings(self.doc):
            for kind, suffixes in _SUFFIXES.items():
                if text.lower().endswith(suffixes):
                    found[kind][text] = None
        return SceneAssets(**{kind: tuple(texts) for kind, texts in found.items()})


def _file_like_strings(doc: SceneDoc) -> Iterator[str]:
    placed: list[tuple[int, str]] = []
    for table in doc.to_columns().tables:
        for column in table.fields if table.name != "Name" else ():
            if column.kind is Kind.STRING:
                placed += zip(table.owner.tolist(), column.values.tolist(), strict=True)
    return (text for _, text in sorted(placed, key=lambda item: item[0]))


def level_entities(world: World) -> IntArray:
    """Return what a level stores of a world, in spawn order, (n,) int64.

    The nodes of placed props follow from their assets; only those with an InstanceNode are stored.
    """
    parts = [
        table.entities for table in world.tables if Realised not in table or InstanceNode in table
    ]
    handles: IntArray = np.concatenate(parts) if parts else np.empty(0, np.int64)
    in_order: IntArray = handles[np.argsort(world.serials(handles), kind="stable")]
    return in_order


def world_to_scene(world: World, registry: SceneRegistry, name: str = "") -> Scene:
    """Return the world's entities as a scene, in spawn order."""
    return Scene(name, registry.to_doc(world, level_entities(world)))


def spawn_scene(world: World, registry: SceneRegistry, scene: Scene) -> list[Entity]:
    """Spawn a scene's entities beside what the world already holds; migrates a copy first.

    Returns
    -------
    list of Entity
        One per record, in file order. References stay inside the copy.

    Raises
    ------
    SceneError
        As `SceneRegistry.migrate` and `instantiate`; the world is then as it was.
    """
    doc = scene.doc.copy()
    registry.migrate(doc)
    return registry.instantiate(world, doc)


def is_binary(path: str | os.PathLike[str]) -> bool:
    """Whether the suffix asks for the binary format."""
    return pathlib.Path(path).suffix.lower() == BINARY_SUFFIX


def save_scene(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene in canonical form: binary for `*.cscn`, else text.

    Raises
    ------
    SceneError
        It holds what no file can, or the file can't be written; what was there stays.
    """
    with naming(path):
        data = write_binary(scene.doc) if is_binary(path) else write_text(scene.doc).encode()
    write_file(path, data)


def load_scene(path: str | os.PathLike[str]) -> Scene:
    """Read a scene, of the version that the file declares; its name is the file's stem.

    Raises
    ------
    SceneError
        The file is missing or malformed: where, and what was found.
    """
    data = read_file(path)
    with naming(path):
        doc = read_binary(data) if is_binary(path) else read_text(data)
    return Scene(pathlib.Path(path).stem, doc)


def serialize_scene_binary(scene: Scene) -> bytes:
    """Return the scene's document in the binary format; the name is not part of it."""
    return write_binary(scene.doc)


def deserialize_scene_binary(data: bytes) -> Scene:
    """Read what `serialize_scene_binary` returned, without a name."""
    return Scene("", read_binary(data))


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put a file's name in front of the errors raised inside."""
    try:
        yield
    except SceneError as error:
        raise SceneError(f"{os.fspath(path)}: {error}") from error

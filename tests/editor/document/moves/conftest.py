"""A project with two levels that use the same props."""

import pytest

from editor.document import LevelDocument
from engine.assets.cache_folder import CACHE_FOLDER
from tests.editor.document.props import write_pack, write_prop

OTHER = (
    "cinder-scene 1\n# by hand\n"
    'entity 0\n  Name text="a"\n  GltfInstance  asset="props/crate.gltf"  lods=false\n'
    'entity 1\n  Loot note=" asset=" model="props/crate.gltf" amount=1.50\n'
)


@pytest.fixture
def project(tmp_path, document: LevelDocument):
    (tmp_path / "project.json").write_text('{\n "root_scene_path": "yard.scene"\n}\n')
    write_pack(tmp_path / "props")
    write_prop(tmp_path / "props", "lamp")
    (tmp_path / "yard.scene").write_text(
        "cinder-scene 2\n# mine\n"
        'entity 0\n  Name text="a"\n  GltfInstance asset="props/crate.gltf"\n'
        'entity 1\n  Name text="b"\n  GltfInstance asset="props/lamp.gltf"\n'
        'entity 2\n  Name text="c"\n  Quest prize="props/crate.gltf"\n'
    )
    (tmp_path / "other.scene").write_text(OTHER)
    document.open(tmp_path / "yard.scene")
    return tmp_path


def assets(document: LevelDocument) -> list[str]:
    return sorted(document.uses.assets())


def files(project) -> set[str]:
    """What an artist put there; the import cache is filled and emptied as it likes."""
    found = (p.relative_to(project) for p in project.rglob("*") if p.is_file())
    return {path.as_posix() for path in found if path.parts[0] != CACHE_FOLDER}

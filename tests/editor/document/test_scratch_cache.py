"""The sample project lies in a folder that goes; what importing it gave stays for the next time."""

import pytest

from editor.document import LevelDocument
from engine.assets.cache_folder import CACHE_FOLDER
from tests.editor.document.props import write_prop


@pytest.fixture
def sample(tmp_path):
    (tmp_path / "project.json").write_text('{"root_scene_path": "yard.scene"}')
    write_prop(tmp_path / "props", "lamp")
    (tmp_path / "yard.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="a"\n  GltfInstance asset="props/lamp.gltf"\n'
    )
    return tmp_path


def opened(sample):
    document = LevelDocument()
    document.open_copy(sample / "yard.scene")
    assert document.app.assets.get("props/lamp.gltf").state == "ready"
    document.app.assets.cache.wait()
    return document


def test_a_copy_of_a_project_opens_from_what_another_copy_gave(sample, monkeypatch) -> None:
    first = opened(sample)
    assert not (first.root / CACHE_FOLDER).exists()
    first.close()
    assert not first.root.exists()
    monkeypatch.setattr("engine.assets.asset_reading.load_gltf", pytest.fail)
    opened(sample).close()
    assert not (sample / CACHE_FOLDER).exists()


def test_the_light_of_a_copy_is_read_from_what_another_copy_gave(sample, monkeypatch) -> None:
    (sample / "sky.hdr").write_bytes(b"#?RADIANCE\n\n-Y 3 +X 6\n" + bytes(range(110, 182)))
    with open(sample / "yard.scene", "a") as level:
        level.write('entity 1\n  Name text="look"\n  Environment image="sky.hdr"\n')
    opened(sample).close()
    monkeypatch.setattr("engine.scene.light_cache.read_light", pytest.fail)
    again = opened(sample)
    assert again.app.images.get("sky.hdr") is not None
    again.close()


def test_a_copy_of_a_project_leaves_the_cache_behind(sample) -> None:
    (sample / CACHE_FOLDER).mkdir()
    (sample / CACHE_FOLDER / "large").write_bytes(bytes(100))
    document = opened(sample)
    assert not (document.root / CACHE_FOLDER).exists()
    document.close()

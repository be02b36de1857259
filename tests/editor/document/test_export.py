"""The open level as a .glb file."""

import pytest

from engine.assets import load_gltf
from engine.errors import SceneError
from engine.scene import GltfInstance, LocalTransform, Name
from tests.editor.document.props import write_prop


def test_the_level_and_the_selection_are_written(document, tmp_path):
    document.save(tmp_path / "a.scene")
    prop = document.place(write_prop(tmp_path / "models"))
    box = document.add_shape("box")
    document.set_fields([box], LocalTransform, translation=(1, 2, 3))
    index, dirty = document.history.index, document.dirty
    assert document.export(tmp_path / "all.glb") == []
    names = [node.name for node in load_gltf(tmp_path / "all.glb").nodes]
    assert document.world.get(prop, Name).text in names
    assert document.world.get(box, Name).text in names
    document.select([box])
    document.export(tmp_path / "one.glb", selection_only=True)
    found = load_gltf(tmp_path / "one.glb")
    assert len(found.nodes) == 1
    assert found.nodes[0].translation.tolist() == [1, 2, 3]
    assert document.dirty == dirty
    assert document.history.index >= index


def test_an_export_that_cannot_be_is_told(document, tmp_path):
    told = []
    document.message_posted.connect(lambda message: told.append((message.level, message.text)))
    document.select([])
    with pytest.raises(SceneError, match="nothing selected"):
        document.export(tmp_path / "one.glb", selection_only=True)
    with pytest.raises(SceneError):
        document.export(tmp_path / "no" / "one.glb")
    assert [level for level, _ in told] == ["error", "error"]


def test_what_is_not_exported_as_it_is_goes_to_the_console(document, tmp_path):
    document.save(tmp_path / "a.scene")
    prop = document.place(write_prop(tmp_path / "models"))
    document.set_fields([prop], GltfInstance, asset="models/gone.gltf")
    told = []
    document.message_posted.connect(lambda message: told.append((message.level, message.text)))
    warnings = document.export(tmp_path / "all.glb")
    assert "gone.gltf" in warnings[0]
    assert ("warning", warnings[0]) in told

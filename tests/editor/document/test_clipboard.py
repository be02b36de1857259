"""Copy, cut and paste between levels, windows and other programs."""

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import SceneError
from engine.reflect import Field, Kind
from engine.scene import LocalTransform, Name, Parent, read_text
from engine.scene.hierarchy import world_matrix
from tests.editor.document.levels import LEVEL, named, write
from tests.editor.document.props import write_prop


@pytest.fixture
def other(tmp_path):
    """A level in another window."""
    other = LevelDocument()
    other.open(write(tmp_path / "other", LEVEL.replace('"well"', '"trough"')))
    yield other
    other.close()


@pytest.fixture
def warnings(other):
    messages = []
    other.message_posted.connect(messages.append)
    return messages


def wind_target(document, entity):
    record = next(v.record for v in document.components(entity) if v.name == "Wind")
    return record.get("at").integer


def test_what_is_cut_is_pasted_at_its_place_in_the_world(document, other, warnings, tmp_path):
    document.open(write(tmp_path, LEVEL))
    bucket = named(document, "bucket")
    document.spawn(Name("handle"), LocalTransform((0, 1, 0)), parent=bucket)
    at = world_matrix(document.world, bucket).copy()
    document.select([bucket])
    text = document.copy()
    document.delete()
    [pasted] = other.paste(text)
    assert np.allclose(world_matrix(other.world, pasted), at)
    assert other.parent(pasted) is None
    assert [other.label(e) for e in other.children(pasted)] == ["handle"]
    assert other.label(pasted) == "bucket"
    assert other.selection == [pasted]
    assert wind_target(other, pasted) == 0
    assert any("lead out of it" in m.text for m in warnings)
    document.undo()
    assert document.world.alive(bucket)


def test_pasting_back_finds_what_it_referred_to(document, tmp_path):
    document.open(write(tmp_path, LEVEL))
    document.select([named(document, "bucket")])
    text = document.copy()
    document.delete()
    [pasted] = document.paste(text)
    assert wind_target(document, pasted) == named(document, "well")
    document.undo()
    document.undo()
    document.redo()
    document.redo()
    assert wind_target(document, pasted) == named(document, "well")


def test_the_clipboard_survives_a_mail_program(document, other, tmp_path):
    document.open(write(tmp_path, LEVEL))
    document.select([named(document, "well"), named(document, "bucket")])
    text = document.copy()
    assert text.startswith("cinder-scene 2\n")
    mailed = "\ufeff" + text.replace("\n", "\r\n") + "\r\n\r\n"
    [pasted] = other.paste(mailed)
    assert [other.label(e) for e in other.children(pasted)] == ["bucket"]
    bucket = other.children(pasted)[0]
    assert wind_target(other, bucket) == pasted


@pytest.mark.parametrize("text", ["hello", "cinder-scene 99\n", "cinder-scene 2\nentity 3\n"])
def test_what_is_no_level_changes_nothing(other, text):
    with pytest.raises(SceneError):
        other.paste(text)
    assert other.history.count == 0


def test_changes_of_nodes_travel_with_their_instance(document, tmp_path):
    write_prop(tmp_path / "Town")
    document.open(write(tmp_path / "Town", "cinder-scene 2\n"))
    crate = document.place("crate.gltf")
    body = document.children(crate)[0]
    document.set_fields([body], LocalTransform, translation=(0, 5, 0))
    flag = document.spawn(Name("flag"), LocalTransform(), parent=body)
    document.select([crate])
    text = document.copy()
    second = LevelDocument()
    second.open(write(tmp_path / "Town", "cinder-scene 2\n", "b.scene"))
    [pasted] = second.paste(text)
    body = second.children(pasted)[0]
    assert second.world.get(body, LocalTransform).translation.tolist() == [0, 5, 0]
    flags = [e for e in second.children(body) if second.label(e) == "flag"]
    assert len(flags) == 1
    assert second.world.get(flags[0], Parent).entity == body
    assert flag
    second.close()


def test_the_document_ends_with_what_leads_out(document, tmp_path):
    document.open(write(tmp_path, LEVEL))
    document.select([named(document, "bucket")])
    doc = read_text(document.copy())
    outside = doc.entities[-1].get("Outside")
    assert outside.get("level") == Field.of("level", Kind.STRING, document.level_id)
    assert [c.name for c in doc.entities[0].components].count("Parent") == 0

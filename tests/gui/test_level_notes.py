"""What the console is told of the level, without being flooded."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from editor.document import LevelDocument
from editor.main_window.level_notes import LevelNotes
from editor.model.messages import Issue


def notes_of(warnings, tmp_path):
    told = []
    document = LevelDocument()
    entry = SimpleNamespace(path="a.gltf", asset=SimpleNamespace(warnings=warnings))
    document.app.assets.entries = lambda: [entry]
    notes = LevelNotes(document, told.append, lambda *_: None, lambda *_: None, lambda: None)
    for _ in range(2):
        notes.look_at_assets()
    notes.dispose()
    document.close()
    assert {message.path for message in told} <= {Path(document.root) / "a.gltf"}
    return [message.text for message in told]


@pytest.mark.parametrize("count", [0, 1, 10])
def test_each_warning_of_an_asset_is_told_once(count, tmp_path):
    warnings = [f"/meshes/{k}: odd" for k in range(count)]
    assert notes_of(warnings, tmp_path) == [f"a.gltf: {text}" for text in warnings]


def test_of_many_warnings_the_first_are_told_and_how_many_more_there_are(tmp_path):
    told = notes_of([f"/meshes/{k}: odd" for k in range(103)], tmp_path)
    assert told[:2] == ["a.gltf: /meshes/0: odd", "a.gltf: /meshes/1: odd"]
    assert (len(told), told[-1]) == (10, "a.gltf: 94 more warnings (see its details in Assets)")


def test_a_file_that_is_missing_is_told_once_though_its_words_change():
    told, document = [], LevelDocument()
    notes = LevelNotes(document, told.append, lambda *_: None, lambda *_: None, lambda: None)
    crate = document.add_empty()
    first = Issue(crate, "map.png does not exist; 1 entity uses it", subject="map.png")
    notes.take_issues([first])
    notes.take_issues([replace(first, text="/images/0: map.png does not exist; 2 entities use it")])
    assert len(told) == 1
    notes.take_issues([replace(first, subject="other.png")])
    notes.take_issues([first])
    assert len(told) == 3, "another file, and the first one again after it was there"
    notes.dispose()
    document.close()


def test_a_notice_goes_with_the_last_of_what_it_told_of():
    document, toasts = LevelDocument(), []
    notes = LevelNotes(
        document,
        lambda message: None,
        lambda level, text, offer: toasts.append(text),
        toasts.remove,
        lambda: None,
    )
    crate = document.add_empty()
    gone = Issue(crate, "a.glb: there is no such file; 1 entity uses it", asset="a.glb")
    broken = Issue(crate, "b.glb: parse failed; 1 entity uses it", asset="b.glb")
    notes.take_issues([gone, broken])
    assert toasts == [f"{gone.text}, and 1 more"]
    notes.take_issues([replace(gone, text="a.glb: there is no such file; 2 entities use it")])
    assert len(toasts) == 1, "one more user is no news"
    notes.take_issues([])
    assert toasts == []
    notes.take_issues([gone])
    document.new()
    assert toasts == []
    notes.dispose()
    document.close()

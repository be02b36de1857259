import numpy as np
from hypothesis import given

from engine.scene.document import read_text
from engine.scene.document.compare import changed_rows
from tests.engine.scene.document.documents import documents


def changed(old, new):
    return np.flatnonzero(changed_rows(read_text(old).to_columns(), read_text(new).to_columns())[1])


HEAD = "cinder-scene 2\nentity 0\n  A x=1.5 v=[1.0]\n  B\nentity 1\n  A x=2.5 v=[1.0]\n"


def test_what_changed_and_what_did_not():
    assert changed(HEAD, HEAD).tolist() == []
    assert changed(HEAD, HEAD.replace("2.5", "2.75")).tolist() == [1]
    assert changed(HEAD, HEAD.replace("  B\n", "")).tolist() == [0]
    assert changed(HEAD, HEAD.replace("  B\n", "  C\n")).tolist() == [0]
    assert changed(HEAD, HEAD + "entity 2\n").tolist() == [2]
    swapped = HEAD.replace("  A x=1.5 v=[1.0]\n  B\n", "  B\n  A x=1.5 v=[1.0]\n")
    assert changed(HEAD, swapped).tolist() == [0]
    zero = "cinder-scene 2\nentity 0\n  A x=0.0\n"
    assert changed(zero, zero.replace("0.0", "-0.0")).tolist() == [0]


@given(documents(), documents())
def test_agrees_with_comparing_records(a, b):
    _, entities = changed_rows(a.to_columns(), b.to_columns())
    for i, is_changed in enumerate(entities.tolist()):
        if i < min(len(a), len(b)):
            assert is_changed == (a.entities[i] != b.entities[i])
        else:
            assert is_changed

"""What a level's checks find, and that a look at everything finds the same."""

import numpy as np

from editor.document import LevelDocument

ADVICE = "; put it back, or choose another"


def at(x=0.0, y=0.0, z=0.0, scale=1.0):
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, :3] *= scale
    matrix[:3, 3] = x, y, z
    return matrix


def found(document: LevelDocument, check: str):
    return [issue for issue in document.issues() if issue.check == check]


def anew(document: LevelDocument):
    """The issues as a look at the whole level finds them."""
    document._checks.start_over()
    return document.issues()


def agree(document: LevelDocument) -> None:
    def key(issue):
        return issue.check, issue.text, sorted(issue.entities)

    assert sorted(map(key, document.issues())) == sorted(map(key, anew(document)))


def mended(document: LevelDocument, check: str) -> None:
    """Mend by a click; one undo brings the issue back, one redo mends it again."""
    (issue,) = found(document, check)
    steps = document.history.index
    document.fix(issue)
    assert found(document, check) == []
    assert document.history.index == steps + 1
    document.undo()
    assert [i.text for i in found(document, check)] == [issue.text]
    document.redo()
    assert found(document, check) == []
    agree(document)

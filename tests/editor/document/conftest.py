"""A document without a window, and a small prop to place."""

import pytest

from editor.document import LevelDocument
from tests.editor.document.placed import ROOM
from tests.editor.document.props import write_prop


@pytest.fixture
def document():
    document = LevelDocument()
    document.new()
    yield document
    document.close()


@pytest.fixture
def prop(tmp_path):
    """A prop outside every project."""
    return write_prop(tmp_path / "Town")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    write_prop(tmp_path)
    (tmp_path / "room.scene").write_text(ROOM)
    (tmp_path / "house.scene").write_text('cinder-scene 2\nentity 0\n  Name text="Ground"\n')
    return tmp_path


@pytest.fixture
def house(folder):
    document = LevelDocument()
    document.open(folder / "house.scene")
    yield document
    document.close()

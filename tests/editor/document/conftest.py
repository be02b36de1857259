"""A document without a window, and a small prop to place."""

import pytest

from editor.document import LevelDocument
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

"""Errors about files."""

import pickle

import pytest

from engine.errors import AssetError, FileError, about_file


def test_an_error_about_a_file_says_which_and_what():
    error = FileError("a.ktx2", "bad magic", "cooked texture")
    assert str(error) == "cooked texture a.ktx2: bad magic"
    assert str(FileError("a.hdr", "too short")) == "a.hdr: too short"
    assert error.problem == "bad magic"


def test_it_comes_whole_out_of_another_process():
    error = pickle.loads(pickle.dumps(FileError("a.ktx2", "bad magic", "cooked texture")))
    assert (str(error), error.problem) == ("cooked texture a.ktx2: bad magic", "bad magic")


def test_the_innermost_file_is_the_one_that_is_named():
    with (
        pytest.raises(FileError, match=r"^a\.hdr: too short$"),
        about_file("b"),
        about_file("a.hdr"),
    ):
        raise AssetError("too short")

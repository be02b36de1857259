"""A library over a folder of small files."""

import json
import os

import pytest

from engine.assets.library import AssetLibrary

_stamp = [1_700_000_000]


def touch(path):
    """Give a file a modification time that no file had before."""
    _stamp[0] += 10
    os.utime(path, (_stamp[0], _stamp[0]))


def write(path, name="a", text=None):
    document = {"asset": {"version": "2.0"}, "nodes": [{"name": name}]}
    path.write_text(json.dumps(document) if text is None else text)
    touch(path)
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def library(folder):
    made = AssetLibrary(folder)
    yield made
    made.close()


def loaded(library, path="a.gltf"):
    entry = library.get(path)
    library.wait()
    library.poll()
    return entry


def name_of(entry):
    return entry.asset.nodes[0].name

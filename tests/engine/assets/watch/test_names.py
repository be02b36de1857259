"""What editors and systems leave about is not the artist's work."""

import os

import pytest

from engine.assets.watch.names import is_ignored, is_ignored_below


@pytest.mark.parametrize(
    "name",
    [
        "crate.glb~", ".crate.glb.swp", "crate.glb.tmp", "house.blend1", "house.blend12",
        "#crate.gltf#", ".#crate.gltf", ".git", ".cinder", ".yard.scene.x1.tmp", "Thumbs.db",
        "4913", "crate.glb.part", "a.GLB.TMP", "house.blend@", "yard.swp", "yard.swo", "a.temp",
        "yard.scene.bak", "a.glb.crdownload", "~$yard.scene", "a.scene___jb_tmp___",
        "a.scene___jb_old___", "__pycache__", "node_modules", "desktop.ini",
    ],
)  # fmt: skip
def test_left_out(name):
    assert is_ignored(name)


@pytest.mark.parametrize(
    "name", ["crate.glb", "a b.gltf", "house.blend", "x.bin", "tmp", "yard.scene", "sky.hdr", "1"]
)
def test_taken(name):
    assert not is_ignored(name)


def test_a_folder_that_is_left_out_takes_everything_in_it_along():
    root = os.path.join(os.sep, "p")
    assert is_ignored_below(os.path.join(root, ".git", "objects", "a.glb"), root)
    assert is_ignored_below(os.path.join(os.sep, "elsewhere", "a.glb"), root)
    assert not is_ignored_below(os.path.join(root, "props", "a.glb"), root)
    assert not is_ignored_below(root, root)

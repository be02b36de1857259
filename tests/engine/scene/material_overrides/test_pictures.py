"""Pictures of material overrides: read once, let go of, missing, broken and mended."""

from dataclasses import replace

import pytest

from engine.assets import Material
from engine.assets.material import TextureRef
from engine.ecs import World
from engine.scene import (
    DrawnMaterial,
    MaterialOverride,
    MeshRenderer,
)
from engine.scene.instances import find_node
from engine.scene.material_overrides import MaterialOverrides
from tests.engine.scene.material_overrides.conftest import Store, drawn, paint, place


def test_a_picture_is_read_uploaded_once_and_let_go_of(app):
    roots = [place(app), place(app)]
    paint(app.root / "a.png")
    for root in roots:
        app.world.add(root, MaterialOverride(base_color_texture="a.png", tiling=(2, 3)))
    seen = drawn(app, find_node(app.world, roots[0], "Body"))
    pixels, srgb, label = app.renderer.textures[seen.base_color_texture.texture]
    assert (pixels.shape, srgb, label) == ((2, 4, 4), True, "a.png")
    assert seen.base_color_texture.scale == (2, 3)
    assert len(app.renderer.textures) == 1
    for root in roots:
        app.world.set(root, MaterialOverride(metallic=0.5))
    app.frame(0.0)
    assert app.renderer.textures == {}


def test_a_picture_of_light_shows_on_a_material_that_has_none(app):
    root = place(app)
    paint(app.root / "a.png")
    app.world.add(root, MaterialOverride(emissive_texture="a.png"))
    body = find_node(app.world, root, "Body")
    assert drawn(app, body).emissive == (1, 1, 1)
    app.world.set(root, MaterialOverride(emissive_texture="a.png", emissive=(0.5, 0, 0)))
    assert drawn(app, body).emissive == (0.5, 0, 0)


def test_the_picture_of_the_material_stays_until_the_other_one_is_read():
    old = TextureRef(7, 3, texcoord=1, scale=(2, 2))
    textures = Textures({"read.png": 9, "under way.png": -1})
    world, store = World(), Store()
    store.materials[100] = Material(base_color_texture=old)
    overrides = MaterialOverrides(world, textures, store)
    drawn_thing = world.spawn(MeshRenderer(0, 100), MaterialOverride(base_color_texture="read.png"))
    overrides.sync()
    seen = store.materials[world.get(drawn_thing, DrawnMaterial).material]
    assert seen.base_color_texture == replace(old, texture=9)
    world.set(drawn_thing, MaterialOverride(base_color_texture="under way.png", roughness=0.5))
    overrides.sync()
    seen = store.materials[world.get(drawn_thing, DrawnMaterial).material]
    assert (seen.base_color_texture, seen.roughness) == (old, 0.5)
    overrides.close()


class Textures:
    """Pictures of which some are read; -1 is one that is not yet."""

    def __init__(self, ids):
        self.ids = ids

    def poll(self):
        return False

    def use(self, paths):
        assert set(paths) <= self.ids.keys()

    def get(self, path, srgb):
        return self.ids[path]

    def problem(self, path):
        return ""


def test_an_issue_goes_when_a_good_picture_takes_the_place_of_a_bad_one(app):
    good, bad = place(app), place(app)
    paint(app.root / "a.png")
    app.world.add(good, MaterialOverride(base_color_texture="a.png"))
    app.world.add(bad, MaterialOverride(base_color_texture="b.png"))
    app.settle()
    assert app.overrides.issues == {bad: "b.png: there is no such file"}
    # Nothing has to be read for it.
    app.world.set(bad, MaterialOverride(base_color_texture="a.png"))
    app.frame(0.0)
    assert app.overrides.issues == {}


def test_a_missing_or_broken_picture_is_a_checker_and_an_issue_until_it_is_mended(app):
    root = place(app)
    app.world.add(root, MaterialOverride(base_color_texture="a.png"))
    seen = drawn(app, find_node(app.world, root, "Body"))
    assert app.renderer.textures[seen.base_color_texture.texture][0].shape != (2, 4, 4)
    assert app.overrides.issues == {root: "a.png: there is no such file"}
    (app.root / "a.png").write_bytes(b"no picture")
    app.textures.check_for_changes()
    app.settle()
    assert "a.png: cannot be decoded" in app.overrides.issues[root]
    paint(app.root / "a.png")
    app.textures.check_for_changes()
    seen = drawn(app, find_node(app.world, root, "Body"))
    assert app.renderer.textures[seen.base_color_texture.texture][0].shape == (2, 4, 4)
    assert app.overrides.issues == {}
    (app.root / "a.png").write_bytes(b"broken again")
    app.textures.check_for_changes()
    seen = drawn(app, find_node(app.world, root, "Body"))
    assert app.renderer.textures[seen.base_color_texture.texture][0].shape == (2, 4, 4)
    assert root in app.overrides.issues


@pytest.mark.parametrize("path", ["../a.png", "/etc/hosts", "a\0.png", ".", "x" * 5000])
def test_a_path_that_no_picture_can_have_is_an_issue(app, path):
    root = place(app)
    app.world.add(root, MaterialOverride(normal_texture=path))
    app.settle()
    assert app.overrides.issues[root]

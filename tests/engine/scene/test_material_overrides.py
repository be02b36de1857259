"""Material overrides: what they reach, which materials they make, and what they give back."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from engine.app import App
from engine.assets import Material, load_gltf
from engine.assets.material import TextureRef
from engine.ecs import World
from engine.scene import (
    DrawnMaterial,
    GltfInstance,
    InstanceNode,
    LocalTransform,
    MaterialOverride,
    MeshRenderer,
    Name,
    Parent,
    Shape,
)
from engine.scene.export import write_glb
from engine.scene.instances import find_node
from engine.scene.material_looks import Look, look_of, overridden
from engine.scene.material_overrides import MaterialOverrides
from tests.engine.scene.instance_stage import ARM, write_asset

RED = (1.0, 0.0, 0.0)


class Store:
    """A renderer that keeps what it is given."""

    def __init__(self):
        self.materials, self.textures, self.meshes = {}, {}, set()
        self.replaced = 0
        self._next = 0

    @property
    def resources(self):
        return self

    def _id(self):
        self._next += 1
        return self._next

    def add_mesh(self, mesh):
        self.meshes.add(added := self._id())
        return added

    def remove_mesh(self, mesh):
        self.meshes.remove(mesh)

    def material(self, material):
        return self.materials[material]

    def add_material(self, material):
        self.materials[added := self._id()] = material
        return added

    def replace_material(self, material, source):
        assert material in self.materials
        self.replaced += 1
        self.materials[material] = source

    def remove_material(self, material):
        del self.materials[material]

    def add_texture(self, pixels, srgb, label):
        self.textures[added := self._id()] = (pixels, srgb, label)
        return added

    def remove_texture(self, texture):
        del self.textures[texture]

    def add_sampler(self, sampler):
        return self._id()


@pytest.fixture
def app(tmp_path):
    write_asset(tmp_path / "arm.gltf", ARM)
    made = App(tmp_path, Store())
    yield made
    made.close()


def place(app):
    root = app.world.spawn(Name("arm"), LocalTransform(), GltfInstance("arm.gltf"))
    app.settle()
    return root


def drawn(app, entity):
    """The material that an entity is drawn with."""
    app.settle()
    has_own = app.world.has(entity, DrawnMaterial)
    return app.renderer.material(
        app.world.get(entity, DrawnMaterial if has_own else MeshRenderer).material
    )


def paint(path, color=(0, 255, 0)):
    Image.new("RGB", (4, 2), color).save(path)


def test_a_root_changes_every_part_and_a_node_decides_what_it_sets(app):
    root = place(app)
    body, arm = find_node(app.world, root, "Body"), find_node(app.world, root, "Body/Arm")
    app.world.add(root, MaterialOverride(base_color=RED, roughness=0.2))
    app.world.add(arm, MaterialOverride(roughness=0.9))
    assert drawn(app, body).base_color == (1, 0, 0, 1)
    assert drawn(app, body).roughness == pytest.approx(0.2)
    assert drawn(app, arm).base_color == (1, 0, 0, 1)
    assert drawn(app, arm).roughness == pytest.approx(0.9)


def test_what_hangs_under_a_prop_but_is_no_part_of_it_keeps_its_look(app):
    root = place(app)
    child = app.world.spawn(Parent(root), Shape("box"))
    other = place(app)
    app.world.add(root, MaterialOverride(base_color=RED))
    app.settle()
    assert not app.world.has(child, DrawnMaterial)
    assert not app.world.has(find_node(app.world, other, "Body"), DrawnMaterial)


def test_a_shape_takes_an_override_and_gives_it_back(app):
    shape = app.world.spawn(Shape("box", (0.5, 0.5, 0.5)))
    app.settle()
    before = dict(app.renderer.materials)
    app.world.add(shape, MaterialOverride(metallic=1.0))
    assert drawn(app, shape).metallic == 1.0
    assert drawn(app, shape).base_color == (0.5, 0.5, 0.5, 1.0)
    app.world.remove(shape, MaterialOverride)
    assert drawn(app, shape).metallic == 0.0
    assert app.renderer.materials == before
    assert not app.world.has(shape, DrawnMaterial)


def test_an_override_that_sets_nothing_makes_nothing(app):
    root = place(app)
    before = dict(app.renderer.materials)
    app.world.add(root, MaterialOverride())
    app.settle()
    assert app.renderer.materials == before


def test_equal_looks_share_a_material_and_a_drag_keeps_its_id(app):
    roots = [place(app) for _ in range(20)]
    before = len(app.renderer.materials)
    for root in roots:
        app.world.add(root, MaterialOverride(metallic=0.5))
    app.settle()
    assert len(app.renderer.materials) == before + 1
    for root in roots[1:]:
        app.world.remove(root, MaterialOverride)
    node = find_node(app.world, roots[0], "Body")
    drawn(app, node)
    first = app.world.get(node, DrawnMaterial).material
    for step in range(10):
        app.world.set(roots[0], MaterialOverride(metallic=0.5 + step / 100))
        app.frame(0.0)
        assert app.world.get(node, DrawnMaterial).material == first
    assert app.renderer.material(first).metallic == pytest.approx(0.59)


def test_a_frame_without_a_change_writes_nothing(app):
    root = place(app)
    app.world.add(root, MaterialOverride(metallic=0.5))
    app.settle()
    app.frame(0.0)
    tick, replaced = app.world.tick, app.renderer.replaced
    for _ in range(3):
        app.frame(0.0)
    assert (app.world.tick, app.renderer.replaced) == (tick, replaced)


def test_a_reloaded_asset_is_drawn_with_the_override_still(app, tmp_path):
    root = place(app)
    app.world.add(root, MaterialOverride(metallic=0.25))
    app.settle()
    materials = [{"pbrMetallicRoughness": {"roughnessFactor": 0.125}}]
    meshes = [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}]
    write_asset(tmp_path / "arm.gltf", ARM, materials=materials, meshes=meshes)
    app.assets.check_for_changes(force=True)
    seen = drawn(app, find_node(app.world, root, "Body"))
    assert (seen.metallic, seen.roughness) == (0.25, 0.125)


def test_a_renderer_that_comes_and_goes_gets_everything_back(app):
    root = place(app)
    paint(app.root / "a.png")
    app.world.add(root, MaterialOverride(base_color_texture="a.png"))
    app.settle()
    first, second = app.renderer, Store()
    app.attach(second)
    assert drawn(app, find_node(app.world, root, "Body")).base_color_texture is not None
    app.attach(None)
    for store in (first, second):
        assert (store.materials, store.textures, store.meshes) == ({}, {}, set())


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


def test_an_override_of_a_node_is_kept_in_the_level(app, tmp_path):
    path = tmp_path / "a.scene"
    path.write_text(
        'cinder-scene 2\nentity 0\n  Name text="arm"\n  GltfInstance asset="arm.gltf"\nentity 1\n'
        '  InstanceNode root=#0 path="Body/Arm"\n  MaterialOverride metallic=0.5\nentity 2\n'
        "  Shape\n  MaterialOverride base_color=[1,0,0]\n"
    )
    before = path.read_bytes()
    app.load(path)
    root = app.level_file.entity_at(0)
    assert drawn(app, find_node(app.world, root, "Body/Arm")).metallic == 0.5
    assert drawn(app, find_node(app.world, root, "Body")).metallic == 1.0
    assert drawn(app, app.level_file.entity_at(2)).base_color == (1, 0, 0, 1)
    app.save()
    assert path.read_bytes() == before
    app.world.remove(app.level_file.entity_at(1), InstanceNode)
    app.settle()
    assert "DrawnMaterial" not in app.level_file.to_bytes().decode()


def nothing(path, srgb, old):
    raise AssertionError("asked for a picture")


def test_what_is_not_set_is_as_the_material_has_it():
    base = Material(
        base_color=(0.1, 0.2, 0.3, 0.4),
        emissive=(1, 2, 3),
        emissive_strength=4.0,
        alpha_mode="mask",
        base_color_texture=TextureRef(7, scale=(2.0, 1.0)),
    )
    assert overridden(base, Look(), nothing) == base
    seen = overridden(base, Look.of(MaterialOverride(alpha=0.5, tiling=(3, 4))), nothing)
    assert seen.base_color == (0.1, 0.2, 0.3, 0.5)
    assert seen.alpha_mode == "mask"
    assert seen.base_color_texture.scale == (6.0, 4.0)
    clear = overridden(Material(), Look.of(MaterialOverride(alpha=0.5)), nothing)
    assert clear.alpha_mode == "blend"
    glow = overridden(base, Look.of(MaterialOverride(emissive=(8, 0, 0))), nothing)
    assert (glow.emissive, glow.emissive_strength) == ((8.0, 0.0, 0.0), 1.0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -0.0])
def test_numbers_that_are_none_do_no_harm(value):
    override = MaterialOverride(
        base_color=(value,) * 3, alpha=value, metallic=value, roughness=value, tiling=(value, 1)
    )
    seen = overridden(Material(), Look.of(override), nothing)
    numbers = (*seen.base_color, seen.metallic, seen.roughness)
    assert np.isfinite(numbers).all()


def test_the_picture_shows_it(tmp_path: Path):
    from engine.render import Camera, Renderer, RenderSettings

    renderer = Renderer()
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=False, ibl=False)
    app = App(tmp_path, renderer)
    app.scene.camera = Camera.look_at((0, 0, 3), (0, 0, 0))
    shape = app.world.spawn(LocalTransform(), Shape("box", (1, 1, 1)))

    def middle():
        app.settle()
        app.frame(0.0)
        return app.snapshot(32, 32)[16, 16, :3].astype(int)

    white = middle()
    app.world.add(shape, MaterialOverride(base_color=(0.0, 1.0, 0.0)))
    green = middle()
    assert white[0] > 60
    assert green[0] == green[2] == 0
    assert green[1] > 60
    paint(tmp_path / "blue.png", (0, 0, 255))
    app.world.set(shape, MaterialOverride(base_color_texture="blue.png"))
    blue = middle()
    assert blue[0] == blue[1] == 0
    assert blue[2] > 60
    app.world.remove(shape, MaterialOverride)
    assert (middle() == white).all()
    app.close()


def test_an_export_has_the_look_of_the_level(app, tmp_path):
    root = place(app)
    arm = find_node(app.world, root, "Body/Arm")
    other = place(app)
    paint(app.root / "a.png", (10, 20, 30))
    app.world.add(root, MaterialOverride(roughness=0.25))
    app.world.add(arm, MaterialOverride(base_color_texture="a.png"))
    shape = app.world.spawn(Name("ball"), Shape("sphere"), MaterialOverride(base_color=RED))
    app.settle()
    assert shape
    assert write_glb(tmp_path / "out.glb", app.world, app.assets, textures=app.textures) == []
    asset = load_gltf(str(tmp_path / "out.glb"))

    def surface(name, at=0):
        nodes = [node for node in asset.nodes if node.name == name and node.mesh is not None]
        primitive = asset.meshes[nodes[at].mesh].primitives[0]
        return asset.materials[primitive.material].material if primitive.material >= 0 else None

    assert surface("Body").roughness == pytest.approx(0.25)
    assert surface("Body").base_color_texture is None
    picture = asset.textures[surface("Arm").base_color_texture.texture].image
    assert asset.images[picture].pixels[0, 0].tolist() == [10, 20, 30, 255]
    assert surface("Arm").roughness == pytest.approx(0.25)
    assert surface("Body", 1) is None
    assert surface("ball").base_color == (1, 0, 0, 1)
    assert app.world.alive(other)


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_everything_is_drawn_as_its_overrides_say(app, seed):
    rng = random.Random(seed)
    world = app.world
    roots = [place(app) for _ in range(4)]
    shapes = [world.spawn(Shape("box"), LocalTransform()) for _ in range(3)]
    app.settle()
    parts = [find_node(world, r, p) for r in roots for p in ("Body", "Body/Arm")]
    everything = [*roots, *shapes, *parts]
    made = len(app.renderer.materials)
    for _ in range(60):
        entity = rng.choice(everything)
        if not world.has(entity, MaterialOverride):
            world.add(entity, MaterialOverride(metallic=rng.choice((-1, 0.25, 0.5))))
        elif rng.random() < 0.25:
            world.remove(entity, MaterialOverride)
        else:
            override = world.get(entity, MaterialOverride)
            override.metallic = rng.choice((-1, 0.25, 0.5))
            override.roughness = rng.choice((-1, 0.125, 0.75))
            world.set(entity, override)
        app.frame(0.0)
        for drawn_entity in (*shapes, *parts):
            base = app.renderer.material(world.get(drawn_entity, MeshRenderer).material)
            expected = overridden(base, look_of(world, drawn_entity), nothing)
            has_own = world.has(drawn_entity, DrawnMaterial)
            type_ = DrawnMaterial if has_own else MeshRenderer
            assert app.renderer.material(world.get(drawn_entity, type_).material) == expected
            assert has_own == (look_of(world, drawn_entity) != Look())
    for entity in everything:
        if world.has(entity, MaterialOverride):
            world.remove(entity, MaterialOverride)
    app.frame(0.0)
    assert len(app.renderer.materials) == made

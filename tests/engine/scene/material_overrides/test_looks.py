"""Material overrides: what they reach, which materials they make, and what they give back."""

import random
from pathlib import Path

import numpy as np
import pytest

from engine.app import App
from engine.assets import Material, load_gltf
from engine.assets.material import TextureRef
from engine.scene import (
    DrawnMaterial,
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
from tests.engine.scene.instance_stage import ARM, write_asset
from tests.engine.scene.material_overrides.conftest import RED, Store, drawn, paint, place


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

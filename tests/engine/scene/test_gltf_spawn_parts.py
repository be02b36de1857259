"""What the nodes of a spawned asset carry: primitives, palettes, lights, cameras, matrices."""

import numpy as np
import pytest

from engine.assets import (
    GltfCamera,
    GltfLight,
    GltfMaterial,
    Material,
    MorphTarget,
)
from engine.math import compose
from engine.scene import (
    CameraComponent,
    Enabled,
    JointPalette,
    LightSource,
    LocalMatrix,
    LocalTransform,
    MeshRenderer,
    Name,
    WorldTransform,
    children,
    propagate_transforms,
    spawn_gltf,
)
from tests.engine.scene.gltf_parts import (
    IDENTITY,
    asset_of,
    ids_of,
    mesh,
    node,
    skinned_asset,
    spawn,
    triangle,
)


def test_one_primitive_stands_on_the_node_several_are_its_children(world):
    materials = [GltfMaterial(Material(), "red"), GltfMaterial(Material(), "")]
    asset = asset_of(
        [node("one", mesh=0), node("two", mesh=1)],
        roots=(0, 1),
        meshes=[mesh(0), mesh(1, 0, -1)],
        materials=materials,
    )
    spawned = spawn(world, asset, cast_shadows=False)
    one, two = spawned.node_entities
    assert world.get(one, MeshRenderer) == MeshRenderer(0, 100, False)
    assert not world.has(two, MeshRenderer)
    parts = children(world, two)
    assert [world.get(e, MeshRenderer).mesh for e in parts] == [10, 11, 12]
    assert [world.get(e, MeshRenderer).material for e in parts] == [101, 100, 999]
    assert all(world.get(e, LocalTransform) == LocalTransform() for e in parts)
    assert [world.get(e, Name).text for e in parts] == ["primitive 0", "red", "primitive 2"]
    assert spawned.primitive_entities == [one, *parts]


def test_gpu_instances_draw_each_copy_where_it_belongs(world):
    places = [[0, 0, 0], [5, 0, 0]]
    copies = np.asarray(compose(np.float32(places), [[0, 0, 0, 1]] * 2, [[1, 1, 1]] * 2))
    asset = asset_of(
        [node("trees", mesh=0, translation=(0, 2, 0), instances=copies)],
        meshes=[mesh(-1, -1)],
    )
    spawned = spawn(world, asset)
    propagate_transforms(world)
    drawn = spawned.primitive_entities
    assert not world.has(spawned.node_entities[0], MeshRenderer)
    assert [world.get(e, MeshRenderer).mesh for e in drawn] == [0, 1, 0, 1]
    where = [world.get(e, WorldTransform).matrix[:3, 3].tolist() for e in drawn]
    assert where == [[0, 2, 0], [0, 2, 0], [5, 2, 0], [5, 2, 0]]
    assert world.get(drawn[2], Name).text == "instance 1, primitive 0"


def test_primitives_are_listed_by_node_then_by_primitive(world):
    asset = asset_of(
        [node("child", 1, mesh=0), node("top", children=[0], mesh=1)],
        roots=(1,),
        meshes=[mesh(-1), mesh(-1, -1)],
    )
    spawned = spawn(world, asset)
    drawn = [world.get(e, MeshRenderer).mesh for e in spawned.primitive_entities]
    assert drawn == [0, 10, 11]


def test_without_a_renderer_the_ids_are_minus_one(world):
    asset = asset_of([node(mesh=0)], meshes=[mesh(-1)])
    spawned = spawn_gltf(None, None, asset, world)
    drawn = world.get(spawned.primitive_entities[0], MeshRenderer)
    assert drawn == MeshRenderer(-1, -1, True)
    assert spawned.uploaded.mesh_ids == [[-1]]


def test_a_skinned_primitive_gets_its_palette_at_rest(world):
    asset = skinned_asset()
    spawned = spawn(world, asset)
    palette = world.get(spawned.primitive_entities[0], JointPalette)
    figure = asset.nodes[0]
    for joint, inverse_bind, got in zip(
        (1, 2), asset.skins[0].inverse_bind, palette.joints, strict=True
    ):
        wanted = np.linalg.inv(figure.world) @ asset.nodes[joint].world @ inverse_bind
        assert np.allclose(got, wanted, atol=1e-6)
    assert len(palette.morph_weights) == 0


def test_skinned_meshes_off_spawns_the_nodes_but_draws_nothing(world):
    spawned = spawn(world, skinned_asset(), skinned_meshes=False)
    assert all(spawned.node_entities)
    assert spawned.primitive_entities == []
    assert not any(world.has(e, MeshRenderer) for e in world.entities())


@pytest.mark.parametrize(
    ("own", "given", "wanted"),
    [
        ([0.25, 0.5], [0.1, 0.2], [0.25, 0.5]),
        (None, [0.1, 0.2], [0.1, 0.2]),
        (None, [], [0.0, 0.0]),
    ],
)
def test_morph_weights_at_rest_are_the_nodes_else_the_meshs_else_zero(world, own, given, wanted):
    target = MorphTarget(positions=np.zeros((3, 3), np.float32))
    morphed = lambda: triangle(morph_targets=(target, target))
    weights = None if own is None else np.float32(own)
    asset = asset_of(
        [node(mesh=0, morph_weights=weights)], meshes=[mesh(-1, data=morphed, weights=given)]
    )
    spawned = spawn(world, asset)
    palette = world.get(spawned.primitive_entities[0], JointPalette)
    assert np.allclose(palette.morph_weights, wanted)
    assert len(palette.joints) == 0


def test_a_plain_primitive_has_no_palette(world):
    spawned = spawn(world, asset_of([node(mesh=0)], meshes=[mesh(-1)]))
    assert not world.has(spawned.primitive_entities[0], JointPalette)


def test_lights_and_cameras_come_along_and_no_camera_is_active(world):
    lamp = GltfLight("spot", (1, 0.5, 0.25), 40.0, 12.0, 0.1, 0.7)
    asset = asset_of(
        [node("lamp", light=0), node("eye", camera=0)],
        roots=(0, 1),
        lights=[lamp],
        cameras=[GltfCamera("perspective", "eye", fov_y=0.7, near=0.25)],
    )
    spawned = spawn(world, asset)
    light = world.get(spawned.node_entities[0], LightSource)
    assert (light.kind, light.intensity, light.range) == ("spot", 40.0, 12.0)
    assert light.color.tolist() == [1, 0.5, 0.25]
    assert np.allclose((light.inner_angle, light.outer_angle), (0.1, 0.7))
    eye = world.get(spawned.node_entities[1], CameraComponent)
    assert eye == CameraComponent(0.7, 0.25, active=False)


def test_a_sheared_node_keeps_its_matrix_exactly_and_says_so(world):
    sheared = IDENTITY.copy()
    sheared[0, 1] = 0.5
    mirrored = compose((1, 2, 3), (0, 0, 0, 1), (-2, 1, 1))
    asset = asset_of([node("bent", local=sheared), node("flip", local=mirrored)], roots=(0, 1))
    spawned = spawn(world, asset)
    bent, flip = spawned.node_entities
    assert np.array_equal(world.get(bent, LocalMatrix).matrix, sheared)
    assert any("bent" in issue for issue in spawned.issues)
    assert not world.has(flip, LocalMatrix)
    propagate_transforms(world)
    assert np.allclose(world.get(bent, WorldTransform).matrix, sheared)
    assert np.allclose(world.get(flip, WorldTransform).matrix, mirrored, atol=1e-6)


def test_an_invisible_node_is_switched_off(world):
    spawned = spawn(world, asset_of([node("ghost", visible=False)]))
    assert world.get(spawned.node_entities[0], Enabled) == Enabled(False)


def test_a_variant_chooses_other_materials(world):
    from engine.scene.gltf_blueprint import draw_blueprint

    asset = asset_of(
        [node(mesh=0)],
        meshes=[mesh(0)],
        materials=[GltfMaterial(Material(), "a"), GltfMaterial(Material(), "b")],
        variants=["summer", "winter"],
    )
    asset.meshes[0].primitives[0].variants = {1: 1}

    def material(variant):
        blueprint = draw_blueprint(asset, ids_of(asset), variant=variant)
        values = blueprint.parts[blueprint.primitives[0]].values
        return next(v.material for v in values if isinstance(v, MeshRenderer))

    assert [material(v) for v in ("", "summer", "winter", "unknown")] == [100, 100, 101, 100]

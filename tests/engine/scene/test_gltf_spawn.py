"""Spawning: which entities an asset becomes, and the triangles it stands on."""

import numpy as np
import pytest

from engine.assets import (
    GltfAsset,
    GltfCamera,
    GltfLight,
    GltfMaterial,
    GltfMesh,
    GltfNode,
    GltfPrimitive,
    GltfSkin,
    Material,
    MeshData,
    MorphTarget,
    UploadedGltf,
    load_gltf,
)
from engine.ecs import EntityError, World
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
    Parent,
    Realised,
    WorldTransform,
    children,
    collision_triangles,
    propagate_transforms,
    spawn_gltf,
)
from engine.scene.hierarchy import parent_of
from engine.scene.instances import find_node, node_path

IDENTITY = np.eye(4, dtype=np.float32)


def node(name="", parent=None, children=(), translation=(0, 0, 0), **more):
    """A node whose world matrix is set by `asset_of`."""
    moved = np.asarray(translation, np.float32)
    rotation, scale = np.float32([0, 0, 0, 1]), np.float32([1, 1, 1])
    values = {"mesh": None, "skin": None, "camera": None, "light": None, **more}
    local = values.pop("local", None)
    return GltfNode(
        name,
        parent,
        list(children),
        values.pop("mesh"),
        values.pop("skin"),
        values.pop("camera"),
        values.pop("light"),
        moved,
        rotation,
        scale,
        compose(moved, rotation, scale) if local is None else np.asarray(local, np.float32),
        IDENTITY.copy(),
        has_matrix=local is not None,
        **values,
    )


def triangle(**more):
    return MeshData(positions=np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]]), **more)


def mesh(*materials, data=triangle, weights=()):
    primitives = [GltfPrimitive(data(), material) for material in materials]
    return GltfMesh("mesh", primitives, np.asarray(weights, np.float32))


def asset_of(nodes, roots=(0,), **more):
    asset = GltfAsset("prop", nodes=nodes, roots=list(roots), **more)
    for index in asset.reachable_nodes():
        found = nodes[index]
        above = IDENTITY if found.parent is None else nodes[found.parent].world
        found.world = above @ found.local
    return asset


def ids_of(asset):
    mesh_ids = [[10 * m + p for p in range(len(x.primitives))] for m, x in enumerate(asset.meshes)]
    return UploadedGltf(mesh_ids, [100 + m for m in range(len(asset.materials))], 999)


@pytest.fixture
def world():
    return World()


def spawn(world, asset, **more):
    more.setdefault("uploaded", ids_of(asset))
    return spawn_gltf(None, None, asset, world, **more)


def test_one_entity_per_node_below_one_root(world):
    asset = asset_of([node("a", children=[1]), node("b", 0, translation=(0, 2, 0)), node("out")])
    spawned = spawn(world, asset, root_transform=compose((1, 0, 0), (0, 0, 0, 1), (1, 1, 1)))
    a, b, out = spawned.node_entities
    assert not out
    assert parent_of(world, b) == a
    assert parent_of(world, a) == spawned.root
    assert world.get(spawned.root, LocalTransform) == LocalTransform((1, 0, 0))
    assert world.get(b, LocalTransform) == LocalTransform((0, 2, 0))
    assert [world.get(e, Name).text for e in (a, b)] == ["a", "b"]
    assert len(world) == 3
    assert not any(world.has(e, Realised) for e in world.entities())


def test_entity_of_node_is_bounds_checked(world):
    spawned = spawn(world, asset_of([node("a"), node("out")]))
    assert spawned.entity_of_node(0) == spawned.node_entities[0]
    assert not spawned.entity_of_node(1)
    assert not spawned.entity_of_node(2)
    assert not spawned.entity_of_node(-1)


def test_a_node_that_is_root_and_child_is_spawned_once_where_it_was_reached_first(world):
    nodes = [node("a", children=[1]), node("b", 0)]
    asset = GltfAsset("prop", nodes=nodes, roots=[1, 0])
    spawned = spawn(world, asset)
    assert len(world) == 3
    assert children(world, spawned.root) == [spawned.node_entities[1], spawned.node_entities[0]]


def test_a_cycle_spawns_each_node_once_and_no_cycle_of_parents(world):
    nodes = [node("a", 2, [1]), node("b", 0, [2]), node("c", 1, [0])]
    spawned = spawn(world, GltfAsset("prop", nodes=nodes, roots=[0]))
    a, b, c = spawned.node_entities
    assert [parent_of(world, e) for e in (a, b, c)] == [spawned.root, a, b]


def test_a_node_of_two_parents_is_spawned_once(world):
    nodes = [node("a", children=[2]), node("b", children=[2]), node("c", 0)]
    spawned = spawn(world, GltfAsset("prop", nodes=nodes, roots=[0, 1]))
    assert len(world) == 4
    assert parent_of(world, spawned.node_entities[2]) == spawned.node_entities[0]


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


def skinned_asset():
    inverse_bind = np.tile(IDENTITY, (2, 1, 1))
    inverse_bind[1, 1, 3] = -1
    rigged = lambda: triangle(
        joints=np.zeros((3, 4), np.uint16), weights=np.tile(np.float32([1, 0, 0, 0]), (3, 1))
    )
    return asset_of(
        [
            node("figure", children=[1], mesh=0, skin=0, translation=(3, 0, 0)),
            node("hip", 0, [2], translation=(0, 1, 0)),
            node("head", 1, translation=(0, 1, 0)),
        ],
        meshes=[mesh(-1, data=rigged)],
        skins=[GltfSkin([1, 2], inverse_bind)],
    )


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


def test_a_node_without_a_name_is_called_by_its_index(world):
    spawned = spawn(world, asset_of([node("", children=[1]), node("", 0)]))
    assert [world.get(e, Name).text for e in spawned.node_entities] == ["#0", "#1"]


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


def test_given_a_root_the_nodes_are_realised_and_have_paths(world):
    root = world.spawn(Name("mine"), LocalTransform((7, 0, 0)))
    asset = asset_of([node("a", children=[1]), node("b", 0, mesh=0)], meshes=[mesh(-1, -1)])
    spawned = spawn(world, asset, root=root)
    assert spawned.root == root
    assert world.get(root, Name).text == "mine"
    assert world.get(root, LocalTransform) == LocalTransform((7, 0, 0))
    assert all(world.has(e, Realised) for e in spawned.node_entities)
    b = spawned.node_entities[1]
    assert node_path(world, b) == (root, "a/b")
    part = spawned.primitive_entities[1]
    assert find_node(world, *node_path(world, part)) == part


def test_bound_entities_become_the_nodes(world):
    root = world.spawn()
    mine = world.spawn(LightSource())
    asset = asset_of([node("a", children=[1]), node("b", 0, translation=(0, 1, 0))])
    spawned = spawn(world, asset, root=root, bind={"a/b": mine, "a/none": world.spawn()})
    assert spawned.node_entities[1] == mine
    assert world.has(mine, LightSource)
    assert world.get(mine, LocalTransform) == LocalTransform((0, 1, 0))
    assert world.get(mine, Parent).entity == spawned.node_entities[0]


def test_a_dead_root_or_bound_entity_spawns_nothing(world):
    gone = world.spawn()
    world.despawn(gone)
    asset = asset_of([node("a")])
    with pytest.raises(EntityError):
        spawn(world, asset, root=gone)
    with pytest.raises(EntityError):
        spawn(world, asset, bind={"a": gone})
    assert len(world) == 0


def test_node_entities_stand_where_the_asset_says(world, shared):
    for path in sorted((shared / "bugcases").glob("*.gl*")):
        try:
            asset = load_gltf(path)
        except ValueError:
            continue
        spawned = spawn_gltf(None, None, asset, world)
        propagate_transforms(world)
        for found, entity in zip(asset.nodes, spawned.node_entities, strict=True):
            if entity:
                got = world.get(entity, WorldTransform).matrix
                assert np.allclose(got, found.world, atol=1e-4 * max(1, np.abs(found.world).max()))


def test_equal_names_give_different_paths(world, shared):
    """Known bug: the wrong object is meant when names clash (mrdoob/three.js#15087)."""
    asset = load_gltf(shared / "bugcases" / "19a_duplicate_node_names.gltf")
    root = world.spawn()
    spawned = spawn_gltf(None, None, asset, world, root=root)
    paths = [node_path(world, e)[1] for e in spawned.node_entities]
    assert len(set(paths)) == len(paths)


# -- collision_triangles -----------------------------------------------------------------------


def test_collision_triangles_are_in_world_space_with_offset_indices():
    asset = asset_of(
        [node("a", children=[1], mesh=0, translation=(1, 0, 0)), node("b", 0, mesh=0)],
        meshes=[mesh(-1)],
    )
    asset.nodes[1].world[1, 3] = 5
    lifted = compose((0, 0, 10), (0, 0, 0, 1), (2, 2, 2))
    positions, indices = collision_triangles(asset, lifted)
    assert positions.dtype == np.float32
    assert indices.dtype == np.uint32
    assert positions.tolist() == [
        [2, 0, 10],
        [4, 0, 10],
        [2, 2, 10],
        [2, 10, 10],
        [4, 10, 10],
        [2, 12, 10],
    ]
    assert indices.tolist() == [0, 1, 2, 3, 4, 5]


def test_collision_triangles_pass_skins_lines_and_points_over():
    skinned = skinned_asset()
    assert [len(a) for a in collision_triangles(skinned)] == [0, 0]
    lines = lambda: MeshData(positions=np.zeros((2, 3), np.float32), topology="lines")
    asset = asset_of([node(mesh=0)], meshes=[mesh(-1, data=lines)])
    positions, indices = collision_triangles(asset)
    assert positions.shape == (0, 3)
    assert indices.shape == (0,)


def test_a_chain_of_thousands_of_nodes_is_spawned_without_recursion(world):
    count = 3000
    nodes = [
        node(f"n{i}", i - 1 if i else None, [i + 1] if i + 1 < count else []) for i in range(count)
    ]
    root = world.spawn()
    spawned = spawn(world, GltfAsset("deep", nodes=nodes, roots=[0]), root=root)
    last = spawned.node_entities[-1]
    assert find_node(world, *node_path(world, last)) == last

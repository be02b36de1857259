"""Spawning: which entities the nodes of an asset become."""

import numpy as np
import pytest

from engine.assets import (
    GltfAsset,
    load_gltf,
)
from engine.ecs import EntityError
from engine.math import compose
from engine.scene import (
    LightSource,
    LocalTransform,
    Name,
    Parent,
    Realised,
    WorldTransform,
    children,
    propagate_transforms,
    spawn_gltf,
)
from engine.scene.hierarchy import parent_of
from engine.scene.instances import find_node, node_path
from tests.engine.scene.gltf_parts import asset_of, mesh, node, spawn


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


def test_a_node_without_a_name_is_called_by_its_index(world):
    spawned = spawn(world, asset_of([node("", children=[1]), node("", 0)]))
    assert [world.get(e, Name).text for e in spawned.node_entities] == ["#0", "#1"]


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


def test_a_chain_of_thousands_of_nodes_is_spawned_without_recursion(world):
    count = 3000
    nodes = [
        node(f"n{i}", i - 1 if i else None, [i + 1] if i + 1 < count else []) for i in range(count)
    ]
    root = world.spawn()
    spawned = spawn(world, GltfAsset("deep", nodes=nodes, roots=[0]), root=root)
    last = spawned.node_entities[-1]
    assert find_node(world, *node_path(world, last)) == last

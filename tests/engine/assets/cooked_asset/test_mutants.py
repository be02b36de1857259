"""Cooked files changed at random: each is an asset that can be used, or an AssetError."""

import copy
import random

import msgspec
import numpy as np
import pytest

from engine.assets import AssetError, load_gltf
from engine.assets.cooked.asset_layout import (
    AssetHead,
)
from engine.assets.cooked.asset_read import read_asset
from engine.ecs import World
from engine.scene import collision_triangles, propagate_transforms, spawn_gltf
from tests.engine.assets.cooked_asset.opened import cooked_bytes, opened, sealed
from tests.engine.assets.test_fuzz import holder_of, mutated_bytes, mutated_json, places

MUTANTS = 300


def use(asset):
    """Do what a program does with an asset; numbers that are odd are no errors."""
    with np.errstate(all="ignore"):
        world = World()
        spawn_gltf(None, None, asset, world)
        propagate_transforms(world)
        collision_triangles(asset)
        asset.world_bounds()
        asset.world_bounds(posed=True)
        for at in asset.reachable_nodes():
            asset.joint_matrices(at)
        for part in (part for mesh in asset.meshes for part in mesh.primitives):
            mesh = part.mesh
            drawn = mesh.render_mesh(mesh.tangents is not None)
            assert not len(drawn.indices) or int(drawn.indices.max()) < len(drawn.positions)
            mesh.build_lods()
            corners = {"triangles": 3, "lines": 2, "points": 1}[mesh.topology]
            assert len(mesh.indices) % corners == len(drawn.indices) % corners == 0
        for node in (n for n in asset.nodes if n.mesh is not None and n.skin is not None):
            for part in asset.meshes[node.mesh].primitives:
                drawn = part.mesh.render_mesh(part.mesh.tangents is not None)
                most = len(asset.skins[node.skin].joints)
                assert drawn.joints is None or not drawn.joints.size or drawn.joints.max() < most
        assert asset.report().lines()


ODD_NUMBERS = (-1, 0, 1, 2, 3, 7, 64, 255, 65535, 2**31, 2**32 - 1, 2**40, 2**62, -(2**63))


def mutated_number(rng, head):
    """Return the head with one number that is off by a little, or by all that there is."""
    head = copy.deepcopy(head)
    found = [path for path in places(head) if is_number(*holder_of(head, path))]
    holder, key = holder_of(head, rng.choice(found))
    holder[key] = rng.choice([holder[key] + rng.choice([-2, -1, 1, 2]), rng.choice(ODD_NUMBERS)])
    return head


def is_number(holder, key):
    return type(holder[key]) is int


def mutated_items(rng, head, arrays):
    """Return the arrays with some items of them that are off."""
    arrays = bytearray(arrays)
    for _ in range(rng.randint(1, 4)):
        code, shape, offset, _ = rng.choice(head[AssetHead.__struct_fields__.index("arrays")])
        items = np.frombuffer(arrays, code, int(np.prod(shape)), offset)
        if len(items) and items.dtype.kind == "f":
            items[rng.randrange(len(items))] = rng.choice([0, -1, 3e38, np.inf, -np.inf, np.nan])
        elif len(items):
            limits = np.iinfo(items.dtype)
            value = rng.choice([*ODD_NUMBERS, int(limits.max)])
            items[rng.randrange(len(items))] = min(max(value, int(limits.min)), int(limits.max))
    return bytes(arrays)


def outcomes(rng, data, count, tmp_path):
    """Read mutants whose checksums fit; return how many were assets still."""
    head, arrays = opened(data)
    plain = msgspec.msgpack.decode(head, ext_hook=lambda code, data: [code, bytes(data)])
    exact = msgspec.msgpack.decode(head)
    path, whole = tmp_path / "mutant.casset", 0
    for _ in range(count):
        kind = rng.randrange(5)
        if kind == 0:
            mutant = sealed(msgspec.msgpack.encode(mutated_json(rng, plain)), arrays)
        elif kind == 3:
            mutant = sealed(msgspec.msgpack.encode(mutated_number(rng, exact)), arrays)
        elif kind == 4:
            mutant = sealed(head, mutated_items(rng, exact, arrays))
        elif kind == 1:
            mutant = sealed(mutated_bytes(rng, head), arrays)
        else:
            mutant = sealed(head, mutated_bytes(rng, arrays))
        path.write_bytes(mutant)
        whole += survives(path, tmp_path)
    return whole


def survives(path, root):
    """Read a file and use what comes out; anything but AssetError escapes."""
    try:
        asset = read_asset(path, root)
    except AssetError as error:
        problem = str(error)
    else:
        use(asset)
        return True
    assert problem.startswith("cooked asset")
    return False


def test_mutants_are_assets_or_asset_errors(cooked, tmp_path):
    assert 0 < outcomes(random.Random(5), cooked, MUTANTS, tmp_path) < MUTANTS


@pytest.mark.full
def test_many_mutants_are_assets_or_asset_errors(cooked, tmp_path):
    outcomes(random.Random(6), cooked, 20_000, tmp_path)


@pytest.mark.full
def test_mutants_of_shared_files_are_assets_or_asset_errors(shared, tmp_path):
    names = ("SimpleSkin", "SimpleMorph", "AnimatedMorphCube", "InterpolationTest", "RiggedSimple")
    for seed, name in enumerate(names):
        asset = load_gltf(shared / f"assets/khronos/{name}/glTF/{name}.gltf")
        data = cooked_bytes(asset, shared)
        outcomes(random.Random(seed), data, 4000, tmp_path)


def test_bytes_that_are_damaged_raise_nothing_but_asset_errors(cooked, tmp_path):
    rng, path = random.Random(7), tmp_path / "damaged.casset"
    for _ in range(MUTANTS):
        path.write_bytes(mutated_bytes(rng, cooked))
        survives(path, tmp_path)

"""Propagation and bridge at 100 000 entities, as ratios to what numpy needs for the same rows.

Run with ``pytest -m bench tests/bench``; each figure is a median, and floor and figure are taken in
turns so that a busy machine slows both.
"""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from engine.ecs import World
from engine.reflect import Entity
from engine.render.scene import Camera, RenderScene
from engine.scene import (
    LocalTransform,
    MeshRenderer,
    Parent,
    RenderBridge,
    WorldTransform,
    mark_dirty,
    propagate_transforms,
)

pytestmark = pytest.mark.bench
COUNT = 100_000
DEPTH = 8


@pytest.fixture(scope="module")
def level():
    world = World()
    rng = np.random.default_rng(0)
    place = rng.random((COUNT, 3), np.float32)
    handles = world.reserve_many(COUNT)
    is_root = np.arange(COUNT) % DEPTH == 0
    for rows in (is_root, ~is_root):
        columns = {
            LocalTransform: {"translation": place[rows]},
            MeshRenderer: {"mesh": np.arange(COUNT)[rows] % 200},
        }
        if not rows[0]:
            columns[Parent] = {"entity": np.roll(handles, 1)[rows]}
        world.restore_many(handles[rows], columns)
    propagate_transforms(world)
    return world, handles


def milliseconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return (time.perf_counter() - start) * 1e3


def medians(*tasks: Callable[[], object], rounds: int = 15) -> list[float]:
    figures = [[milliseconds(task) for task in tasks] for _ in range(rounds)]
    return np.median(figures, axis=0).tolist()


def test_all_dirty_is_within_four_batched_products(level):
    world, handles = level
    matrices = np.random.default_rng(1).random((COUNT, 4, 4)).astype(np.float32)
    figures = []
    for _ in range(9):
        mark_dirty(world, handles)
        ours = milliseconds(lambda: propagate_transforms(world))
        figures.append((ours, milliseconds(lambda: np.matmul(matrices, matrices))))
    ours, floor = np.median(figures, axis=0)
    assert ours <= 4 * floor


def test_one_dirty_leaf_does_not_feel_the_size_of_the_level(level):
    world, handles = level

    def leaf():
        mark_dirty(world, Entity(handles[-1]))
        propagate_transforms(world)

    assert medians(leaf)[0] <= 0.3


def test_a_still_world_costs_nothing(level):
    world, _ = level
    bridge, scene = RenderBridge(), RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    for _ in range(2):
        assert bridge.build(world, scene) == COUNT
    assert medians(lambda: bridge.build(world, scene))[0] <= 0.5
    tracemalloc.start()
    bridge.build(world, scene)
    before = tracemalloc.get_traced_memory()[0]
    bridge.build(world, scene)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown <= 512


def test_a_tenth_that_moved_is_within_three_copies_of_those_rows(level):
    world, _ = level
    bridge, scene = RenderBridge(), RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    bridge.build(world, scene)
    table = max((t for t in world.tables if WorldTransform in t), key=len)
    rows = np.sort(np.random.default_rng(2).choice(len(table), COUNT // 10, replace=False))
    moved = table.view(WorldTransform, "matrix")[rows]
    target, source = (np.ones((COUNT, 4, 4), np.float32) for _ in range(2))
    figures = []
    for _ in range(15):
        table.write(WorldTransform, "matrix", rows, moved)
        ours = milliseconds(lambda: bridge.build(world, scene))

        def copy():
            target[rows] = source[rows]

        figures.append((ours, milliseconds(copy)))
    ours, floor = np.median(figures, axis=0)
    assert ours <= 3 * floor

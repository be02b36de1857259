"""Instances by the hundred, as ratios to what the same entities cost by themselves.

Run with ``pytest -m bench tests/bench``; each figure is the CPU time of this thread, so that other
programs do not count, and figure and floor are taken in turns.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from editor.document import LevelDocument
from engine.app import App
from engine.ecs import World
from engine.reflect import Entity
from engine.scene import (
    LocalTransform,
    children,
    level_registry,
    read_binary,
    read_text,
    write_binary,
)
from tests.garbage import collect_garbage

pytestmark = pytest.mark.bench
INSIDE = 400


def seconds(task: Callable[[], object]) -> float:
    start = time.thread_time()
    task()
    return time.thread_time() - start


def trees(count: int, moved: float = 0.0) -> str:
    """A level of entities that hang in each other, eight under each."""
    text = ["cinder-scene 2"]
    for i in range(count):
        text.append(f'entity {i}\n  Name text="e{i}"')
        text.append(f"  LocalTransform translation=[{i % 100}.5,{moved},{i // 100}.25]")
        text.append(f"  Parent entity=#{(i - 1) // 8}" if i else "  Order rank=1")
    return "\n".join(text) + "\n"


def placements(count: int) -> str:
    text = ["cinder-scene 2"]
    for i in range(count):
        text.append(f'entity {i}\n  Name text="p{i}"\n  SceneInstance level="trees.scene"')
    return "\n".join(text) + "\n"


def project(folder: Path, count: int) -> Path:
    folder.mkdir()
    (folder / "project.json").write_text("{}")
    (folder / "trees.scene").write_text(trees(INSIDE))
    (folder / "top.scene").write_text(placements(count))
    return folder / "top.scene"


def test_placing_a_level_costs_what_its_entities_do(tmp_path):
    count = 200
    top = project(tmp_path / "p", count)
    data = write_binary(read_text(trees(count * INSIDE)))
    registry, figures = level_registry(), []
    for _ in range(5):
        app = App(top.parent)
        app.load(top)
        ours = seconds(app.settle)
        assert len(app.world) == count * (INSIDE + 1)
        figures.append((ours, seconds(lambda: registry.instantiate(World(), read_binary(data)))))
    ours, floor = np.median(figures, axis=0)
    assert ours <= 1.5 * floor


def test_following_a_changed_level_costs_no_more_than_placing_it(tmp_path):
    top = project(tmp_path / "p", 200)
    app, figures = App(top.parent), []
    app.load(top)
    placed = seconds(app.settle)
    for moved in range(1, 4):
        (top.parent / "trees.scene").write_text(trees(INSIDE, moved))
        app.check_for_changes(force=True)
        figures.append(seconds(app.settle))
    assert np.median(figures) <= 1.5 * placed


def test_no_frame_makes_more_than_a_part_of_many_instances(tmp_path):
    # The first level that is read teaches the program its patterns.
    warm = App(tmp_path)
    warm.load(project(tmp_path / "warm", 1))
    warm.settle()
    # Nor is a frame charged with what earlier tests left to be collected.
    collect_garbage()
    top = project(tmp_path / "p", 500)
    app = App(top.parent)
    app.load(top)
    frames = [seconds(lambda: app.frame(0.0))]
    while app.is_loading:
        frames.append(seconds(lambda: app.frame(0.0)))
    assert len(app.world) == 500 * (INSIDE + 1)
    assert max(frames) <= sum(frames) / 10


def test_one_override_does_not_feel_how_many_instances_there_are(tmp_path):
    costs = []
    for count in (20, 1000):
        document = LevelDocument()
        document.open(project(tmp_path / str(count), count))
        root = children(document.world, Entity.null())[0]
        node = children(document.world, root)[0]

        def edit(i: int, document: LevelDocument = document, node: Entity = node) -> float:
            move = lambda: document.set_fields([node], LocalTransform, translation=(i, 1, 1))
            return seconds(move) + seconds(lambda: document.app.frame(0.0))

        edit(0)
        costs.append(np.median([edit(i) for i in range(1, 12)]))
    few, many = costs
    assert many <= 1.5 * few

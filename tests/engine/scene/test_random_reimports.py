"""Re-imports at random against a model of the rules: by path, else by name, else parked."""

import os
import random
from pathlib import Path

import pytest

from engine.ecs import World
from engine.reflect import Entity, Kind
from engine.scene import InstanceNode, KeptRecords, LocalTransform, Realised
from engine.scene.hierarchy import descendants, parent_of
from engine.scene.node_paths import NodePaths, split_path
from tests.engine.scene.instance_stage import Stage, write_asset

ROUNDS = int(os.environ.get("CINDER_ROUNDS", "400"))
NAMES = ("Body", "Arm", "Leg", "Hat", "Lamp")


class Asset:
    """A tree of nodes, each with a name, a place and a size."""

    def __init__(self, rng: random.Random) -> None:
        count = rng.randrange(1, 7)
        self.names = [rng.choice(NAMES) for _ in range(count)]
        self.parents = [rng.randrange(-1, i) if i else -1 for i in range(count)]
        self.sizes = [float(rng.randrange(1, 4)) for _ in range(count)]

    def nodes(self) -> list[dict]:
        nodes = [
            {"name": name, "scale": [size] * 3, "translation": [i, 0, 0]}
            for i, (name, size) in enumerate(zip(self.names, self.sizes, strict=True))
        ]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                nodes[parent].setdefault("children", []).append(i)
        return nodes

    def roots(self) -> list[int]:
        return [i for i, parent in enumerate(self.parents) if parent < 0]

    def paths(self) -> list[str]:
        """The path of each node: of equal siblings the k-th has its number."""
        found: list[str] = []
        count: dict[tuple[int, str], int] = {}
        for name, parent in zip(self.names, self.parents, strict=True):
            k = count[parent, name] = count.get((parent, name), 0) + 1
            step = name if k == 1 else f"{name}[{k}]"
            found.append(step if parent < 0 else f"{found[parent]}/{step}")
        return found


def expected(asset: Asset, links: list[str]) -> dict[str, str | None]:
    """Which node each changed path means; None for parked."""
    paths = asset.paths()
    steps = [split_path(path)[-1] for path in paths]
    bound: dict[str, str | None] = {path: path for path in links if path in paths}
    for path in links:
        if path in bound:
            continue
        last = split_path(path)[-1]
        named = [p for p, step in zip(paths, steps, strict=True) if step == last]
        is_free = len(named) == 1 and named[0] not in bound.values()
        bound[path] = named[0] if is_free else None
    return bound


class Model:
    """The instance, and what is known of its changes."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.rng = rng
        self.stage = Stage(folder)
        self.asset = Asset(rng)
        write_asset(folder / "arm.gltf", self.asset.nodes(), roots=self.asset.roots())
        self.root = self.stage.place()
        self.changes: dict[Entity, tuple[str, float]] = {}

    @property
    def world(self) -> World:
        return self.stage.world

    def reimport(self) -> None:
        self.asset = Asset(self.rng)
        self.stage.rewrite(self.asset.nodes(), roots=self.asset.roots())

    def change(self) -> None:
        """Set the size of a node that has no change yet."""
        nodes = [e for e in self.nodes() if not self.world.has(e, InstanceNode)]
        if nodes:
            node = self.rng.choice(nodes)
            size = float(self.rng.randrange(1, 4))
            self.stage.override(node, "LocalTransform", scale=(Kind.FLOATS, [size] * 3))
            self.changes[node] = (self.world.get(node, InstanceNode).path, size)
            self.stage.realiser.sync()

    def revert(self) -> None:
        if self.changes:
            node = self.rng.choice(list(self.changes))
            del self.changes[node]
            self.world.remove(node, KeptRecords)
            self.world.remove(node, InstanceNode)
            self.stage.realiser.sync()

    def nodes(self) -> list[Entity]:
        paths = NodePaths.of(self.world)
        found = descendants(self.world, self.root)
        return [e for e in found if paths.step_to(e) is not None]

    def check(self) -> None:
        world, paths = self.world, NodePaths.of(self.world)
        # As the level has them: in the order in which the records came into being.
        order = sorted(self.changes, key=world.serial)
        by_path: dict[str, Entity] = {}
        for node in order:
            by_path.setdefault(self.changes[node][0], node)
        wanted = expected(self.asset, list(by_path))
        placed = dict(zip(self.asset.paths(), self.asset.sizes, strict=True))
        standing = {paths.place(e)[1]: e for e in self.nodes()}  # type: ignore[index]
        assert standing.keys() == placed.keys()
        for node in order:
            path, size = self.changes[node]
            assert world.alive(node)
            assert world.get(node, InstanceNode) == InstanceNode(self.root, path)
            (record,) = [r for _, r in world.get(node, KeptRecords).records]
            assert record.get("scale").floats.tolist() == [size] * 3
            assert world.get(node, LocalTransform).scale.tolist() == [size] * 3
            goal = wanted[path] if by_path[path] == node else None
            if goal is None:
                assert parent_of(world, node) == self.root
                assert self.stage.realiser.parked(self.root)[node] == path
                assert node in self.stage.realiser.issues
            else:
                assert standing[goal] == node
                assert node not in self.stage.realiser.parked(self.root)
        for path, node in standing.items():
            if node not in self.changes:
                assert world.get(node, LocalTransform).scale.tolist() == [placed[path]] * 3
        realised = [e for e in world.entities() if world.has(e, Realised)]
        assert len(realised) == len(standing) + len(self.stage.realiser.parked(self.root))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_lost_whatever_an_asset_becomes(tmp_path, seed):
    rng = random.Random(seed)
    model = Model(tmp_path, rng)
    for _ in range(ROUNDS // 4):
        for _ in range(rng.randrange(3)):
            rng.choice((model.change, model.change, model.revert))()
        model.reimport()
        model.check()
    model.stage.library.close()

"""Saving and loading a large level, against OpenUSD in the same run where it is installed.

`pytest -m bench tests/bench`; the budgets are those of the project's performance table.
"""

import gc
import time

import pytest

from engine.ecs import World
from engine.scene import read_binary, read_text, write_binary, write_text
from tests.bench.scene_level import make_usd_layer, make_world

pytestmark = pytest.mark.bench
COUNT = 100_000
BUDGETS = {"text save": 0.15, "text load": 0.40, "binary save": 0.05, "binary load": 0.50}


@pytest.fixture(scope="module")
def level():
    return make_world(COUNT)


@pytest.fixture(scope="module")
def files(level, tmp_path_factory):
    registry, world, entities = level
    folder = tmp_path_factory.mktemp("bench")
    doc = registry.to_doc(world, entities)
    (folder / "a.scene").write_bytes(write_text(doc).encode())
    (folder / "a.cscn").write_bytes(write_binary(doc))
    return folder


def operations(level, folder):
    registry, world, entities = level

    def load(read, name):
        doc = read((folder / name).read_bytes())
        registry.migrate(doc)
        return registry.instantiate(World(), doc)

    def save_text():
        (folder / "b.scene").write_text(write_text(registry.to_doc(world, entities)), newline="")

    return {
        "text save": save_text,
        "text load": lambda: load(read_text, "a.scene"),
        "binary save": lambda: (folder / "b.cscn").write_bytes(
            write_binary(registry.to_doc(world, entities))
        ),
        "binary load": lambda: load(read_binary, "a.cscn"),
    }


@pytest.mark.parametrize("operation", list(BUDGETS))
def test_level_of_a_hundred_thousand(benchmark, level, files, operation):
    benchmark.pedantic(operations(level, files)[operation], rounds=3, warmup_rounds=0)


def test_ratios_to_openusd(level, files):
    pxr = pytest.importorskip("pxr", reason="needs usd-core to compare with")
    from pxr import Gf, Sdf, Usd

    assert pxr
    layer = make_usd_layer(COUNT, Gf, Sdf)
    theirs = {}
    for suffix, name in (("usda", "text"), ("usdc", "binary")):
        path = str(files / f"a.{suffix}")
        theirs[f"{name} save"] = best(lambda path=path: layer.Export(path))
        theirs[f"{name} load"] = best(
            lambda path=path: Usd.Stage.Open(Sdf.Layer.OpenAsAnonymous(path))
        )
    ours = {name: best(run) for name, run in operations(level, files).items()}
    ratios = {name: round(ours[name] / theirs[name], 3) for name in BUDGETS}
    print(ratios)
    assert {n: r for n, r in ratios.items() if r > BUDGETS[n]} == {}


def best(run, repeat=2):
    times = []
    for _ in range(repeat):
        gc.collect()
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)

"""Peak memory of large levels, above that of the interpreter, each in a process of its own.

`pytest -m bench tests/bench`; `pytest -m full` for the million.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEAK_MIB = 600
BYTES_PER_COMPONENT = 400
MILLION_MIB = 8 * 1024
MEASURE = """
import gc, json, resource, sys, time
from engine.ecs import World
from engine.scene import read_binary, read_text, write_binary, write_text
from tests.bench.scene_level import make_world

action, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])

def memory(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(key))

before = memory("VmRSS")
is_text = path.endswith(".scene")
seconds = time.perf_counter()
if action == "save":
    registry, world, entities = make_world(count)
    seconds = time.perf_counter()
    doc = registry.to_doc(world, entities)
    with open(path, "wb") as file:
        file.write(write_text(doc).encode() if is_text else write_binary(doc))
else:
    registry, world = make_world(0)[0], World()
    with open(path, "rb") as file:
        doc = (read_text if is_text else read_binary)(file.read())
    registry.migrate(doc)
    entities = registry.instantiate(world, doc)
seconds = time.perf_counter() - seconds
assert len(world) == count
del doc
gc.collect()
components = sum(len(table) * len(table.types) for table in world.tables)
print(json.dumps({
    "seconds": round(seconds, 2),
    "peak_mib": round(memory("VmHWM") - before),
    "held_per_component": round((memory("VmRSS") - before) * 2**20 / components),
}))
"""
pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")


def measure(action, path, count):
    command = [sys.executable, "-c", MEASURE, action, str(path), str(count)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(result.stdout)
    print(action, path.name, count, figures)
    return figures


@pytest.mark.bench
@pytest.mark.parametrize("name", ["a.scene", "a.cscn"])
def test_a_hundred_thousand(tmp_path, name):
    measure("save", tmp_path / name, 100_000)
    found = measure("load", tmp_path / name, 100_000)
    assert found["peak_mib"] <= PEAK_MIB
    assert found["held_per_component"] <= BYTES_PER_COMPONENT


@pytest.mark.full
@pytest.mark.parametrize("name", ["a.scene", "a.cscn"])
def test_a_million(tmp_path, name):
    assert measure("save", tmp_path / name, 1_000_000)["peak_mib"] <= MILLION_MIB
    assert measure("load", tmp_path / name, 1_000_000)["peak_mib"] <= MILLION_MIB

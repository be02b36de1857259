"""How many triangles a file draws, read from its JSON alone."""

from pathlib import Path

import pytest

from engine.assets.gltf import load_gltf
from engine.assets.gltf.container import read_container
from engine.assets.gltf.drawn_triangles import drawn_triangles

PROPS = Path(__file__).resolve().parents[3] / "resources" / "sample" / "props"


def described(**more) -> dict:
    """A scene of one node that draws two triangles of indices."""
    found = {
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"count": 4}, {"count": 6}],
    }
    return {**found, **more}


def primitive(**more) -> list[dict]:
    return [{"primitives": [{"attributes": {"POSITION": 0}, **more}]}]


@pytest.mark.parametrize("name", ["crate.glb", "lantern.glb", "sign.glb"])
def test_it_is_what_the_import_counts(name) -> None:
    root = read_container((PROPS / name).read_bytes()).root
    assert drawn_triangles(root) == load_gltf(PROPS / name).report().counts["triangles"]


def test_a_mesh_counts_as_often_as_it_is_drawn() -> None:
    nodes = [{"mesh": 0, "children": [1, 2]}, {"mesh": 0}, {"mesh": 0}, {"mesh": 0}]
    assert drawn_triangles(described()) == 2
    assert drawn_triangles(described(nodes=nodes)) == 6, "the last is in no scene"
    assert drawn_triangles(described(nodes=nodes, scenes=[])) == 8


def test_strips_and_fans_count_and_lines_and_points_do_not() -> None:
    assert drawn_triangles(described(meshes=primitive())) == 1
    assert drawn_triangles(described(meshes=primitive(mode=5))) == 2
    assert drawn_triangles(described(meshes=primitive(mode=6, indices=1))) == 4
    assert drawn_triangles(described(meshes=primitive(mode=1))) == 0


@pytest.mark.parametrize(
    "broken",
    [
        {"nodes": "none"},
        {"nodes": [{"mesh": 7}]},
        {"nodes": [{"mesh": -1}]},
        {"nodes": [{"children": [0, 9, "x"]}]},
        {"scene": 4},
        {"scenes": [{"nodes": [1.5]}]},
        {"meshes": [None]},
        {"meshes": primitive(indices=12)},
        {"meshes": primitive(mode="strip")},
        {"accessors": [{"count": -5}, {"count": True}]},
        {"accessors": [[], {"count": "many"}]},
    ],
)
def test_what_is_no_file_counts_as_nothing(broken) -> None:
    assert drawn_triangles(described(**broken)) == 0


def test_a_count_beyond_measure_is_bounded() -> None:
    assert drawn_triangles(described(accessors=[{}, {"count": 10**30}])) == 1 << 53

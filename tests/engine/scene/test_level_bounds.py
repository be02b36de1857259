"""Levels that hold themselves, multiply, or go too deep."""

import pytest

from engine.errors import SceneError
from engine.scene import (
    Placeholder,
)
from tests.engine.scene.level_stage import SHELF


@pytest.mark.parametrize("around", ["house", "room"])
def test_a_level_that_holds_itself_is_refused_and_says_by_which_way(project, around):
    looped = SHELF + f'entity 6\n  Name text="Loop"\n  SceneInstance level="{around}.scene"\n'
    project.write("shelf", looped)
    chain = {
        "house": "house.scene -> room.scene -> shelf.scene -> house.scene",
        "room": "room.scene -> shelf.scene -> room.scene",
    }[around]
    with pytest.raises(SceneError, match=chain):
        project.open()
    assert len(project.app.world) == 0
    project.app.load(project.folder / "house.scene", allow_loops=True)
    project.app.settle()
    root = project.app.level_file.entity_at(0)
    loop = project.node(root, "Room/Loop")
    assert chain in project.app.realiser.issues[loop]
    assert project.app.world.has(project.node(root, "Room/Loop/#placeholder"), Placeholder)
    with pytest.raises(SceneError, match=chain):
        project.app.save()


def test_a_loop_that_comes_while_the_level_is_open_is_cut(project):
    root = project.open()
    looped = SHELF + 'entity 6\n  Name text="Loop"\n  SceneInstance level="room.scene"\n'
    project.rewrite("shelf", looped)
    loop = project.node(root, "Room/Loop")
    assert "room.scene -> shelf.scene -> room.scene" in project.app.realiser.issues[loop]
    assert project.node(root, "Room/Shelf/Body")
    project.rewrite("shelf", SHELF)
    assert project.app.realiser.issues == {}


def test_saving_a_level_over_one_that_it_places_is_refused(project):
    project.open()
    before = (project.folder / "shelf.scene").read_bytes()
    with pytest.raises(SceneError, match=r"shelf\.scene -> room\.scene -> shelf\.scene"):
        project.app.save(project.folder / "shelf.scene")
    assert (project.folder / "shelf.scene").read_bytes() == before


def test_levels_in_levels_hundreds_deep_open(project):
    depth = 400
    for i in range(depth):
        inner = f'SceneInstance level="deep{i + 1}.scene"'
        project.write(f"deep{i}", f'cinder-scene 2\nentity 0\n  Name text="d"\n  {inner}\n')
    project.write(f"deep{depth}", 'cinder-scene 2\nentity 0\n  Name text="end"\n')
    root = project.open("deep0")
    path = "/".join(["d"] * (depth - 1) + ["end"])
    assert project.node(root, path)
    assert project.app.realiser.issues == {}


def holding(*levels):
    """Return a level that places levels."""
    placed = (
        f'entity {at}\n  LocalTransform\n  SceneInstance level="{level}.scene"\n'
        for at, level in enumerate(levels)
    )
    return "cinder-scene 2\n" + "".join(placed)


def test_levels_that_multiply_are_refused_with_how_many_they_come_to(project):
    for at in range(30):
        project.write(f"twice{at}", holding(f"twice{at + 1}", f"twice{at + 1}"))
    project.write("twice30", holding())
    project.write("house", holding("twice0"))
    root = project.open()
    assert "2,147,483,647 levels inside each other" in project.app.realiser.issues[root]
    assert len(project.app.world) < 10
    # What is wrong lies deep inside, and so does the mending.
    project.rewrite("twice2", holding())
    assert root not in project.app.realiser.issues
    assert len(project.paths()) == 6


def test_levels_that_are_too_deep_are_refused(project):
    for at in range(600):
        project.write(f"deep{at}", holding(f"deep{at + 1}"))
    project.write("deep600", holding())
    project.write("house", holding("deep0", "deep590"))
    root = project.open()
    assert "601 deep" in project.app.realiser.issues[root]
    assert len(project.paths()) < 15


def test_levels_with_too_many_entities_are_refused(project):
    entities = "".join(f"entity {at}\n  LocalTransform\n" for at in range(1000))
    project.write("many", "cinder-scene 2\n" + entities)
    project.write("row", holding(*["many"] * 300))
    project.write("house", holding("row"))
    root = project.open()
    assert "comes to 300,300 entities" in project.app.realiser.issues[root]


def test_levels_stop_where_all_together_are_too_many(project, monkeypatch):
    monkeypatch.setattr("engine.scene.instance_growth._MOST_LEVELS", 3)
    project.write("one", SHELF)
    project.write("house", holding(*["one"] * 5))
    project.open()
    told = [text for text in project.app.realiser.issues.values() if "placed already" in text]
    assert len(told) == 2

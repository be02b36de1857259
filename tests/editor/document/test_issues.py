"""What is amiss in a level: found as soon as it is so, gone with its cause, mended by a click."""

import threading

import numpy as np
import pytest

from editor.document.checks import boxes
from engine.reflect import Entity, SceneComponent, component
from engine.scene import (
    CameraComponent,
    GltfInstance,
    LocalTransform,
    Name,
    Shape,
)
from tests.editor.document.found_issues import agree, at, found, mended
from tests.editor.document.props import write_prop


def test_a_negative_scale(document) -> None:
    box = document.spawn(Name("a"), LocalTransform(scale=(1, -2, 3)))
    assert found(document, "negative scale")[0].is_hint
    mended(document, "negative scale")
    assert document.world.get(box, LocalTransform).scale.tolist() == [1, 2, 3]


def test_a_node_of_an_asset_may_be_mirrored(document, tmp_path) -> None:
    nodes = [{"name": "Body", "mesh": 0, "scale": [-1, 1, 1]}]
    document.place(write_prop(tmp_path / "m", nodes=nodes))
    assert found(document, "negative scale") == []


def test_two_active_cameras(document) -> None:
    first = document.spawn(Name("A"), LocalTransform(), CameraComponent(active=True))
    assert document.issues() == []
    second = document.spawn(Name("B"), LocalTransform(), CameraComponent(active=True))
    third = document.spawn(Name("C"), LocalTransform(), CameraComponent(active=True))
    (issue,) = found(document, "cameras")
    assert issue.text == "A, B and 1 more are all active; A makes the picture"
    mended(document, "cameras")
    world = document.world
    active = [world.get(e, CameraComponent).active for e in (first, second, third)]
    assert active == [True, False, False]


def test_a_reference_to_what_was_deleted(document) -> None:
    target = document.spawn(Name("door"))
    document.select([])
    user = document.spawn(Name("lever"))

    @component(id=77)
    class Lever(SceneComponent):
        opens: Entity = Entity.null()

    document.registry.register(Lever)
    document.add_component([user], Lever(opens=target))
    assert document.issues() == []
    document.delete([target])
    (issue,) = found(document, "reference")
    assert issue.text == ("Lever.opens of lever refers to an entity that is not in the level")
    document.undo()
    assert document.issues() == []
    document.redo()
    document.delete([user])
    assert document.issues() == []
    document.undo()
    mended(document, "reference")
    assert not document.world.get(user, Lever).opens


def test_copies_in_one_place(document, prop) -> None:
    first = document.place(prop, at(1))
    assert document.issues() == []
    copy = document.duplicate([first])[0]
    (issue,) = found(document, "duplicates")
    assert issue.entity == copy
    assert "stands exactly where" in issue.text
    document.set_fields([copy], LocalTransform, translation=(2, 0, 0))
    assert document.issues() == []
    document.undo()
    mended(document, "duplicates")
    assert document.world.alive(first)


def test_a_copy_under_a_moved_parent_stands_elsewhere(document) -> None:
    above = document.spawn(Name("above"), LocalTransform())
    document.spawn(Shape(), LocalTransform((0, 0.5, 0)), parent=above)
    document.spawn(Shape(), LocalTransform((0, 0.5, 0)))
    assert len(found(document, "duplicates")) == 1
    document.set_fields([above], LocalTransform, translation=(5, 0, 0))
    assert document.issues() == []
    document.set_fields([above], LocalTransform, translation=(0, 0, 0))
    assert len(found(document, "duplicates")) == 1
    agree(document)


def test_a_prop_that_hovers_is_set_down(document, prop) -> None:
    document.spawn(Shape(kind="box"), LocalTransform((0, -0.5, 0), scale=(10, 1, 10)))
    crate = document.place(prop, at(0, 0.2, 0))
    (issue,) = found(document, "floor")
    assert issue.text == "crate hovers 20 cm above what is below it"
    mended(document, "floor")
    assert document.world.get(crate, LocalTransform).translation[1] == pytest.approx(0, abs=1e-5)
    document.set_fields([crate], LocalTransform, translation=(0, 3, 0))
    assert found(document, "floor") == [], "what hangs high is meant so"
    agree(document)


def test_a_floor_that_goes_down_leaves_what_stood_on_it_in_the_air(document, prop) -> None:
    floor = document.spawn(Shape(kind="box"), LocalTransform((0, 2.5, 0), scale=(10, 1, 10)))
    crate = document.place(prop, at(0, 3, 0))
    assert found(document, "floor") == []
    document.set_fields([floor], LocalTransform, translation=(0, 2.2, 0))
    assert [i.entity for i in found(document, "floor")] == [crate]
    document.set_fields([floor], LocalTransform, translation=(50, 2.2, 0))
    assert found(document, "floor") == [], "three metres above the ground it hangs"
    document.undo()
    document.delete([floor])
    agree(document)


def test_a_prop_that_is_part_of_another_may_hover(document, prop) -> None:
    table = document.place(prop, at(0, 0, 0))
    document.place(prop, at(5, 0.2, 0), parent=table)
    assert found(document, "floor") == []


def test_sizes_of_another_unit(document, prop) -> None:
    big = document.place(prop, at(scale=1500))
    (issue,) = found(document, "units")
    assert "1,500 m" in issue.text
    assert issue.fix == "Scale by 1/1000"
    mended(document, "units")
    assert document.world.get(big, LocalTransform).scale[0] == pytest.approx(1.5)
    for x in range(8):
        document.place(prop, at(3 * x + 3))
    assert found(document, "units") == []
    document.place(prop, at(40, scale=400))
    assert "Scale by 1/100" in found(document, "units")[0].fix
    agree(document)


def test_ground_may_be_large(document) -> None:
    document.spawn(Shape(kind="plane"), LocalTransform(scale=(2000, 1, 2000)))
    assert document.issues() == []


def test_all_of_a_kind_are_mended_as_one_step(document) -> None:
    for x in range(3):
        document.spawn(LocalTransform((x, 0, 0), scale=(-1, 1, 1)))
    steps = document.history.index
    document.fix_all(found(document, "negative scale"), "Make scales positive")
    assert document.issues() == []
    assert document.history.labels[-1] == "Make scales positive"
    assert document.history.index == steps + 1


def test_a_look_goes_on_where_time_ended(document) -> None:
    for x in range(200):
        document.spawn(LocalTransform((x, 0, 0), scale=(-1, 1, 1)))
    looks = 0
    while document.look_for_issues(0.0) is None:
        looks += 1
    assert looks > 2
    assert len(document.issues()) == 200


def test_an_edit_looks_at_what_it_changed_only(document, monkeypatch) -> None:
    boxes = [document.spawn(LocalTransform((x, 0, 0))) for x in range(100)]
    document.issues()
    from editor.document.checks.transforms import NegativeScaleCheck

    looked = []
    real = NegativeScaleCheck.find
    monkeypatch.setattr(
        NegativeScaleCheck, "find", lambda self, e: (looked.append(e), real(self, e))[1]
    )
    document.set_fields([boxes[7]], LocalTransform, scale=(1, -1, 1))
    assert len(document.issues()) == 1
    assert looked == [boxes[7]]


def test_random_edits_find_what_a_look_at_everything_finds(document, prop) -> None:
    rng = np.random.default_rng(5)
    crate = document.place(prop, at(0))
    for _ in range(60):
        world = document.world
        own = [e for e in world.entities() if world.has(e, GltfInstance)]
        chosen = own[rng.integers(len(own))]
        act = rng.integers(6)
        if act == 0 and len(own) < 12:
            document.duplicate([chosen])
        elif act == 1 and len(own) > 2:
            document.delete([chosen])
        elif act == 2 and document.history.can_undo:
            document.undo()
        elif act == 3 and document.history.can_redo:
            document.redo()
        elif act == 4:
            where = rng.choice([0.0, 0.2, 1.0, 4.0], 3)
            document.set_fields([chosen], LocalTransform, translation=where)
        else:
            document.set_fields([chosen], LocalTransform, scale=rng.choice([1.0, -1, 2000], 3))
        agree(document)
    assert crate in document.world.entities() or document.history.can_undo


def test_large_assets_are_measured_beside_the_work(document, prop, monkeypatch) -> None:
    may_measure, real = threading.Event(), boxes._asset_box
    monkeypatch.setattr(boxes, "_SMALL", 0)
    monkeypatch.setattr(boxes, "_asset_box", lambda asset: (may_measure.wait(), real(asset))[1])
    document.place(prop, at(scale=1500))
    assert document.look_for_issues(1.0) is None, "the size is on its way"
    may_measure.set()
    assert "1,500 m" in found(document, "units")[0].text
    assert document.look_for_issues(1.0) == document.issues()
    agree(document)


def test_a_reference_in_an_unknown_component(document, tmp_path) -> None:
    path = tmp_path / "a.scene"
    path.write_text(
        'cinder-scene 2\nentity 0\n  Name text="door"\n'
        'entity 1\n  Name text="lever"\n  Switch note="x" opens=#0\n'
    )
    document.open(path)
    assert document.issues() == []
    document.delete([next(e for e in document.children() if document.label(e) == "door")])
    assert found(document, "reference")[0].text.startswith("Switch.opens of lever refers to")
    mended(document, "reference")
    document.save()
    assert 'Switch note="x" opens=#-1' in path.read_text()

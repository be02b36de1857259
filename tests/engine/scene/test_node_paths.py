"""Paths of instance nodes: every node has one, no two the same, and it finds the node again."""

from hypothesis import given
from hypothesis import strategies as st

from engine.ecs import World
from engine.reflect import Entity
from engine.scene.node_paths import NodePaths, escape_name, sibling_segments, split_path

names = st.text(st.sampled_from("ab/\\[]#12"), max_size=6)


@given(st.lists(names, min_size=1, max_size=5))
def test_a_path_splits_into_the_escaped_names_that_it_was_joined_from(parts):
    escaped = [escape_name(part) for part in parts]
    assert split_path("/".join(escaped)) == escaped


@given(st.lists(names, max_size=12))
def test_segments_of_siblings_are_all_different(siblings):
    segments = sibling_segments((name, i) for i, name in enumerate(siblings))
    assert len(set(segments)) == len(siblings)


def test_equal_names_are_numbered_from_the_second_on():
    siblings = [("Arm", 0), ("Leg", 1), ("Arm", 2), ("", 3), ("Arm", 4)]
    assert sibling_segments(siblings) == ["Arm", "Leg", "Arm[2]", "#3", "Arm[3]"]


def test_a_name_that_looks_numbered_makes_way():
    assert sibling_segments([("a[2]", 0), ("a", 1), ("a", 2)]) == ["a[2]", "a", "a[3]"]


def handle(number: int) -> Entity:
    return Entity.of(number, 1)


def test_places_are_found_both_ways_and_forgotten():
    paths = NodePaths.of(World())
    root, arm, hand = handle(1), handle(2), handle(3)
    paths.bind(root, "arm", arm)
    paths.bind(arm, "hand", hand)
    assert paths.place(hand) == (root, "arm/hand")
    assert paths.find(root, "arm/hand") == hand
    assert paths.below(root) == [arm, hand]
    assert paths.place(root) is None
    assert paths.find(root, "arm/foot") is None
    paths.unbind(hand)
    assert paths.place(hand) is None
    assert paths.find(root, "arm/hand") is None
    assert paths.find(root, "arm") == arm


def test_binding_again_replaces_the_entity_and_the_place():
    paths = NodePaths.of(World())
    root, old, new = handle(1), handle(2), handle(3)
    paths.bind(root, "arm", old)
    paths.bind(root, "arm", new)
    assert paths.place(old) is None
    assert paths.find(root, "arm") == new
    paths.bind(root, "leg", new)
    assert paths.find(root, "arm") is None
    assert paths.place(new) == (root, "leg")

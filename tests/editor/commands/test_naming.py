"""Names that no sibling has yet."""

import pytest

from editor.commands.naming import FreeNames, asset_title, unique_name


@pytest.mark.parametrize(
    ("wanted", "taken", "found"),
    [
        ("a", set(), "a"),
        ("a", {"a"}, "a 2"),
        ("a", {"a", "a 2", "a 4"}, "a 3"),
        ("a 3", {"a 3"}, "a 4"),
        ("", {""}, " 2"),
        ("a " + "9" * 5000, {"a " + "9" * 5000}, "a " + "9" * 5000 + " 2"),
    ],
)
def test_a_name_takes_the_lowest_number_that_makes_it_new(wanted, taken, found):
    assert unique_name(wanted, taken) == found


class Counting(str):
    """A text that tells how often it was made into another one."""

    made = 0

    def __format__(self, spec):
        Counting.made += 1
        return super().__format__(spec)


def test_names_taken_one_after_the_other_are_as_if_each_was_looked_for_anew():
    free, taken = FreeNames({"a", "a 5"}), {"a", "a 5"}
    for wanted in ["a", "a", "b", "a 2", "a", "a 5", "b", "a 2", "a"] * 3:
        expected = unique_name(wanted, taken)
        taken.add(expected)
        assert free.take(wanted) == expected


def test_many_of_one_name_are_not_counted_from_the_start_each():
    wanted, free = Counting("a"), FreeNames(())
    for _ in range(1000):
        free.take(wanted)
    assert Counting.made < 4000


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("props/barrel.glb", "barrel"),
        ("props/barrel.gltf.glb", "barrel"),
        ("props/old.barrel.gltf", "old.barrel"),
        (".gltf.glb", ".gltf"),
        ("", ""),
    ],
)
def test_a_file_is_called_without_what_says_its_kind(path, title):
    assert asset_title(path) == title

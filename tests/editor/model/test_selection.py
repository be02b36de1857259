from editor.model.selection import Selection
from engine.reflect import Entity

A, B, C = (Entity.of(i, 1) for i in range(3))


def test_the_last_chosen_is_active_and_doubles_count_once():
    selection = Selection([A, B, A])
    assert list(selection) == [A, B]
    assert selection.active == B
    assert Selection().active is None


def test_without_keeps_the_order():
    assert Selection([A, B, C]).without([B]) == (A, C)


def test_membership_and_equality():
    assert A in Selection([A])
    assert B not in Selection([A])
    assert Selection([A, B]) != Selection([B, A])
    assert hash(Selection([A])) == hash(Selection([A]))

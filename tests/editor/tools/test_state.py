import pytest

from editor.tools.state import ToolState


def test_a_different_value_is_announced_once_by_name():
    state, heard = ToolState(), []
    state.changed.connect(heard.append)
    state.tool = "rotate"
    state.tool = "rotate"
    state.move_step = 1
    assert heard == ["tool", "move_step"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("tool", "paint by numbers"), ("move_step", 0), ("move_step", True), ("snap", 1), ("mode", 3)],
)
def test_a_wrong_value_is_refused_and_nothing_changes(name, value):
    state = ToolState()
    before = state.to_dict()
    with pytest.raises(ValueError, match=name):
        setattr(state, name, value)
    assert state.to_dict() == before


def test_a_choice_that_does_not_exist_is_refused():
    with pytest.raises(AttributeError, match="colour"):
        ToolState().colour = "red"


def test_restoring_takes_what_is_sound_and_leaves_the_rest():
    state = ToolState()
    state.restore({"space": "local", "pivot": 7, "angle_step": -1, "grid": False, "x": 1})
    assert (state.space, state.pivot, state.angle_step, state.grid) == (
        "local", "median", 15.0, False,
    )  # fmt: skip

import numpy as np
import pytest

from engine.errors import EngineError
from engine.render import Camera, LightKind, RenderInstance, RenderLight, RenderScene
from engine.render.growable import GrowableArray


def make_scene() -> RenderScene:
    return RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))


def test_appended_instance_reads_back():
    scene = make_scene()
    matrix = np.arange(16, dtype=np.float32).reshape(4, 4)
    scene.instances.append(
        RenderInstance(3, 4, matrix, False, joint_offset=2, morph_weights=(0.25, 0.5), entity=7)
    )
    view = scene.instances[0]
    assert (view.mesh, view.material, view.cast_shadows, view.joint_offset) == (3, 4, False, 2)
    assert view.entity == 7
    np.testing.assert_array_equal(view.world_from_local, matrix)
    np.testing.assert_array_equal(view.morph_weights, [0.25, 0.5])


def test_view_writes_through_and_counts_as_an_edit():
    scene = make_scene()
    scene.instances.append(RenderInstance(0, 0))
    before = scene.instances.version
    scene.instances[0].mesh = 9
    assert scene.instances.columns().mesh[0] == 9
    assert scene.instances.version > before
    with pytest.raises(AttributeError):
        scene.instances[0].colour = 1


def test_deleting_keeps_the_other_rows():
    scene = make_scene()
    for mesh in range(4):
        scene.instances.append(RenderInstance(mesh, 0))
    del scene.instances[1]
    assert [view.mesh for view in scene.instances] == [0, 2, 3]
    with pytest.raises(IndexError):
        scene.instances[3]


def test_clear_removes_weights_too():
    scene = make_scene()
    scene.instances.append(RenderInstance(0, 0, morph_weights=(1.0,)))
    scene.clear()
    assert len(scene.instances) == len(scene.morph_weights) == len(scene.joints) == 0


def test_light_kinds_and_attributes():
    scene = make_scene()
    scene.lights.append(RenderLight("spot", color=(1, 0, 0), range=3.0, outer_angle=0.5))
    light = scene.lights[0]
    assert light.kind is LightKind.SPOT
    assert light.range == 3.0
    np.testing.assert_array_equal(light.color, [1, 0, 0])
    light.kind = "point"
    assert scene.lights[0].kind is LightKind.POINT


def test_changes_name_moved_rows_until_something_else_is_edited():
    instances = make_scene().instances
    instances.resize(10)
    seen = instances.changes_since(-1)
    assert seen.everything
    instances.moved([1, 2])
    instances.moved([5])
    moved = instances.changes_since(seen.serial)
    assert not moved.everything
    assert [rows.tolist() for rows in moved.moved] == [[1, 2], [5]]
    assert instances.changes_since(moved.serial).moved == ()
    instances.touch()
    assert instances.changes_since(moved.serial).everything


def test_moves_do_not_count_as_edits():
    instances = make_scene().instances
    instances.resize(3)
    before = instances.version
    instances.moved([0])
    assert instances.version == before


def test_a_long_log_of_moves_still_names_every_row():
    instances = make_scene().instances
    instances.resize(200)
    serial = instances.serial
    for row in range(150):
        instances.moved([row])
    rows = np.concatenate(instances.changes_since(serial).moved)
    assert set(rows.tolist()) >= set(range(150))


def test_growable_keeps_rows_and_versions():
    array = GrowableArray((2,), np.float32)
    array.append((1, 2))
    assert array.extend([[3, 4], [5, 6]]) == 1
    version = array.version
    assert array.resize(3) is array.array
    assert array.version == version
    array[0] = (9, 9)
    assert array.version > version
    del array[1]
    np.testing.assert_array_equal(array.array, [[9, 9], [5, 6]])


def test_matrix_of_another_shape_is_refused():
    scene = make_scene()
    with pytest.raises(EngineError, match=r"\(3, 3\)"):
        scene.instances.append(RenderInstance(0, 0, np.eye(3)))
    assert len(scene.instances) == 0

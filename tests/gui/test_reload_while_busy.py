"""Files that other programs save while the artist is in the middle of something."""

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from engine.assets import asset_reading
from engine.errors import SceneError
from engine.scene import GltfInstance, LocalTransform, Name
from tests.gui.desk import ARM, BODY, save, save_prop
from tests.patience import PATIENCE_S


def test_a_drag_is_not_disturbed(desk, level) -> None:
    root = desk.place(save_prop(level.parent))
    document, world = desk.document, desk.document.world
    entry = document.app.assets.entries()[-1]
    gesture = document.begin_gesture("Move")
    document.set_fields([root], LocalTransform, translation=(1, 0, 0))
    told = desk.window.project_watch
    save_prop(level.parent, [BODY, {**ARM, "translation": [0, 0, 9]}])
    save(level, level.read_text().replace('"Lid"', '"Cover"'))
    desk.until(lambda: told.is_holding)
    for step in range(5):
        document.set_fields([root], LocalTransform, translation=(step, 0, 0))
        desk.window.viewport.repaint()
    arm = desk.node(root, "Body/Arm")
    assert world.get(arm, LocalTransform).translation.tolist() == [0, 0, 0]
    assert entry.version == 1
    gesture.commit()
    desk.until(lambda: world.get(arm, LocalTransform).translation.tolist() == [0, 0, 9])
    desk.until(lambda: any(document.label(e) == "Cover" for e in world.entities()))
    assert world.get(root, LocalTransform).translation.tolist() == [4, 0, 0]


def test_what_loaded_before_a_drag_began_waits_for_its_end(desk, level) -> None:
    root = desk.place(save_prop(level.parent))
    document, world = desk.document, desk.document.world
    path = save_prop(level.parent, [BODY, {**ARM, "translation": [0, 0, 9]}])
    document.app.assets.check_for_changes()
    arm = desk.node(root, "Body/Arm")
    with document.gesture("Move"):
        document.set_fields([root], LocalTransform, translation=(1, 0, 0))
        document.settle()
        assert world.get(arm, LocalTransform).translation.tolist() == [0, 0, 0]
    desk.until(lambda: world.get(arm, LocalTransform).translation.tolist() == [0, 0, 9])
    assert path.is_file()


def test_a_prop_that_changes_and_goes_while_it_is_placed(desk, level, answers) -> None:
    """The preview of a drop loads at once; what happens to its file meanwhile hurts nobody."""
    prop = save_prop(level.parent)
    document = desk.document
    gesture = document.begin_gesture("Place crate")
    root = document.place(prop, wait=False)
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    document.settle()
    prop.unlink()
    gesture.commit()
    assert document.world.alive(root)
    desk.until(lambda: any("no such file" in text for text in desk.issues()))
    document.undo()
    assert not document.world.alive(root)
    save_prop(level.parent)
    document.redo()
    desk.until(lambda: desk.node(root, "Body/Arm") is not None)
    document.save()


def test_a_prop_that_vanishes_while_the_level_is_saved_elsewhere(
    desk, level, answers, tmp_path_factory
) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    target = tmp_path_factory.mktemp("elsewhere") / "yard.scene"
    prop.unlink()
    desk.document.save(target)
    assert desk.document.path == target
    assert desk.document.world.alive(root)
    watch = desk.window.project_watch
    desk.until(lambda: (watch.folder, watch.mode) == (str(target.parent), "events"))
    # The look that follows when a watch begins, and what is being read.
    QTest.qWait(0)
    desk.until(lambda: not desk.document.app.is_loading)
    save_prop(target.parent)
    desk.until(lambda: desk.node(root, "Body/Arm") is not None)


def test_an_edit_by_keys_goes_on_while_its_prop_is_read_again(desk, level) -> None:
    """A text that is being typed in the inspector is not taken away by a reload."""
    root = desk.place(save_prop(level.parent))
    desk.document.select([root])
    name = desk.window.findChild(QLineEdit, "inspector.name")
    name.setFocus()
    name.selectAll()
    QTest.keyClicks(name, "Half a na")
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    desk.until(lambda: desk.node(root, "Body/Limb") is not None)
    QTest.keyClicks(name, "me")
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert desk.document.label(root) == "Half a name"


def test_another_asset_is_not_waited_for(desk, level, monkeypatch) -> None:
    """An import takes as long as it takes; what is edited meanwhile does not wait for it."""
    root = desk.place(save_prop(level.parent))
    save_prop(level.parent, [{"name": "Tall", "mesh": 0}], name="tower")
    gate, document, read = threading.Event(), desk.document, asset_reading.load_gltf

    def slow(*args, **more):
        assert gate.wait(PATIENCE_S)
        return read(*args, **more)

    monkeypatch.setattr(asset_reading, "load_gltf", slow)
    fail_safe = threading.Timer(PATIENCE_S / 2, gate.set)
    fail_safe.start()
    document.set_fields([root], GltfInstance, asset="props/tower.gltf")
    document.set_fields([root], GltfInstance, cast_shadows=False)
    document.undo()
    box = document.spawn(Name("Box"), LocalTransform(), GltfInstance("props/tower.gltf"))
    with pytest.raises(SceneError):
        document.unpack([box])
    document.make_instance("made.scene", [box])
    assert not gate.is_set()
    gate.set()
    fail_safe.cancel()
    desk.until(lambda: desk.node(root, "Tall") is not None)

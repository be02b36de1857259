"""Files that other programs save, seen by a shown window through the watch of its project."""

import json
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from editor.main_window import MainWindow
from editor.model.settings import Settings
from editor.qt.widgets.check_box import CheckBox
from engine.reflect import Entity
from engine.scene import (
    Environment,
    GltfInstance,
    InstanceNode,
    LocalTransform,
    MeshRenderer,
    Name,
    Placeholder,
    children,
)
from engine.scene.instances import find_node
from tests.editor.document.props import gltf, picture, write_pack
from tests.engine.assets.watch.test_file_watch import refuse_to_watch
from tests.gui.test_window import named

PATIENCE_MS = 30_000


def save(path: Path, data: bytes | str) -> None:
    """Write a file over as most programs do: beside it, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.tmp")
    beside.write_bytes(data if isinstance(data, bytes) else data.encode())
    os.replace(beside, path)


def save_prop(root: Path, nodes: list[dict] | None = None, name: str = "crate") -> Path:
    path = root / "props" / f"{name}.gltf"
    save(path, json.dumps(gltf(nodes)))
    return path


BODY = {"name": "Body", "mesh": 0, "children": [1]}
ARM = {"name": "Arm", "mesh": 0}


class Desk:
    """A shown window and the watch on its project."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self.document = window.document
        window.show()
        window.viewport.moves_smoothly = False
        self.until(lambda: window.project_watch.mode == "events")
        # The look at the disk that follows when a watch begins.
        QTest.qWait(0)

    def until(self, done: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(done, timeout=PATIENCE_MS)

    def place(self, path: Path) -> Entity:
        root = self.document.place(path)
        self.document.history.mark_saved()
        return root

    def node(self, root: Entity, path: str) -> Entity | None:
        return find_node(self.document.world, root, path) or None

    def issues(self) -> list[str]:
        return [issue.text for issue in self.window.panels["issues"].issues]

    def told(self, act: Callable[[], object]) -> list[str]:
        """Return the files that are told of while `act`, and a file after it, is written."""
        told: list[str] = []
        subscription = self.window.project_watch.files_changed.connect(
            lambda changes: told.extend(changes.paths)
        )
        act()
        fence = Path(self.document.root) / "fence.txt"
        fence.write_text(str(len(told)))
        self.until(lambda: str(fence) in told)
        self.window.project_watch.disconnect(subscription)
        return [path for path in told if path != str(fence)]


@pytest.fixture
def desk(qtbot, window) -> Desk:
    return Desk(qtbot, window)


def test_a_saved_prop_shows_with_every_tweak_still_there(desk, level) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    document, world = desk.document, desk.document.world
    arm = desk.node(root, "Body/Arm")
    document.set_fields([arm], LocalTransform, translation=(0, 5, 0))
    document.set_fields([root], GltfInstance, cast_shadows=False)
    document.select([arm])
    camera, steps = desk.window.viewport.camera_state(), document.history.labels
    saved = (root, arm, document.history.index)
    leg = {"name": "Leg", "mesh": 0, "translation": [7, 0, 0]}
    save_prop(level.parent, [{**BODY, "children": [1, 2]}, {**ARM, "scale": [2, 2, 2]}, leg])
    desk.until(lambda: desk.node(root, "Body/Leg") is not None)
    assert (root, desk.node(root, "Body/Arm"), document.history.index) == saved
    kept = world.get(arm, LocalTransform)
    assert kept.translation.tolist() == [0, 5, 0]
    assert kept.scale.tolist() == [2, 2, 2]
    assert not world.get(root, GltfInstance).cast_shadows
    assert list(document.selection) == [arm]
    assert desk.window.viewport.camera_state() == camera
    assert document.history.labels == steps
    assert desk.window.status_line.note == "Reloaded crate.gltf"
    for _ in range(document.history.index):
        document.undo()
    assert not world.alive(root)


def test_nodes_that_go_and_come_back_keep_their_overrides(desk, level) -> None:
    root = desk.place(save_prop(level.parent))
    document, world = desk.document, desk.document.world
    arm = desk.node(root, "Body/Arm")
    document.set_fields([arm], LocalTransform, translation=(0, 5, 0))

    # Renamed: parked, and listed.
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    desk.until(lambda: any("Body/Arm" in text for text in desk.issues()))
    assert world.alive(arm)
    assert world.get(arm, InstanceNode).path == "Body/Arm"

    # Moved to another parent: found by its name.
    top = {"name": "Body", "mesh": 0, "children": [1]}
    save_prop(level.parent, [top, {"name": "Joint", "children": [2]}, ARM])
    desk.until(lambda: desk.node(root, "Body/Joint/Arm") == arm)
    assert world.get(arm, LocalTransform).translation.tolist() == [0, 5, 0]

    # Deleted, and added anew.
    save_prop(level.parent, [{"name": "Body", "mesh": 0}])
    desk.until(lambda: any("Body/Arm" in text for text in desk.issues()))
    save_prop(level.parent)
    desk.until(lambda: desk.node(root, "Body/Arm") == arm and not desk.issues())
    assert world.get(arm, LocalTransform).translation.tolist() == [0, 5, 0]
    assert world.has(arm, MeshRenderer)


def test_broken_and_whole_again(desk, level) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    body = desk.node(root, "Body")
    save_prop(level.parent, [{"name": "Body", "mesh": 7}])
    desk.until(lambda: bool(desk.issues()))
    assert "crate.gltf" in desk.issues()[0]
    assert "/nodes/0/mesh" in desk.issues()[0]
    assert desk.node(root, "Body") == body
    save_prop(level.parent)
    desk.until(lambda: not desk.issues())


def test_a_missing_prop_comes_in_place_of_its_box(desk, level) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    away = prop.with_name("away.gltf")
    prop.rename(away)
    desk.until(lambda: any("no such file" in text for text in desk.issues()))
    desk.document.set_fields([root], GltfInstance, asset="props/none.gltf")
    desk.until(lambda: _has_box(desk.document.world, root))
    away.rename(prop.with_name("none.gltf"))
    desk.until(lambda: desk.node(root, "Body/Arm") is not None)
    assert not _has_box(desk.document.world, root)


def _has_box(world, root) -> bool:
    return any(world.has(child, Placeholder) for child in children(world, root))


def test_files_beside_a_prop_are_part_of_it(desk, level) -> None:
    prop = write_pack(level.parent / "props")
    desk.place(prop)
    entry = next(e for e in desk.document.app.assets.entries() if e.path == "props/crate.gltf")
    save(prop.with_name("crate.bin"), struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 9, 0))
    desk.until(lambda: entry.asset.meshes[0].primitives[0].mesh.positions[2, 1] == 9)
    assert entry.asset.images[0].pixels[0, 0].tolist() == [0, 255, 0, 127]
    save(prop.parent / "Textures" / "colormap.png", picture((200, 10, 0, 255)))
    desk.until(lambda: entry.asset.images[0].pixels[0, 0].tolist() == [200, 10, 0, 255])


def test_case_45_through_the_watch(desk, level, shared) -> None:
    """Known bug: editing a texture used by a model changes nothing (bevyengine/bevy#18267)."""
    source, folder = shared / "bugcases", level.parent / "props"
    folder.mkdir()
    for name in ("45_external_texture_reload.gltf", "45_tex.png"):
        shutil.copyfile(source / name, folder / name)
    desk.place(folder / "45_external_texture_reload.gltf")
    entry = desk.document.app.assets.entries()[-1]

    def mean() -> list[float]:
        return np.mean(entry.asset.images[0].pixels[..., :3], axis=(0, 1)).tolist()

    assert mean() == [255, 0, 0]
    save(folder / "45_tex.png", (source / "45_tex_v2.png").read_bytes())
    desk.until(lambda: mean() == [0, 255, 0])


def test_case_40_through_the_watch(desk, level) -> None:
    """Known bug: an override equal to its base is dropped (godotengine/godot#18241)."""

    def colour(value: float) -> list[dict]:
        return [{**BODY, "translation": [value, 0, 0]}, ARM]

    def reopened() -> tuple[float, bool]:
        desk.document.save(level)
        desk.document.open(level)
        root = next(e for e, _ in _instances(desk.document))
        body = desk.node(root, "Body")
        is_marked = desk.document.world.has(body, InstanceNode)
        return float(desk.document.world.get(body, LocalTransform).translation[0]), is_marked

    red, blue, green = 1.0, 2.0, 3.0
    root = desk.place(save_prop(level.parent, colour(red)))
    desk.document.set_fields([desk.node(root, "Body")], LocalTransform, translation=(blue, 0, 0))
    entry = desk.document.app.assets.entries()[-1]
    assert reopened() == (blue, True)
    for value in (blue, green):
        save_prop(level.parent, colour(value))
        entry = desk.document.app.assets.entries()[-1]
        desk.until(lambda v=value, e=entry: e.asset.nodes[0].translation[0] == v)
        assert reopened() == (blue, True)


def _instances(document):
    return [
        (e, document.world.get(e, GltfInstance))
        for e in document.world.entities()
        if document.world.has(e, GltfInstance)
    ]


def test_saving_the_level_is_no_change(desk, level) -> None:
    desk.document.rename(named(desk.window, "Crate"), "Barrel")
    asked: list[str] = []
    desk.document.message_posted.connect(lambda message: asked.append(message.text))
    count = desk.document.history.count
    assert set(desk.told(desk.document.save)) <= {str(level)}
    assert (desk.document.history.count, desk.document.dirty) == (count, False)
    assert not [text for text in asked if "changed by somebody else" in text]


def test_what_somebody_else_wrote_to_the_level_is_merged(desk, level) -> None:
    document = desk.document
    document.rename(named(desk.window, "Lid"), "Cover")
    save(level, level.read_text().replace('"Crate"', '"Barrel"'))
    desk.until(lambda: document.label(document.children()[0]) == "Barrel")
    assert document.label(document.children(document.children()[0])[0]) == "Cover"
    assert document.history.labels[-1].startswith("Merge")
    document.undo()
    assert document.label(document.children()[0]) == "Crate"


def test_a_level_that_is_broken_on_disk_changes_nothing(desk, level, answers) -> None:
    whole = level.read_text()
    said: list[str] = []
    desk.document.message_posted.connect(lambda message: said.append(message.text))
    save(level, whole[: len(whole) // 2] + '"')
    desk.until(lambda: any("yard.scene" in text for text in said))
    assert [desk.document.label(e) for e in desk.document.children()] == ["Crate"]
    assert desk.document.history.count == 0
    save(level, whole.replace('"Crate"', '"Barrel"'))
    desk.until(lambda: desk.document.label(desk.document.children()[0]) == "Barrel")


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


def test_a_project_that_vanishes_takes_nothing_away(desk, level, answers) -> None:
    root = desk.place(save_prop(level.parent))
    away = level.parent.with_name("away")
    level.parent.rename(away)
    desk.window.project_watch.verify()
    desk.until(lambda: desk.window.project_watch.mode == "waiting")
    assert desk.node(root, "Body/Arm") is not None
    desk.document.rename(root, "Still here")
    away.rename(level.parent)
    desk.until(lambda: desk.window.project_watch.mode == "events")
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    desk.until(lambda: desk.node(root, "Body/Limb") is not None)


def test_the_watch_follows_to_another_project(desk, level, tmp_path_factory) -> None:
    other = tmp_path_factory.mktemp("other") / "place.scene"
    other.write_text('cinder-scene 2\nentity 0\n  Name text="Stone"\n')
    desk.document.open(other)
    desk.until(lambda: desk.window.project_watch.mode == "events")
    assert desk.window.project_watch.folder == str(other.parent)
    save(other, other.read_text().replace("Stone", "Rock"))
    desk.until(lambda: desk.document.label(desk.document.children()[0]) == "Rock")


def test_watching_can_be_switched_off_and_on(desk, level) -> None:
    window, prop = desk.window, save_prop(level.parent)
    root = desk.place(prop)
    window.actions_by_id["preferences"].trigger()
    box = window.findChild(CheckBox, "preferences.watch_files")
    assert box.isChecked()
    box.click()
    assert window.project_watch.mode == "closed"
    assert not Settings.load().watch_files
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    window.windows.look_at_disk()
    desk.until(lambda: desk.node(root, "Body/Limb") is not None)
    save_prop(level.parent)
    box.click()
    # What was written meanwhile is looked for.
    desk.until(lambda: desk.node(root, "Body/Arm") is not None)


def sky(blue: int) -> bytes:
    return b"#?RADIANCE\n\n-Y 1 +X 2\n" + bytes((128, 64, blue, 129) * 2)


def test_an_environment_image_is_followed(desk, level, caplog) -> None:
    path = level.parent / "sky.hdr"
    save(path, sky(32))
    entity = desk.document.spawn(Name("Light"), Environment(image="sky.hdr"))
    scene = desk.document.app.scene
    desk.until(lambda: getattr(scene.environment, "pixels", None) is not None)
    first = scene.environment
    save(path, sky(32)[:26])
    desk.until(lambda: any("sky.hdr" in text for text in desk.issues()))
    assert scene.environment is first
    save(path, sky(64))
    desk.until(lambda: scene.environment is not first)
    desk.until(lambda: not desk.issues())
    assert desk.document.world.alive(entity)


def test_a_burst_of_props_is_one_note(desk, level) -> None:
    props = [save_prop(level.parent, name=f"p{i}") for i in range(6)]
    for prop in props:
        desk.document.place(prop)
    moved = [BODY, {**ARM, "translation": [0, 0, 9]}]
    aside = level.parent / ".aside"
    for i in range(6):
        save(aside / f"p{i}.gltf", json.dumps(gltf(moved)))
    for i in range(6):
        os.replace(aside / f"p{i}.gltf", props[i])
    entries = [e for e in desk.document.app.assets.entries() if e.path.startswith("props/p")]
    desk.until(lambda: all(e.version == 2 for e in entries))
    assert desk.window.status_line.note.startswith("Reloaded p")


def test_where_the_system_cannot_watch_it_is_said_once_and_files_are_looked_at(
    qtbot, window, level, monkeypatch
) -> None:
    refuse_to_watch(monkeypatch, lambda options: options.get("recursive"))
    said: list[str] = []
    window.document.message_posted.connect(lambda message: said.append(message.text))
    window.show()
    qtbot.waitUntil(lambda: window.project_watch.mode == "polling", timeout=PATIENCE_MS)
    root = window.document.place(save_prop(level.parent))
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    world = window.document.world
    qtbot.waitUntil(lambda: bool(find_node(world, root, "Body/Limb")), timeout=PATIENCE_MS)
    assert len([text for text in said if "limit" in text]) == 1


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

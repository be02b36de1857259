"""Instances as an artist meets them: menus, marks, the overrides card, refusals with an offer."""

import json

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from editor.panels.inspector.field_editors.variant import VariantEditor
from editor.qt.hierarchy.model import LOOK_ROLE
from editor.qt.hierarchy.rows import EYE_COLUMN, LOCK_COLUMN
from editor.qt.mime import entity_mime
from editor.qt.widgets import menu_bar
from editor.qt.widgets.asset_field import AssetField
from engine.reflect import Entity
from engine.scene import (
    GltfInstance,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Placeholder,
    SceneInstance,
    children,
)
from engine.scene.instances import find_node
from tests.editor.document.props import gltf, write_prop
from tests.gui.artist import trigger

ROOM = (
    "cinder-scene 2\n"
    'entity 0\n  Name text="Table"\n  LocalTransform\n  GltfInstance asset="crate.gltf"\n'
    'entity 1\n  Name text="Candle"\n  LocalTransform\n  LightSource intensity=5.0\n'
)


@pytest.fixture
def project(level):
    write_prop(level.parent)
    (level.parent / "room.scene").write_text(ROOM)
    return level.parent


def node(window, root: Entity, path: str) -> Entity:
    found = find_node(window.document.world, root, path)
    assert found, path
    return found


def card(window):
    return window.panels["inspector"].findChild(object, "card.overrides")


def click(window, text: str) -> None:
    (button,) = [b for b in buttons(window) if b.text() == text]
    button.click()


def buttons(window) -> list[QPushButton]:
    return [b for b in card(window).findChildren(QPushButton) if b.isVisibleTo(window)]


def look(window, entity: Entity):
    return window.panels["hierarchy"].model.index_of(entity).data(LOOK_ROLE)


def test_commands_for_instances_are_there_when_they_can_be_used(window, project):
    document = window.document
    ids = ("make_instance", "unpack", "apply_overrides", "revert_instance")

    def enabled():
        return [window.actions_by_id[i].isEnabled() for i in ids]

    def tip(action):
        return window.actions_by_id[action].toolTip()

    document.select([])
    assert enabled() == [False, False, False, False]
    document.select([document.children()[0]])
    assert enabled() == [True, False, False, False]
    room = document.place("room.scene")
    assert enabled() == [True, True, False, False], "nothing is changed"
    assert tip("apply_overrides").startswith("Nothing was changed or added")
    assert tip("revert_instance") == "Nothing was changed"
    table = node(window, room, "Table/Body")
    document.select([table])
    assert enabled() == [False, True, False, False]
    assert tip("make_instance").startswith("A part of an instance stays in it")
    document.set_fields(table, LocalTransform, scale=(2, 2, 2))
    assert enabled() == [False, True, True, True]
    assert (
        tip("apply_overrides") == "Write what was changed and added into the level that is placed"
    )
    crate = document.place("crate.gltf")
    assert enabled() == [True, True, False, False]
    assert tip("apply_overrides").startswith("Only a placed level takes changes in")
    document.select([crate, room])
    assert enabled() == [True, True, True, True], "one of them is enough"
    trigger(window, "revert_instance")
    assert enabled() == [True, True, False, False]
    assert not window.toasts.texts(), "the crate has nothing to revert, and that is no error"


def test_what_can_not_be_done_says_why_in_the_menu(window, shown, project, monkeypatch):
    told = []

    class Tips:
        @staticmethod
        def showText(at, text, widget):
            told.append(text)

    monkeypatch.setattr(menu_bar, "QToolTip", Tips)
    window.document.place("room.scene")
    menu = window.services.menus["entity"]
    menu.popup(window.mapToGlobal(QPoint(20, 20)))
    for name in ("apply_overrides", "unpack"):
        at = menu.actionGeometry(window.actions_by_id[name]).center()
        QApplication.sendEvent(menu, QHelpEvent(QEvent.Type.ToolTip, at, menu.mapToGlobal(at)))
    menu.close()
    [why, nothing] = told
    assert why.startswith("Nothing was changed or added")
    assert nothing == ""


def test_a_level_without_a_place_for_the_changes_is_not_offered_them(window, project):
    document = window.document
    room = document.place("room.scene")
    document.set_fields(node(window, room, "Candle"), LightSource, intensity=9.0)
    (project / "room.scene").write_text(ROOM.partition("entity 1")[0])
    document.reload_assets(force=True)
    document.settle()
    document.select([room])
    assert not window.actions_by_id["apply_overrides"].isEnabled()
    (apply,) = [b for b in buttons(window) if b.text() == "Apply to level"]
    assert not apply.isEnabled()
    assert apply.toolTip() == "The level holds nothing that these changes could apply to"


def test_a_field_says_when_its_file_is_broken_and_when_it_is_whole_again(
    window, shown, project, qtbot
):
    document = window.document
    document.select([document.place("crate.gltf")])
    field = window.panels["inspector"].findChild(AssetField)
    assert field.toolTip() == "crate.gltf"
    whole = (project / "crate.gltf").read_text()
    for text, is_broken in (("{", True), (whole, False)):
        (project / "crate.gltf").write_text(text)
        document.reload_assets(force=True)
        qtbot.waitUntil(lambda is_broken=is_broken: ("failed" in field.toolTip()) is is_broken)
    (project / "crate.gltf").unlink()
    document.contents.read()
    document.contents_changed.emit(None)
    qtbot.waitUntil(lambda: "there is no such file" in field.toolTip())


def test_unpack_and_make_instance_from_the_menu(window, project, answers):
    document = window.document
    room = document.place("room.scene")
    trigger(window, "unpack")
    assert not document.world.has(room, SceneInstance)
    assert "Unpacked room" in window.toasts.texts()
    answers.files = [project / "again.scene"]
    trigger(window, "make_instance")
    (made,) = document.selection
    assert document.world.get(made, SceneInstance).level == "again.scene"
    assert answers.asked_files[-1].name == "room-2.scene"
    trigger(window, "undo")
    assert document.world.alive(room)


def test_what_was_hung_under_a_placed_level_is_listed_and_taken_along(window, project):
    document = window.document
    room = document.place("room.scene")
    assert not card(window).isVisibleTo(window)
    bell = document.spawn(Name("Bell"), parent=node(window, room, "Table/Body"))
    assert card(window).isVisibleTo(window), "also while the room stays selected"
    assert [b.text() for b in buttons(window)] == ["Select", "Apply to level"]
    document.rename(bell, "Gong")
    (line,) = [w for w in card(window).findChildren(QWidget) if "Gong" in w.toolTip()
               and "applying" in w.toolTip()]  # fmt: skip
    assert line.toolTip().startswith("This level hung Gong under Body")
    click(window, "Apply to level")
    assert not card(window).isVisibleTo(window)
    assert document.is_realised(bell)
    assert "Gong" in (project / "room.scene").read_text()
    document.undo()
    assert not document.is_realised(bell)
    assert card(window).isVisibleTo(window)


def test_the_eye_and_the_lock_work_on_nodes_of_a_placed_level(window, project):
    document = window.document
    room = document.place("room.scene")
    body = node(window, room, "Table/Body")
    document.select([body])
    document.history.mark_saved()
    tree = window.panels["hierarchy"].tree
    window.show()
    for column, is_marked in ((EYE_COLUMN, document.hidden), (LOCK_COLUMN, document.locked)):
        row = window.panels["hierarchy"].model.index_of(body)
        at = tree.visualRect(row.sibling(row.row(), column)).center()
        for on in (True, False, True):
            QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
            assert is_marked(body) is on
            assert not document.dirty
    assert document.app.hidden == {body}
    assert look(window, body).hidden
    assert look(window, body).locked
    # The room is another one on disk: the same marks.
    text = (project / "room.scene").read_text()
    (project / "room.scene").write_text(text.replace("intensity=5.0", "intensity=6.0"))
    document.reload_assets(wait=True)
    again = node(window, room, "Table/Body")
    assert document.hidden(again)
    assert document.locked(again)
    assert look(window, again).hidden
    trigger(window, "undo")
    assert not document.locked(again)


def test_a_node_dragged_out_is_refused_with_a_button_that_unpacks(window, project):
    document = window.document
    crate = document.place("crate.gltf")
    arm = node(window, crate, "Body/Arm")
    model = window.panels["hierarchy"].model
    data = entity_mime([arm])
    action = Qt.DropAction.MoveAction
    assert model.canDropMimeData(data, action, -1, 0, QModelIndex())
    model.dropMimeData(data, action, -1, 0, QModelIndex())
    assert document.parent(arm) == node(window, crate, "Body")
    (text,) = [t for t in window.toasts.texts() if "unpack" in t]
    assert "Arm is part of an instance" in text
    (button,) = window.toasts.findChildren(QPushButton)
    assert button.text() == "Unpack"
    button.click()
    assert not document.world.has(crate, GltfInstance)
    model.dropMimeData(data, action, -1, 0, QModelIndex())
    assert document.parent(arm) is None
    assert document.world.has(arm, MeshRenderer)


def test_changes_are_counted_on_the_instance_and_marked_on_the_node(window, project):
    document = window.document
    crate = document.place("crate.gltf")
    arm = node(window, crate, "Body/Arm")
    assert look(window, crate).changes == 0
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0), scale=(2, 2, 2))
    assert look(window, crate).changes == 2
    assert look(window, arm).overridden
    assert not look(window, node(window, crate, "Body")).overridden
    document.spawn(LightSource(), parent=node(window, crate, "Body"))
    document.save()
    assert not look(window, node(window, crate, "Body")).overridden
    document.undo()
    document.undo()
    assert look(window, crate).changes == 0


def test_the_card_lists_changes_and_reverts_them(window, project):
    document = window.document
    crate = document.place("crate.gltf")
    body, arm = node(window, crate, "Body"), node(window, crate, "Body/Arm")
    assert not card(window).isVisibleTo(window)
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    document.set_fields(body, LocalTransform, scale=(2, 2, 2))
    assert card(window).isVisibleTo(window)
    (_, revert) = [b for b in buttons(window) if b.text() == "Revert"]
    revert.click()
    assert document.world.get(arm, LocalTransform).translation.tolist() == [0, 0, 0]
    click(window, "Revert all")
    assert document.world.get(body, LocalTransform).scale.tolist() == [1, 1, 1]
    assert not card(window).isVisibleTo(window)


def test_parked_changes_are_listed_applied_elsewhere_or_removed(window, project, qtbot):
    document = window.document
    crate = document.place("crate.gltf")
    arm = node(window, crate, "Body/Arm")
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    write_prop(
        project,
        nodes=[{"name": "Body", "mesh": 0, "children": [1]}, {"name": "Limb", "mesh": 0}],
    )
    document.reload_assets(force=True)
    document.select([crate])
    assert document.parked_overrides(crate) == {arm: "Body/Arm"}
    assert [b.text() for b in buttons(window)] == [
        "Apply to…",
        "Remove",
        "Revert all",
    ]
    before = document.app.level_file.draft_bytes()
    limb = node(window, crate, "Body/Limb")
    assert [path for _, path in document.nodes_of(crate)] == ["Body", "Body/Limb"]
    card(window)._move(arm, limb)
    moved = node(window, crate, "Body/Limb")
    assert document.world.get(moved, LocalTransform).translation.tolist() == [0, 1, 0]
    assert document.world.has(moved, MeshRenderer)
    assert document.parked_overrides(crate) == {}
    document.undo()
    document.settle()
    assert document.app.level_file.draft_bytes() == before
    assert list(document.parked_overrides(crate).values()) == ["Body/Arm"]
    document.select([crate])
    click(window, "Remove")
    assert document.parked_overrides(crate) == {}
    assert b"InstanceNode" not in document.app.level_file.draft_bytes()


def test_changes_are_written_into_the_level_from_the_card(window, project):
    document = window.document
    room = document.place("room.scene")
    document.set_fields(node(window, room, "Candle"), LightSource, intensity=9.0)
    click(window, "Apply to level")
    assert "intensity=9.0" in (project / "room.scene").read_text()
    assert not card(window).isVisibleTo(window)


def test_a_material_variant_is_chosen_from_what_the_file_offers(window, project):
    document = window.document
    asset = gltf()
    asset["materials"].append({"name": "rust"})
    asset["extensionsUsed"] = ["KHR_materials_variants"]
    asset["extensions"] = {"KHR_materials_variants": {"variants": [{"name": "worn"}]}}
    mapping = {"mappings": [{"material": 1, "variants": [0]}]}
    asset["meshes"][0]["primitives"][0]["extensions"] = {"KHR_materials_variants": mapping}
    (project / "chair.gltf").write_text(json.dumps(asset))
    chair = document.place("chair.gltf")
    inspector = window.panels["inspector"]
    (editor,) = inspector.card("GltfInstance").findChildren(VariantEditor)
    combo = editor._combo
    assert [combo.itemData(i) for i in range(combo.count())] == ["", "worn"]
    combo.setCurrentIndex(1)
    combo.activated.emit(1)
    assert document.world.get(chair, GltfInstance).variant == "worn"
    document.undo()
    assert document.world.get(chair, GltfInstance).variant == ""
    assert combo.currentData() == ""
    crate = document.place("crate.gltf")
    assert editor.parentWidget().isHidden(), "a file without variants has nothing to choose"
    document.select([chair])
    assert not editor.parentWidget().isHidden()
    document.select([chair, crate])
    assert combo.currentData() == ""


def test_a_level_is_dropped_into_the_viewport_like_a_prop(window, project):
    document = window.document
    matrix = np.eye(4)
    matrix[:3, 3] = (1, 2, 3)
    drop = window.viewport._drop
    assert drop.enter(["room.scene"])
    drop.hover(200.0, 150.0, False, False)
    (placed,) = drop.drop(200.0, 150.0, False, False)
    assert document.world.get(placed, SceneInstance).level == "room.scene"
    assert document.history.labels[-1] == "Place room"


def test_a_level_that_holds_itself_is_offered_with_a_box(window, project, answers):
    (project / "loop.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="Again"\n  SceneInstance level="loop.scene"\n'
    )
    window.open_path(project / "loop.scene")
    assert window.document.name == "yard"
    assert "loop.scene -> loop.scene" in answers.asked[-1].text
    assert answers.errors == []
    answers.answer = "open"
    window.open_path(project / "loop.scene")
    document = window.document
    assert document.name == "loop"
    document.settle()
    (again,) = document.children()
    assert document.world.has(children(document.world, again)[0], Placeholder)


def test_the_menu_of_the_instance_card_holds_the_instance_commands(window, project):
    document = window.document
    document.place("room.scene")
    inspector = window.panels["inspector"]
    shown = inspector.card("SceneInstance")
    inspector._menu.open(shown, window.rect().center(), inspector.entities)
    (menu,) = [m for m in inspector.findChildren(QMenu) if m.isVisible()]
    texts = [action.text() for action in menu.actions()]
    assert "Unpack instance" in texts
    assert "Apply changes to its level" in texts
    menu.close()


def test_saving_elsewhere_says_what_was_copied_along(window, project, answers, tmp_path_factory):
    document = window.document
    document.place("crate.gltf")
    folder = tmp_path_factory.mktemp("elsewhere")
    answers.files = [folder / "copy.scene"]
    window.actions_by_id["save_as"].trigger()
    assert list(folder.rglob("crate.gltf"))
    assert any("copied the" in text and "copy.scene" in text for text in window.toasts.texts())
    answers.files = [folder / "again.scene"]
    window.actions_by_id["save_as"].trigger()
    assert "Saved again.scene" in window.toasts.texts()

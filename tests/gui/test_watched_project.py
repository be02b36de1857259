"""The level itself, its other files, and the project as a whole, as other programs change them."""

from editor.model.settings import Settings
from editor.qt.widgets.check_box import CheckBox
from engine.scene import (
    Environment,
    Name,
)
from engine.scene.instances import find_node
from tests.engine.assets.watch.test_file_watch import refuse_to_watch
from tests.gui.artist import named
from tests.gui.desk import BODY, save, save_prop


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
    # Until it is read there is the plain sky, or what was there before.
    desk.until(lambda: getattr(scene.environment, "name", "") == "sky.hdr")
    first = scene.environment
    save(path, sky(32)[:26])
    desk.until(lambda: any("sky.hdr" in text for text in desk.issues()))
    assert scene.environment is first
    save(path, sky(64))
    desk.until(lambda: scene.environment is not first)
    desk.until(lambda: not desk.issues())
    assert desk.document.world.alive(entity)


def test_where_the_system_cannot_watch_it_is_said_once_and_files_are_looked_at(
    qtbot, window, level, monkeypatch
) -> None:
    refuse_to_watch(monkeypatch, lambda options: options.get("recursive"))
    said: list[str] = []
    window.document.message_posted.connect(lambda message: said.append(message.text))
    window.show()
    qtbot.waitUntil(lambda: window.project_watch.mode == "polling")
    root = window.document.place(save_prop(level.parent))
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    world = window.document.world
    qtbot.waitUntil(lambda: bool(find_node(world, root, "Body/Limb")))
    assert len([text for text in said if "limit" in text]) == 1

import json

import numpy as np
import pytest

from editor.document import LevelDocument
from editor.model.folders import data_folder
from engine.app import App
from engine.errors import AssetError, EntityError, SceneError
from engine.reflect import Entity
from engine.scene import GltfInstance, InstanceNode, LocalTransform, Name, children, read_text
from tests.editor.document.props import TRIANGLE, gltf, write_pack, write_prop


def asset_of(document, entity):
    return document.world.get(entity, GltfInstance).asset


def node(document, root, *names):
    for name in names:
        root = next(e for e in document.children(root) if document.label(e) == name)
    return root


def files_below(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_file_of_the_project_is_used_where_it_is(document, tmp_path):
    document.save(tmp_path / "a.scene")
    inside = write_prop(tmp_path / "models")
    for path in (inside, "models/crate.gltf"):
        assert asset_of(document, document.place(path)) == "models/crate.gltf"
    assert files_below(tmp_path) == ["a.scene", "models/crate.gltf"]


def test_a_file_from_outside_is_copied_with_its_side_files(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    entity = document.place(pack)
    assert asset_of(document, entity) == "props/Kenney/crate.gltf"
    assert files_below(tmp_path / "project" / "props") == [
        "Kenney/Textures/colormap.png",
        "Kenney/crate.bin",
        "Kenney/crate.gltf",
    ]
    copied = tmp_path / "project" / "props" / "Kenney"
    for name in ("crate.gltf", "crate.bin", "Textures/colormap.png"):
        assert (copied / name).read_bytes() == (pack.parent / name).read_bytes()


def test_equal_content_is_not_copied_twice(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    document.place(pack)
    stamp = (tmp_path / "project/props/Kenney/crate.gltf").stat().st_mtime_ns
    document.place(pack)
    write_pack(tmp_path / "elsewhere" / "Kenney", "barrel")
    document.place(tmp_path / "elsewhere" / "Kenney" / "barrel.gltf")
    assert (tmp_path / "project/props/Kenney/crate.gltf").stat().st_mtime_ns == stamp
    assert [p.name for p in (tmp_path / "project/props").iterdir()] == ["Kenney"]


def test_other_content_of_the_same_name_goes_into_a_folder_of_its_own(document, tmp_path):
    png = write_pack(tmp_path / "one" / "Models").parent / "Textures" / "colormap.png"
    other = png.read_bytes() + b"trailing"
    for i, folder in enumerate(("two", "three"), start=2):
        write_pack(tmp_path / folder / "Models", "crate", other * i)
    document.save(tmp_path / "project" / "a.scene")
    assets = [
        asset_of(document, document.place(tmp_path / folder / "Models" / "crate.gltf"))
        for folder in ("one", "two", "three", "two")
    ]
    assert assets == [
        "props/Models/crate.gltf",
        "props/Models-2/crate.gltf",
        "props/Models-3/crate.gltf",
        "props/Models-2/crate.gltf",
    ]
    copied = tmp_path / "project/props/Models-2/Textures/colormap.png"
    assert copied.read_bytes() == other * 2


def test_side_files_may_lie_beside_the_folder_in_a_project(document, tmp_path):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "project.json").write_text("{}")
    write_prop(tmp_path / "pack" / "models", buffer="../data/crate.bin")
    (tmp_path / "pack" / "data").mkdir()
    (tmp_path / "pack" / "data" / "crate.bin").write_bytes(TRIANGLE)
    document.save(tmp_path / "project" / "a.scene")
    entity = document.place(tmp_path / "pack" / "models" / "crate.gltf")
    assert asset_of(document, entity) == "props/pack/models/crate.gltf"
    assert node(document, entity, "Body", "Arm")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"glTF\x02\x00\x00\x00\xff\xff\xff\xff",
        b'{"asset": {"version": "2.0"}, "extensionsRequired": ["NO_such"]}',
        json.dumps(gltf(buffer="missing.bin")).encode(),
        json.dumps(gltf(buffer="../../../../etc/passwd")).encode(),
        json.dumps(gltf(buffer="http://example.com/a.bin")).encode(),
        b"[" * 100_000,
    ],
)
def test_a_broken_or_hostile_file_changes_nothing(document, tmp_path, content):
    bad = tmp_path / "bad" / "bad.gltf"
    bad.parent.mkdir()
    bad.write_bytes(content)
    document.save(tmp_path / "project" / "a.scene")
    a = document.spawn(Name("a"))
    document.select([a])
    messages = []
    document.message_posted.connect(messages.append)
    with pytest.raises(AssetError):
        document.place(bad)
    assert (document.history.index, document.selection, len(document.world)) == (2, [a], 1)
    assert files_below(tmp_path / "project") == ["a.scene"]
    assert [(m.level, m.path) for m in messages] == [("error", bad)]


def test_a_missing_file_changes_nothing(document, tmp_path):
    for path in (tmp_path / "no.glb", "no.glb", tmp_path, ""):
        with pytest.raises(AssetError):
            document.place(path)
    assert document.history.count == 0


def test_under_a_parent_that_is_gone_nothing_is_copied(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    gone = document.spawn(Name("gone"))
    document.delete([gone])
    with pytest.raises(EntityError):
        document.place(pack, parent=gone)
    assert files_below(tmp_path / "project") == ["a.scene"]


def test_names_are_new_among_siblings(document, prop):
    parent = document.spawn(Name("parent"))
    names = [document.label(document.place(prop, parent=p)) for p in (None, None, parent)]
    assert names == ["crate", "crate 2", "crate"]


def test_under_a_parent_it_stands_where_it_was_asked(document, prop):
    parent = document.spawn(Name("p"), LocalTransform((5, 0, 0), (0, 0, 0, 1), (2, 2, 2)))
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, 3] = (7, 0, 2)
    entity = document.place(prop, matrix, parent)
    assert list(document.world.get(entity, LocalTransform).translation) == [1, 0, 1]


def test_undo_and_redo_bring_back_the_same_handles(document, prop):
    entity = document.place(prop)
    arm = node(document, entity, "Body", "Arm")
    document.undo()
    document.settle()
    assert len(document.world) == 0
    document.redo()
    document.settle()
    assert node(document, entity, "Body", "Arm") == arm
    assert len(document.world) == 3


def test_a_level_that_was_never_saved_takes_its_props_along(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    entity = document.place(pack)
    scratch = document.root
    assert not scratch.is_relative_to(tmp_path / "project")
    document.save(tmp_path / "project" / "a.scene")
    assert files_below(tmp_path / "project") == [
        "a.scene",
        "props/Kenney/Textures/colormap.png",
        "props/Kenney/crate.bin",
        "props/Kenney/crate.gltf",
    ]
    assert not scratch.exists()
    assert node(document, entity, "Body", "Arm")
    assert document.issues() == []
    assert not document.dirty


def test_saving_beside_other_content_moves_the_unit_and_the_history_follows(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    taken = tmp_path / "project" / "props" / "Kenney"
    write_pack(taken, "crate")
    (taken / "Textures" / "colormap.png").write_bytes(b"somebody else's")
    entity = document.place(pack)
    document.undo()
    document.redo()
    document.save(tmp_path / "project" / "a.scene")
    assert asset_of(document, entity) == "props/Kenney-2/crate.gltf"
    assert (taken / "Textures" / "colormap.png").read_bytes() == b"somebody else's"
    document.undo()
    document.redo()
    assert asset_of(document, entity) == "props/Kenney-2/crate.gltf"
    document.settle()
    assert document.issues() == []
    assert 'asset="props/Kenney-2/crate.gltf"' in (tmp_path / "project" / "a.scene").read_text()


def test_a_save_that_fails_leaves_no_copies(document, tmp_path):
    entity = document.place(write_pack(tmp_path / "Kenney"))
    target = tmp_path / "project" / "a.scene"
    target.mkdir(parents=True)
    with pytest.raises(Exception, match=r"a\.scene"):
        document.save(target)
    assert files_below(tmp_path / "project") == []
    assert document.dirty
    assert node(document, entity, "Body", "Arm")


def test_an_override_is_saved_as_exactly_its_fields(document, tmp_path, prop):
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place(prop)
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    document.save()
    text = document.path.read_text()
    assert 'InstanceNode root=#0 path="Body/Arm"' in text
    assert "  LocalTransform translation=[0.0,1.0,0.0]\n" in text
    document.open(document.path)
    arm = node(document, document.children()[0], "Body", "Arm")
    assert list(document.world.get(arm, LocalTransform).translation) == [0, 1, 0]
    [view] = [v for v in document.components(arm) if v.name == "LocalTransform"]
    assert view.overridden == {"translation"}
    document.save()
    assert document.path.read_text() == text


def test_undoing_an_override_leaves_no_trace_in_the_file(document, tmp_path, prop):
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place(prop)
    document.save()
    before = document.path.read_bytes()
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, translation=(0, 1, 0))
    document.delete([arm])
    document.settle()
    document.undo()
    document.undo()
    document.settle()
    assert not document.world.has(arm, InstanceNode)
    assert list(document.world.get(arm, LocalTransform).translation) == [0, 0, 0]
    document.save()
    assert document.path.read_bytes() == before


def test_a_changed_file_is_picked_up_without_losing_edits(document, tmp_path):
    document.save(tmp_path / "a.scene")
    path = write_prop(tmp_path / "models")
    entity = document.place(path)
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(3, 3, 3))
    count = document.history.count
    nodes = gltf()["nodes"]
    nodes[1]["translation"] = [0, 5, 0]
    nodes[0]["children"] = [1, 2]
    nodes.append({"name": "Hat", "mesh": 0})
    path.write_text(json.dumps(gltf(nodes=nodes)))
    heard = []
    document.changed.connect(heard.append)
    assert document.reload_assets() == 1
    assert [c.realised for c in heard] == [(entity,)]
    transform = document.world.get(arm, LocalTransform)
    assert (list(transform.translation), list(transform.scale)) == ([0, 5, 0], [3, 3, 3])
    assert node(document, entity, "Body", "Hat")
    assert document.history.count == count
    document.undo()
    document.settle()
    transform = document.world.get(arm, LocalTransform)
    assert (list(transform.translation), list(transform.scale)) == ([0, 5, 0], [1, 1, 1])


def test_a_file_that_became_broken_keeps_what_is_shown(document, tmp_path):
    document.save(tmp_path / "a.scene")
    path = write_prop(tmp_path / "models")
    entity = document.place(path)
    path.write_text("{")
    document.reload_assets()
    assert node(document, entity, "Body", "Arm")
    assert [issue.entity for issue in document.issues()] == [entity]
    path.write_text(json.dumps(gltf()))
    document.reload_assets()
    assert document.issues() == []


def test_duplicating_an_instance_realises_the_copy(document, prop):
    entity = document.place(prop)
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    [copy] = document.duplicate([entity])
    other = node(document, copy, "Body", "Arm")
    assert other != arm
    assert list(document.world.get(other, LocalTransform).scale) == [2, 2, 2]
    assert document.world.get(other, InstanceNode).root == copy
    assert len(children(document.world, copy)) == 1
    document.undo()
    document.settle()
    assert document.children() == [entity]
    document.redo()
    document.settle()
    assert node(document, copy, "Body", "Arm") == other


def test_a_copied_instance_holds_records_of_changed_nodes_only(document, prop):
    entity = document.place(prop)
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    document.select([entity])
    copied = read_text(document.copy())
    links = [record.components[0].get("path").text for record in list(copied.entities)[1:]]
    assert links == ["Body/Arm"]


def test_an_instance_is_pasted_with_its_overrides(document, prop):
    entity = document.place(prop)
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    document.spawn(Name("hat"), LocalTransform(), parent=arm)
    document.select([entity])
    [pasted] = document.paste(document.copy())
    other = node(document, pasted, "Body", "Arm")
    assert list(document.world.get(other, LocalTransform).scale) == [2, 2, 2]
    assert node(document, pasted, "Body", "Arm", "hat")
    document.undo()
    document.settle()
    assert document.children() == [entity]
    document.redo()
    document.settle()
    assert node(document, pasted, "Body", "Arm", "hat")


def test_deleting_an_instance_and_back(document, tmp_path, prop):
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place(prop)
    arm = node(document, entity, "Body", "Arm")
    document.set_fields(arm, LocalTransform, scale=(2, 2, 2))
    hat = document.spawn(Name("hat"), parent=arm)
    document.save()
    before = document.path.read_bytes()
    document.delete([entity])
    document.settle()
    assert len(document.world) == 0
    document.undo()
    document.settle()
    assert document.children(arm) == [hat]
    assert node(document, entity, "Body", "Arm") == arm
    document.save()
    assert document.path.read_bytes() == before


def test_an_asset_may_be_swapped_and_back(document, tmp_path):
    document.save(tmp_path / "a.scene")
    write_prop(tmp_path / "m", "crate")
    write_prop(tmp_path / "m", "lamp", nodes=[{"name": "Post", "mesh": 0}])
    entity = document.place("m/crate.gltf")
    document.set_fields(entity, GltfInstance, asset="m/lamp.gltf")
    assert [document.label(e) for e in document.children(entity)] == ["Post"]
    document.undo()
    document.settle()
    assert node(document, entity, "Body", "Arm")


def test_a_parent_of_null_is_none(document, prop):
    entity = document.place(prop, parent=Entity.null())
    assert document.children() == [entity]


def test_it_works_without_a_window_in_another_document(prop):
    document = LevelDocument()
    entity = document.place(prop)
    assert document.children(entity)
    document.close()


def test_the_box_of_a_missing_asset_stands_for_its_instance(document, tmp_path):
    document.save(tmp_path / "a.scene")
    entity = document.spawn(Name("gone"), LocalTransform(), GltfInstance(asset="no.glb"))
    [box] = document.children(entity)
    with pytest.raises(SceneError, match="stands in"):
        document.set_fields(box, LocalTransform, scale=(2, 2, 2))
    document.select([box])
    document.delete()
    assert document.children() == []
    document.undo()
    document.settle()
    assert document.children(entity) == [box]
    assert document.selection == [box]


def test_importing_copies_without_placing(document, tmp_path):
    document.save(tmp_path / "project" / "a.scene")
    pack = write_pack(tmp_path / "Kenney")
    assert document.import_asset(pack) == "props/Kenney/crate.gltf"
    sky = tmp_path / "skies" / "noon.hdr"
    sky.parent.mkdir()
    sky.write_bytes(b"#?RADIANCE")
    assert document.import_asset(sky) == "props/skies/noon.hdr"
    assert document.import_asset("props/skies/noon.hdr") == "props/skies/noon.hdr"
    assert (document.history.count, document.dirty) == (0, False)
    with pytest.raises(AssetError):
        document.import_asset(tmp_path / "no.hdr")
    with pytest.raises(AssetError, match=r"\.gltf or \.glb"):
        document.place(sky)


def test_a_document_over_an_app_takes_its_level_and_project(tmp_path, prop):
    write_prop(tmp_path / "game" / "models")
    app = App(tmp_path / "game")
    document = LevelDocument(app)
    assert document.root == tmp_path / "game"
    document.place("models/crate.gltf")
    document.save(tmp_path / "game" / "a.scene")
    document.close()
    app = App()
    app.load(tmp_path / "game" / "a.scene")
    document = LevelDocument(app)
    assert document.path == tmp_path / "game" / "a.scene"
    document.close()
    document = LevelDocument(App())
    document.place(prop)
    assert document.root.is_relative_to(data_folder())
    document.close()


def test_a_selected_node_that_a_reload_takes_away_leaves_the_selection(document, tmp_path):
    document.save(tmp_path / "a.scene")
    path = write_prop(tmp_path / "models")
    entity = document.place(path)
    body = node(document, entity, "Body")
    document.select([entity, node(document, entity, "Body", "Arm")])
    heard = []
    document.selection_changed.connect(heard.append)
    path.write_text(json.dumps(gltf(nodes=[{"name": "Body", "mesh": 0}])))
    document.reload_assets()
    assert heard == [[entity]]
    assert document.children(body) == []


def test_a_first_save_waits_for_what_is_still_loading(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.place(pack, wait=False)
    document.save(tmp_path / "project" / "a.scene")
    assert (tmp_path / "project/props/Kenney/Textures/colormap.png").is_file()


def later(document):
    """Frames as the window makes them, until every file is read."""
    document.app.frame(0.0)
    document.app.assets.wait(timeout=30)
    document.app.frame(0.0)


def test_placing_without_waiting_shows_a_box_first(document, tmp_path):
    write_pack(tmp_path / "p" / "models")
    document.save(tmp_path / "p" / "a.scene")
    entity = document.place("models/crate.gltf", wait=False)
    assert document.selection == [entity]
    document.app.frame(0.0)
    assert len(document.children(entity)) == 1
    later(document)
    assert [document.label(e) for e in document.children(entity)] == ["Body"]
    document.undo()
    assert not document.world.alive(entity)


def test_a_file_that_turns_out_to_be_broken_keeps_its_box_and_is_told_of(document, tmp_path):
    path = write_prop(tmp_path / "p" / "models")
    document.save(tmp_path / "p" / "a.scene")
    broken = json.loads(path.read_text())
    broken["accessors"][0]["count"] = 10**6
    path.write_text(json.dumps(broken))
    messages = []
    document.message_posted.connect(messages.append)
    entity = document.place(path, wait=False)
    later(document)
    [message] = messages
    assert (message.level, message.entity, message.path) == ("error", entity, path)
    assert document.world.alive(entity)
    assert len(document.children(entity)) == 1
    assert document.history.count == 1


@pytest.mark.parametrize("content", [b"", b"hello", b"{}x", b"glTF" + b"\xff" * 40])
def test_what_is_no_gltf_file_at_all_is_refused_at_once(document, tmp_path, content):
    path = tmp_path / "a.glb"
    path.write_bytes(content)
    with pytest.raises(AssetError, match=r"a\.glb"):
        document.place(path, wait=False)
    assert document.history.count == 0


def test_a_placement_given_up_leaves_no_file(document, tmp_path):
    pack = write_pack(tmp_path / "Kenney")
    document.save(tmp_path / "project" / "a.scene")
    gesture = document.begin_gesture("Place")
    document.place(pack, wait=False)
    later(document)
    gesture.cancel()
    assert files_below(tmp_path / "project") == ["a.scene"]
    kept = document.place(pack, wait=False)
    gesture = document.begin_gesture("Place")
    document.place(pack, wait=False)
    gesture.cancel()
    later(document)
    assert document.children(kept)
    assert "props/Kenney/Textures/colormap.png" in files_below(tmp_path / "project")


def test_what_is_put_under_the_box_of_a_missing_asset_hangs_under_its_instance(document):
    gone = document.spawn(Name("gone"), LocalTransform(), GltfInstance(asset="no/such.glb"))
    [box] = document.children(gone)
    first = document.spawn(Name("first"), LocalTransform(), parent=box)
    second = document.spawn(Name("second"), LocalTransform())
    document.order([second], box, first)
    assert document.parent(first) == document.parent(second) == gone
    assert [e for e in document.children(gone) if e != box] == [second, first]
    document.undo()
    assert document.parent(second) is None

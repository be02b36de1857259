import numpy as np
import pytest

from editor.document import LevelDocument
from engine.errors import ComponentError, EngineError, SceneError
from engine.reflect import Entity
from engine.scene import (
    CameraComponent,
    GltfInstance,
    LightSource,
    LocalMatrix,
    LocalTransform,
    Name,
    Realised,
    Shape,
    children,
)


def translation(x, y, z):
    matrix = np.eye(4, dtype=np.float32)
    matrix[:3, 3] = (x, y, z)
    return matrix


def test_a_new_document_is_empty_and_clean(document):
    assert len(document.world) == 0
    assert (document.path, document.dirty, document.name) == (None, False, "Untitled")
    assert (document.history.index, document.history.count) == (0, 0)
    assert document.selection == []


def test_every_edit_is_a_named_step(document):
    a = document.spawn(Name("a"), LocalTransform())
    document.set_fields([a], LocalTransform, translation=(1, 2, 3))
    document.add_component([a], LightSource)
    document.remove_component([a], LightSource)
    document.rename(a, "lamp")
    document.select([a])
    [copy] = document.duplicate()
    document.delete()
    assert document.history.labels == [
        "Add a",
        "Set translation of a",
        "Add LightSource to a",
        "Remove LightSource from a",
        "Rename a",
        "Select lamp",
        "Duplicate lamp",
        "Delete lamp 2",
    ]
    assert not document.world.alive(copy)
    document.history.jump(0)
    assert len(document.world) == 0


def test_what_can_be_added_is_selected_and_placed(document):
    for add, type_, name in [
        (lambda m: document.add_shape("sphere", m), Shape, "Sphere"),
        (lambda m: document.add_light("spot", m), LightSource, "Spot light"),
        (lambda m: document.add_camera(m), CameraComponent, "Camera"),
        (lambda m: document.add_empty(m), LocalTransform, "Empty"),
    ]:
        entity = add(translation(1, 2, 3))
        assert document.world.has(entity, type_)
        assert document.label(entity) == name
        assert document.selection == [entity]
        assert list(document.world.get(entity, LocalTransform).translation) == [1, 2, 3]
    assert document.history.count == 4


def test_a_second_of_a_kind_gets_a_number(document):
    first, second = document.add_empty(), document.add_empty()
    assert [document.label(first), document.label(second)] == ["Empty", "Empty 2"]


def test_what_is_added_below_a_parent_stands_where_it_was_asked(document):
    parent = document.spawn(LocalTransform((5, 0, 0), (0, 0, 0, 1), (2, 2, 2)))
    child = document.add_empty(translation(7, 0, 0), parent)
    assert list(document.world.get(child, LocalTransform).translation) == [1, 0, 0]
    assert document.parent(child) == parent


def test_a_placement_with_shear_is_exact(document):
    sheared = np.eye(4, dtype=np.float32)
    sheared[0, 1] = 0.5
    entity = document.add_empty(sheared)
    assert np.array_equal(document.world.get(entity, LocalMatrix).matrix, sheared)
    assert [issue.entity for issue in document.issues()] == [entity]


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), np.full((4, 4), np.nan)])
def test_a_placement_that_is_none_is_refused(document, matrix):
    with pytest.raises(SceneError, match="transform"):
        document.add_empty(matrix)
    assert len(document.world) == 0


def test_undo_restores_selection_and_dirty(document, tmp_path):
    a = document.spawn(Name("a"))
    document.save(tmp_path / "a.scene")
    document.select([a])
    assert not document.dirty
    document.delete()
    assert document.dirty
    document.undo()
    assert (document.selection, document.dirty) == ([a], False)
    document.redo()
    assert (document.selection, document.dirty) == ([], True)


def test_hide_and_lock_are_steps_that_keep_the_level_clean(document):
    a = document.spawn(Name("a"))
    document.history.mark_saved()
    document.set_hidden([a], True)
    document.set_locked([a], True)
    assert (document.hidden(a), document.locked(a), document.dirty) == (True, True, False)
    document.undo()
    document.undo()
    assert (document.hidden(a), document.locked(a)) == (False, False)


def test_a_gesture_is_one_step_and_an_error_takes_it_back(document):
    a = document.spawn(Name("a"), LocalTransform())
    with document.gesture("Drag"):
        for i in range(5):
            document.set_fields([a], LocalTransform, translation=(i, 0, 0))
    assert document.history.labels == ["Add a", "Drag"]
    with pytest.raises(ComponentError), document.gesture("Broken"):
        document.rename(a, "b")
        document.set_fields([a], LightSource, intensity=1)
    assert document.label(a) == "a"
    assert document.history.count == 2


def test_nothing_selected_makes_delete_and_duplicate_nothing(document):
    document.delete()
    assert document.duplicate() == []
    assert document.history.count == 0


def test_a_single_entity_will_do_for_a_list(document):
    a = document.spawn(LocalTransform())
    document.set_fields(a, LocalTransform, scale=(2, 2, 2))
    document.select(a)
    assert document.selection == [a]


def test_a_refused_edit_emits_nothing(document):
    a = document.spawn(Name("a"))
    heard = []
    document.changed.connect(heard.append)
    document.history_changed.connect(heard.append)
    with pytest.raises(EngineError):
        document.set_fields([a], LightSource, intensity=1)
    assert heard == []


def test_each_step_is_told_once(document):
    changes, selections = [], []
    document.changed.connect(changes.append)
    document.selection_changed.connect(selections.append)
    a = document.spawn(Name("a"), select=True)
    assert [c.spawned for c in changes] == [(a,)]
    assert selections == [[a]]
    document.rename(a, "b")
    assert dict(changes[1].components) == {a: {Name}}
    document.undo()
    document.undo()
    assert changes[3].despawned == (a,)
    assert selections[1] == []


def test_the_selection_never_holds_the_dead(document):
    a, b = document.spawn(), document.spawn()
    document.select([a, b])
    document.world.despawn(a)
    assert document.selection == [b]


def test_components_are_listed_for_the_inspector(document):
    a = document.spawn(Name("a"), LightSource(intensity=2), LocalTransform())
    document.settle()
    views = document.components(a)
    assert [v.name for v in views][:3] == ["Name", "LocalTransform", "LightSource"]
    assert views[2].record.get("intensity").value == 2
    derived = {v.name for v in views if v.derived}
    assert derived <= {"WorldTransform"}


def test_what_can_be_added_is_offered_by_name(document):
    offered = [t.scene_name() for t in document.addable_components()]
    assert offered == sorted(offered)
    assert {"LightSource", "GltfInstance", "Environment", "Shape"} <= set(offered)
    assert not {"Name", "Realised", "MeshRenderer", "InstanceNode", "Parent"} & set(offered)


def test_reads_of_the_tree(document):
    top = document.spawn(Name("top"))
    below = document.spawn(Name("below"), parent=top)
    assert document.children() == [top]
    assert document.children(top) == [below]
    assert (document.parent(below), document.parent(top)) == (top, None)
    assert document.root_of(below) == below
    assert not document.is_realised(below)


def test_broken_parents_are_issues(document):
    from engine.scene import Parent

    top, below = document.spawn(Name("top")), document.spawn(Name("below"))
    document.world.add(below, Parent(Entity.of(900, 1)))
    document.world.add(top, Parent(top))
    texts = {issue.entity: issue.text for issue in document.issues()}
    assert "not in the level" in texts[below]
    assert "cycle" in texts[top]
    assert set(document.children()) == {top, below}


def test_a_parent_that_no_file_index_has_is_an_issue(document, tmp_path):
    path = tmp_path / "torn.scene"
    text = 'cinder-scene 2\nentity 0\n  Name text="Lid"\n  Parent entity=#77\n'
    path.write_text(text)
    document.open(path)
    (issue,) = document.issues()
    assert "parent of Lid is not in the level" in issue.text
    document.save()
    assert path.read_text() == text
    document.fix(issue)
    assert document.issues() == []


def test_copy_and_paste_through_text(document):
    a = document.spawn(Name("a"), LocalTransform((1, 2, 3)))
    document.spawn(Name("below"), parent=a)
    document.select([a])
    text = document.copy()
    assert text.startswith("cinder-scene 2\n")
    [pasted] = document.paste(text)
    assert [document.label(e) for e in document.children()] == ["a", "a 2"]
    assert document.selection == [pasted]
    other = LevelDocument()
    [there] = other.paste(text)
    assert other.label(there) == "a"
    other.close()


@pytest.mark.parametrize("text", ["", "hello", "cinder-scene 99\n", "cinder-scene 2\n  X\n"])
def test_text_that_is_no_level_is_not_pasted(document, text):
    document.spawn(Name("a"))
    messages = []
    document.message_posted.connect(messages.append)
    with pytest.raises(SceneError):
        document.paste(text)
    assert (document.history.count, len(document.world)) == (1, 1)
    assert [m.level for m in messages] == ["error"]


def test_pasting_nothing_is_no_step(document):
    a = document.spawn(Name("a"), select=True)
    document.select([])
    text = document.copy()
    document.select([a])
    count = document.history.count
    assert document.paste(text) == []
    assert (document.history.count, document.selection) == (count, [a])


def test_an_old_document_is_migrated_when_pasted(document):
    [pasted] = document.paste('cinder-scene 1\nentity 0\n  Name text="old"\n  Health hp=3\n')
    assert "health" in [f.name for v in document.components(pasted) for f in v.record.fields]


def test_direct_writes_are_live_and_no_steps(document):
    entity = document.world.spawn(Name("direct"), LocalTransform())
    assert document.children() == [entity]
    assert document.history.count == 0


def test_placed_nodes_are_realised_children(document, prop):
    entity = document.place(prop, translation(1, 0, 2))
    [body] = children(document.world, entity)
    assert document.is_realised(body)
    assert document.root_of(body) == entity
    assert document.label(entity) == "crate"
    assert document.world.has(body, Realised)
    assert document.world.get(entity, GltfInstance).asset.startswith("props/Town/")
    assert document.history.labels == ["Add crate"]
    assert document.selection == [entity]


def test_steps_that_are_too_many_bytes_go_with_one_word(document):
    told = []
    document.message_posted.connect(lambda message: told.append(message.text))
    document.spawn(Name("first"))
    document.history.limit = document.history.cost + 1000
    names = [document.spawn(Name("a long name " * 50)) for _ in range(20)]
    assert document.history.cost <= document.history.limit
    assert document.history.count < 15
    [text] = told
    assert "oldest can't be undone" in text
    while document.history.can_undo:
        document.undo()
    assert document.world.alive(names[0]), "what is no step any more stays"
    document.new()
    for _ in range(20):
        document.spawn(Name("another long name " * 50))
    assert len(told) == 2, "it is told of each level"

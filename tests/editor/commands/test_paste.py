import numpy as np
import pytest

from editor.commands import Paste, SelectEntities
from editor.commands.copying import clipboard_document
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import (
    GltfInstance,
    KeptRecords,
    LocalTransform,
    Name,
    Parent,
    Realised,
    children,
    read_text,
    write_text,
)
from engine.scene.node_paths import NodePaths


def copied(level, *entities, id="here"):
    level.push(SelectEntities(entities))
    return write_text(clipboard_document(level.context, id))


def links(**targets):
    fields = [Field.of(name, Kind.ENTITY, target) for name, target in targets.items()]
    return KeptRecords([(1, ComponentRecord("Links", fields))])


def linked(level, entity):
    [(_, record)] = level.world.get(entity, KeptRecords).records
    return {f.name: Entity(f.integer) if f.integer > 0 else None for f in record.fields}


def test_what_was_copied_is_pasted_with_all_below_it(level):
    top = level.entity("top", None, LocalTransform((1, 2, 3)))
    level.entity("below", top)
    text = copied(level, top)
    command = level.check_laws(Paste(read_text(text), "here"))
    [pasted] = command.entities
    assert level.names() == ["top", "top 2"]
    assert level.names(pasted) == ["below"]
    assert level.context.selection == [pasted]
    assert command.label == "Paste top 2"


def test_copied_roots_carry_their_world_transform(level):
    parent = level.entity("parent", None, LocalTransform((5, 0, 0), (0, 0, 0, 1), (2, 2, 2)))
    child = level.entity("child", parent, LocalTransform((1, 0, 0)))
    text = copied(level, child)
    assert "Parent" not in text
    [pasted] = level.push(Paste(read_text(text), "here")).entities
    assert not level.world.has(pasted, Parent)
    assert np.allclose(level.matrix(pasted), level.matrix(child))


def test_links_inside_stay_inside_and_outward_ones_are_found_again(level):
    outside = level.entity("outside")
    door = level.entity("door")
    key = level.entity("key", door, links(door=door, other=outside))
    text = copied(level, door)
    assert f'Outside level="here" index={int(outside)}' in text
    [pasted] = level.check_laws(Paste(read_text(text), "here")).entities
    [new_key] = children(level.world, pasted)
    assert linked(level, new_key) == {"door": pasted, "other": outside}
    assert linked(level, key) == {"door": door, "other": outside}
    assert level.messages == []


def test_elsewhere_an_outward_link_is_null_with_a_warning(level):
    outside = level.entity("outside")
    door = level.entity("door", None, links(other=outside))
    text = copied(level, door, id="another level")
    [pasted] = level.push(Paste(read_text(text), "here")).entities
    assert linked(level, pasted) == {"other": None}
    assert [m.level for m in level.messages] == ["warning"]
    assert level.names() == ["outside", "door", "door 2"]


def test_a_link_to_what_is_gone_by_now_is_null_with_a_warning(level):
    outside = level.entity("outside")
    door = level.entity("door", None, links(other=outside))
    text = copied(level, door)
    level.world.despawn(outside)
    [pasted] = level.push(Paste(read_text(text), "here")).entities
    assert linked(level, pasted) == {"other": None}
    assert len(level.messages) == 1


def test_unknown_components_travel(level):
    wind = ComponentRecord("Wind", [Field.of("force", Kind.FLOAT, 3)])
    a = level.entity("a", None, KeptRecords([(1, wind)]))
    text = copied(level, a)
    level.push(Paste(read_text(text), "here"))
    assert level.text().count("Wind force=3.0") == 2


def test_records_without_a_name_get_one(level):
    text = "cinder-scene 2\nentity 0\n  LightSource\nentity 1\n  Parent entity=#0\n"
    [pasted] = level.check_laws(Paste(read_text(text), "here")).entities
    assert level.names() == ["Directional light"]
    assert level.names(pasted) == ["Entity"]


@pytest.mark.parametrize(
    "record",
    ['Outside level="here" index=-5', "Outside", 'Outside level=3 index="x"'],
)
def test_a_hostile_outside_record_is_a_lost_link(level, record):
    text = f'cinder-scene 2\nentity 0\n  Name text="a"\n  L to=#1\nentity 1\n  {record}\n'
    [pasted] = level.check_laws(Paste(read_text(text), "here")).entities
    assert linked(level, pasted) == {"to": None}


def test_a_document_that_does_not_fit_changes_nothing(level):
    doc = read_text('cinder-scene 2\nentity 0\n  Name text="a"\nentity 1\n  Name text=3\n')
    level.check_refused(Paste(doc, "here"), SceneError, "expected a string")


def test_a_copy_does_not_grow_by_what_it_does_not_refer_to(level):
    level.entity("bystander")
    a = level.entity("a")
    assert copied(level, a).count("entity ") == 1


def test_names_stay_where_nothing_has_them(level):
    a = level.entity('Zoë "x"\n')
    text = copied(level, a)
    level.world.despawn(a)
    [pasted] = level.push(Paste(read_text(text), "here")).entities
    assert level.world.get(pasted, Name).text == 'Zoë "x"\n'


def test_what_hangs_under_a_node_of_a_copied_instance_comes_along(level):
    root = level.entity("prop", None, GltfInstance(asset="prop.glb"))
    node = level.entity("Arm", root, Realised())
    NodePaths.of(level.world).bind(root, "Arm", node)
    plain = level.entity("Leg", root, Realised())
    NodePaths.of(level.world).bind(root, "Leg", plain)
    level.entity("hat", node)
    text = copied(level, root)
    assert 'InstanceNode root=#0 path="Arm"' in text
    assert "Leg" not in text
    assert "Outside" not in text
    level.check_laws(Paste(read_text(text), "here"))


def test_a_node_is_not_copied_without_its_instance(level):
    root = level.entity("prop", None, GltfInstance(asset="prop.glb"))
    node = level.entity("Arm", root, Realised())
    NodePaths.of(level.world).bind(root, "Arm", node)
    with pytest.raises(SceneError, match="unpack"):
        copied(level, node)

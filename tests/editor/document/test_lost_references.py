"""What steps refer to on nodes of an instance that its asset makes anew, or lacks for a while."""

import pytest

from engine.reflect import ComponentRecord, Field, Kind
from engine.scene import Enabled, KeptRecords, LocalTransform, Name
from engine.scene.hierarchy import parent_of
from tests.editor.document.placed import node
from tests.editor.document.props import write_prop

BODY = {"name": "Body", "mesh": 0, "children": [1]}
ARM = {"name": "Arm", "mesh": 0}
PLAIN = [BODY, ARM]
DEEPER = [{"name": "Top", "children": [1]}, {**BODY, "children": [2]}, ARM]
HALL = (
    'cinder-scene 2\nentity 0\n  Name text="Left"\n  SceneInstance level="room.scene"\n'
    'entity 1\n  InstanceNode root=#0 path="Table/Body"\n  LocalTransform scale=[1.5,1.5,1.5]\n'
    'entity 2\n  Name text="Right"\n  SceneInstance level="room.scene"\n'
)
BODY_ONLY = [{"name": "Body", "mesh": 0}]


class Hung:
    """A level with a placed room, and a hat that hangs on a node of the prop in it."""

    def __init__(self, document, folder, path):
        self.document = document
        self.folder = folder
        self.path = path
        self.room = self.place()
        self.hat = document.spawn(Name("Hat"), LocalTransform())
        document.reparent(self.hat, node(document, self.room, path))

    def place(self):
        self.document.place("room.scene")
        self.document.settle()
        return self.document.children()[-1]

    def export(self, nodes):
        write_prop(self.folder, nodes=nodes)
        self.document.reload_assets(force=True)
        self.document.settle()

    def text(self):
        self.document.settle()
        return self.document.app.level_file.draft_bytes()

    def above(self):
        """The names above the hat, the nearest first."""
        at, found = parent_of(self.document.world, self.hat), []
        while at:
            found.append(self.document.label(at))
            at = parent_of(self.document.world, at)
        return found


@pytest.fixture(params=["Table/Body", "Table/Body/Arm"])
def hung(house, folder, request):
    return Hung(house, folder, request.param)


def test_a_level_made_of_what_hangs_on_a_node_is_taken_back_after_an_export(house, folder):
    before = house.app.level_file.draft_bytes()
    hung = Hung(house, folder, "Table/Body")
    hung.export(DEEPER)
    house.make_instance(entities=[hung.room])
    hung.export(BODY_ONLY)
    house.undo()
    house.settle()
    assert hung.above() == ["Body", "Table", "room"]
    house.history.jump(0)
    assert hung.text() == before
    assert [house.label(e) for e in house.children()] == ["Ground"]
    house.history.jump(house.history.count)
    house.settle()
    assert hung.above()[:2] == ["Body", "Table"]


@pytest.mark.parametrize("nodes", [DEEPER, BODY_ONLY, PLAIN])
def test_what_hung_on_a_node_comes_back_to_it(hung, house, nodes):
    """A step taken back after an export gives what the export alone would have given."""
    hung.export(nodes)
    wanted, place = hung.text(), hung.above()
    hung.export(PLAIN)
    house.delete(hung.hat)
    house.settle()
    hung.export(nodes)
    house.undo()
    assert (hung.text(), hung.above()) == (wanted, place)
    hung.export(PLAIN)
    assert hung.above() == ["Arm", "Body", "Table", "room"][-hung.path.count("/") - 2 :]
    house.redo()
    house.settle()
    assert not house.world.alive(hung.hat)


@pytest.mark.parametrize("nodes", [DEEPER, BODY_ONLY])
def test_moving_under_a_node_is_done_again_after_an_export(hung, house, nodes):
    hung.export(nodes)
    wanted, place = hung.text(), hung.above()
    hung.export(PLAIN)
    house.undo()
    house.settle()
    before = hung.text()
    hung.export(nodes)
    house.redo()
    assert (hung.text(), hung.above()) == (wanted, place)
    house.undo()
    hung.export(PLAIN)
    assert (hung.text(), hung.above()) == (before, [])


@pytest.mark.parametrize("nodes", [DEEPER, BODY_ONLY])
def test_a_record_without_a_class_refers_to_the_node_again(house, folder, nodes):
    hung = Hung(house, folder, "Table/Body")
    arm = node(house, hung.room, "Table/Body/Arm")
    link = ComponentRecord("Opens", [Field.of("door", Kind.ENTITY, arm)])
    door = house.spawn(Name("Door"), KeptRecords([(1, link)]))
    hung.export(nodes)
    wanted = hung.text()
    hung.export(PLAIN)
    house.delete(door)
    house.settle()
    hung.export(nodes)
    house.undo()
    assert hung.text() == wanted
    house.undo()
    house.redo()
    assert hung.text() == wanted


def test_nodes_without_a_place_stay_out_of_an_instance_that_is_taken_back(house, folder):
    """Where a node hangs follows from its asset: no step leads it to another parent."""
    write_prop(folder, nodes=DEEPER)
    house.reload_assets(force=True)
    (folder / "hall.scene").write_text(HALL)
    house.place("hall.scene")
    house.settle()
    hall = house.children()[-1]
    left = node(house, hall, "Left")
    house.set_fields(node(house, hall, "Right/Table/Top"), LocalTransform, scale=(2, 2, 2))
    house.unpack(hall)
    root = house.make_instance(entities=[left])
    house.settle()
    top = node(house, root, "Left/Table/Top")
    house.set_fields(top, LocalTransform, scale=(3, 3, 3))
    write_prop(folder, nodes=BODY_ONLY)
    house.reload_assets(force=True)
    index = house.history.index
    for step in (*range(index, -1, -1), *range(index + 1)):
        house.history.jump(step)
        house.settle()
    assert house.history.index == index


def test_changes_without_a_node_that_get_one_go_and_come_with_the_step_that_made_them(
    house, folder
):
    """What was hung up as a bare change is a node with others below it once its asset has it."""
    (folder / "hall.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="Left"\n  SceneInstance level="room.scene"\n'
        'entity 1\n  InstanceNode root=#0 path="Table/Body/Arm"\n  Enabled on=false\n'
        'entity 2\n  InstanceNode root=#0 path="Table/Top"\n  Enabled on=false\n'
    )
    write_prop(folder, nodes=BODY_ONLY)
    house.reload_assets(force=True)
    house.place("hall.scene")
    house.settle()
    hall = house.children()[-1]
    house.unpack(hall)
    house.settle()
    after = sorted(house.app.level_file.draft_bytes().splitlines())
    index = house.history.index
    write_prop(folder, nodes=DEEPER)
    house.reload_assets(force=True)
    house.settle()
    house.undo()
    house.settle()
    assert house.history.index == index - 1
    for path in ("Left/Table/Top", "Left/Table/Top/Body", "Left/Table/Top/Body/Arm"):
        assert house.world.alive(node(house, hall, path))
    house.redo()
    house.settle()
    assert house.history.index == index
    write_prop(folder, nodes=BODY_ONLY)
    house.reload_assets(force=True)
    house.settle()
    # As lines: which of the two records stands first depends on which came last.
    assert sorted(house.app.level_file.draft_bytes().splitlines()) == after


def test_a_change_that_comes_back_takes_over_what_is_below_its_node(house, folder):
    """A hat stays on the node below one that was made anew before its change came back."""
    write_prop(folder, nodes=DEEPER)
    house.reload_assets(force=True)
    house.settle()
    before = house.app.level_file.draft_bytes()
    house.place("room.scene")
    house.settle()
    room = house.children()[-1]
    house.add_component(node(house, room, "Table/Top"), Enabled(False))
    hat = house.spawn(Name("Hat"), parent=node(house, room, "Table/Top/Body"))
    house.settle()
    write_prop(folder, nodes=PLAIN)
    house.reload_assets(force=True)
    house.settle()
    house.revert_override(list(house.parked_overrides(room)))
    house.settle()
    write_prop(folder, nodes=DEEPER)
    house.reload_assets(force=True)
    house.settle()
    house.undo()
    house.settle()
    assert parent_of(house.world, hat) == node(house, room, "Table/Top/Body")
    house.history.jump(0)
    house.settle()
    assert house.app.level_file.draft_bytes() == before


def test_a_node_without_a_place_goes_with_what_held_on_to_it(house, folder):
    """No line of the file speaks of a node that nothing refers to and nobody changed."""
    hung = Hung(house, folder, "Table/Body/Arm")
    hung.export(BODY_ONLY)
    wanted = hung.text()
    assert b"InstanceNode" in wanted
    house.delete(hung.hat)
    assert b"InstanceNode" not in hung.text()
    house.undo()
    assert hung.text() == wanted
    assert hung.above() == ["Arm", "room"]
    house.redo()
    assert b"InstanceNode" not in hung.text()


def test_a_step_says_when_what_it_refers_to_has_no_place(house, folder):
    hung = Hung(house, folder, "Table/Body/Arm")
    house.delete(hung.hat)
    hung.export(BODY_ONLY)
    told = []
    house.message_posted.connect(lambda message: told.append((message.text, message.entity)))
    house.undo()
    [(text, root)] = [found for found in told if "parked" in found[0]]
    assert "'Table/Body/Arm'" in text
    assert root == hung.room

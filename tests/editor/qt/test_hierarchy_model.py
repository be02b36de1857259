"""The tree model: lazy rows, patches instead of resets, drops and renames as signals."""

from collections.abc import Iterable, Sequence

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from editor.model.change_set import ChangeSet
from editor.qt.hierarchy.model import HierarchyModel
from editor.qt.hierarchy.search import DEEPEST, SearchQuery, find_matches, with_ancestors
from editor.qt.hierarchy.source import RowLook
from editor.qt.mime import asset_mime, entity_mime
from engine.reflect import Entity

NULL = Entity.null()


class Tree:
    """A small level: entity -> ordered children."""

    def __init__(self, **links: str) -> None:
        self.names: dict[Entity, str] = {}
        self.below: dict[Entity, list[Entity]] = {NULL: []}
        self.above: dict[Entity, Entity] = {}
        self.reads = 0

    def add(self, name: str, parent: Entity = NULL, row: int | None = None) -> Entity:
        entity = Entity.of(len(self.names) + 1, 1)
        self.names[entity] = name
        self.below[entity] = []
        self.put(entity, parent, row)
        return entity

    def put(self, entity: Entity, parent: Entity, row: int | None = None) -> None:
        if entity in self.above:
            self.below[self.above[entity]].remove(entity)
        self.above[entity] = parent
        siblings = self.below[parent]
        siblings.insert(len(siblings) if row is None else row, entity)

    def remove(self, entity: Entity) -> None:
        self.below[self.above.pop(entity)].remove(entity)

    def children(self, entity: Entity) -> Sequence[Entity]:
        self.reads += 1
        return self.below[entity]

    def parent(self, entity: Entity) -> Entity:
        return self.above.get(entity, NULL)

    def label(self, entity: Entity) -> str:
        return self.names[entity]

    def full_name(self, entity: Entity) -> str:
        return self.names[entity]

    def look(self, entity: Entity) -> RowLook:
        return RowLook("cube")

    def can_rename(self, entity: Entity) -> bool:
        return True

    def search_facts(self) -> Iterable[tuple[Entity, str, frozenset[str], str]]:
        for entity, name in self.names.items():
            kind = "LightSource" if "Lamp" in name else "Name"
            yield entity, name, frozenset({kind}), f"props/{name.lower()}.glb"


@pytest.fixture
def tree() -> Tree:
    tree = Tree()
    room = tree.add("Room")
    tree.add("Table", room)
    lamp = tree.add("Lamp", room)
    tree.add("Bulb", lamp)
    tree.add("Garden")
    return tree


def entity(tree: Tree, name: str) -> Entity:
    return next(e for e, n in tree.names.items() if n == name)


def names(model: HierarchyModel, parent: QModelIndex | None = None) -> list[str]:
    above = parent if parent is not None else QModelIndex()
    return [str(model.index(r, 0, above).data()) for r in range(model.rowCount(above))]


def test_model_passes_qt_checks(tree: Tree, qtmodeltester) -> None:
    qtmodeltester.check(HierarchyModel(tree))


def test_rows_are_read_only_when_opened(tree: Tree) -> None:
    model = HierarchyModel(tree)
    tree.reads = 0
    assert names(model) == ["Room", "Garden"]
    assert tree.reads == 0
    room = model.index(0, 0)
    assert model.canFetchMore(room)
    model.fetchMore(room)
    assert names(model, room) == ["Table", "Lamp"]


def test_index_of_fetches_the_way_down(tree: Tree) -> None:
    model = HierarchyModel(tree)
    index = model.index_of(entity(tree, "Bulb"))
    assert index.data() == "Bulb"
    assert index.parent().data() == "Lamp"


def test_spawn_and_despawn_patch_rows_without_reset(tree: Tree, qtbot) -> None:
    model = HierarchyModel(tree)
    room = model.index_of(entity(tree, "Room"))
    model.fetchMore(room)
    garden = QPersistentModelIndex(model.index_of(entity(tree, "Garden")))
    with qtbot.assertNotEmitted(model.modelReset):
        vase = tree.add("Vase", entity(tree, "Room"), row=1)
        model.apply(ChangeSet(spawned=(vase,)))
        assert names(model, model.index_of(entity(tree, "Room"))) == ["Table", "Vase", "Lamp"]
        tree.remove(vase)
        model.apply(ChangeSet(despawned=(vase,)))
    assert names(model, model.index_of(entity(tree, "Room"))) == ["Table", "Lamp"]
    assert garden.isValid()
    assert garden.data() == "Garden"


def test_first_child_of_a_leaf_appears(tree: Tree) -> None:
    model = HierarchyModel(tree)
    garden = model.index_of(entity(tree, "Garden"))
    assert not model.hasChildren(garden)
    gnome = tree.add("Gnome", entity(tree, "Garden"))
    model.apply(ChangeSet(spawned=(gnome,)))
    assert model.hasChildren(garden)
    assert names(model, garden) == ["Gnome"]


def test_reparent_moves_the_row_and_keeps_its_subtree(tree: Tree, qtbot) -> None:
    model = HierarchyModel(tree)
    bulb = QPersistentModelIndex(model.index_of(entity(tree, "Bulb")))
    garden = model.index_of(entity(tree, "Garden"))
    model.hasChildren(garden)
    tree.put(entity(tree, "Lamp"), entity(tree, "Garden"))
    with qtbot.waitSignal(model.rowsMoved):
        model.apply(ChangeSet(reparented=(entity(tree, "Lamp"),)))
    assert names(model, model.index_of(entity(tree, "Garden"))) == ["Lamp"]
    assert names(model, model.index_of(entity(tree, "Room"))) == ["Table"]
    assert bulb.isValid()
    assert bulb.parent().parent().data() == "Garden"


@pytest.mark.parametrize("target", [0, 1, 2, 3, 4])
def test_reorder_is_one_move(target: int, qtbot) -> None:
    tree = Tree()
    rows = [tree.add(name) for name in "ABCDE"]
    model = HierarchyModel(tree)
    moves: list[object] = []
    model.rowsMoved.connect(lambda *args: moves.append(args))
    tree.put(rows[2], NULL, target)
    model.apply(ChangeSet(reparented=(rows[2],)))
    assert names(model) == [tree.names[e] for e in tree.below[NULL]]
    assert len(moves) == (0 if target == 2 else 1)


def test_shuffled_rows_end_in_order(qtmodeltester) -> None:
    tree = Tree()
    rows = [tree.add(name) for name in "ABCDEFGH"]
    model = HierarchyModel(tree)
    qtmodeltester.check(model)
    for entity, row in zip(rows, (5, 1, 7, 0, 2, 6, 3, 4), strict=True):
        tree.put(entity, NULL, row)
    extra = tree.add("X", NULL, 3)
    tree.remove(rows[4])
    model.apply(ChangeSet(reparented=tuple(rows), spawned=(extra,), despawned=(rows[4],)))
    assert names(model) == [tree.names[e] for e in tree.below[NULL]]


def test_rename_and_drop_leave_as_signals(tree: Tree, qtbot) -> None:
    model = HierarchyModel(tree)
    room = model.index_of(entity(tree, "Room"))
    with qtbot.waitSignal(model.renamed) as renamed:
        assert model.setData(room, "Hall")
    assert renamed.args == [entity(tree, "Room"), "Hall"]
    assert room.data() == "Room"
    data = entity_mime([entity(tree, "Garden")])
    model.fetchMore(room)
    with qtbot.waitSignal(model.dropped) as dropped:
        model.dropMimeData(data, Qt.DropAction.MoveAction, 1, 0, room)
    drop = dropped.args[0]
    assert drop.parent == entity(tree, "Room")
    assert drop.before == entity(tree, "Lamp")
    assert drop.entities == (entity(tree, "Garden"),)
    with qtbot.waitSignal(model.dropped) as dropped:
        model.dropMimeData(asset_mime("a.glb"), Qt.DropAction.CopyAction, -1, -1, QModelIndex())
    assert dropped.args[0].assets == ("a.glb",)
    assert dropped.args[0].parent == NULL


def test_nothing_drops_into_itself(tree: Tree) -> None:
    model = HierarchyModel(tree)
    bulb = model.index_of(entity(tree, "Bulb"))
    action = Qt.DropAction.MoveAction
    room = entity_mime([entity(tree, "Room")])
    assert not model.canDropMimeData(room, action, -1, -1, bulb)
    garden = entity_mime([entity(tree, "Garden")])
    assert model.canDropMimeData(garden, action, -1, -1, bulb)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("la", {"Lamp"}),
        ("t:light", {"Lamp"}),
        ("a:garden", {"Garden"}),
        ("b t:name", {"Bulb", "Table"}),
        ("t:", {"Room", "Table", "Lamp", "Bulb", "Garden"}),
        ("nothing", set()),
    ],
)
def test_search(tree: Tree, text: str, found: set[str]) -> None:
    matches = find_matches(tree, SearchQuery.parse(text))
    assert {tree.names[e] for e in matches} == found


def test_search_shows_matches_in_place(tree: Tree) -> None:
    model = HierarchyModel(tree)
    matches = find_matches(tree, SearchQuery.parse("bulb"))
    model.reset_rows(*with_ancestors(tree, matches))
    assert names(model) == ["Room"]
    room = model.index(0, 0)
    model.fetchMore(room)
    assert names(model, room) == ["Lamp"]


# -- levels too deep to be shown at once ------------------------------------------------------


@pytest.fixture
def chain() -> tuple[Tree, list[Entity]]:
    """A level of one branch, 20 000 deep, with a second root."""
    tree = Tree()
    entities = [tree.add("link 0")]
    for i in range(1, 20_000):
        entities.append(tree.add(f"link {i}", entities[-1]))
    tree.add("Garden")
    return tree, entities


def depth(index: QModelIndex) -> int:
    found = -1
    while index.isValid():
        found, index = found + 1, index.parent()
    return found


def test_rows_end_where_they_get_too_deep(chain, qtmodeltester) -> None:
    tree, entities = chain
    model = HierarchyModel(tree)
    last = model.index_of(entities[DEEPEST - 1])
    assert depth(last) == DEEPEST - 1
    assert model.hasChildren(last)
    assert model.is_cut(last)
    assert not model.canFetchMore(last)
    assert not model.is_cut(model.index_of(entities[DEEPEST - 2]))
    assert not model.index_of(entities[DEEPEST]).isValid()
    qtmodeltester.check(model)


def test_a_deep_entity_is_reached_by_beginning_further_down(chain) -> None:
    tree, entities = chain
    model = HierarchyModel(tree)
    for entity in (entities[-1], entities[9_999], entities[DEEPEST]):
        assert not model.index_of(entity).isValid()
        model.reset_rows(top=model.reach(entity))
        tree.reads = 0
        assert model.index_of(entity).data() == tree.names[entity]
        assert tree.reads <= 2 * DEEPEST
        assert names(model) == [tree.names[model.top]]
    assert model.reach(entities[DEEPEST - 1]) == NULL
    model.reset_rows()
    assert names(model) == ["link 0", "Garden"]


def test_the_whole_level_is_back_when_its_branch_goes(chain) -> None:
    tree, entities = chain
    model = HierarchyModel(tree)
    model.reset_rows(top=entities[500])
    tree.remove(entities[400])
    model.apply(ChangeSet(despawned=tuple(entities[400:])))
    assert model.top == NULL
    assert names(model) == ["link 0", "Garden"]


def test_a_deep_match_is_found_with_what_is_right_above_it(chain) -> None:
    tree, entities = chain
    model = HierarchyModel(tree)
    matches = find_matches(tree, SearchQuery.parse("link 15000"))
    model.reset_rows(*with_ancestors(tree, matches))
    found = model.index_of(entities[15_000])
    assert depth(found) == DEEPEST - 1
    assert names(model) == [tree.names[entities[15_000 - DEEPEST + 1]]]
    model.reset_rows(*with_ancestors(tree, [*matches, entities[15_010], entities[3]]))
    assert names(model) == ["link 0", tree.names[entities[15_000 - DEEPEST + 1]]]

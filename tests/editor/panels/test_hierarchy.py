"""The hierarchy panel, driven with mouse and keys over a real document."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton

from editor.document import LevelDocument
from editor.panels.hierarchy import HierarchyPanel
from editor.qt.hierarchy.model import TreeDrop
from editor.qt.hierarchy.rows import EYE_COLUMN, LOCK_COLUMN
from editor.qt.hierarchy.search import DEEPEST
from editor.qt.panel import PanelContext
from editor.qt.theme import tokens
from engine.reflect import Entity
from engine.scene import Name
from tests.editor.document.props import write_prop


@pytest.fixture
def panel(qtbot, context: PanelContext) -> HierarchyPanel:
    panel = HierarchyPanel(context)
    panel.resize(260, 500)
    qtbot.addWidget(panel)
    panel.show()
    yield panel
    panel.dispose()


@pytest.fixture
def room(document: LevelDocument) -> list[Entity]:
    """Two roots; the first has two children."""
    names = ["Room", "Table", "Chair", "Garden"]
    entities = [document.add_empty() for _ in names]
    for entity, name in zip(entities, names, strict=True):
        document.rename(entity, name)
    document.reparent(entities[1:3], entities[0])
    document.select([])
    return entities


def rows(panel: HierarchyPanel) -> list[str]:
    """All rows on screen, indented by depth."""
    found: list[str] = []
    index = panel.model.index(0, 0)
    while index.isValid():
        depth, above = 0, index.parent()
        while above.isValid():
            depth, above = depth + 1, above.parent()
        found.append("  " * depth + str(index.data()))
        index = panel.tree.indexBelow(index)
    return found


def click(panel: HierarchyPanel, entity: Entity, column: int = 0, modifier=None) -> None:
    rect = panel.tree.visualRect(panel.model.index_of(entity, column))
    at = QPoint(rect.center().x() if column else rect.left() + 30, rect.center().y())
    keys = modifier or Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, keys, at)


def test_empty_level_says_what_to_do(panel: HierarchyPanel, document: LevelDocument) -> None:
    assert panel._empty.isVisible()
    document.add_empty()
    assert not panel._empty.isVisible()
    document.undo()
    assert panel._empty.isVisible()


def test_click_selects_and_selection_shows(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    click(panel, room[3])
    assert list(document.selection) == [room[3]]
    document.select([room[2]])
    assert panel.tree.chosen() == [room[2]]
    assert "  Chair" in rows(panel)


def test_ctrl_and_shift_clicks(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    click(panel, room[0])
    click(panel, room[3], modifier=Qt.KeyboardModifier.ControlModifier)
    assert set(document.selection) == {room[0], room[3]}
    click(panel, room[0])
    panel.tree.expand(panel.model.index_of(room[0]))
    click(panel, room[3], modifier=Qt.KeyboardModifier.ShiftModifier)
    assert set(document.selection) == set(room)


def test_eye_and_lock_toggle_without_selecting(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    click(panel, room[3], EYE_COLUMN)
    assert document.hidden(room[3])
    click(panel, room[3], LOCK_COLUMN)
    assert document.locked(room[3])
    assert list(document.selection) == []
    assert not document.history.is_dirty or document.history.can_undo
    document.undo()
    assert not document.locked(room[3])


def test_rename_in_place(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity], qtbot
) -> None:
    document.select([room[3]])
    panel.rename_current()
    editor = panel.tree.findChild(QLineEdit, "hierarchy.rename")
    QTest.keyClicks(editor, "Orchard")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.label(room[3]) == "Orchard")
    assert "Orchard" in rows(panel)


def test_what_is_selected_is_kept_by_runs_of_rows(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    """One by one, selecting all of a large level would take minutes."""
    with document.gesture("Many"):
        many = [document.spawn(Name(f"n{i}"), parent=room[0]) for i in range(300)]
    chosen = [*many[:100], *many[150:], room[3]]
    document.select(chosen)
    assert panel.tree.selectionModel().selection().count() == 3
    assert set(panel.tree.chosen()) == set(chosen)
    assert panel.tree.chosen()[-1] == room[3]
    document.select(many[100:150])
    assert set(panel.tree.chosen()) == set(many[100:150])
    document.select([])
    assert panel.tree.chosen() == []


def test_a_change_of_the_row_leaves_the_name_that_is_being_typed(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    document.select([room[3]])
    panel.rename_current()
    editor = panel.tree.findChild(QLineEdit, "hierarchy.rename")
    QTest.keyClicks(editor, "Orch")
    document.set_hidden([room[3]], True)
    assert editor.text() == "Orch"


def test_drop_orders_and_reparents(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    panel.tree.expand(panel.model.index_of(room[0]))
    panel.model.dropped.emit(TreeDrop((room[3],), (), room[0], room[2]))
    assert document.children(room[0]) == [room[1], room[3], room[2]]
    assert rows(panel) == ["Room", "  Table", "  Garden", "  Chair"]
    document.undo()
    assert rows(panel) == ["Room", "  Table", "  Chair", "Garden"]


def test_refused_drop_is_told(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity], errors: list[Exception]
) -> None:
    panel.model.dropped.emit(TreeDrop((room[0],), (), room[1], None))
    assert len(errors) == 1
    assert document.parent(room[0]) is None


def test_asset_drop_places_under_the_row(panel: HierarchyPanel, room: list[Entity], window) -> None:
    panel.model.dropped.emit(TreeDrop((), ("props/a.glb",), room[0], None))
    assert ("place_under", (("props/a.glb",), room[0])) in window.calls


def test_search_narrows_and_clears(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity], qtbot
) -> None:
    QTest.keyClicks(panel.search, "chair")
    qtbot.waitUntil(lambda: rows(panel) == ["Room", "  Chair"])
    QTest.keyClick(panel.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: "Garden" in rows(panel))
    document.add_light("point")
    QTest.keyClicks(panel.search, "t:light")
    qtbot.waitUntil(lambda: len(rows(panel)) == 1)


def test_edits_never_reset_the_tree(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity], qtbot
) -> None:
    panel.tree.expand(panel.model.index_of(room[0]))
    with qtbot.assertNotEmitted(panel.model.modelReset):
        document.select([room[1]])
        copy = document.duplicate()[0]
        document.delete([room[3]])
        document.undo()
        document.reparent([copy], None)
        document.group([room[3]])
        document.undo()
        document.undo()
        document.undo()
    assert rows(panel) == ["Room", "  Table", "  Chair", "Garden"]
    assert panel.tree.isExpanded(panel.model.index_of(room[0]))


def test_pressing_to_drag_leaves_the_selection(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    document.select([room[3]])
    rect = panel.tree.visualRect(panel.model.index_of(room[0]))
    at = QPoint(rect.left() + 30, rect.center().y())
    QTest.mousePress(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert list(document.selection) == [room[3]]
    QTest.mouseRelease(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert list(document.selection) == [room[0]]


def test_another_level_starts_over(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    document.new()
    assert rows(panel) == []


def test_what_changes_a_node_has_no_row_of_its_own_once_the_prop_is_there(
    panel: HierarchyPanel, document: LevelDocument, tmp_path
) -> None:
    write_prop(tmp_path)
    level = tmp_path / "yard.scene"
    level.write_text(
        "cinder-scene 2\n"
        'entity 0\n  Name text="Crate"\n  GltfInstance asset="crate.gltf"\n'
        'entity 1\n  InstanceNode root=#0 path="Body"\n  LocalTransform scale=[2,2,2]\n'
    )
    document.open(level, wait=False)
    document.settle()
    assert rows(panel) == ["Crate"]


def test_rows_reach_as_far_as_the_search_field(
    panel: HierarchyPanel, document: LevelDocument, qtbot
) -> None:
    for _ in range(40):
        document.add_empty()
    qtbot.waitUntil(panel._bar.isVisible)
    end = panel.tree.viewport().mapTo(panel, panel.tree.viewport().rect().topRight()).x()
    assert end == panel.search.geometry().right()
    assert panel._bar.geometry().right() < panel.width()


def test_a_chosen_row_is_one_rounded_shape(
    panel: HierarchyPanel, document: LevelDocument, room: list[Entity]
) -> None:
    document.select([room[0]])
    viewport = panel.tree.viewport()
    picture = viewport.grab().toImage()
    rect = panel.tree.visualRect(panel.model.index_of(room[0]))
    ground = QColor(tokens().selection)
    middle, corner = QPoint(3, rect.center().y()), QPoint(0, rect.top())
    ratio = picture.devicePixelRatio()
    assert picture.pixelColor(middle * ratio) == ground
    assert picture.pixelColor(corner * ratio) != ground


# -- levels too deep to be shown at once ------------------------------------------------------


@pytest.fixture
def chain(document: LevelDocument) -> list[Entity]:
    """One branch, 300 deep."""
    entities = [document.spawn(Name("link 0"))]
    for i in range(1, 300):
        entities.append(document.spawn(Name(f"link {i}"), parent=entities[-1]))
    document.spawn(Name("Garden"))
    return entities


def whole(panel: HierarchyPanel) -> QPushButton:
    return panel.findChild(QPushButton, "hierarchy.whole")


def test_choosing_something_deep_shows_its_branch(
    panel: HierarchyPanel, document: LevelDocument, chain: list[Entity]
) -> None:
    document.select([chain[-1]])
    assert panel.tree.chosen() == [chain[-1]]
    assert rows(panel)[0] == "link 293"
    assert rows(panel)[-1].strip() == "link 299"
    assert whole(panel).isVisible()
    document.select([chain[295]])
    assert rows(panel)[0] == "link 293"
    document.select([chain[3]])
    assert rows(panel)[0] == "link 0"
    assert panel.tree.chosen() == [chain[3]]
    assert not whole(panel).isVisible()


def test_the_whole_level_is_one_click_away(
    panel: HierarchyPanel, document: LevelDocument, chain: list[Entity]
) -> None:
    document.select([chain[-1]])
    whole(panel).click()
    assert not whole(panel).isVisible()
    assert [row for row in rows(panel) if not row.startswith(" ")] == ["link 0", "Garden"]
    assert list(document.selection) == [chain[-1]]


def test_a_row_at_the_end_opens_as_the_topmost_one(
    panel: HierarchyPanel, document: LevelDocument, chain: list[Entity], qtbot
) -> None:
    document.select([chain[DEEPEST - 1]])
    assert panel.tree.visualRect(panel.model.index_of(chain[DEEPEST - 1])).width() >= 40
    panel.tree.expand(panel.model.index_of(chain[DEEPEST - 1]))
    qtbot.waitUntil(lambda: panel.model.top == chain[DEEPEST - 1])
    assert [row.strip() for row in rows(panel)] == [f"link {DEEPEST - 1}", f"link {DEEPEST}"]


def test_deleting_the_branch_shows_the_level_again(
    panel: HierarchyPanel, document: LevelDocument, chain: list[Entity]
) -> None:
    document.select([chain[-1]])
    document.delete([chain[10]])
    assert rows(panel)[0] == "link 0"
    assert not whole(panel).isVisible()
    document.undo()
    assert panel.tree.chosen() == [chain[-1]]
    assert whole(panel).isVisible()


def test_a_search_finds_what_is_deep(
    panel: HierarchyPanel, document: LevelDocument, chain: list[Entity], qtbot
) -> None:
    panel.search.setText("299")
    qtbot.waitUntil(lambda: rows(panel)[-1].strip() == "link 299")
    assert rows(panel)[0] == f"link {300 - DEEPEST}"
    panel.search.clear()
    qtbot.waitUntil(lambda: rows(panel)[0] == "link 0")

"""Importing chosen files again from the assets panel: what is told, shown and kept."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton

from editor.main_window import MainWindow
from editor.panels.assets import AssetsPanel
from engine.scene import LocalTransform
from engine.scene.instances import find_node
from tests.editor.document.props import write_prop
from tests.gui.assets_panel.conftest import LEFT, click, tile

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def imports(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that are really imported."""
    from engine.assets import load_gltf

    found: list[str] = []

    def counted(path: str, root: Path):
        found.append(Path(path).name)
        return load_gltf(path, root=root)

    monkeypatch.setattr("engine.assets.asset_reading.load_gltf", counted)
    return found


def notices(window: MainWindow) -> list[str]:
    return [toast.accessibleName() for toast in window.toasts.children() if toast.isWidgetType()]


def messages(window: MainWindow) -> list[str]:
    model = window.panels["console"].list.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def until_done(qtbot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.document.app.importing_again)


def entry_of_menu(panel: AssetsPanel, asset: str, begins: str):
    panel.hands.open_menu(tile(panel, asset))
    menu = panel.findChildren(QMenu)[-1]
    return menu, next((a for a in menu.actions() if a.text().startswith(begins)), None)


def test_the_menu_imports_the_chosen_files_again_and_keeps_all_that_was_done(
    qtbot, window: MainWindow, panel: AssetsPanel, imports: list[str]
) -> None:
    document, world = window.document, window.document.world
    root = document.children()[0]
    arm = find_node(world, root, "Body/Arm")
    document.set_fields([arm], LocalTransform, translation=(0, 5, 0))
    document.select([arm])
    kept = document.history.labels, document.history.index, window.viewport.camera_state()
    imports.clear()
    click(panel, "props/crate.gltf")
    menu, again = entry_of_menu(panel, "props/crate.gltf", "Reimport")
    again.trigger()
    menu.close()
    assert any("crate.gltf" in task for task in document.tasks)
    assert "Loading crate.gltf" in window.status_line._tasks.text()
    until_done(qtbot, window)
    qtbot.waitUntil(lambda: not window.status_line._tasks.text())
    assert imports == ["crate.gltf"]
    assert any(text.startswith("Reimported props/crate.gltf: 2 tri") for text in messages(window))
    assert (
        document.history.labels,
        document.history.index,
        window.viewport.camera_state(),
    ) == kept
    assert list(document.selection) == [arm]
    assert world.get(arm, LocalTransform).translation.tolist() == [0, 5, 0]


def test_the_details_offer_it_for_all_chosen_and_show_what_came(
    qtbot, window: MainWindow, panel: AssetsPanel, imports: list[str]
) -> None:
    root = Path(window.document.root)
    panel.feed.toggle()
    button = panel.findChild(QPushButton, "assets.reimport")
    click(panel, "props/town")
    assert not button.isVisible(), "a folder is not imported"
    click(panel, "props/crate.gltf")
    assert button.text() == "Reimport"
    click(panel, "props/lamp.gltf", CTRL)
    assert button.text() == "Reimport 2 files"
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "2 nodes" in panel.details.text())
    # The watch has not told of it yet.
    window.project_watch.dispose()
    write_prop(root / "props", "lamp", nodes=[{"name": "Post", "mesh": 0}])
    imports.clear()
    QTest.mouseClick(button, LEFT)
    assert (button.text(), button.isEnabled()) == ("Reimporting 2 files …", False)
    assert window.focusWidget() is panel.grid, "the next key goes to the tiles"
    until_done(qtbot, window)
    assert sorted(imports) == ["crate.gltf", "lamp.gltf"]
    assert (button.text(), button.isEnabled()) == ("Reimport 2 files", True)
    assert "Reimported 2 files" in notices(window)
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "1 node " in panel.details.text().replace("\n", " "))


def test_a_file_that_is_broken_now_is_told_of_and_stays_as_it_was(
    qtbot, window: MainWindow, panel: AssetsPanel
) -> None:
    document, root = window.document, Path(window.document.root)
    panel.feed.toggle()
    window.project_watch.dispose()
    (root / "props/crate.gltf").write_text("{")
    click(panel, "props/crate.gltf")
    QTest.mouseClick(panel.details.again, LEFT)
    until_done(qtbot, window)
    (told,) = [text for text in messages(window) if "parse failed" in text]
    assert told.endswith("showing what was last read")
    assert find_node(document.world, document.children()[0], "Body/Arm")
    qtbot.waitUntil(lambda: "parse failed" in panel.details.text())


def test_a_picture_takes_the_models_along_that_it_is_part_of(
    qtbot, window: MainWindow, panel: AssetsPanel, imports: list[str]
) -> None:
    panel.show_folder(Path(window.document.root) / "props" / "Textures")
    imports.clear()
    click(panel, "props/Textures/colormap.png")
    menu, again = entry_of_menu(panel, "props/Textures/colormap.png", "Reimport")
    again.trigger()
    menu.close()
    until_done(qtbot, window)
    assert imports == ["crate.gltf"]


def test_nothing_is_offered_for_what_is_no_import(window: MainWindow, panel: AssetsPanel) -> None:
    panel.show_folder(Path(window.document.root))
    click(panel, "yard.scene")
    menu, again = entry_of_menu(panel, "yard.scene", "Reimport")
    menu.close()
    assert again is None

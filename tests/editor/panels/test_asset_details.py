"""What an asset brought, beside the tiles of the assets panel."""

import io
import json
from pathlib import Path

import PIL.Image
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton

from editor.document import LevelDocument
from editor.panels.assets import AssetsPanel
from editor.panels.assets.asset_users import AssetUsers
from editor.panels.assets.import_report import Section
from editor.qt.panel import PanelContext
from editor.qt.widgets.color_chip import ColorChip
from engine.assets import MeshData
from engine.assets.gltf import GltfAsset, GltfMesh, GltfNode, GltfPrimitive
from engine.assets.gltf_export import export_glb
from engine.assets.image import Image
from engine.math import compose
from engine.reflect import Entity
from tests.editor.document.props import gltf, write_pack, write_prop


def write_model(path: Path, width: int = 2) -> Path:
    """Write a triangle, `width` metres wide, with a picture."""
    import numpy as np

    corners = np.array([[0, 0, 0], [width, 0, 0], [0, 1, 0]], np.float32)
    mesh = GltfMesh("m", [GltfPrimitive(MeshData(positions=corners))], np.zeros(0, np.float32))
    parts = np.zeros(3, np.float32), np.array((0, 0, 0, 1), np.float32), np.ones(3, np.float32)
    local = np.asarray(compose(*parts), np.float32)
    node = GltfNode("n", None, [], 0, None, None, None, *parts, local, local)
    pixels = np.zeros((4, 8, 4), np.uint8)
    asset = GltfAsset("a", [Image("wood", pixels)], meshes=[mesh], nodes=[node], roots=[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(export_glb(asset).data)
    return path


@pytest.fixture
def panel(qtbot, context: PanelContext, document: LevelDocument):
    props = Path(document.root) / "props"
    write_model(props / "wide.glb")
    (props / "broken.glb").write_bytes(b"glTF")
    made = AssetsPanel(context)
    qtbot.addWidget(made)
    made.show()
    made.refresh_folders()
    yield made
    made.dispose()


def chosen(qtbot, panel: AssetsPanel, asset: str) -> str:
    panel.reveal(asset)
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "Reading" not in panel.details.text())
    return panel.details.text()


def test_nothing_is_read_until_the_details_are_asked_for(qtbot, panel: AssetsPanel) -> None:
    panel.reveal("props/wide.glb")
    assert panel.details.isHidden()
    assert panel.details.text() == ""
    panel.feed.toggle()
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "triangle" in panel.details.text())


def test_the_report_tells_size_pictures_and_changes(qtbot, panel: AssetsPanel) -> None:
    panel.feed.toggle()
    text = chosen(qtbot, panel, "props/wide.glb")
    for words in ("2 × 1 × 0 m", "1 triangle", "wood: 8 × 4 px", "flat shading for 1 part"):
        assert words in text


def test_a_file_that_cannot_be_read_says_why(qtbot, panel: AssetsPanel) -> None:
    panel.feed.toggle()
    assert "GLB header" in chosen(qtbot, panel, "props/broken.glb")


def test_a_file_that_changed_is_read_again(qtbot, panel: AssetsPanel) -> None:
    panel.feed.toggle()
    assert "2 × 1 × 0 m" in chosen(qtbot, panel, "props/wide.glb")
    write_model(Path(panel.document.root) / "props/wide.glb", width=75)
    panel.feed.show_current()
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "75 × 1 × 0 m" in panel.details.text())


def test_a_picture_beside_a_file_that_changed_is_told_of(qtbot, panel: AssetsPanel) -> None:
    document = panel.document
    path = write_pack(Path(document.root) / "props", "tower")
    document.contents.read()
    panel.refresh_folders()
    panel.feed.toggle()
    assert "1 × 1 px" in chosen(qtbot, panel, "props/tower.gltf")
    larger = io.BytesIO()
    PIL.Image.new("RGB", (16, 4)).save(larger, "PNG")
    (path.parent / "Textures/colormap.png").write_bytes(larger.getvalue())
    document.contents.read()
    panel.refresh()
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "16 × 4 px" in panel.details.text())


def test_choosing_no_model_shows_nothing(qtbot, panel: AssetsPanel) -> None:
    panel.feed.toggle()
    chosen(qtbot, panel, "props/wide.glb")
    panel.grid.clearSelection()
    panel.show_folder(Path(panel.document.root))
    panel._on_chosen()
    assert panel.details.text() == ""
    assert isinstance(panel.details.grab().toImage(), QImage)


def test_a_long_list_is_opened_and_stays_open_while_its_file_is_shown(qtbot, panel) -> None:
    def listed() -> list[str]:
        return [line for line in panel.details.text().split("\n") if line.startswith("/nodes")]

    panel.feed.toggle()
    chosen(qtbot, panel, "props/wide.glb")
    warnings = Section("Warnings", tuple(f"/nodes/{number}: odd" for number in range(40)))
    panel.details._show([warnings])
    assert len(listed()) == 12
    [more] = [b for b in panel.details.findChildren(QPushButton) if b.text() == "and 28 more"]
    more.click()
    assert len(listed()) == 40
    panel.details._show([warnings])
    qtbot.waitUntil(lambda: len(listed()) == 40)


def test_all_who_use_a_file_can_be_seen(qtbot, panel) -> None:
    names = [f"Lamp {number}" for number in range(9)]
    users = AssetUsers(tuple((Entity(i + 1), name) for i, name in enumerate(names)))
    path = Path(panel.document.root) / "props/wide.glb"
    panel.details.show_file(path, path.parent.parent, users)
    assert [button.text() for button in panel.details.users()] == ["Select all 9", *names[:5]]
    [more] = [b for b in panel.details.findChildren(QPushButton) if b.text() == "and 4 more"]
    more.click()
    assert [button.text() for button in panel.details.users()][1:] == names


def test_materials_have_their_colour_beside_them(qtbot, panel) -> None:
    write_prop(Path(panel.document.root) / "props", "lamp")
    document = gltf()
    document["materials"] = [
        {"name": "paint", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}},
        {"name": "plain"},
    ]
    (Path(panel.document.root) / "props" / "lamp.gltf").write_text(json.dumps(document))
    panel.refresh_folders()
    panel.feed.toggle()
    assert "paint" in chosen(qtbot, panel, "props/lamp.gltf")
    chips = [chip for chip in panel.details.findChildren(ColorChip) if chip.isVisible()]
    assert [chip.code for chip in chips] == ["#FF0000", "#FFFFFF"]
    assert chips[0].accessibleName() == "Base colour #FF0000"

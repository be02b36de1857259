"""What an asset brought, beside the tiles of the assets panel."""

import io
from pathlib import Path

import PIL.Image
import pytest
from PySide6.QtGui import QImage

from editor.document import LevelDocument
from editor.panels.assets import AssetsPanel
from editor.panels.assets.import_report import sections_of
from editor.qt.panel import PanelContext
from engine.assets import MeshData
from engine.assets.gltf import GltfAsset, GltfMesh, GltfNode, GltfPrimitive
from engine.assets.gltf_export import export_glb
from engine.assets.image import Image
from engine.math import compose
from tests.editor.document.props import write_pack


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
    panel._on_details_clicked()
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "triangle" in panel.details.text())


def test_the_report_tells_size_pictures_and_changes(qtbot, panel: AssetsPanel) -> None:
    panel._on_details_clicked()
    text = chosen(qtbot, panel, "props/wide.glb")
    for words in ("2 × 1 × 0 m", "1 triangle", "wood: 8 × 4 px", "flat shading for 1 part"):
        assert words in text


def test_a_file_that_cannot_be_read_says_why(qtbot, panel: AssetsPanel) -> None:
    panel._on_details_clicked()
    assert "GLB header" in chosen(qtbot, panel, "props/broken.glb")


def test_a_file_that_changed_is_read_again(qtbot, panel: AssetsPanel) -> None:
    panel._on_details_clicked()
    assert "2 × 1 × 0 m" in chosen(qtbot, panel, "props/wide.glb")
    write_model(Path(panel.document.root) / "props/wide.glb", width=75)
    panel._show_details()
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "75 × 1 × 0 m" in panel.details.text())


def test_a_picture_beside_a_file_that_changed_is_told_of(qtbot, panel: AssetsPanel) -> None:
    document = panel.document
    path = write_pack(Path(document.root) / "props", "tower")
    document.contents.read()
    panel.refresh_folders()
    panel._on_details_clicked()
    assert "1 × 1 px" in chosen(qtbot, panel, "props/tower.gltf")
    larger = io.BytesIO()
    PIL.Image.new("RGB", (16, 4)).save(larger, "PNG")
    (path.parent / "Textures/colormap.png").write_bytes(larger.getvalue())
    document.contents.read()
    panel.refresh()
    panel.details.reader.wait()
    qtbot.waitUntil(lambda: "16 × 4 px" in panel.details.text())


def test_choosing_no_model_shows_nothing(qtbot, panel: AssetsPanel) -> None:
    panel._on_details_clicked()
    chosen(qtbot, panel, "props/wide.glb")
    panel.grid.clearSelection()
    panel.show_folder(Path(panel.document.root))
    panel._on_chosen()
    assert panel.details.text() == ""
    assert isinstance(panel.details.grab().toImage(), QImage)


def test_long_lists_are_cut() -> None:
    asset = GltfAsset("a", warnings=[f"/nodes/{i}: odd" for i in range(40)])
    warnings = next(s for s in sections_of(asset.report()) if s.heading == "Warnings")
    assert len(warnings.lines) == 13
    assert warnings.lines[-1] == "and 28 more"

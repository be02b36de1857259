"""A sitting in which props are placed and tweaked, and one of them is exported over its file.

    reload_session.py LEVEL REPORT PROP [PROP...]

The first prop is the one that changes: its first node with a mesh below another is overridden, by
mouse and keys. It writes what it saw to REPORT as JSON, with pictures of the window beside it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from editor.qt.widgets.check_box import CheckBox
from engine.assets import load_gltf
from engine.assets.gltf_export import export_glb
from engine.scene import GltfInstance, InstanceNode, LocalTransform, MeshRenderer
from tests.gui.loop_session import CTRL, LEFT, NONE, Session, until

GROWTH = 1.7


def export_another(path: Path) -> None:
    """Write a prop over as an artist would: every mesh is taller and of another colour."""
    asset = load_gltf(str(path))
    for mesh in asset.meshes:
        for primitive in mesh.primitives:
            primitive.mesh.positions = primitive.mesh.positions * np.float32([1, GROWTH, 1])
    for material in asset.materials:
        material.material.base_color = (0.35, 0.6, 1.0, 1.0)
    beside = path.with_name(f"{path.name}.tmp")
    beside.write_bytes(export_glb(asset).data)
    os.replace(beside, path)


class ReloadSession(Session):
    """The hands of somebody who has a modelling program open beside the editor."""

    def node_below(self, root: Any) -> Any:
        """Return the first node with a mesh that hangs below another node, its row shown."""
        world = self.document.world
        below = [(0, e) for e in self.document.children(root)]
        while below:
            depth, entity = below.pop(0)
            if depth and world.has(entity, MeshRenderer):
                self.tree.expand(self.index_of(root))
                self.tree.expandRecursively(self.index_of(root))
                return entity
            below += [(depth + 1, e) for e in self.document.children(entity)]
        raise SystemExit("the prop has no node below another")

    def click_box(self, card: str) -> None:
        """Click the first check box of a card."""
        inspector = self.window.panels["inspector"]
        until(lambda: bool(inspector.findChildren(QWidget, f"card.{card}")), f"a card {card}")
        cards = [c for c in inspector.findChildren(QWidget, f"card.{card}") if c.isVisible()]
        box = cards[0].findChildren(CheckBox)[0]
        QTest.mouseClick(box, LEFT, NONE, QPoint(8, box.height() // 2))

    def seen(self, root: Any, node: Any) -> dict[str, Any]:
        """Return what is there of the tweaks, and the size of the meshes."""
        world, document = self.document.world, self.document
        entry = next(e for e in document.app.assets.entries() if e.asset is not None)
        return {
            "alive": world.alive(root) and world.alive(node),
            "place": world.get(root, LocalTransform).translation.tolist(),
            "node": world.get(node, LocalTransform).translation.tolist(),
            "turned": world.get(node, LocalTransform).rotation.tolist(),
            "shadows": world.get(root, GltfInstance).cast_shadows,
            "marked": world.has(node, InstanceNode),
            "selected": [int(e) for e in document.selection] == [int(node)],
            "steps": document.history.labels,
            "index": document.history.index,
            "camera": self.viewport.camera_state(),
            "height": float(entry.asset.world_bounds().max[1]),
            "uploads": entry.uploaded.mesh_ids,
            "note": self.window.status_line.note,
            "issues": [issue.text for issue in document.issues() if not issue.is_hint],
        }

    def photograph(self, path: Path) -> None:
        """Keep a picture of the whole window."""
        self.viewport.repaint()
        QTest.qWait(400)
        self.window.grab().save(str(path))


def main(level: Path, report: Path, props: list[Path]) -> None:
    session = ReloadSession([str(level)])
    document, viewport = session.document, session.viewport
    width, height = viewport.width(), viewport.height()
    for i, prop in enumerate(props):
        session.drop_file(prop, int(width * (0.35 + 0.15 * i)), int(height * 0.6))
    root = next(e for e in document.children(None) if document.world.has(e, GltfInstance))
    session.select(root)
    session.type_number("LocalTransform", 4, "25")
    node = session.node_below(root)
    session.select(node)
    session.type_number("LocalTransform", 1, "1.25")
    session.type_number("LocalTransform", 3, "-40")
    session.select(root)
    session.click_box("GltfInstance")
    viewport.frame_all()
    session.key(Qt.Key.Key_S, CTRL)
    until(lambda: not document.dirty, "the level to be saved")
    session.select(node)
    session.photograph(report.with_suffix(".before.png"))
    before = session.seen(root, node)
    entry = document.app.assets.entries()[0]
    version = entry.version
    export_another(Path(document.root) / entry.path)
    until(lambda: entry.version > version and not document.tasks, "the changed prop")
    # It is there for some seconds only.
    note = session.window.status_line.note
    session.photograph(report.with_suffix(".after.png"))
    after = {**session.seen(root, node), "note": note}
    saved = level.read_bytes()
    dirty = document.dirty
    session.take_focus()
    viewport.setFocus()
    session.undo_all()
    undone = not document.world.alive(root)
    session.redo_all()
    session.settle()
    again = session.seen(root, node)
    seen = {"before": before, "after": after, "again": again, "undone": undone, "dirty": dirty}
    report.write_text(json.dumps(seen))
    document.save()
    assert level.read_bytes() == saved, "the level was written otherwise"
    session.quit()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(p) for p in sys.argv[3:]])

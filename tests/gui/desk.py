"""A shown window and the watch on its project, with props to save."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest

from editor.main_window import MainWindow
from engine.reflect import Entity
from engine.scene.instances import find_node
from tests.editor.document.props import gltf


def save(path: Path, data: bytes | str) -> None:
    """Write a file over as most programs do: beside it, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.tmp")
    beside.write_bytes(data if isinstance(data, bytes) else data.encode())
    os.replace(beside, path)


def save_prop(root: Path, nodes: list[dict] | None = None, name: str = "crate") -> Path:
    path = root / "props" / f"{name}.gltf"
    save(path, json.dumps(gltf(nodes)))
    return path


BODY = {"name": "Body", "mesh": 0, "children": [1]}


ARM = {"name": "Arm", "mesh": 0}


class Desk:
    """A shown window and the watch on its project."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self.document = window.document
        window.show()
        window.viewport.moves_smoothly = False
        self.until(lambda: window.project_watch.mode == "events")
        # The look at the disk that follows when a watch begins.
        QTest.qWait(0)

    def until(self, done: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(done)

    def place(self, path: Path) -> Entity:
        root = self.document.place(path)
        self.document.history.mark_saved()
        return root

    def node(self, root: Entity, path: str) -> Entity | None:
        return find_node(self.document.world, root, path) or None

    def issues(self) -> list[str]:
        return [issue.text for issue in self.window.panels["issues"].issues]

    def told(self, act: Callable[[], object]) -> list[str]:
        """Return the files that are told of while `act`, and a file after it, is written."""
        told: list[str] = []
        subscription = self.window.project_watch.files_changed.connect(
            lambda changes: told.extend(changes.paths)
        )
        act()
        fence = Path(self.document.root) / "fence.txt"
        fence.write_text(str(len(told)))
        self.until(lambda: str(fence) in told)
        self.window.project_watch.disconnect(subscription)
        return [path for path in told if path != str(fence)]

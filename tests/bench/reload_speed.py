"""From a changed file on disk to its picture, in a shown window; run as a program of its own.

    reload_speed.py PROP.glb [ROUNDS]

Places the prop, then writes it over by renaming, each time with another root node's scale, and
prints for each round: milliseconds from the renaming to the picture, and the longest time that the
window handled no event meanwhile. At the end it counts what the idle process wakes for.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor.app import create

PATIENCE_S = 60.0
IDLE_S = 5.0


def variant(data: bytes, number: int) -> bytes:
    """Return a .glb whose root nodes are scaled, and whose materials are another colour."""
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + length])
    for node in document["scenes"][document.get("scene", 0)]["nodes"]:
        document["nodes"][node].pop("matrix", None)
        document["nodes"][node]["scale"] = [1 + 0.1 * number] * 3
    for material in document.get("materials", []):
        shade = 0.2 + 0.1 * (number % 8)
        material.setdefault("pbrMetallicRoughness", {})["baseColorFactor"] = [1, shade, shade, 1]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    total = 12 + 8 + len(text) + len(rest)
    return (
        struct.pack("<4sII", b"glTF", 2, total)
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + rest
    )


def until(done) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > end:
            raise SystemExit("waited in vain")
        QTest.qWait(1)


def switches() -> dict[str, int]:
    """Return by thread how often it was woken."""
    found = {}
    for task in os.listdir("/proc/self/task"):
        status = Path(f"/proc/self/task/{task}/status").read_text().splitlines()
        name = next(line.split("\t")[1] for line in status if line.startswith("Name"))
        found[f"{name} {task}"] = sum(
            int(line.split()[1]) for line in status if line.startswith("voluntary_ctxt")
        )
    return found


class Heart:
    """Notes the longest time between two events that should come every two milliseconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._clock = QElapsedTimer()
        self._clock.start()
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(2)

    def _beat(self) -> None:
        self.longest = max(self.longest, self._clock.nsecsElapsed() / 1e6)
        self._clock.restart()

    def stop(self) -> None:
        self._timer.stop()


def main(prop: Path, rounds: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="cinder-reload-"))
    (folder / "project.json").write_text('{"root_scene_path": "yard.scene"}')
    (folder / "yard.scene").write_text("cinder-scene 2\n")
    target = folder / "props" / prop.name
    target.parent.mkdir()
    shutil.copytree(prop.parent, target.parent, dirs_exist_ok=True)
    original = prop.read_bytes()
    window = create([str(folder / "yard.scene")])
    window.show()
    until(lambda: window.project_watch.mode == "events")
    document, viewport = window.document, window.viewport
    document.place(target, wait=False)
    until(lambda: not document.tasks)
    viewport.frame_all()
    QTest.qWait(800)
    entry = document.app.assets.entries()[0]
    drawn = [0.0, 0]

    def on_picture(report) -> None:
        drawn[:] = time.perf_counter(), entry.version

    viewport.stats_changed.connect(on_picture)
    times = []
    for number in range(1, rounds + 1):
        QTest.qWait(1200)
        beside = target.with_name(".writing")
        beside.write_bytes(variant(original, number))
        version, heart = entry.version, Heart()
        started = time.perf_counter()
        os.replace(beside, target)
        until(lambda version=version: drawn[1] > version)
        heart.stop()
        times.append(1000 * (drawn[0] - started))
        drawing = viewport.picture.report.milliseconds
        print(
            f"round {number}: {times[-1]:.0f} ms to the picture, {times[-1] - drawing:.0f} without "
            f"drawing it; longest gap {heart.longest:.0f} ms, {heart.longest - drawing:.0f} without"
        )
    middle = sorted(times)[len(times) // 2]
    print(f"changed file to picture: median {middle:.0f} ms, worst {max(times):.0f} ms")
    # Until what was imported is cooked, too.
    until(lambda: any((folder / ".cinder").glob("*.casset")))
    QTest.qWait(8000)
    before, clock = switches(), time.process_time()
    # In Qt's own loop, as the editor runs it; qWait would poll.
    QTimer.singleShot(int(IDLE_S * 1000), window, lambda: report(before, clock))
    QTimer.singleShot(int(IDLE_S * 1000) + 100, window, window.close)
    QApplication.exec()
    shutil.rmtree(folder)


def report(before: dict[str, int], clock: float) -> None:
    woken = {name: n for name, count in switches().items() if (n := count - before.get(name, 0))}
    share = 100 * (time.process_time() - clock) / IDLE_S
    print(f"idle: {sum(woken.values()) / IDLE_S:.1f} wake-ups per second, {share:.2f} % CPU", woken)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)

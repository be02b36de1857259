"""The editor's own files may hold anything: it starts, says so, and keeps what was damaged."""

import json
from pathlib import Path

import pytest

from editor.app import create
from editor.main_window import MainWindow
from editor.model.folders import data_folder
from editor.model.settings import Settings
from editor.model.user_state import _file
from engine.scene import LocalTransform
from tests.gui.artist import move, named, trigger

GARBAGE = ["", "{", "[]", "[" * 50_000, "\x00", "null"]


def started(qtbot, level: Path) -> MainWindow:
    window = create([str(level)])
    qtbot.addWidget(window, before_close_func=lambda w: w.document.history.mark_saved())
    window.show()
    qtbot.wait(0)
    return window


def console(window: MainWindow) -> str:
    model = window.panels["console"].model
    return "\n".join(str(model.index(row, 0).data()) for row in range(model.rowCount()))


@pytest.mark.parametrize("text", GARBAGE)
def test_damaged_settings(qtbot, level, text) -> None:
    Settings.file().parent.mkdir(parents=True, exist_ok=True)
    Settings.file().write_text(text)
    window = started(qtbot, level)
    assert "settings.json was damaged" in console(window)
    assert Settings.file().with_name("settings.json.damaged").read_text() == text
    assert window.settings.recent_levels == [str(level)]


@pytest.mark.parametrize(
    "values",
    [
        {"recent_levels": [3, None]},
        {"recent_levels": ["", "/nowhere/a.scene", "a\u0000b", "x" * 5_000]},
        {"tools": {"snap_step": "much", "active": 7, "camera": []}},
        {"window_state": "not base64!", "window_geometry": "AAAA"},
        {"window_state": "AAAA" * 1000, "last_folder": "a\u0000b"},
        {"history_bytes": 1, "fly_speed": 1e300, "adapter": "none such"},
    ],
)
def test_settings_that_make_no_sense(qtbot, level, values) -> None:
    Settings.file().parent.mkdir(parents=True, exist_ok=True)
    Settings.file().write_text(json.dumps(values))
    window = started(qtbot, level)
    window.files.fill_recent(window.services.menus["recent"])
    move(window)
    trigger(window, "save")
    assert "translation=[5.0,0.0,0.0]" in level.read_text()


@pytest.mark.parametrize("text", GARBAGE)
def test_damaged_view_state(qtbot, level, text) -> None:
    file = _file(level)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    window = started(qtbot, level)
    assert "was damaged" in console(window)
    assert file.with_name(f"{file.name}.damaged").read_text() == text
    assert named(window, "Lid")


@pytest.mark.parametrize(
    "values",
    [
        {"hidden": 7, "locked": [None, -1, 1e9, "x"], "camera": 3, "expanded": "all"},
        {"camera": {"eye": ["x"], "target": None, "yaw": "nan"}, "expanded": [[], {}]},
        {"camera": {"position": [1e400, 0], "distance": -1}, "hidden": [10**30]},
        {"camera": [], "view": {"camera": {"eye": 3}}},
    ],
)
def test_a_view_state_that_makes_no_sense(qtbot, level, values) -> None:
    file = _file(level)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(values))
    window = started(qtbot, level)
    window.document.select(named(window, "Lid"))
    window.viewport.frame_selection()
    assert window.document.world.has(named(window, "Lid"), LocalTransform)


@pytest.mark.parametrize("content", [b"", b"\xff\x00garbage", b"{}", b"[]", None])
def test_a_damaged_mark_of_presence(qtbot, level, content) -> None:
    first = started(qtbot, level)
    [mark] = (data_folder() / "locks").iterdir()
    first.document.history.mark_saved()
    first.close()
    if content is None:
        mark.unlink()
        mark.mkdir()
    else:
        mark.write_bytes(content)
    window = started(qtbot, level)
    assert named(window, "Lid")
    assert "another editor" not in console(window)

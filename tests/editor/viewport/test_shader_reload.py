"""Developer mode: shaders change under the running editor, and a broken one hurts nobody."""

import shutil

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from editor.tools.state import ToolState
from editor.viewport.picture import RememberingRenderer
from editor.viewport.shader_reload import is_asked_for
from editor.viewport.widget import ViewportWidget
from engine.render.shader_source import ShaderSources

pytestmark = pytest.mark.gpu


@pytest.fixture
def watched(qtbot, document, renderer, tmp_path):
    folder = tmp_path / "shaders"
    shutil.copytree(ShaderSources().folder, folder)
    own = RememberingRenderer(renderer.device, folder)
    viewport = ViewportWidget(document, ToolState(), renderer=own)
    viewport.moves_smoothly = False
    viewport.resize(160, 120)
    document.add_shape("box")
    document.select([])
    viewport.show()
    viewport.repaint()
    viewport.watch_shaders(folder)
    qtbot.waitUntil(lambda: viewport._shaders._watch.mode != "starting")
    yield viewport, folder / "grid.wgsl"
    viewport.close()
    viewport.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_changed_shader_is_seen_and_a_broken_one_is_told_until_it_is_mended(watched, qtbot):
    viewport, grid = watched
    told = []
    viewport.document.message_posted.connect(told.append)
    viewport.grab().toImage()
    first = viewport._image.copy()
    sound = grid.read_text("utf-8")
    grid.write_text(sound + "fn broken( {}\n", "utf-8")
    qtbot.waitUntil(lambda: viewport.banner()[0] == "warning")
    line = sound.count("\n") + 1
    assert viewport.banner()[1].startswith(f"shaders/grid.wgsl:{line}: ")
    assert [m.level for m in told] == ["error"]
    assert viewport.failure == ""
    viewport.grab().toImage()
    assert viewport._image == first
    grid.write_text(sound.replace("@fragment", "@fragment\n"), "utf-8")
    qtbot.waitUntil(lambda: viewport.banner()[1] == "")
    assert [m.level for m in told] == ["error", "info"]
    viewport.grab().toImage()
    assert viewport._image == first


def test_the_watch_ends_with_the_viewport(watched):
    viewport, *_ = watched
    watch = viewport._shaders._watch
    viewport.close()
    assert not watch._thread.is_alive()
    viewport.dispose()


def test_developer_mode_is_a_setting_or_a_variable(monkeypatch):
    for value, expected in ((None, False), ("0", False), ("", False), ("1", True)):
        monkeypatch.delenv("CINDER_DEVELOPER", raising=False)
        if value is not None:
            monkeypatch.setenv("CINDER_DEVELOPER", value)
        assert is_asked_for(False) == expected
        assert is_asked_for(True)

"""Pictures of assets in the panel: asked for once, kept by what the files hold."""

import threading
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from editor.panels.assets import thumbnails as module
from editor.panels.assets.thumbnails import Thumbnails
from tests.editor.document.props import picture


class Painter:
    """Stands for the viewport: draws a model in the colour that it has for it."""

    def __init__(self) -> None:
        self.color, self.asked, self.forgotten = "red", 0, 0
        self.ready = lambda path: None

    def on_thumbnail_ready(self, ready) -> None:
        self.ready = ready

    def thumbnail(self, path: Path, size: int, is_wanted=lambda: True) -> QImage | None:
        self.asked += 1
        if not self.color:
            return None
        image = QImage(size, size, QImage.Format.Format_RGBA8888)
        image.fill(QColor(self.color))
        return image

    def thumbnail_failed(self, path: Path, size: int) -> bool:
        return not self.color

    def forget_thumbnail(self, path: Path) -> None:
        self.forgotten += 1


class Wall:
    """Thumbnails, and what the files are said to hold."""

    def __init__(self, qtbot, painter: Painter) -> None:
        self.qtbot, self.held = qtbot, {}
        self.thumbnails = Thumbnails(painter, lambda path: self.held.get(path, ""))

    def color(self, path: Path) -> str:
        self.qtbot.waitUntil(lambda: self.thumbnails.pixmap(path) is not None)
        pixmap = self.thumbnails.pixmap(path)
        return pixmap.toImage().pixelColor(0, 0).name()


@pytest.fixture
def painter() -> Painter:
    return Painter()


@pytest.fixture
def walls(qtbot, painter, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "data_folder", lambda: tmp_path / "data")
    made: list[Wall] = []

    def hang() -> Wall:
        made.append(Wall(qtbot, painter))
        return made[-1]

    yield hang
    for wall in made:
        wall.thumbnails.close()


def test_a_model_is_drawn_once_and_kept_by_what_it_holds(walls, painter, tmp_path, qtbot) -> None:
    wall, first, second = walls(), tmp_path / "a.glb", tmp_path / "sub" / "b.glb"
    wall.held = {first: "content", second: "content"}
    assert wall.color(first) == "#ff0000"
    assert painter.asked == 1
    # What is not kept yet when the panel closes is dropped.
    qtbot.waitUntil(lambda: any((tmp_path / "data").rglob("*.png")))
    wall.thumbnails.close()
    # Under another name, in another session, nobody has to draw.
    later = walls()
    later.held = wall.held
    assert later.color(second) == "#ff0000"
    assert painter.asked == 1


def test_other_content_is_drawn_anew_by_somebody_who_forgot_the_old(
    walls, painter, tmp_path
) -> None:
    wall, path = walls(), tmp_path / "a.glb"
    wall.held = {path: "before"}
    assert wall.color(path) == "#ff0000"
    assert painter.forgotten == 0
    wall.held[path], painter.color = "after", "blue"
    assert wall.color(path) == "#0000ff"
    assert (painter.asked, painter.forgotten) == (2, 1)
    wall.held[path] = "before"
    assert wall.color(path) == "#ff0000"
    assert painter.asked == 2


def test_what_is_forgotten_is_made_anew(walls, painter, tmp_path) -> None:
    wall, path = walls(), tmp_path / "a.glb"
    wall.held = {path: "content"}
    assert wall.color(path) == "#ff0000"
    painter.color = "blue"
    wall.thumbnails.forget(path)
    assert wall.color(path) == "#0000ff"


def test_a_picture_is_read_by_a_thread_and_a_broken_one_has_none(
    walls, painter, tmp_path, qtbot, monkeypatch
) -> None:
    good, bad, threads = tmp_path / "good.png", tmp_path / "bad.png", []
    good.write_bytes(picture((0, 255, 0, 255)))
    bad.write_bytes(b"no picture")
    small = module.small_picture

    def noted(path, size):
        threads.append(threading.current_thread())
        return small(path, size)

    monkeypatch.setattr(module, "small_picture", noted)
    wall = walls()
    assert wall.color(good) == "#00ff00"
    assert wall.thumbnails.pixmap(bad) is None
    qtbot.waitUntil(lambda: wall.thumbnails.is_broken(bad))
    assert threading.main_thread() not in threads
    assert painter.asked == 0


def test_a_model_that_cannot_be_drawn_has_no_picture(walls, painter, tmp_path, qtbot) -> None:
    wall, path = walls(), tmp_path / "a.glb"
    wall.held, painter.color = {path: "broken"}, ""
    qtbot.waitUntil(
        lambda: wall.thumbnails.pixmap(path) is None and wall.thumbnails.is_broken(path)
    )


def test_what_is_scrolled_away_is_left_until_it_is_seen_again(
    walls, painter, tmp_path, qtbot
) -> None:
    wall = walls()
    paths = [tmp_path / f"{number}.glb" for number in range(20)]
    wall.held = {path: path.name for path in paths}
    for path in paths:
        wall.thumbnails.pixmap(path)
    read, seen = [], {paths[0], paths[19]}
    wall.thumbnails.ready.connect(read.append)
    wall.thumbnails.is_shown = seen.__contains__
    qtbot.waitUntil(lambda: paths[19] in read)
    assert read == [paths[0], paths[19]]
    seen.add(paths[7])
    assert wall.color(paths[7]) == "#ff0000"


def test_whoever_draws_is_told_what_is_not_looked_at_any_more(walls, painter, tmp_path) -> None:
    wall, path, wanted = walls(), tmp_path / "a.glb", []
    wall.held = {path: "content"}
    real = painter.thumbnail
    painter.thumbnail = lambda path, size, is_wanted: wanted.append(is_wanted) or real(path, size)
    wall.color(path)
    assert wanted[0]()
    wall.thumbnails.is_shown = lambda path: False
    assert not wanted[0]()


def test_what_is_noted_of_files_does_not_grow_without_bound(
    walls, painter, tmp_path, monkeypatch, qtbot
) -> None:
    monkeypatch.setattr(module, "_NOTED", 5)
    wall = walls()
    for number in range(30):
        path = tmp_path / f"{number}.glb"
        wall.held[path] = path.name
        wall.color(path)
    thumbnails = wall.thumbnails
    assert len(thumbnails._drawn) <= 5
    assert len(thumbnails._absent) <= 5
    painter.color = ""
    for number in range(30, 60):
        path = tmp_path / f"{number}.glb"
        wall.held[path] = path.name
        qtbot.waitUntil(
            lambda path=path: wall.thumbnails.pixmap(path) or thumbnails.is_broken(path)
        )
    assert len(thumbnails._broken) <= 5

"""The widget under the viewport that keeps the image of the level up to date.

Two kinds of change: `request_frame` says that the level, the view or the size differ, so that the
next paint event draws the level anew; `update` repaints what lies over the image. Frames are drawn
inside paint events only: a hidden viewport costs nothing, and none arrives after it was closed.
The timer runs while the camera moves by itself or assets are loading, never else.

Where drawing is slow (a software adapter), frames are coarse while the artist drags something, at
the start, and when another program changed what is shown; a fine one follows when the hand rests.
"""

import logging
import time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QColor, QHideEvent, QImage, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from editor.document import LevelDocument
from editor.qt.theme import tokens
from editor.tools.shapes import Shape
from editor.tools.state import ToolState
from editor.viewport.context import ViewContext
from editor.viewport.notices import paint_banner, paint_notice
from editor.viewport.painting import paint_shapes
from editor.viewport.picture import Picture, Pixels, RememberingRenderer
from editor.viewport.wires import marker_overlay
from engine.errors import EngineError

log = logging.getLogger(__name__)
MOVING_MS: Final = 16
LOADING_MS: Final = 40
LONGEST_STEP: Final = 0.1
SLOW_MS: Final = 70.0
"""A frame that takes longer is drawn coarser during a drag."""
COARSE: Final = 0.5
REFINE_MS: Final = 180
MOST_PARTS: Final = 40
"""A picture waits for no more preparation, as while one prop after the other arrives."""
LOST: Final = "The graphics device was lost; the picture was drawn anew."
EMPTY_TITLE: Final = "Nothing here yet"
EMPTY_HINT: Final = "Drop a .glb here, or press Shift+A."


class LevelCanvas(QWidget):
    """Shows the level, and the shapes that a subclass wants over it."""

    stats_changed = Signal(object)
    """A :class:`~editor.viewport.picture.PictureReport` after every frame."""

    def __init__(
        self,
        document: LevelDocument,
        state: ToolState,
        parent: QWidget | None = None,
        renderer: RememberingRenderer | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.document = document
        self.tool_state = state
        self.picture = Picture(document.app, renderer)
        self.view = ViewContext(document, state, self.picture)
        self._image: QImage | None = None
        self._is_stale = True
        self._is_hurried = False
        self._failure = ""
        self._ticked = self._framed = time.perf_counter()
        self._ticker = QTimer(self)
        self._ticker.timeout.connect(self._tick)
        self._preparer = QTimer(self)
        self._preparer.timeout.connect(self._prepare)
        self._parts_left = 0
        self._drawn_size = (0, 0)
        self._told_losses = 0
        self._fine_ms = 0.0
        self._refiner = QTimer(self)
        self._refiner.setSingleShot(True)
        self._refiner.setInterval(REFINE_MS)
        self._refiner.timeout.connect(self._refine)

    def request_frame(self) -> None:
        """Have the level drawn anew at the next paint event."""
        self._is_stale = True
        self._failure = ""
        if not self._preparer.isActive():
            self.update()

    def prepare_frame(self) -> None:
        """Have the level drawn anew once what that takes is ready, a part of it in each event.

        Until then the picture stays as it is: a new kind of thing in it costs milliseconds, and
        many at once would hold up everything else. What comes in meanwhile is prepared as well,
        but a picture doesn't wait for ever.
        """
        can_wait = self._image is not None and self.isVisible() and not self.is_dragging()
        if can_wait and not self._preparer.isActive():
            self._parts_left = MOST_PARTS
            self._preparer.start(0)
        self.request_frame()

    def repaint(self, *area: Any) -> None:
        """Draw at once what is to be drawn."""
        self._preparer.stop()
        super().repaint(*area)

    def hurry_frame(self) -> None:
        """Have the level drawn anew, coarsely first where drawing is slow: somebody waits."""
        self._is_hurried = True
        self.request_frame()

    @property
    def failure(self) -> str:
        """Why there is no picture at present; empty while there is one."""
        return self._failure

    def banner(self) -> tuple[str, str]:
        """Return an icon and what to say over the picture as long as it holds, or nothing."""
        return "", ""

    def camera_moved(self) -> None:
        """Follow the camera; called whenever it moved."""
        self.request_frame()
        self.keep_ticking()

    def overlay_shapes(self) -> list[Shape]:
        """Return what to paint over the picture."""
        return []

    def before_frame(self) -> None:
        """Prepare for a frame: the level is up to date, nothing is drawn yet."""

    def is_dragging(self) -> bool:
        """Whether the picture changes under the artist's hand, so that speed goes before detail."""
        return self.view.navigator.animating

    def physical_size(self) -> tuple[int, int]:
        """Return the pixels that the widget covers on its screen."""
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def keep_ticking(self) -> None:
        """Run the timer if the camera moves by itself or assets are loading, else stop it."""
        if not self.isVisible():
            self._ticker.stop()
        elif self._is_moving():
            self._run_ticker(MOVING_MS)
        elif self.document.app.is_loading:
            self._run_ticker(LOADING_MS)
        else:
            self._ticker.stop()

    def _is_moving(self) -> bool:
        """Whether the next picture is another one though nobody does anything."""
        is_uploading = self.document.app.assets.is_uploading
        return self.view.navigator.animating or is_uploading or self.picture.is_unfinished

    def draw_level(self, width: int, height: int) -> Pixels | None:
        """Draw the level without grid, outline or shapes, as a camera would see it."""
        self.picture.advance(0.0)
        return self.picture.draw_still(self.view.navigator.pose.frame(width, height), width, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        size = self.physical_size()
        if 0 in size:
            return
        is_stale = self._is_stale and not self._preparer.isActive()
        if (is_stale or self._drawn_size != size) and not self._failure:
            self._draw_frame(*size)
        painter = QPainter(self)
        if self._image is not None and not self._failure:
            is_coarse = self._image.size().toTuple() != size
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_coarse)
            painter.drawImage(self.rect(), self._image)
            self._paint_over(painter)
        else:
            painter.fillRect(self.rect(), QColor(tokens().sunken))
            title = "There is no picture" if self._failure else ""
            paint_notice(painter, self.rect(), "warning-circle", title, self._failure)
        painter.end()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ticked = time.perf_counter()
        self.keep_ticking()

    def hideEvent(self, event: QHideEvent) -> None:
        self._stop_timers()
        super().hideEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.dispose()
        super().closeEvent(event)

    def dispose(self) -> None:
        """Stop the timers and give the renderer back."""
        self._stop_timers()
        self.picture.close()
        self._image = None
        self._failure = self.picture.error

    def _stop_timers(self) -> None:
        for timer in (self._ticker, self._refiner, self._preparer):
            timer.stop()

    def _paint_over(self, painter: QPainter) -> None:
        if len(self.picture.scene.instances) == 0 and not self.document.app.assets.loading():
            paint_notice(painter, self.rect(), "cube", EMPTY_TITLE, EMPTY_HINT, plate=True)
        paint_shapes(painter, self.overlay_shapes())
        glyph, words = self.banner()
        if words:
            paint_banner(painter, self.rect(), glyph, words)

    def _draw_frame(self, width: int, height: int) -> None:
        """Draw the level; whatever goes wrong is shown in its place, once."""
        now = time.perf_counter()
        spent, self._framed = min(now - self._framed, LONGEST_STEP), now
        detail = COARSE if self._is_rough() else 1.0
        self._drawn_size = (width, height)
        self._preparer.stop()
        try:
            self._image = self._frame(spent, detail, width, height)
            self._failure = self.picture.error
        except Exception as problem:  # a paint event is a door: Qt would call it again and again
            log.exception("the viewport could not draw")
            self._failure = f"{type(problem).__name__}: {problem}"
            self.document.post("error", f"The viewport could not draw: {self._failure}")
        self._is_stale = self._is_hurried = False
        if self.picture.losses != self._told_losses and not self._failure:
            self._told_losses = self.picture.losses
            self.document.post("warning", LOST)
        if detail == 1.0:
            self._fine_ms = self.picture.report.milliseconds
        else:
            self._refiner.start()
        self.stats_changed.emit(self.picture.report)
        self.keep_ticking()

    def _is_rough(self) -> bool:
        """Whether speed goes before detail, and drawing is slow or is expected to be."""
        if not self._fine_ms:
            renderer = self.picture.renderer
            return self._is_hurried and renderer is not None and renderer.software
        return self._fine_ms > SLOW_MS and (self._is_hurried or self.is_dragging())

    def _frame(self, spent: float, detail: float, width: int, height: int) -> QImage | None:
        if self.picture.renderer is None:
            return None
        self.view.size = (float(self.width()), float(self.height()))
        self.view.scale = self.devicePixelRatioF() * detail
        self.picture.app_phases = self.picture.advance(spent).phases
        self.picture.timing = self.tool_state.stats
        self.before_frame()
        view = self.view.frame()
        state = self.tool_state
        pixels = self.picture.draw(
            view,
            max(round(width * detail), 1),
            max(round(height * detail), 1),
            mode=state.mode,
            overlay=marker_overlay(self.document, view, self.view.scale) if state.gizmos else None,
            grid=state.grid,
            selected=self._outlined(),
            pixel_ratio=self.view.scale,
        )
        return image_of(pixels) if pixels is not None else None

    def prepare_part(self) -> bool:
        """Do a part of what the next picture takes; returns whether there was any."""
        self.picture.advance(0.0)
        self.view.size = (float(self.width()), float(self.height()))
        return self.picture.prepare(
            self.view.frame(),
            *self.physical_size(),
            mode=self.tool_state.mode,
            selected=self._outlined(),
            pixel_ratio=self.devicePixelRatioF(),
        )

    def _prepare(self) -> None:
        goes_on = False
        self._parts_left -= 1
        try:
            goes_on = self.picture.is_open and self.prepare_part() and self._parts_left > 0
        except EngineError as problem:
            log.debug("the picture that follows meets it as well: %s", problem)
        except Exception:  # a timer is a door too: Qt would call it again and again
            log.exception("the viewport could not prepare a picture")
        if not goes_on:
            self._preparer.stop()
            self.update()

    def _outlined(self) -> NDArray[np.int64]:
        chosen = self.view.selected_subtree()
        return np.fromiter(sorted(chosen), np.int64, len(chosen))

    def _run_ticker(self, interval: int) -> None:
        if not self._ticker.isActive():
            self._ticked = time.perf_counter()
            self._ticker.start(interval)
        elif self._ticker.interval() != interval:
            self._ticker.setInterval(interval)

    def _refine(self) -> None:
        """Draw a fine frame once the hand rests."""
        if self.is_dragging():
            self._refiner.start()
        else:
            self.request_frame()

    def _tick(self) -> None:
        now = time.perf_counter()
        spent, self._ticked = min(now - self._ticked, LONGEST_STEP), now
        if self.document.app.is_loading:
            self.picture.advance(0.0)
        if self.view.navigator.tick(spent):
            self.camera_moved()
        elif self.picture.is_unfinished:
            self.request_frame()
        self.keep_ticking()


def image_of(pixels: Pixels) -> QImage:
    """Wrap pixels as an image of its own, so that the renderer may reuse its memory."""
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
    return image.copy()

"""`WorkRunner`: carries out work that takes long while the window lives on, and can be cancelled.

What is quick shows nothing. Otherwise a dialog over the window says how far it is, and nothing can
be edited any more. What was edited before, or became of a file, the work has to expect.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from editor.document import LevelDocument
from editor.document.slow_work import Beside, Loading, Step, Work, finish
from editor.main_window.work_dialog import WorkDialog
from editor.qt.report import guarded
from engine.errors import SceneError

__all__ = ["WorkRunner"]

R = TypeVar("R")

_SHOW_AFTER_MS: Final = 300
_LOADING_MS: Final = 15
_SLICE_S: Final = 0.02


class WorkRunner(QObject):
    """One work at a time.

    Parameters
    ----------
    document : LevelDocument
    window : QWidget
        What the dialog stands over.
    """

    _ended_beside = Signal(object)

    def __init__(self, document: LevelDocument, window: QWidget) -> None:
        super().__init__(window)
        self._document = document
        self._window = window
        self._work: Work[Any] | None = None
        self._done: Callable[[Any], None] = lambda result: None
        self._title = ""
        self._step: Step | None = None
        self._job: Future[object] | None = None
        self._is_given_up = self._is_resuming = False
        self._dialog: WorkDialog | None = None
        self._pool = ThreadPoolExecutor(1, "slow work")
        self._next = self._timer(self._go_on)
        self._patience = self._timer(self._show)
        self._patience.setInterval(_SHOW_AFTER_MS)
        # Also where a thread was done at once: nothing goes on within what began it.
        self._ended_beside.connect(self._on_ended_beside, Qt.ConnectionType.QueuedConnection)
        self._replaced = document.replaced.connect(lambda nothing: self.give_up())

    def _timer(self, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer

    @property
    def is_busy(self) -> bool:
        """Whether some work is under way."""
        return self._work is not None

    def run(self, title: str, work: Work[R], done: Callable[[R], None]) -> None:
        """Carry out work; at once where the document waits for everything.

        Parameters
        ----------
        title : str
            What it is, for people.
        work : Work
        done : callable
            Called with what it came to; not when it fails, which is shown, or is given up.

        Raises
        ------
        EngineError
            It failed before anything took long, or other work is under way.
        """
        if self.is_busy:
            raise SceneError(f"{self._title}: wait for it, or cancel it")
        if self._document.waits:
            done(finish(work, self._document.settle))
            return
        self._work, self._done, self._title = work, done, title
        self._is_given_up = False
        self._patience.start()
        self._advance(lambda: next(work))

    def give_up(self) -> None:
        """Leave the work, and all as it was before."""
        if self._work is None or self._is_resuming:
            return
        self._is_given_up = True
        if self._job is None:
            self._end().close()
        elif isinstance(self._step, Beside):
            self._step.stop()
            self._tell("Cancelling")

    def dispose(self) -> None:
        """Leave the work now, waiting only for what a thread is at."""
        self._replaced.close()
        self.give_up()
        self._pool.shutdown(wait=True)
        if self._work is not None:
            self._end().close()

    # -- steps -------------------------------------------------------------------------------

    @guarded
    def _go_on(self) -> None:
        """Do what the step asks for, as far as it comes in a moment."""
        work, step, app = self._work, self._step, self._document.app
        if work is None:
            return
        if isinstance(step, Loading):
            try:
                app.frame(0.0)
            except BaseException as error:  # noqa: BLE001  the work takes back what it did
                self._advance(partial(work.throw, error))
                return
            if app.is_loading:
                tasks = self._document.tasks
                more = f" and {len(tasks) - 1:,} more" if len(tasks) > 1 else ""
                self._tell(f"{tasks[0]}{more}" if tasks else step.text)
                self._next.start(_LOADING_MS)
                return
        self._advance(lambda: next(work))

    def _advance(self, resume: Callable[[], Step]) -> None:
        """Resume the work until a moment is over or it asks for something."""
        until = time.perf_counter() + _SLICE_S
        work = self._work
        assert work is not None
        self._is_resuming = True
        try:
            step = resume()
            while not isinstance(step, Loading | Beside) and time.perf_counter() < until:
                step = next(work)
        except StopIteration as end:
            self._end()
            self._done(end.value)
            return
        except BaseException:
            self._end()
            raise
        finally:
            self._is_resuming = False
        self._step = step
        if isinstance(step, Beside):
            self._tell(step.progress())
            self._begin_beside(step)
        else:
            self._tell(step.text)
            self._next.start(0)

    def _begin_beside(self, step: Beside) -> None:
        job = self._job = self._pool.submit(step.run)
        job.add_done_callback(self._ended_beside.emit)

    @guarded
    def _on_ended_beside(self, job: Future[object]) -> None:
        work = self._work
        if work is None or job is not self._job:
            return
        self._job = None
        error = job.exception()
        if self._is_given_up:
            self._end().close()
        elif error is not None:
            self._advance(lambda: work.throw(error))
        else:
            self._advance(lambda: next(work))

    # -- what is shown -----------------------------------------------------------------------

    def _tell(self, text: str) -> None:
        if self._dialog is not None:
            self._dialog.show_text(text)

    def _show(self) -> None:
        """Say what takes so long."""
        if self._work is None or not self._window.isVisible():
            return
        self._dialog = WorkDialog(self._title, self._progress, self._window)
        self._dialog.given_up.connect(self.give_up)
        self._dialog.open()

    def _progress(self) -> str:
        """Return what is being done in another thread at present; empty otherwise."""
        if self._is_given_up or not isinstance(self._step, Beside):
            return ""
        return self._step.progress()

    def _end(self) -> Work[Any]:
        work = self._work
        assert work is not None
        self._work, self._step, self._job = None, None, None
        self._next.stop()
        self._patience.stop()
        if self._dialog is not None:
            self._dialog.finish()
            self._dialog = None
        return work

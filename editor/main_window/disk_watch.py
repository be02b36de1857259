"""`DiskWatch`: compares the open level with its file in a thread, the window alive meanwhile.

The answer is given on the window's thread, and only while it still fits the level: what was edited
in between is merged anew before anybody hears of it.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from editor.document import LevelDocument
from editor.document.disk_merge import DiskLook, DiskMerge
from engine.errors import EngineError

__all__ = ["DiskWatch"]

_QUIET_MS: Final = 300
_ROUNDS: Final = 3

Answer = Callable[[DiskMerge | None], None]
Failure = Callable[[EngineError], None]


@dataclass(frozen=True)
class _Request:
    answer: Answer
    failed: Failure
    is_urgent: bool


@dataclass(frozen=True)
class _Outcome:
    """What a step in the thread came to: `result` is a DiskMerge, or whether there is news."""

    look: DiskLook
    result: DiskMerge | bool | None = None
    error: BaseException | None = None


class DiskWatch(QObject):
    """One comparison at a time.

    Parameters
    ----------
    document : LevelDocument
    parent : QObject
    """

    _stepped = Signal(object)

    def __init__(self, document: LevelDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="disk watch")
        self._requests: list[_Request] = []
        self._look: DiskLook | None = None
        self._rounds = 0
        self._is_held = False
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._draft)
        self._stepped.connect(self._on_stepped)
        self._subscriptions = [
            document.history_changed.connect(lambda nothing: self._on_edit()),
            document.replaced.connect(lambda nothing: self._drop()),
        ]

    @property
    def is_busy(self) -> bool:
        """Whether a comparison is under way."""
        return self._look is not None

    def compare(self, answer: Answer, failed: Failure, *, is_urgent: bool = False) -> None:
        """Compare the level with its file; at once where nobody touched that.

        Parameters
        ----------
        answer : callable
            Called with what was found, None where there is nothing to merge; never when another
            level is opened meanwhile.
        failed : callable
            Called instead when the file can't be read or understood.
        is_urgent : bool
            Somebody waits: don't wait for a moment in which nothing is edited.
        """
        self._requests.append(_Request(answer, failed, is_urgent))
        if self._look is None:
            self._begin()
        elif is_urgent and self._quiet.isActive():
            self._draft()

    def dispose(self) -> None:
        """Let go of the document and the thread."""
        self._drop()
        for subscription in self._subscriptions:
            subscription.close()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # -- steps -------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._rounds = 0
        self._look = self._document.begin_look()
        if self._look is None:
            self._answer(None)
            return
        name = self._document.path.name if self._document.path is not None else ""
        self._document.show_work(f"Comparing with {name} on disk")
        look = self._look
        self._submit(look, look.read)

    def _draft(self) -> None:
        """Take in the level as it is and merge it, once no drag is under way."""
        self._quiet.stop()
        look = self._look
        self._is_held = look is not None and self._document.is_in_gesture
        if look is None or self._is_held:
            return
        if not look.is_current:
            self._begin()
            return
        look.draft(self._document.moment)
        self._submit(look, look.merge)

    def _submit(self, look: DiskLook, step: Callable[[], DiskMerge | bool]) -> None:
        def run() -> None:
            try:
                outcome = _Outcome(look, step())
            except BaseException as error:  # noqa: BLE001  raised again on the other thread
                outcome = _Outcome(look, error=error)
            if self._look is look:
                self._stepped.emit(outcome)

        self._pool.submit(run)

    def _on_stepped(self, outcome: _Outcome) -> None:
        if outcome.look is not self._look:
            return
        if outcome.error is not None:
            self._fail(outcome.error)
        elif isinstance(outcome.result, DiskMerge):
            self._on_merged(outcome.look, outcome.result)
        elif outcome.result:
            self._draft()
        else:
            self._answer(None)

    def _on_merged(self, look: DiskLook, found: DiskMerge) -> None:
        document = self._document
        if look.is_current and found.moment == document.moment and not document.is_in_gesture:
            self._answer(found)
            return
        self._rounds += 1
        is_urgent = any(request.is_urgent for request in self._requests)
        if not is_urgent:
            self._quiet.start()
        elif self._rounds < _ROUNDS or document.is_in_gesture or not look.is_current:
            self._draft()
        else:
            # Somebody edits faster than this merges: for once nothing may come in between.
            look.draft(document.moment)
            self._answer(look.merge())

    def _on_edit(self) -> None:
        is_over = self._is_held and not self._document.is_in_gesture
        if is_over or self._quiet.isActive():
            self._is_held = False
            self._quiet.start()

    # -- ends --------------------------------------------------------------------------------

    def _answer(self, found: DiskMerge | None) -> None:
        """Answer the first request; the others, for a level that may be another now, anew."""
        first, *others = self._take_requests()
        first.answer(found)
        for request in others:
            self.compare(request.answer, request.failed, is_urgent=request.is_urgent)

    def _fail(self, error: BaseException) -> None:
        requests = self._take_requests()
        if not isinstance(error, EngineError):
            raise error
        for request in requests:
            request.failed(error)

    def _take_requests(self) -> list[_Request]:
        self._drop_look()
        requests, self._requests = self._requests, []
        return requests

    def _drop(self) -> None:
        self._drop_look()
        self._requests.clear()

    def _drop_look(self) -> None:
        self._quiet.stop()
        self._is_held = False
        if self._look is not None:
            self._look = None
            self._document.show_work("")

"""`ProjectWatch`: has the open project's folder watched while the window is there.

What the watch tells on its own thread arrives here on the window's, and what concerns the open
level waits until nobody is dragging anything.
"""

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from editor.document import LevelDocument
from editor.model.settings import Settings
from editor.model.signal import Subscription
from engine.assets.watch import FileChanges
from engine.assets.watch.file_watch import FileWatch, WatchMode

__all__ = ["ProjectWatch"]

# While a level loads, assets change in every frame.
_NAMING_MS = 200


class ProjectWatch(QObject):
    """Watches for one window, in whatever project that has open, unless the user wants it not to.

    Signals
    -------
    files_changed(FileChanges)
        Files below the project's folder are other ones now. Never within a drag.
    released()
        A drag has ended that held something back.
    began()
        A folder is being watched from now on.
    """

    files_changed = Signal(object)
    released = Signal()
    began = Signal()
    _told = Signal(object, object)
    _mode_told = Signal(object, object, object)

    def __init__(self, document: LevelDocument, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._settings = settings
        self._watch: FileWatch | None = None
        self._has_started = False
        self._warned: set[str] = set()
        self._kept: list[FileChanges] = []
        self._naming = QTimer(self, singleShot=True, interval=_NAMING_MS)
        self._naming.timeout.connect(self._name_files)
        queued = Qt.ConnectionType.QueuedConnection
        self._told.connect(self._on_told, queued)
        self._mode_told.connect(self._on_mode, queued)
        self._subscriptions: list[Subscription] = [
            document.replaced.connect(lambda nothing: self._follow_root()),
            document.history_changed.connect(lambda nothing: self._on_history()),
            document.assets_changed.connect(lambda news: self._naming.start()),
            settings.changed.connect(self._on_setting),
        ]

    @property
    def mode(self) -> WatchMode:
        """How the project is watched at present; "closed" when it is not."""
        return self._watch.mode if self._watch is not None else "closed"

    @property
    def folder(self) -> str:
        """The folder that is watched, empty for none."""
        return self._watch.root if self._watch is not None else ""

    @property
    def is_holding(self) -> bool:
        """Whether changes wait for the end of a drag."""
        return bool(self._kept)

    def start(self) -> None:
        """Begin, now that the window is shown."""
        self._has_started = True
        self._follow_root()

    def verify(self) -> None:
        """Look whether the project's folder is still the one that is watched."""
        if self._watch is not None:
            self._watch.verify()

    def dispose(self) -> None:
        """Stop watching and listening."""
        self._has_started = False
        self._naming.stop()
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
        self._stop()

    # -- the project -------------------------------------------------------------------------

    def _follow_root(self) -> None:
        """Watch the folder of the project that is open now."""
        wanted = self._has_started and self._settings.watch_files
        root = str(self._document.root)
        if self._watch is not None and (not wanted or self._watch.root != root):
            self._stop()
        if wanted and self._watch is None:
            watch = FileWatch(
                root,
                lambda changes: self._told.emit(watch, changes),
                lambda mode, reason: self._mode_told.emit(watch, mode, reason),
            )
            self._watch = watch
            watch.start()

    def _stop(self) -> None:
        watch, self._watch = self._watch, None
        self._kept.clear()
        if watch is not None:
            watch.close()

    def _name_files(self) -> None:
        """Tell the watch which files matter, whatever they are called."""
        if self._watch is not None:
            level = self._document.path
            own = [str(level.resolve())] if level is not None else []
            self._watch.follow([*self._document.app.sources(), *own])

    def _on_setting(self, name: str) -> None:
        if name == "watch_files":
            self._follow_root()

    # -- what the watch tells ----------------------------------------------------------------

    def _on_told(self, watch: FileWatch, changes: FileChanges) -> None:
        if watch is not self._watch:
            return
        self._kept.append(changes)
        if not self._document.history.open_gestures:
            self._pass_on()

    def _on_mode(self, watch: FileWatch, mode: WatchMode, reason: str) -> None:
        if watch is not self._watch:
            return
        if mode == "polling":
            self._warn(reason)
        if mode in ("events", "polling"):
            self._name_files()
            # What was written before the watch began is not told of.
            self.began.emit()

    def _warn(self, reason: str) -> None:
        if reason and reason not in self._warned:
            self._warned.add(reason)
            text = f"Changed files are looked for every second or less often: {reason}"
            self._document.post("warning", text)

    def _on_history(self) -> None:
        self._follow_root()
        is_held = bool(self._kept) or self._document.app.assets.holds_reloads
        if is_held and not self._document.history.open_gestures:
            # Later: whoever ended the drag is still at it.
            QTimer.singleShot(0, self, self._let_go)

    def _let_go(self) -> None:
        if not self._document.history.open_gestures:
            self.released.emit()
            self._pass_on()

    def _pass_on(self) -> None:
        kept, self._kept = self._kept, []
        if not kept:
            return
        changed = {path: None for changes in kept for path in changes.changed}
        removed = {path: None for changes in kept for path in changes.removed}
        self.files_changed.emit(FileChanges(tuple(changed), tuple(removed)))

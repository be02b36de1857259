"""`MainWindow`: builds the panels and the viewport around one document and ties them together."""

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QCursor, QDropEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from editor.commands.rules import PartOfInstance
from editor.document import LevelDocument
from editor.main_window.add_actions import AddActions
from editor.main_window.asset_notes import AssetNotes
from editor.main_window.edit_actions import EditActions
from editor.main_window.file_actions import FileActions
from editor.main_window.instance_actions import InstanceActions
from editor.main_window.layout import DockLayout
from editor.main_window.level_notes import LevelNotes
from editor.main_window.log_lines import LogLines
from editor.main_window.project_watch import ProjectWatch
from editor.main_window.prompts import Prompts
from editor.main_window.reports import ExceptionReports
from editor.main_window.safekeeping import Safekeeping
from editor.main_window.services import WindowServices
from editor.main_window.status_line import StatusLine
from editor.main_window.top_bar import TopBar
from editor.main_window.view_actions import ViewActions
from editor.main_window.window_actions import WindowActions
from editor.main_window.work_runner import WorkRunner
from editor.model.messages import Message
from editor.model.settings import Settings
from editor.model.signal import Subscription
from editor.panels import BUILTIN_PANELS
from editor.panels.assets import AssetsPanel
from editor.panels.console import ConsolePanel
from editor.panels.issues import IssuesPanel
from editor.panels.profiler import ProfilerPanel
from editor.qt.actions import ACTIONS, make_actions, set_refusal
from editor.qt.menus import MENU_BAR, MENUS, fill_menu
from editor.qt.panel import Panel, PanelContext
from editor.qt.report import set_error_sink
from editor.qt.text_focus import TextFocusFilter
from editor.qt.widgets.menu_bar import PlainMenu, PlainMenuBar
from editor.qt.widgets.toasts import Toasts
from editor.tools.state import ToolState
from editor.viewport.widget import ContextRequest, ViewportWidget
from engine.assets.watch import FileChanges

__all__ = ["MainWindow"]


class MainWindow(QMainWindow):
    """The editor's window.

    Attributes
    ----------
    document : LevelDocument
    viewport : ViewportWidget
    settings : Settings
    prompts : Prompts
        Asks for files and answers; may be replaced, as tests do.
    panels : dict of str to Panel
        By object name.
    """

    def __init__(self, document: LevelDocument, settings: Settings) -> None:
        super().__init__()
        self.setObjectName("main_window")
        self.setWindowTitle("Cinder")
        self.document = document
        self.settings = settings
        self.tool_state = ToolState()
        self.tool_state.restore(settings.tools)
        self.prompts = Prompts(self)
        self.panels: dict[str, Panel] = {}
        self._closing = False
        self._shown = False
        self._told = ""
        self._in_dialog = ""
        self._subscriptions: list[Subscription] = []
        self.viewport = ViewportWidget(document, self.tool_state, settings, self)
        self.toasts = Toasts(self, self.viewport)
        self.reports = ExceptionReports(self, self._on_unexpected)
        self._text_focus = TextFocusFilter(self)
        self._build_actions()
        self._build_panels()
        self._build_frame()
        self.safekeeping = Safekeeping(self)
        self.project_watch = ProjectWatch(document, settings, self)
        self.project_watch.files_changed.connect(self._on_files_changed)
        self.project_watch.released.connect(self.viewport.request_frame)
        self.project_watch.began.connect(self._look_at_disk)
        self._observe()
        self._refresh()

    # -- building ----------------------------------------------------------------------------

    def _ask(self) -> Prompts:
        return self.prompts

    def _build_actions(self) -> None:
        document, notify = self.document, self.toasts.show_message
        self.services = WindowServices(document, self.viewport, self._ask, notify)
        self.work = WorkRunner(document, self)
        self.files = FileActions(document, self.settings, self._ask, notify, self.work)
        self.edits = EditActions(document)
        self.adds = AddActions(document, self.viewport, self._ask)
        self.instances = InstanceActions(document, self._ask, self.toasts.show_message)
        self.views = ViewActions(self.viewport, self.tool_state, self.settings)
        self.windows = WindowActions(self)
        self.services.files, self.services.add = self.files, self.adds
        self.viewport.confirm_copy = self.adds.confirm_drop
        self.viewport.installEventFilter(self)
        handlers: dict[str, Callable[[], object]] = {
            "add_menu": self._open_add_menu,
            "quit": self.close,
            **self.files.handlers(),
            **self.edits.handlers(),
            **self.adds.handlers(),
            **self.instances.handlers(),
            **self.views.handlers(),
            **self.windows.handlers(),
        }
        self.actions_by_id: dict[str, QAction] = make_actions(self, handlers, ACTIONS)
        self.views.bind(self.actions_by_id)

    def _build_panels(self) -> None:
        context = PanelContext(
            self.document, self.tool_state, self.services, self.actions_by_id, self.settings
        )
        for spec in BUILTIN_PANELS:
            self.panels[spec.panel_id] = spec.create(context)
        assets = self.panels["assets"]
        if isinstance(assets, AssetsPanel):
            self.services.assets = assets

    def _build_frame(self) -> None:
        self.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        self.setCentralWidget(self.viewport)
        specs = {spec.panel_id: spec for spec in BUILTIN_PANELS}
        pairs = {name: (specs[name], panel) for name, panel in self.panels.items()}
        self.docks = DockLayout(self, pairs, self.settings)
        self._build_menus()
        self.top_bar = TopBar(self.actions_by_id, self.tool_state)
        bar = self.addToolBar("Tools")
        bar.setObjectName("toolbar.holder")
        bar.setMovable(False)
        bar.setFloatable(False)
        bar.toggleViewAction().setVisible(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addWidget(self.top_bar)
        self.status_line = StatusLine(self.document)
        self.status_line.show_hint(self.viewport.hint)
        self.setStatusBar(self.status_line)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.resize(1440, 900)

    def _build_menus(self) -> None:
        self._menu_bar = PlainMenuBar(self)
        self.setMenuBar(self._menu_bar)
        menus = self.services.menus
        for menu_id, (title, _) in MENUS.items():
            menus[menu_id] = PlainMenu(title, self)
            menus[menu_id].setObjectName(f"menu.{menu_id}")
        menus["recent"] = QMenu("Open recent", self)
        menus["recent"].aboutToShow.connect(lambda: self.files.fill_recent(menus["recent"]))
        menus["panels"] = QMenu("Panels", self)
        for action in self.docks.toggle_actions():
            menus["panels"].addAction(action)
        for menu_id in MENUS:
            fill_menu(menus[menu_id], menu_id, self.actions_by_id, menus)
        for menu_id in MENU_BAR:
            self._menu_bar.addMenu(menus[menu_id])

    def _observe(self) -> None:
        document = self.document
        self._subscriptions += [
            document.history_changed.connect(lambda nothing: self._on_history_changed()),
            document.selection_changed.connect(lambda chosen: self._refresh()),
            document.replaced.connect(lambda nothing: self._on_replaced()),
            document.message_posted.connect(self._on_message),
            document.assets_changed.connect(lambda news: self.asset_notes.take(news)),
            document.replaced.connect(lambda nothing: self.asset_notes.forget()),
        ]
        console = self.panels["console"]
        assert isinstance(console, ConsolePanel)
        self.notes = LevelNotes(
            document,
            console.add_message,
            self.toasts.show_message,
            self.toasts.withdraw,
            lambda: self.docks.show_panel("issues"),
        )
        self.asset_notes = AssetNotes(document, self.status_line, self.toasts)
        self.log_lines = LogLines(console.show_message, self)
        self.viewport.hint_changed.connect(self.status_line.show_hint)
        self.viewport.stats_changed.connect(
            lambda report: self.status_line.show_milliseconds(report.milliseconds)
        )
        profiler = self.panels["profiler"]
        if isinstance(profiler, ProfilerPanel):
            self.viewport.stats_changed.connect(
                lambda report: profiler.add_frame(report.phases(), report.gpu_ms)
            )
        self.viewport.context_menu_requested.connect(self._on_context_menu)
        issues = self.panels["issues"]
        if isinstance(issues, IssuesPanel):
            issues.count_changed.connect(lambda count: self.docks.deck.set_count("issues", count))
            self.docks.deck.set_count("issues", len(issues.issues))
            issues.found.connect(self.notes.take_issues)
        set_error_sink(self.show_error)

    # -- state -------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Show title, dirty mark and what can be done now."""
        document, actions = self.document, self.actions_by_id
        name = document.path.name if document.path is not None else document.name
        self.top_bar.show_title(name, document.dirty)
        self.setWindowTitle(f"{name}{' •' if document.dirty else ''} — Cinder")
        history = document.history
        actions["undo"].setEnabled(history.can_undo)
        actions["redo"].setEnabled(history.can_redo)
        actions["revert"].setEnabled(document.path is not None)
        chosen = bool(document.selection)
        for action_id in WindowActions.NEED_SELECTION:
            actions[action_id].setEnabled(chosen)
        for action_id, why in self.instances.refusals().items():
            set_refusal(actions[action_id], why)
        labels = history.labels
        undo = labels[history.index - 1] if 0 < history.index <= len(labels) else ""
        redo = labels[history.index] if history.index < len(labels) else ""
        actions["undo"].setText(f"Undo {undo}".rstrip())
        actions["redo"].setText(f"Redo {redo}".rstrip())

    def _on_history_changed(self) -> None:
        self.windows.put_welcome_away()
        self._refresh()

    def _on_replaced(self) -> None:
        self.toasts.start_over()
        self.windows.put_welcome_away()
        self._refresh()

    def show_error(self, error: Exception) -> None:
        """Show one clear message about something a file or the artist caused."""
        text = str(error)
        if text == self._told:
            self._told = ""
            return
        if isinstance(error, OSError):
            self._in_dialog = text
            self.prompts.show_error("That did not work", text)
        if isinstance(error, PartOfInstance):
            self._offer_unpacking(error)
        self.document.post("error", text)
        self._in_dialog = ""

    def _offer_unpacking(self, error: PartOfInstance) -> None:
        """Say what can't be done to a node, with a button that lets it be done."""
        offer = ("Unpack", lambda: self.instances.unpack_roots([error.root]))
        self.toasts.show_message("warning", str(error), offer)

    def show_error_later(self, error: Exception) -> None:
        """Put an error on the console now and show it once the window is there."""
        text = str(error)
        if text != self._told:
            self.document.post("error", text)
        self._told = ""
        QTimer.singleShot(0, self, lambda: self.prompts.show_error("That did not open", text))

    def _on_message(self, message: Message) -> None:
        """Show what is not just for the record: a dialog for a bad file, else a notice."""
        if message.level == "error" and message.path is not None:
            self._told = message.text
            self.prompts.show_error("That did not work", message.text)
        elif message.level != "info" and message.text != self._in_dialog:
            self.toasts.show_message(message.level, message.text)

    def _look_at_disk(self) -> None:
        """Look for what the watch could not tell of."""
        self.windows.look_at_disk()
        self.safekeeping.look_at_disk()

    def _on_files_changed(self, changes: FileChanges) -> None:
        """Take in what other programs wrote."""
        if self.document.files_changed(changes):
            # No picture yet: it would only keep the newer version waiting.
            self.document.app.frame(0.0)
            self.viewport.keep_ticking()
        if self.services.assets is not None:
            self.services.assets.look_again()
        level = self.document.path
        if level is not None and changes.touches([os.path.realpath(level)]):
            self.safekeeping.look_at_disk()

    def _on_unexpected(self, summary: str) -> None:
        self.document.post("error", f"Unexpected: {summary}")

    # -- menus -------------------------------------------------------------------------------

    def _open_add_menu(self) -> None:
        """Open the Add menu at the pointer; over the viewport things come to that place."""
        at = QCursor.pos()
        local = self.viewport.mapFromGlobal(at)
        if self.viewport.rect().contains(local):
            self.adds.at = (local.x(), local.y())
        else:
            at = self.viewport.mapToGlobal(self.viewport.rect().center())
        self.services.show_menu("add", at)

    def _on_context_menu(self, request: ContextRequest) -> None:
        self.adds.at = (request.x, request.y)
        self.services.show_menu("entity", request.global_position)

    # -- life --------------------------------------------------------------------------------

    def open_path(self, path: Path) -> None:
        """Open a level or project in this window."""
        self.files.open_path(path)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._shown:
            return
        self._shown = True
        self.document.waits = False
        self.reports.install()
        app = QApplication.instance()
        if app is not None:
            app.installEventFilter(self._text_focus)
        if not self.docks.restore():
            self.docks.set_default_sizes()
        if self.document.path is not None:
            self.settings.add_recent(self.document.path)
        self.safekeeping.start()
        self.project_watch.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note where something is dropped on the viewport, in case that is asked about first."""
        if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            self.adds.dropped_at = (event.position().x(), event.position().y())
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._menu_bar.note_key(event, pressed=True)
        super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self._menu_bar.note_key(event, pressed=False)
        super().keyReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self._menu_bar.show_keys(False)  # Alt+Tab is let go of elsewhere
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self._shown:
            QTimer.singleShot(0, self, self._look_at_disk)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._finish_typing()
        if self.isVisible() and not self._closing and not self._may_close():
            event.ignore()
            return
        self._let_go()
        event.accept()
        super().closeEvent(event)

    def _finish_typing(self) -> None:
        """Take what is being typed as a click elsewhere would, while the level is there."""
        field = self.focusWidget()
        if field is not None:
            field.clearFocus()
            QApplication.sendPostedEvents(None, QEvent.Type.MetaCall.value)

    def _may_close(self) -> bool:
        """Whether nothing is lost by closing; else the artist is asked, who may close later."""
        asking = True

        def agreed() -> None:
            self._closing = True
            if not asking:
                self.close()

        self.files.if_safe(agreed)
        asking = False
        return self._closing

    def _let_go(self) -> None:
        """Remember the layout and stop listening, before Qt takes the widgets apart."""
        if self._shown:
            self.docks.save()
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self._text_focus)
        self.reports.remove()
        set_error_sink(None)
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()
        self.work.dispose()
        for panel in self.panels.values():
            panel.dispose()
        notes = (self.notes, self.log_lines)
        for part in (self.views, self.top_bar, self.status_line, self.services.thumbnails, *notes):
            part.dispose()
        self.safekeeping.dispose()
        self.project_watch.dispose()
        self.viewport.dispose()
        self.document.close()

    def panel(self, name: str) -> QWidget:
        """Return a panel by its object name."""
        return self.panels[name]

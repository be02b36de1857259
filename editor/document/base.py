"""What every part of `LevelDocument` stands on: the open level, its history and its signals."""

from __future__ import annotations

import pathlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from editor.commands import Edit, EditContext
from editor.commands.naming import full_name, name_of
from editor.commands.target import present
from editor.model.change_set import ChangeSet, ComponentType
from editor.model.history import Command, CommandHistory, Gesture, StepEvent
from editor.model.messages import Level, Message
from editor.model.selection import Selection
from editor.model.signal import Signal
from engine.app import App
from engine.ecs import World
from engine.errors import EngineError, SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene import SceneRegistry


class DocumentBase:
    """The open level: world, history, selection, and who hears of what.

    Attributes
    ----------
    app : App
    history : CommandHistory
    level_id : str
        Differs for every level that was opened or begun, also for the same file twice.
    changed : Signal[ChangeSet]
        After every step, and when instances were realised.
    replaced : Signal[None]
        Another level is open; nothing read before holds.
    selection_changed : Signal[Selection]
    history_changed : Signal[None]
        After every push, undo, redo, gesture and save.
    message_posted : Signal[Message]
    tasks_changed : Signal[None]
    waits : bool
        Whether methods return settled. A window, whose frames take in what is loaded, says False.
    """

    waits: bool = True

    def __init__(self, app: App | None = None) -> None:
        self.app = app or App()
        self.changed: Signal[ChangeSet] = Signal()
        self.replaced: Signal[None] = Signal()
        self.selection_changed: Signal[Selection] = Signal()
        self.history_changed: Signal[None] = Signal()
        self.message_posted: Signal[Message] = Signal()
        self.tasks_changed: Signal[None] = Signal()
        self.app.on_realised = self._on_realised
        self.app.on_frame = self._on_frame
        self._tasks: list[str] = []
        self._work = ""
        self._is_quiet = False
        self._happened = 0
        self._begin_level()

    def _begin_level(self) -> None:
        """Start history and selection anew for the level that the app holds now."""
        self.level_id = uuid.uuid4().hex
        self.context = EditContext(
            self.app.world,
            self.app.registry,
            post=self._forward,
            forgotten=self._on_forgotten,
            park=lambda root, path: self.app.realiser.park(root, path),
            stand_in=lambda node: self.app.realiser.stand_in(node),
            inherited=self._inherited,
            loop=self._loop,
        )
        limit = self.history.limit if hasattr(self, "history") else None
        self.history: CommandHistory[EditContext] = CommandHistory(
            self.context, on_change=self._after_step, on_step=self._on_step
        )
        if limit is not None:
            self.history.limit = limit
        self._told_dropped = False
        self._shown_selection = Selection()
        self._checked, self._checked_in = Selection(), (self.app.world, -1)
        self._alive = self._checked

    @property
    def world(self) -> World:
        """The live world. Direct writes show at the next frame but can't be undone."""
        return self.app.world

    @property
    def registry(self) -> SceneRegistry:
        return self.app.registry

    @property
    def selection(self) -> Selection:
        """The selected entities that are alive, the active one last."""
        selection, world = self.context.selection, self.world
        key = (world, world.structure)
        if self._checked is not selection or self._checked_in != key:
            is_whole = all(map(world.alive, selection))
            self._alive = selection if is_whole else Selection(filter(world.alive, selection))
            self._checked, self._checked_in = selection, key
        return self._alive

    @property
    def dirty(self) -> bool:
        """Whether a save would write something else than the file holds."""
        return self.history.is_dirty

    @property
    def moment(self) -> tuple[str, int]:
        """Differs from what it was when anything happened to the level since."""
        return self.level_id, self._happened

    @property
    def tasks(self) -> list[str]:
        """What is being done in the background, one line each."""
        work = [self._work] if self._work else []
        loading = [entry.path for entry in self.app.assets.loading()]
        loading += self.app.textures.loading()
        return [*work, *(f"Loading {pathlib.PurePosixPath(path).name}" for path in loading)]

    def show_work(self, text: str) -> None:
        """Say what is being done in the background besides loading; empty for nothing."""
        self._work = text
        self.tasks_changed.emit(None)

    @property
    def is_in_gesture(self) -> bool:
        """Whether a drag is under way."""
        return bool(self.history.open_gestures)

    def finish_gestures(self) -> None:
        """Let what a drag did so far be a step."""
        if self.history.open_gestures:
            self.history.open_gestures[0].commit()

    def push(self, command: Edit, *, wait: bool = True) -> None:
        """Carry out a command as a step, or as part of the open gesture.

        Parameters
        ----------
        command : Edit
        wait : bool
            Return when the nodes of instances follow it. A shown window never waits.

        Raises
        ------
        EngineError
            It can't be carried out; nothing changed.
        """
        try:
            with _disk_faults_told():
                self.history.push(command)
        except BaseException:
            self.context.changes.take()
            raise
        if wait:
            self._realise_changes()

    def undo(self) -> None:
        """Take back the last step; raises EngineError when there is none."""
        with _disk_faults_told():
            self.history.undo()
        self._realise_changes()

    def redo(self) -> None:
        """Carry out the next step again; raises EngineError when there is none."""
        with _disk_faults_told():
            self.history.redo()
        self._realise_changes()

    def begin_gesture(self, label: str) -> Gesture[EditContext]:
        """Begin a drag: what is done until its `commit` is one step, `cancel` takes it back."""
        return self.history.begin_gesture(label)

    def gesture(self, label: str) -> Gesture[EditContext]:
        """Return a context manager: what is done inside is one step, or nothing if it raises."""
        return self.history.begin_gesture(label)

    def settle(self) -> None:
        """Finish pending imports: every asset in use is loaded and its nodes are there."""
        self.app.settle()

    def _realise_changes(self) -> None:
        """Have the nodes of instances follow a step, where no frame comes that does it."""
        if self.waits and self.app.realiser.is_outdated:
            self.settle()

    def _catch_up(self) -> None:
        """Settle; in a window only take in what is loaded, for an import must not hold it up."""
        if self.waits:
            self.settle()
        else:
            self.app.realise()

    def post(
        self,
        level: Level,
        text: str,
        entity: Entity | None = None,
        path: pathlib.Path | None = None,
    ) -> None:
        """Tell the artist something through the console."""
        self._forward(Message(level, text, entity, path))

    def label(self, entity: Entity) -> str:
        """Return what the tree calls an entity: its name, cut where it is endless."""
        return name_of(self.world, entity)

    def full_name(self, entity: Entity) -> str:
        """Return the whole name of an entity."""
        return full_name(self.world, entity)

    @contextmanager
    def _reporting(self, path: pathlib.Path | None = None) -> Iterator[None]:
        """Also put on the console what keeps the block from being carried out."""
        try:
            with _disk_faults_told():
                yield
        except EngineError as error:
            self.post("error", str(error), path=path)
            raise

    def _inherited(self, node: Entity, type_: ComponentType) -> SceneComponent | None:
        values = self.app.realiser.inherited(node)
        return next((value for value in values if type(value) is type_), None)

    def _loop(self, entity: Entity, level: str) -> str:
        levels = self.app.levels
        if self.waits and level:
            levels.read(level)
        loop = levels.find_loop([level], self.app.realiser.levels_around(entity))
        return loop or levels.find_excess(level)

    def _forward(self, message: Message) -> None:
        self.message_posted.emit(message)

    def _on_step(self, event: StepEvent, step: Command[EditContext]) -> None:
        """Take in that a step was made, undone or redone; the journal overrides this."""

    def _on_marks(self) -> None:
        """Take in that a step hid or locked something, or the opposite."""

    def _on_forgotten(self, entity: Entity) -> None:
        """Take in that an entity can't come back any more."""

    def _after_step(self) -> None:
        self._happened += 1
        if self._is_quiet:
            self.context.parked.clear()
            return
        self.context.report_parked()
        changes = self.context.changes.take()
        if changes.marks:
            self._show_marks()
            self._on_marks()
        if changes:
            self.changed.emit(changes)
        self._announce_selection()
        self.history_changed.emit(None)
        self._tell_dropped()

    def _tell_dropped(self) -> None:
        """Say once of a level that its oldest steps can't be undone any more."""
        if self.history.dropped and not self._told_dropped:
            self._told_dropped = True
            size = f"{self.history.limit >> 20} MB"
            text = f"The steps of this level take more than {size}: the oldest can't be undone now"
            self.post("info", text)

    def _announce_selection(self) -> None:
        """Tell of the selection when it is another, be it that a selected entity is gone."""
        selection = self.selection
        if selection != self._shown_selection:
            self._shown_selection = selection
            self.selection_changed.emit(selection)

    def _show_marks(self) -> None:
        self.app.hidden = frozenset(self.context.marks.hidden)

    def _on_realised(self, roots: tuple[Entity, ...]) -> None:
        self._happened += 1
        self._select_made_anew()
        if self._is_quiet:
            return
        self.changed.emit(ChangeSet(realised=roots))
        self._announce_selection()

    def _select_made_anew(self) -> None:
        """Let nodes that were made anew be selected as the entities that they are by now."""
        context = self.context
        if context.selected_nodes and self.selection != context.selection:
            found = present(context, context.selection, context.selected_nodes)
            if found != list(context.selection):
                context.selection = Selection(found)

    def _on_frame(self) -> None:
        self._tell_tasks()

    def _tell_tasks(self) -> None:
        """Say what is done in the background, where that is something else now."""
        tasks = self.tasks
        if tasks != self._tasks:
            self._tasks = tasks
            self.tasks_changed.emit(None)


@contextmanager
def _disk_faults_told() -> Iterator[None]:
    """Let a fault of the disk that nobody expected be an error like all others."""
    try:
        yield
    except OSError as fault:
        place = f"{fault.filename}: " if fault.filename is not None else ""
        raise SceneError(f"{place}the disk refuses ({fault.strerror or fault})") from fault

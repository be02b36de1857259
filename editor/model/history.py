"""`CommandHistory`: undo that can be trusted.

The history knows a command by its protocol only. Three laws hold for every command:

* `push` is all or nothing: a command that raises leaves world, index and redo tail as they were.
* `undo` and `redo` move `index` by exactly one, or raise and move nothing.
* Undoing back to the step that was saved makes the level clean again; steps that don't affect the
  level (a selection, hiding) are steps like any other but never make it dirty.

A drag is a `Gesture`: its commands are carried out one by one and become one step at the end, or
are taken back when it is cancelled. Commands merge by belonging to one gesture, never by a clock.
The redo tail is cut when a step is added, so a cancelled gesture leaves it in place. The oldest
steps go when the steps together need more than `limit` bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Generic, Literal, Protocol, TypeVar

from engine.errors import EngineError

ContextT = TypeVar("ContextT")

DEFAULT_LIMIT = 256 * 1024 * 1024
StepEvent = Literal["made", "undone", "redone"]


class Command(Protocol[ContextT]):
    """One undoable change.

    `apply` and `revert` are each all or nothing. `apply` is called again for a redo, on the state
    that the first call found.
    """

    @property
    def label(self) -> str:
        """What the step is called in the history panel."""

    @property
    def affects_level(self) -> bool:
        """Whether it changes what a save would write."""

    @property
    def is_empty(self) -> bool:
        """Whether, once applied, it turned out to change nothing at all."""

    @property
    def cost(self) -> int:
        """About how many bytes it keeps alive."""

    def apply(self, context: ContextT) -> None:
        """Carry it out."""

    def revert(self, context: ContextT) -> None:
        """Take it back."""

    def absorb(self, later: Command[ContextT]) -> bool:
        """Take in the command that followed it in the same gesture; False when it can't."""

    def forget(self, context: ContextT, was_applied: bool) -> None:
        """Let go of what only this command could bring back: it will not be called again."""


class CommandGroup(Generic[ContextT]):
    """Several commands as one, in their order; all of them or none."""

    def __init__(self, label: str, commands: Sequence[Command[ContextT]]) -> None:
        self.label = label
        self.commands = list(commands)

    @property
    def affects_level(self) -> bool:
        return any(command.affects_level for command in self.commands)

    @property
    def is_empty(self) -> bool:
        return all(command.is_empty for command in self.commands)

    @property
    def cost(self) -> int:
        return sum(command.cost for command in self.commands)

    def apply(self, context: ContextT) -> None:
        _each_or_none(
            self.commands,
            do=lambda command: command.apply(context),
            undo=lambda command: command.revert(context),
        )

    def revert(self, context: ContextT) -> None:
        _each_or_none(
            self.commands[::-1],
            do=lambda command: command.revert(context),
            undo=lambda command: command.apply(context),
        )

    def absorb(self, later: Command[ContextT]) -> bool:
        self.add(later)
        return True

    def forget(self, context: ContextT, was_applied: bool) -> None:
        for command in self.commands:
            command.forget(context, was_applied)

    def add(self, command: Command[ContextT]) -> None:
        """Take in a command that was just applied."""
        if not (self.commands and self.commands[-1].absorb(command)):
            self.commands.append(command)


def _each_or_none(
    commands: Sequence[Command[ContextT]],
    do: Callable[[Command[ContextT]], None],
    undo: Callable[[Command[ContextT]], None],
) -> None:
    done: list[Command[ContextT]] = []
    try:
        for command in commands:
            do(command)
            done.append(command)
    except BaseException:
        for command in reversed(done):
            undo(command)
        raise


class Gesture(Generic[ContextT]):
    """Commands that become one step; made by `CommandHistory.begin_gesture`.

    As a context manager it commits at the end and cancels when an exception leaves the block.
    """

    def __init__(self, history: CommandHistory[ContextT], label: str) -> None:
        self.step: CommandGroup[ContextT] = CommandGroup(label, [])
        self._history = history

    @property
    def is_open(self) -> bool:
        return self in self._history.open_gestures

    def commit(self) -> None:
        """Make one step of it (none when nothing changed); again, or after `cancel`: nothing."""
        if self.is_open:
            self._history.close_gesture(self, keep=True)

    def reopen(self) -> bool:
        """Go on with it after `commit`, as long as its step is the last; whether that is so."""
        return self._history.reopen_gesture(self)

    def cancel(self) -> None:
        """Take back all that was done in it; again, or after `commit`: nothing."""
        if self.is_open:
            self._history.close_gesture(self, keep=False)

    def __enter__(self) -> Gesture[ContextT]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.commit()
        else:
            self.cancel()


class CommandHistory(Generic[ContextT]):
    """The steps of one open level.

    Parameters
    ----------
    context
        What commands work on.
    limit : int
        Bytes that the steps may keep alive together; the newest step stays in any case.
    on_change : callable
        Called after anything happened or might have.
    on_step : callable
        Called with every step that was made, undone or redone, before `on_change`; never with
        what happens inside a gesture.

    Attributes
    ----------
    index : int
        How many of the steps are applied.
    dropped : int
        How many of the oldest went because all together were too many bytes.
    """

    def __init__(
        self,
        context: ContextT,
        limit: int = DEFAULT_LIMIT,
        on_change: Callable[[], None] = lambda: None,
        on_step: Callable[[StepEvent, Command[ContextT]], None] = lambda _event, _step: None,
    ) -> None:
        self.limit = limit
        self.open_gestures: list[Gesture[ContextT]] = []
        self.index = 0
        self.dropped = 0
        self._context = context
        self._on_change = on_change
        self._on_step = on_step
        self._steps: list[Command[ContextT]] = []
        self._costs: list[int] = []
        self._saved: int | None = 0

    @property
    def count(self) -> int:
        """How many steps there are, applied or not."""
        return len(self._steps)

    @property
    def labels(self) -> list[str]:
        """What each step is called, the oldest first."""
        return [step.label for step in self._steps]

    @property
    def steps(self) -> tuple[Command[ContextT], ...]:
        """The steps themselves, for what must follow a moved file."""
        return tuple(self._steps)

    @property
    def cost(self) -> int:
        """About how many bytes the steps keep alive."""
        return sum(self._costs)

    @property
    def can_undo(self) -> bool:
        return self.index > 0 or any(g.step.commands for g in self.open_gestures)

    @property
    def can_redo(self) -> bool:
        return self.index < len(self._steps)

    @property
    def is_dirty(self) -> bool:
        """Whether a save would write something else than the last one did."""
        if any(gesture.step.affects_level for gesture in self.open_gestures):
            return True
        return self._saved is None or self._affected(self._saved, self.index)

    def push(self, command: Command[ContextT]) -> None:
        """Carry out `command` and make it a step, or part of the innermost open gesture.

        One that turns out to change nothing makes no step and leaves the redo tail.
        """
        command.apply(self._context)
        if not command.is_empty:
            self._keep(command)
        self._on_change()

    def undo(self) -> None:
        """Take back the step before `index`; an open gesture is committed first.

        Raises
        ------
        EngineError
            There is nothing to undo, or the step can't be taken back; nothing changed.
        """
        self._commit_open_gestures()
        if self.index == 0:
            raise EngineError("there is nothing to undo")
        try:
            step = self._steps[self.index - 1]
            step.revert(self._context)
            self.index -= 1
            self._on_step("undone", step)
        finally:
            self._on_change()

    def redo(self) -> None:
        """Carry out the step at `index` again; an open gesture is committed first.

        Raises
        ------
        EngineError
            There is nothing to redo, or the step can't be carried out; nothing changed.
        """
        self._commit_open_gestures()
        if self.index == len(self._steps):
            raise EngineError("there is nothing to redo")
        try:
            step = self._steps[self.index]
            step.apply(self._context)
            self.index += 1
            self._on_step("redone", step)
        finally:
            self._on_change()

    def jump(self, index: int) -> None:
        """Undo or redo until `index` steps are applied."""
        if not 0 <= index <= len(self._steps):
            raise EngineError(f"step {index} is not one of 0 to {len(self._steps)}")
        while self.index > index:
            self.undo()
        while self.index < index:
            self.redo()

    def begin_gesture(self, label: str) -> Gesture[ContextT]:
        """Begin a gesture; one begun while another is open becomes part of that one."""
        gesture: Gesture[ContextT] = Gesture(self, label)
        self.open_gestures.append(gesture)
        return gesture

    def close_gesture(self, gesture: Gesture[ContextT], keep: bool) -> None:
        """End `gesture` and those begun inside it; `Gesture.commit` and `cancel` call this."""
        while self.open_gestures[-1] is not gesture:
            self.open_gestures[-1].commit() if keep else self.open_gestures[-1].cancel()
        try:
            if not keep:
                gesture.step.revert(self._context)
                gesture.step.forget(self._context, was_applied=False)
                gesture.step.commands.clear()
        finally:
            self.open_gestures.pop()
            if not gesture.step.is_empty:
                self._keep(gesture.step)
            self._on_change()

    def reopen_gesture(self, gesture: Gesture[ContextT]) -> bool:
        """Go on with a gesture whose step is the last one, if it is; `Gesture.reopen` calls this.

        Nothing is taken back. Whoever follows the steps hears that it is undone, and of a new one
        when the gesture is committed again.
        """
        is_last = self.index == len(self._steps) > 0 and self._steps[-1] is gesture.step
        if self.open_gestures or not is_last:
            return False
        if self._saved == self.index:
            self._saved = None
        self._steps.pop()
        self._costs.pop()
        self.index -= 1
        self._on_step("undone", gesture.step)
        self.open_gestures.append(gesture)
        return True

    def mark_saved(self) -> None:
        """Note that the level is now as it was saved."""
        self._commit_open_gestures()
        self._saved = self.index
        self._on_change()

    def forget_saved(self) -> None:
        """Note that no step leads to what was saved any more: the level is dirty until a save."""
        self._saved = None
        self._on_change()

    def _keep(self, command: Command[ContextT]) -> None:
        if self.open_gestures:
            self.open_gestures[-1].step.add(command)
        else:
            self._add_step(command)

    def _add_step(self, step: Command[ContextT]) -> None:
        if self._saved is not None and self._saved > self.index:
            is_lost = self._affected(self.index, self._saved)
            self._saved = None if is_lost else self.index
        for undone in self._steps[self.index :]:
            undone.forget(self._context, was_applied=False)
        self._steps[self.index :] = [step]
        self._costs[self.index :] = [step.cost]
        self.index += 1
        self._on_step("made", step)
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        excess = self.cost - self.limit
        while excess > 0 and len(self._steps) > 1:
            if self._saved == 0 and self._steps[0].affects_level:
                self._saved = None
            self._steps.pop(0).forget(self._context, was_applied=True)
            excess -= self._costs.pop(0)
            self.index -= 1
            self.dropped += 1
            if self._saved:
                self._saved -= 1

    def _affected(self, a: int, b: int) -> bool:
        return any(step.affects_level for step in self._steps[min(a, b) : max(a, b)])

    def _commit_open_gestures(self) -> None:
        if self.open_gestures:
            self.open_gestures[0].commit()

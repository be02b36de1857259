"""`LevelWrite`: a step writes the file of another level of the project."""

from __future__ import annotations

from dataclasses import dataclass

from editor.commands.context import EditContext


@dataclass(frozen=True)
class LevelWrite:
    """The file of a placed level holds something else.

    Attributes
    ----------
    level : str
        Its path in the project.
    before : bytes or None
        What it held. None: the step makes the file. That stays when the step is taken back, since
        another level may place it by then.
    after : bytes
    """

    level: str
    before: bytes | None
    after: bytes
    affects_level: bool = True

    @property
    def is_empty(self) -> bool:
        return self.before == self.after

    @property
    def cost(self) -> int:
        return 200 + len(self.after) + len(self.before or b"")

    @property
    def key(self) -> None:
        return None

    def apply(self, context: EditContext) -> None:
        context.write_level(self.level, self.before, self.after)

    def revert(self, context: EditContext) -> None:
        if self.before is not None:
            context.write_level(self.level, self.after, self.before)

    def joined(self, later: LevelWrite) -> LevelWrite:
        raise AssertionError("changes without a key are never joined")

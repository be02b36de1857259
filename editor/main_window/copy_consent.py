"""Asking before files from outside are copied into the project."""

from collections.abc import Callable, Sequence
from pathlib import Path

from editor.main_window.prompts import Choice, Prompts, Question

__all__ = ["CopyConsent"]

_CHOICES = (Choice("copy", "Copy and place"), Choice("always", "Copy, and don't ask again"))
_MOST_NAMES = 4


class CopyConsent:
    """Asks once per drop, or never again for this window when the artist says so."""

    def __init__(self, prompts: Callable[[], Prompts]) -> None:
        self._prompts = prompts
        self._always = False

    def ask(self, paths: Sequence[str], agreed_later: Callable[[], None]) -> bool:
        """Ask whether files may be copied.

        Returns
        -------
        bool
            True when that is agreed at once. Otherwise False, and `agreed_later` is called when
            the artist agrees afterwards.
        """
        if self._always:
            return True
        now: list[bool] = []
        is_waiting = False

        def answered(answer: str) -> None:
            self._always = answer == "always"
            agreed = answer in {"copy", "always"}
            if not is_waiting:
                now.append(agreed)
            elif agreed:
                agreed_later()

        self._prompts().ask(_question(paths), answered)
        is_waiting = True
        return bool(now and now[0])


def _question(paths: Sequence[str]) -> Question:
    names = [Path(path).name for path in paths]
    name = names[0] if len(paths) == 1 else f"{len(paths)} files"
    text = "A level uses files of its own project. What is copied brings along all that it uses."
    if len(names) > 1:
        more = len(names) - _MOST_NAMES
        listed = "\n".join([*names[:_MOST_NAMES], *([f"and {more} more"] if more > 0 else [])])
        text = f"{text}\n\n{listed}"
    return Question(f"Copy {name} into the project?", text, _CHOICES)

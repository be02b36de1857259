"""Who names a file of the project, as lines that lead there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from editor.qt.icons import icon
from editor.qt.widgets.labels import plain_label
from editor.qt.widgets.more_rows import MoreRows
from engine.reflect import Entity

__all__ = ["AssetUsers", "UserList"]

_MOST_ENTITIES: Final = 5
_MOST_FILES: Final = 12


@dataclass(frozen=True)
class AssetUsers:
    """Who names a file.

    Attributes
    ----------
    entities
        Those of the open level, with their names.
    levels
        Other levels of the project, each with how many of its entities do.
    models
        The models that have it as a side file.
    """

    entities: tuple[tuple[Entity, str], ...] = ()
    levels: dict[str, int] = field(default_factory=dict)
    models: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """How many there are, in words."""
        parts = []
        if self.entities:
            count = len(self.entities)
            parts.append("1 entity" if count == 1 else f"{count:,} entities")
        if self.levels:
            count = len(self.levels)
            parts.append("1 other level" if count == 1 else f"{count:,} other levels")
        if self.models:
            count = len(self.models)
            parts.append("1 model" if count == 1 else f"{count:,} models")
        return f"Used by {', '.join(parts)}" if parts else "Nothing uses it"


class UserList(QWidget):
    """The users of one file.

    Parameters
    ----------
    users
    shown
        How many rows of each part are shown where more were asked for before; kept up to date.

    Signals
    -------
    entities_chosen(list of Entity)
    level_chosen(str)
    """

    entities_chosen = Signal(object)
    level_chosen = Signal(str)

    def __init__(
        self, users: AssetUsers, shown: dict[str, int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._shown = shown
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        if users == AssetUsers():
            return
        self._column.addSpacing(5)
        self._column.addWidget(plain_label("Used by", "quiet", self))
        entities, levels = users.entities, list(users.levels.items())
        if len(entities) > 1:
            text = f"Select all {len(entities):,}"
            self._column.addWidget(self._line(text, "selection-all", [e for e, _ in entities]))
        self._add(
            "entities",
            entities,
            lambda index: self._line(entities[index][1], "cube", [entities[index][0]]),
            _MOST_ENTITIES,
        )
        self._add("levels", levels, lambda index: self._level_line(*levels[index]), _MOST_FILES)
        self._add(
            "models",
            users.models,
            lambda index: plain_label(users.models[index], "", self),
            _MOST_FILES,
        )

    def _add(
        self, what: str, found: Sequence[object], make: Callable[[int], QWidget], most: int
    ) -> None:
        if found:
            rows = MoreRows(len(found), make, most, self, shown=self._shown.get(what, 0))
            rows.shown_changed.connect(lambda count: self._shown.update({what: count}))
            self._column.addWidget(rows)

    def _line(self, text: str, glyph: str, entities: list[Entity]) -> QPushButton:
        button = self._button(text, glyph)
        button.clicked.connect(lambda: self.entities_chosen.emit(entities))
        return button

    def _level_line(self, level: str, count: int) -> QPushButton:
        button = self._button(f"{level} ({count:,})", "stack")
        button.setToolTip(f"Open {level}")
        button.clicked.connect(lambda: self.level_chosen.emit(level))
        return button

    def _button(self, text: str, glyph: str) -> QPushButton:
        button = QPushButton(icon(glyph, "quiet"), text, self)
        button.setProperty("role", "line")
        button.setIconSize(QSize(13, 13))
        return button

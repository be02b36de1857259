"""What a start without a level offers: recent work, the sample, a new level. It blocks nothing.

It is a card over the viewport, not a dialog: everything around it works while it is there, and it
goes as soon as somebody begins to work.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from editor.qt.icons import icon
from editor.qt.theme import color
from editor.qt.widgets.check_box import CheckBox
from editor.qt.widgets.labels import ElidedLabel, heading
from editor.qt.widgets.tool_button import icon_button
from engine.project import PROJECT_FILE

__all__ = ["Offer", "WelcomeCard", "recent_offers"]

_RECENT_AT_MOST: Final = 4
_WIDTH: Final = 520
_TEXT_LEFT: Final = 24
_HINTS: Final = (
    ("Alt + left drag", "turns the view, the wheel zooms"),
    ("F", "shows what is selected"),
    ("Shift + A", "adds lights, cameras and shapes"),
    ("Ctrl + Shift + P", "finds any action by its name"),
)


@dataclass(frozen=True)
class Offer:
    """One line of the card: what it says and does."""

    glyph: str
    title: str
    act: Callable[[], object]
    note: str = ""
    tip: str = ""
    about: str = ""
    """A second line, where there is room for one."""


def recent_offers(
    levels: Sequence[Path], open_path: Callable[[Path], object]
) -> tuple[list[Offer], list[Offer]]:
    """Return the latest levels, and the projects that these and older ones belong to."""
    recent: list[Offer] = []
    projects: dict[Path, Offer] = {}
    for level in levels:
        root = _project_of(level)
        where = root.name if root is not None else level.parent.name
        recent.append(Offer("file", level.stem, partial(open_path, level), where, str(level)))
        if root is not None and root not in projects:
            there = root.parent.name
            projects[root] = Offer("folder", root.name, partial(open_path, root), there, str(root))
    return recent[:_RECENT_AT_MOST], list(projects.values())[:_RECENT_AT_MOST]


def _project_of(level: Path) -> Path | None:
    try:
        return next((f for f in level.parents if os.path.isfile(f / PROJECT_FILE)), None)
    except OSError:
        return None


class WelcomeCard(QWidget):
    """The card, in the middle of the part of a window that is named.

    Parameters
    ----------
    anchor : QWidget
        Over which it stands; a press there puts the card away.
    sections : sequence of (str, sequence of Offer)
        The left column; the empty ones are left out.
    shows_again : bool
        Whether the next start shows it too.
    remember : callable
        Takes that choice.
    """

    def __init__(
        self,
        window: QWidget,
        anchor: QWidget,
        sections: Sequence[tuple[str, Sequence[Offer]]],
        shows_again: bool,
        remember: Callable[[bool], object],
    ) -> None:
        super().__init__(window)
        self.setObjectName("welcome")
        self.setAccessibleName("Welcome")
        self._anchor = anchor
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedWidth(_WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 16, 16, 14)
        column.setSpacing(12)
        column.addLayout(self._head())
        body = QHBoxLayout()
        body.setSpacing(24)
        body.addLayout(self._offers(sections), 1)
        body.addLayout(self._hints())
        column.addLayout(body)
        again = CheckBox("Show this at the start", self)
        again.setObjectName("welcome.again")
        again.set_state(shows_again)
        again.edited.connect(remember)
        column.addWidget(again, 0, Qt.AlignmentFlag.AlignLeft)
        anchor.installEventFilter(self)
        self.adjustSize()
        self._place()

    def _head(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(heading("Welcome to Cinder", self), 1)
        close = icon_button("x", "Close  (Esc)", self)
        close.setObjectName("welcome.close")
        close.clicked.connect(self.put_away)
        row.addWidget(close)
        return row

    def _offers(self, sections: Sequence[tuple[str, Sequence[Offer]]]) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(1)
        is_roomy = not any(offers for title, offers in sections if title)
        for title, offers in sections:
            if not offers:
                continue
            if column.count():
                column.addSpacing(10)
            if title:
                column.addWidget(self._quiet(title))
            for offer in offers:
                column.addWidget(self._line(offer))
                if is_roomy and offer.about:
                    about = self._quiet(offer.about)
                    about.setIndent(_TEXT_LEFT)
                    column.addWidget(about)
                    column.addSpacing(9)
        column.addStretch(1)
        return column

    def _line(self, offer: Offer) -> QPushButton:
        button = QPushButton(self)
        button.setProperty("role", "line")
        button.setAutoDefault(False)
        button.setIcon(icon(offer.glyph, "quiet"))
        button.setText(offer.title)
        button.setToolTip(offer.tip)
        button.setAccessibleName(f"{offer.title} {offer.note}".strip())
        if offer.note:
            row = QHBoxLayout(button)
            row.setContentsMargins(0, 0, 6, 0)
            row.addStretch(1)
            note = ElidedLabel(offer.note, button, role="quiet")
            note.alignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            note.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            taken = button.fontMetrics().horizontalAdvance(offer.title)
            note.setMaximumWidth(max(40, 200 - taken))
            row.addWidget(note)
        button.clicked.connect(lambda: self._take(offer))
        return button

    def _hints(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(1)
        column.addWidget(self._quiet("First steps"))
        for keys, meaning in _HINTS:
            column.addSpacing(5)
            column.addWidget(QLabel(keys, self))
            column.addWidget(self._quiet(meaning))
        column.addStretch(1)
        return column

    def _quiet(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("role", "quiet")
        return label

    def _take(self, offer: Offer) -> None:
        self.put_away()
        offer.act()

    def put_away(self) -> None:
        """Go, and give the keys back to the view."""
        if self.isHidden():
            return
        self.hide()
        self._anchor.removeEventFilter(self)
        self._anchor.setFocus()
        self.deleteLater()

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None:
            return
        corner = self._anchor.mapTo(window, QPoint(0, 0))
        free = self._anchor.size() - self.size()
        self.move(corner + QPoint(free.width() // 2, max(free.height() // 2, 8)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()
        self.raise_()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.put_away()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        elif kind in (QEvent.Type.MouseButtonPress, QEvent.Type.DragEnter, QEvent.Type.Wheel):
            self.put_away()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(color("panel"))
        painter.setPen(QPen(color("line_strong"), 1))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.end()

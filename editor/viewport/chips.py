"""The small translucent controls in the corners of the viewport.

They show and set what the shared :class:`~editor.tools.state.ToolState` and the camera hold, and
nothing else is put over the picture. A chip with choices opens a menu; every chip has a tooltip
and an accessible name.
"""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from editor.qt.icons import draw_icon
from editor.qt.theme import tokens

HEIGHT: Final = 24
PAD: Final = 8
ICON: Final = 14
RADIUS: Final = 5


class Chip(QToolButton):
    """A translucent plate with an icon and a few words; parts are set apart by a wider space."""

    def __init__(self, glyph: str, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"viewport.chip.{name.lower().replace(' ', '_')}")
        self._glyph = glyph
        self._parts: tuple[str, ...] = ()
        self._lit = False
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setFixedHeight(HEIGHT)

    def show_parts(self, *parts: str, glyph: str | None = None, lit: bool = False) -> None:
        """Set the words, the icon, and whether the chip is switched on."""
        shown = tuple(p for p in parts if p)
        if (shown, glyph or self._glyph, lit) == (self._parts, self._glyph, self._lit):
            return
        self._parts, self._lit = shown, lit
        self._glyph = glyph or self._glyph
        self.setText("  ".join(shown))
        self.setFixedWidth(self.sizeHint().width())
        self.updateGeometry()
        self.update()

    def choose_from(self, menu: QMenu) -> None:
        """Open `menu` on a click."""
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        words = sum(metrics.horizontalAdvance(p) for p in self._parts)
        gaps = 10 * max(len(self._parts) - 1, 0)
        icon = ICON + (6 if self._parts else 0) if self._glyph else 0
        return QSize(2 * PAD + icon + words + gaps, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        hot = self.underMouse() and self.isEnabled() and self.menu() is not None
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.chip_hover if hot or self.isDown() else theme.chip))
        painter.drawRoundedRect(QRectF(self.rect()), RADIUS, RADIUS)
        ink = QColor(theme.accent if self._lit else theme.chip_text)
        x = PAD
        if self._glyph:
            quiet = ink if self._lit else QColor(theme.chip_text)
            draw_icon(painter, QRect(x, (HEIGHT - ICON) // 2, ICON, ICON), self._glyph, quiet)
            x += ICON + 6
        painter.setFont(self.font())
        painter.setPen(ink)
        metrics = QFontMetrics(self.font())
        for part in self._parts:
            width = metrics.horizontalAdvance(part)
            box = QRect(x, 0, width + 1, HEIGHT)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter), part)
            x += width + 10

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange) and self._parts:
            self.setFixedWidth(self.sizeHint().width())
        return super().event(event)


def choice_menu(
    parent: QWidget,
    choices: dict[str, str],
    current: Callable[[], str],
    choose: Callable[[str], None],
    separators_before: tuple[str, ...] = (),
) -> QMenu:
    """Return a menu of exclusive choices, id to label, whose mark follows `current`."""
    menu = QMenu(parent)
    group = QActionGroup(menu)
    actions: dict[str, QAction] = {}
    for key, label in choices.items():
        if key in separators_before:
            menu.addSeparator()
        action = menu.addAction(label)
        action.setCheckable(True)
        group.addAction(action)
        action.triggered.connect(lambda _=False, key=key: choose(key))
        actions[key] = action

    def mark() -> None:
        for key, action in actions.items():
            action.setChecked(key == current())

    menu.aboutToShow.connect(mark)
    return menu

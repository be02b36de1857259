"""The active theme: which `Tokens` are on, and how they reach Qt.

`apply_theme` sets the palette, the stylesheet and the font of the application; Qt then sends a
palette change to every widget, which is when painted widgets and icons take the new colours. Read
colours with `tokens()` at paint time and never keep them.
"""

from typing import Final

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from editor.qt.fonts import body_font, load_interface_font
from editor.qt.stylesheet import stylesheet
from editor.qt.tokens import DARK, THEMES, Sizes, Tokens

__all__ = ["Sizes", "Tokens", "apply_theme", "color", "palette", "tokens"]

_PROPERTY: Final = "cinder.theme"


def tokens() -> Tokens:
    """Return the tokens of the theme that is on (dark before any was applied)."""
    app = QApplication.instance()
    name = app.property(_PROPERTY) if app is not None else None
    return THEMES.get(str(name), DARK)


def color(role: str) -> QColor:
    """Return the colour of a token by its name, such as ``"accent"``."""
    return QColor(getattr(tokens(), role))


def palette(theme: Tokens) -> QPalette:
    """Build the palette that stock widgets use for what the stylesheet leaves open."""
    roles = QPalette.ColorRole
    wanted = {
        roles.Window: theme.panel,
        roles.WindowText: theme.text,
        roles.Base: theme.sunken,
        roles.AlternateBase: theme.panel,
        roles.Text: theme.text,
        roles.PlaceholderText: theme.quiet,
        roles.Button: theme.raised,
        roles.ButtonText: theme.text,
        roles.BrightText: theme.on_accent,
        roles.ToolTipBase: theme.raised,
        roles.ToolTipText: theme.text,
        roles.Highlight: theme.selection,
        roles.HighlightedText: theme.selection_text,
        roles.Link: theme.accent,
        roles.Accent: theme.accent,
        roles.Mid: theme.line,
        roles.Dark: theme.gap,
        roles.Light: theme.hover,
    }
    result = QPalette()
    for role, value in wanted.items():
        result.setColor(role, QColor(value))
    for role in (roles.WindowText, roles.Text, roles.ButtonText, roles.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    return result


def apply_theme(app: QApplication, name: str) -> Tokens:
    """Turn a theme on for the whole application.

    Parameters
    ----------
    app
        The application.
    name
        ``"dark"`` or ``"light"``; anything else means dark.
    """
    theme = THEMES.get(name, DARK)
    former = app.property(_PROPERTY)
    if former == theme.name:
        return theme
    if former is None:
        app.setStyle(QStyleFactory.create("Fusion"))
    font = app.font()
    font.setFamily(load_interface_font())
    app.setFont(font)
    app.setFont(body_font())
    app.setProperty(_PROPERTY, theme.name)
    app.setPalette(palette(theme))
    app.setStyleSheet(stylesheet(theme))
    return theme

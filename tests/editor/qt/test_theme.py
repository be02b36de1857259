"""Themes: readable on their grounds, icons that exist, one font."""

import pytest
from PySide6.QtGui import QColor, QFontInfo, QImage, QPainter
from PySide6.QtWidgets import QApplication

from editor.panels import BUILTIN_PANELS
from editor.qt.actions import ACTIONS
from editor.qt.fonts import body_font, tabular_font, title_font
from editor.qt.glyph_font import glyph
from editor.qt.hierarchy.entity_icon import component_icon, entity_icon
from editor.qt.icons import draw_icon, icon
from editor.qt.stylesheet import stylesheet
from editor.qt.theme import apply_theme, tokens
from editor.qt.tokens import THEMES, Tokens
from engine.scene.components import BUILTIN_COMPONENTS


def luminance(color: str) -> float:
    channels = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (QColor(color).redF(), QColor(color).greenF(), QColor(color).blueF())
    ]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(a: str, b: str) -> float:
    lighter, darker = sorted((luminance(a), luminance(b)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda t: t.name)
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("text", "panel"), ("text", "raised"), ("text", "sunken"), ("text", "hover"),
        ("quiet", "panel"), ("quiet", "raised"), ("override", "raised"), ("override", "panel"),
        ("warning", "panel"), ("error", "panel"), ("quiet_on_gap", "gap"),
        ("selection_text", "selection"),
    ],
)  # fmt: skip
def test_text_is_readable(theme: Tokens, ink: str, ground: str) -> None:
    """WCAG 2.1 AA: 4.5 to 1 for text."""
    assert contrast(getattr(theme, ink), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda t: t.name)
def test_stylesheet_has_no_holes(theme: Tokens) -> None:
    assert "$" not in stylesheet(theme)


def test_applying_a_theme_twice_costs_nothing(qapp: QApplication) -> None:
    apply_theme(qapp, "light")
    sheet = qapp.styleSheet()
    apply_theme(qapp, "light")
    assert qapp.styleSheet() == sheet
    assert tokens().name == "light"
    apply_theme(qapp, "dark")
    assert tokens().is_dark


def test_every_icon_that_is_named_exists(qapp: QApplication) -> None:
    names = [spec.glyph for spec in ACTIONS if spec.glyph]
    names += [spec.glyph for spec in BUILTIN_PANELS]
    for type_ in BUILTIN_COMPONENTS:
        names += [component_icon(type_.scene_name()), entity_icon([type_.scene_name()])[0]]
    for name in names:
        assert glyph(name), name


def test_icon_follows_the_theme_and_its_state(qapp: QApplication) -> None:
    apply_theme(qapp, "dark")
    image = QImage(32, 32, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    draw_icon(painter, image.rect(), "cube-fill", QColor("#ff0000"))
    painter.end()
    assert any(image.pixelColor(x, 16).red() > 200 for x in range(32))
    assert icon("cube", "text") is icon("cube", "text")
    assert not icon("cube", "text").pixmap(16, 16).isNull()


def test_fonts_are_one_family(qapp: QApplication) -> None:
    apply_theme(qapp, "dark")
    families = {QFontInfo(font).family() for font in (body_font(), title_font(), tabular_font())}
    assert len(families) == 1

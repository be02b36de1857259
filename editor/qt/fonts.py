"""The interface font: Inter from the ``fontpkg-inter`` package (OFL 1.1), else the system's sans.

Number fields use tabular figures, so that digits keep their columns while a value is dragged.
"""

import importlib.util
import logging
from pathlib import Path
from typing import Final

from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from editor.qt.tokens import Sizes

__all__ = [
    "BODY",
    "TITLE",
    "body_font",
    "heading_font",
    "load_interface_font",
    "monospace_font",
    "tabular_font",
    "title_font",
    "with_weight",
]

BODY: Final = 460
TITLE: Final = 600

_LOG = logging.getLogger(__name__)
_FILES = ("files/Inter[opsz,wght].ttf", "files/Inter-Italic[opsz,wght].ttf")
_WEIGHT_AXIS: Final = QFont.Tag("wght")
_TABULAR: Final = QFont.Tag("tnum")


def load_interface_font() -> str:
    """Make Inter known to Qt and return the family to use.

    Returns
    -------
    str
        ``"Inter"``, or the family of the system's general font where the package is missing.
    """
    fallback = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    if QFontDatabase.hasFamily("Inter"):
        return "Inter"
    spec = importlib.util.find_spec("fontpkg_inter")
    if spec is None or spec.origin is None:
        _LOG.info("fontpkg-inter is not installed; using %s", fallback)
        return fallback
    folder = Path(spec.origin).parent
    loaded = [QFontDatabase.addApplicationFont(str(folder / name)) for name in _FILES]
    families = QFontDatabase.applicationFontFamilies(loaded[0]) if loaded[0] >= 0 else []
    return families[0] if families else fallback


def with_weight(font: QFont, weight: int) -> QFont:
    """Return a font at a weight of 100 to 900.

    Inter is one file with a weight axis, which Qt does not set by itself; other families choose
    among their files by the weight.
    """
    result = QFont(font)
    result.setWeight(QFont.Weight(min(weight // 100 * 100, 600)))
    result.setVariableAxis(_WEIGHT_AXIS, weight)
    return result


def body_font(weight: int = BODY, pixels: int = Sizes.FONT) -> QFont:
    """Return the interface font at a pixel size."""
    font = QFont(QApplication.font().family())
    font.setPixelSize(pixels)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return with_weight(font, weight)


def title_font() -> QFont:
    """Return the font of panel and card titles."""
    return body_font(TITLE)


def heading_font() -> QFont:
    """Return the font of a dialog's first line."""
    return body_font(TITLE, 15)


def tabular_font() -> QFont:
    """Return the body font with figures of equal width."""
    font = body_font()
    font.setFeature(_TABULAR, 1)
    return font


def monospace_font() -> QFont:
    """Return the fixed-width font for raw text and tracebacks."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(Sizes.FONT - 1)
    return font

"""The interface font: Inter from the ``fontpkg-inter`` package (OFL 1.1), else the system's sans.

Number fields use tabular figures, so that digits keep their columns while a value is dragged.
"""

import importlib.util
import logging
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from editor.qt.tokens import Sizes

__all__ = ["body_font", "load_interface_font", "monospace_font", "tabular_font", "title_font"]

_LOG = logging.getLogger(__name__)
_FILES = ("files/Inter[opsz,wght].ttf", "files/Inter-Italic[opsz,wght].ttf")


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


def body_font(weight: QFont.Weight = QFont.Weight.Normal, pixels: int = Sizes.FONT) -> QFont:
    """Return the interface font at a pixel size."""
    font = QFont(QApplication.font().family())
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def title_font() -> QFont:
    """Return the font of panel and card titles."""
    return body_font(QFont.Weight.DemiBold)


def tabular_font() -> QFont:
    """Return the body font with figures of equal width."""
    font = body_font()
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def monospace_font() -> QFont:
    """Return the fixed-width font for raw text and tracebacks."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(Sizes.FONT - 1)
    return font

"""The Phosphor font and the names of its glyphs, out of qtawesome's files.

Importing qtawesome imports every class of Qt by way of qtpy and loads a dozen fonts, a tenth of a
second of each start; one of its fonts is all that is needed here.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase

__all__ = ["glyph", "glyph_font"]


def glyph(name: str) -> str:
    """Return the character of a glyph by its Phosphor name; KeyError when there is none."""
    return chr(int(_characters()[name.removeprefix("ph.")], 16))


def glyph_font(pixels: int) -> QFont:
    """Return the font that holds the glyphs, of a height in pixels."""
    font = QFont(_family())
    font.setPixelSize(pixels)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@cache
def _characters() -> dict[str, str]:
    found: dict[str, str] = json.loads(_file("phosphor-charmap-*.json").read_bytes())
    return found


@cache
def _family() -> str:
    loaded = QFontDatabase.addApplicationFont(str(_file("phosphor-[0-9]*.ttf")))
    return QFontDatabase.applicationFontFamilies(loaded)[0]


def _file(pattern: str) -> Path:
    spec = find_spec("qtawesome")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("qtawesome, whose fonts hold the icons, is not installed")
    return max(Path(spec.origin).parent.glob(f"fonts/{pattern}"))

"""Reference pictures, ours beside them, and what differs, four times as strong, on one sheet.

    PYTHON -m tests.pictures.contact_sheet FOLDER OUT.png [--assets FOLDER] [--only REGEX]
        [--worst N] [--ours FOLDER]

FOLDER holds the references with their `index.json`; the assets are in `../../assets` from there
unless told otherwise. The worst come first. With `--ours` our pictures are kept in a folder, and
those that are there already are not drawn again.
"""

import argparse
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from engine.errors import EngineError
from engine.render import Renderer
from tests.pictures.reference import draw, foreground_error, read_index

_CELL = 160
_CAPTION = 26
_GAP = 8
_PAPER = (32, 34, 40)
_RENEW = 50

Pixels = NDArray[np.uint8]


class Compared(NamedTuple):
    """A reference and our picture of the same; None where it could not be drawn, and why."""

    name: str
    reference: Pixels
    ours: Pixels | None
    error: float
    trouble: str = ""


def main(argv: list[str]) -> int:
    """Write a contact sheet and return the exit status."""
    parser = argparse.ArgumentParser(description="Draw references beside our pictures of them.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--assets", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--worst", type=int, default=0, help="show so many only")
    parser.add_argument("--ours", type=Path, help="where our pictures are kept")
    told = parser.parse_args(argv)
    assets = told.assets or told.folder.parent.parent / "assets"
    chosen = {
        name: entry for name, entry in read_index(told.folder).items() if re.search(told.only, name)
    }
    compared = compare_all(told.folder, assets, chosen, told.ours)
    if not compared:
        print(f"{told.folder}: found no picture to compare", file=sys.stderr)
        return 1
    shown = compared[: told.worst] if told.worst else compared
    sheet(shown).save(told.out)
    errors = [found.error for found in compared if found.ours is not None]
    print(f"{len(compared)} pictures, {len(compared) - len(errors)} not drawn, ", end="")
    print(f"median difference {np.median(errors) if errors else 0.0:.2f} of 255")
    return 0


def compare_all(
    folder: Path, assets: Path, entries: dict[str, dict[str, Any]], kept: Path | None = None
) -> list[Compared]:
    """Draw entries and hold them to their references, the worst first."""
    renderer, found = None, []
    for number, (name, entry) in enumerate(entries.items()):
        path = folder / f"{name}.png"
        if not path.is_file():
            continue
        reference = np.asarray(Image.open(path).convert("RGB"))
        if renderer is None or number % _RENEW == 0:
            renderer = Renderer()
        try:
            ours = _ours(renderer, assets, name, entry, kept)
        except (EngineError, OSError) as problem:
            found.append(Compared(name, reference, None, 256.0, f"{problem}"))
            continue
        found.append(Compared(name, reference, ours, foreground_error(reference, ours)))
    return sorted(found, key=lambda one: (-one.error, one.name))


def _ours(
    renderer: Renderer, assets: Path, name: str, entry: dict[str, Any], kept: Path | None
) -> Pixels:
    path = None if kept is None else kept / f"{name}.png"
    if path is not None and path.is_file():
        return np.asarray(Image.open(path).convert("RGB"))
    picture = draw(renderer, assets, entry)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(path)
    return picture


def sheet(compared: list[Compared]) -> Image.Image:
    """The sheet: per picture the reference, ours and the difference, under its name."""
    columns = max(1, min(3, len(compared)))
    rows = -(-len(compared) // columns)
    wide, high = 3 * _CELL + _GAP, _CELL + _CAPTION + _GAP
    paper = Image.new("RGB", (columns * wide + _GAP, rows * high + _GAP), _PAPER)
    pen = ImageDraw.Draw(paper)
    for number, one in enumerate(compared):
        left, top = _GAP + number % columns * wide, _GAP + number // columns * high
        said = "not drawn" if one.ours is None else f"{one.error:.2f}"
        pen.text((left, top), one.name[-66:], (200, 204, 212))
        pen.text((left, top + 12), f"{said} {one.trouble}"[:70], (150, 156, 168))
        for place, picture in enumerate(_pictures(one)):
            small = Image.fromarray(picture).resize((_CELL, _CELL), Image.Resampling.LANCZOS)
            paper.paste(small, (left + place * _CELL, top + _CAPTION))
    return paper


def _pictures(one: Compared) -> list[Pixels]:
    if one.ours is None:
        return [one.reference]
    apart = np.abs(one.reference.astype(np.int16) - one.ours)
    return [one.reference, one.ours, np.minimum(apart * 4, 255).astype(np.uint8)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

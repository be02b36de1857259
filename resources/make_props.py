"""Write the props of the sample project:   python -m resources.make_props [OUT_DIR]

The props are code (`resources/modelling`), seeded and rounded: a run writes the same files again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from resources.modelling import buildings, furniture, island, masonry, nature, signs, trees
from resources.modelling.glb import Model, write_glb

PROPS: tuple[Callable[[], Model], ...] = (
    buildings.cottage,
    buildings.townhouse,
    buildings.windmill,
    furniture.barrel,
    furniture.bench,
    furniture.cart,
    furniture.crate,
    furniture.fence,
    furniture.lantern,
    furniture.stall,
    island.island,
    island.stream,
    masonry.arch,
    masonry.bridge,
    masonry.plaza,
    masonry.wall,
    masonry.well,
    nature.bush,
    nature.grass,
    nature.pumpkins,
    nature.rock,
    nature.stepping_stones,
    signs.flag,
    signs.sign,
    trees.tree_autumn,
    trees.tree_blossom,
    trees.tree_oak,
    trees.tree_pine,
)
DEFAULT_OUT = Path(__file__).parent / "sample" / "props"


def main(argv: list[str]) -> int:
    """Write every prop, or only those named after the folder."""
    out = Path(argv[0]) if argv else DEFAULT_OUT
    out.mkdir(parents=True, exist_ok=True)
    for make in PROPS:
        if argv[1:] and make.__name__ not in argv[1:]:
            continue
        model = make()
        path = out / f"{model.name}.glb"
        write_glb(model, path)
        print(f"{path.name}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

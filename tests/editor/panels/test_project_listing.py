"""The order of tiles."""

from pathlib import Path

from editor.panels.assets.project_listing import AssetItem, sort_items


def names(items: list[AssetItem]) -> list[str]:
    return [item.asset for item in items]


def test_what_begins_with_the_search_stands_first() -> None:
    items = [
        AssetItem("model", Path(name), name)
        for name in ("stairs_wall.glb", "Wall.glb", "wall_arched.glb", "a_wall.glb")
    ]
    assert names(sort_items(items, "name")) == [
        "a_wall.glb",
        "stairs_wall.glb",
        "Wall.glb",
        "wall_arched.glb",
    ]
    assert names(sort_items(items, "name", first="wall")) == [
        "Wall.glb",
        "wall_arched.glb",
        "a_wall.glb",
        "stairs_wall.glb",
    ]

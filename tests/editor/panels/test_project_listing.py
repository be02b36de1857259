"""The order of files, and which folders are read again."""

import os
from pathlib import Path

from editor.panels.assets import folder_listings
from editor.panels.assets.order import BY_NAME, Order, sort_items
from editor.panels.assets.project_listing import AssetItem


def names(items: list[AssetItem]) -> list[str]:
    return [item.asset for item in items]


def test_what_begins_with_the_search_stands_first() -> None:
    items = [
        AssetItem("model", Path(name), name)
        for name in ("stairs_wall.glb", "Wall.glb", "wall_arched.glb", "a_wall.glb")
    ]
    assert names(sort_items(items, BY_NAME)) == [
        "a_wall.glb",
        "stairs_wall.glb",
        "Wall.glb",
        "wall_arched.glb",
    ]
    assert names(sort_items(items, BY_NAME, first="wall")) == [
        "Wall.glb",
        "wall_arched.glb",
        "a_wall.glb",
        "stairs_wall.glb",
    ]


def test_columns_order_from_either_end_and_folders_stay_in_front() -> None:
    def item(name: str, kind: str, size: int, triangles: int = -1) -> AssetItem:
        return AssetItem(kind, Path(name), name, modified=-size, size=size, triangles=triangles)

    items = [
        item("b.glb", "model", 20, 9),
        item("town", "folder", 0),
        item("a.scene", "level", 30),
        item("c.glb", "model", 10, 9),
        item("d.png", "image", 40),
    ]
    orders = {
        Order("kind"): ["b.glb", "c.glb", "a.scene", "d.png"],
        Order("size", True): ["d.png", "a.scene", "b.glb", "c.glb"],
        Order("modified", True): ["c.glb", "b.glb", "a.scene", "d.png"],
        Order("triangles", True): ["b.glb", "c.glb", "a.scene", "d.png"],
        Order("name", True): ["d.png", "c.glb", "b.glb", "a.scene"],
    }
    for order, expected in orders.items():
        assert names(sort_items(items, order)) == ["town", *expected]
    assert names(sort_items(items, Order("name", True), first="b"))[1] == "b.glb"


def test_a_folder_is_read_again_only_when_its_time_says_so(tmp_path, monkeypatch) -> None:
    reads = []
    real = folder_listings.child_folders
    monkeypatch.setattr(
        folder_listings, "child_folders", lambda path: reads.append(path) or real(path)
    )
    listings = folder_listings.FolderListings()
    (tmp_path / "town").mkdir()
    os.utime(tmp_path, (1e9, 1e9))
    for _ in range(3):
        assert not listings.has_changed(tmp_path, ["town"])
    assert len(reads) == 1
    (tmp_path / "mill").mkdir()
    assert listings.has_changed(tmp_path, ["town"])
    assert not listings.has_changed(tmp_path, ["mill", "town"])
    assert not listings.has_changed(tmp_path, ["mill", "town"])
    assert len(reads) == 4, "what is as young as the look at it is not relied on"
    assert listings.has_changed(tmp_path / "gone", ["town"])

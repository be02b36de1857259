"""Every kind of file, changed in the ways that programs have, seen by a shown window.

Each goes from good to another good, then to broken, which takes nothing away and is told of, and to
good again, which clears it, every time in another way.
"""

import json
import os
import struct
from pathlib import Path

from engine.assets import AssetState, CookManifest, cook_gltf
from engine.scene import LocalTransform, MaterialOverride
from tests.editor.document.props import gltf, picture
from tests.gui.desk import ARM, BODY, Desk, save, save_prop


def truncate_and_write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        for part in (data[: len(data) // 2], data[len(data) // 2 :]):
            file.write(part)
            file.flush()
            os.fsync(file.fileno())


def delete_and_make(path: Path, data: bytes) -> None:
    path.unlink()
    path.write_bytes(data)


def keep_a_backup(path: Path, data: bytes) -> None:
    path.rename(path.with_name(f"{path.name}~"))
    path.write_bytes(data)


def state_of_work(desk: Desk) -> tuple[object, ...]:
    """What no reload may change."""
    document = desk.document
    history, camera = document.history, desk.window.viewport.camera_state()
    return history.index, history.labels, document.dirty, list(document.selection), camera


def test_a_prop(desk, level) -> None:
    def with_node(name: str) -> bytes:
        body = {**BODY, "children": [1, 2]}
        return json.dumps(gltf([body, ARM, {"name": name, "mesh": 0}])).encode()

    prop = save_prop(level.parent, [BODY, ARM])
    root = desk.place(prop)
    arm = desk.node(root, "Body/Arm")
    desk.document.set_fields([arm], LocalTransform, translation=(0, 5, 0))
    desk.document.select([arm])
    before = state_of_work(desk)
    truncate_and_write(prop, with_node("First"))
    desk.until(lambda: desk.node(root, "Body/First") is not None)
    save(prop, b'{"asset":')
    desk.until(lambda: any("crate.gltf" in text for text in desk.issues()))
    assert desk.node(root, "Body/First") is not None
    keep_a_backup(prop, with_node("Second"))
    desk.until(lambda: desk.node(root, "Body/Second") is not None)
    desk.until(lambda: not any("crate.gltf" in text for text in desk.issues()))
    assert desk.document.world.get(arm, LocalTransform).translation.tolist() == [0, 5, 0]
    assert state_of_work(desk) == before


def test_a_placed_level(desk, level) -> None:
    def with_box_at(x: int) -> bytes:
        where = f"LocalTransform translation=[{x}, 0, 0]"
        return f'cinder-scene 2\nentity 0\n  Name text="Box"\n  {where}\n'.encode()

    inner, world = level.parent / "inner.scene", desk.document.world
    inner.write_bytes(with_box_at(1))
    root = desk.place(inner)
    box = desk.node(root, "Box")
    before = state_of_work(desk)
    delete_and_make(inner, with_box_at(4))
    desk.until(lambda: world.get(box, LocalTransform).translation[0] == 4)
    truncate_and_write(inner, b"cinder-scene 2\nentity 0\n  Name text=")
    desk.until(lambda: any("inner.scene" in text for text in desk.issues()))
    assert world.get(box, LocalTransform).translation[0] == 4
    save(inner, with_box_at(5))
    desk.until(lambda: world.get(box, LocalTransform).translation[0] == 5)
    desk.until(lambda: not any("inner.scene" in text for text in desk.issues()))
    assert state_of_work(desk) == before


def test_a_picture_of_a_material_override(desk, level) -> None:
    paint, textures = level.parent / "paint.png", desk.document.app.textures
    paint.write_bytes(picture((250, 0, 0, 255)))
    root = desk.place(save_prop(level.parent))
    desk.document.add_component([root], MaterialOverride)
    desk.document.set_fields([root], MaterialOverride, base_color_texture="paint.png")
    before = state_of_work(desk)

    def shown() -> list[int] | None:
        pixels = textures.pixels("paint.png")
        return None if pixels is None else pixels[0, 0].tolist()

    desk.until(lambda: shown() == [250, 0, 0, 255])
    keep_a_backup(paint, picture((0, 240, 0, 255)))
    desk.until(lambda: shown() == [0, 240, 0, 255])
    delete_and_make(paint, b"no picture")
    desk.until(lambda: any("paint.png" in text for text in desk.issues()))
    assert shown() == [0, 240, 0, 255]
    truncate_and_write(paint, picture((0, 0, 230, 255)))
    desk.until(lambda: shown() == [0, 0, 230, 255])
    desk.until(lambda: not any("paint.png" in text for text in desk.issues()))
    assert state_of_work(desk) == before


def test_a_cooked_file(desk, level) -> None:
    manifest, assets = CookManifest(), desk.document.app.assets
    cook_gltf(save_prop(level.parent), "Crate", level.parent, manifest)
    manifest.save(level.parent / "manifest.txt")
    index = assets.load_mesh("Crate#mesh0/prim0")
    desk.until(lambda: assets.state(index) == AssetState.ready())
    path = level.parent / manifest.find("Crate#mesh0/prim0").file
    data, begun = path.read_bytes(), assets.records[index].reloads
    # The smallest corner follows the head and five counts.
    save(path, data[:28] + struct.pack("<3f", -7, -7, -7) + data[40:])
    desk.until(lambda: assets.records[index].reloads > begun and not assets.is_reading_cooked)
    assert (assets.state(index), assets.error(index)) == (AssetState.ready(), "")
    keep_a_backup(path, b"junk")
    desk.until(lambda: assets.error(index).startswith("cooked mesh"))
    assert assets.state(index) == AssetState.ready()
    delete_and_make(path, data)
    desk.until(lambda: assets.error(index) == "")

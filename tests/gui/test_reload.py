"""Props that other programs save, seen by a shown window through the watch of its project."""

import json
import os
import shutil
import struct

import numpy as np

from engine.scene import (
    GltfInstance,
    InstanceNode,
    LocalTransform,
    MeshRenderer,
    Placeholder,
    children,
)
from tests.editor.document.props import gltf, picture, write_pack
from tests.gui.desk import ARM, BODY, save, save_prop


def test_a_saved_prop_shows_with_every_tweak_still_there(desk, level) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    document, world = desk.document, desk.document.world
    arm = desk.node(root, "Body/Arm")
    document.set_fields([arm], LocalTransform, translation=(0, 5, 0))
    document.set_fields([root], GltfInstance, cast_shadows=False)
    document.select([arm])
    camera, steps = desk.window.viewport.camera_state(), document.history.labels
    saved = (root, arm, document.history.index)
    leg = {"name": "Leg", "mesh": 0, "translation": [7, 0, 0]}
    save_prop(level.parent, [{**BODY, "children": [1, 2]}, {**ARM, "scale": [2, 2, 2]}, leg])
    desk.until(lambda: desk.node(root, "Body/Leg") is not None)
    assert (root, desk.node(root, "Body/Arm"), document.history.index) == saved
    kept = world.get(arm, LocalTransform)
    assert kept.translation.tolist() == [0, 5, 0]
    assert kept.scale.tolist() == [2, 2, 2]
    assert not world.get(root, GltfInstance).cast_shadows
    assert list(document.selection) == [arm]
    assert desk.window.viewport.camera_state() == camera
    assert document.history.labels == steps
    assert desk.window.status_line.note == "Reloaded crate.gltf"
    for _ in range(document.history.index):
        document.undo()
    assert not world.alive(root)


def test_nodes_that_go_and_come_back_keep_their_overrides(desk, level) -> None:
    root = desk.place(save_prop(level.parent))
    document, world = desk.document, desk.document.world
    arm = desk.node(root, "Body/Arm")
    document.set_fields([arm], LocalTransform, translation=(0, 5, 0))

    # Renamed: parked, and listed.
    save_prop(level.parent, [BODY, {"name": "Limb", "mesh": 0}])
    desk.until(lambda: any("Body/Arm" in text for text in desk.issues()))
    assert world.alive(arm)
    assert world.get(arm, InstanceNode).path == "Body/Arm"

    # Moved to another parent: found by its name.
    top = {"name": "Body", "mesh": 0, "children": [1]}
    save_prop(level.parent, [top, {"name": "Joint", "children": [2]}, ARM])
    desk.until(lambda: desk.node(root, "Body/Joint/Arm") == arm)
    assert world.get(arm, LocalTransform).translation.tolist() == [0, 5, 0]

    # Deleted, and added anew.
    save_prop(level.parent, [{"name": "Body", "mesh": 0}])
    desk.until(lambda: any("Body/Arm" in text for text in desk.issues()))
    save_prop(level.parent)
    desk.until(lambda: desk.node(root, "Body/Arm") == arm and not desk.issues())
    assert world.get(arm, LocalTransform).translation.tolist() == [0, 5, 0]
    assert world.has(arm, MeshRenderer)


def test_broken_and_whole_again(desk, level) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    body = desk.node(root, "Body")
    save_prop(level.parent, [{"name": "Body", "mesh": 7}])
    desk.until(lambda: bool(desk.issues()))
    assert "crate.gltf" in desk.issues()[0]
    assert "/nodes/0/mesh" in desk.issues()[0]
    assert desk.node(root, "Body") == body
    save_prop(level.parent)
    desk.until(lambda: not desk.issues())


def test_a_missing_prop_comes_in_place_of_its_box(desk, level) -> None:
    prop = save_prop(level.parent)
    root = desk.place(prop)
    away = prop.with_name("away.gltf")
    prop.rename(away)
    desk.until(lambda: any("no such file" in text for text in desk.issues()))
    desk.document.set_fields([root], GltfInstance, asset="props/none.gltf")
    desk.until(lambda: _has_box(desk.document.world, root))
    away.rename(prop.with_name("none.gltf"))
    desk.until(lambda: desk.node(root, "Body/Arm") is not None)
    assert not _has_box(desk.document.world, root)


def _has_box(world, root) -> bool:
    return any(world.has(child, Placeholder) for child in children(world, root))


def test_files_beside_a_prop_are_part_of_it(desk, level) -> None:
    prop = write_pack(level.parent / "props")
    desk.place(prop)
    entry = next(e for e in desk.document.app.assets.entries() if e.path == "props/crate.gltf")
    save(prop.with_name("crate.bin"), struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 9, 0))
    desk.until(lambda: entry.asset.meshes[0].primitives[0].mesh.positions[2, 1] == 9)
    assert entry.asset.images[0].pixels[0, 0].tolist() == [0, 255, 0, 127]
    save(prop.parent / "Textures" / "colormap.png", picture((200, 10, 0, 255)))
    desk.until(lambda: entry.asset.images[0].pixels[0, 0].tolist() == [200, 10, 0, 255])


def test_case_45_through_the_watch(desk, level, shared) -> None:
    """Known bug: editing a texture used by a model changes nothing (bevyengine/bevy#18267)."""
    source, folder = shared / "bugcases", level.parent / "props"
    folder.mkdir()
    for name in ("45_external_texture_reload.gltf", "45_tex.png"):
        shutil.copyfile(source / name, folder / name)
    desk.place(folder / "45_external_texture_reload.gltf")
    entry = desk.document.app.assets.entries()[-1]

    def mean() -> list[float]:
        return np.mean(entry.asset.images[0].pixels[..., :3], axis=(0, 1)).tolist()

    assert mean() == [255, 0, 0]
    save(folder / "45_tex.png", (source / "45_tex_v2.png").read_bytes())
    desk.until(lambda: mean() == [0, 255, 0])


def test_case_40_through_the_watch(desk, level) -> None:
    """Known bug: an override equal to its base is dropped (godotengine/godot#18241)."""

    def colour(value: float) -> list[dict]:
        return [{**BODY, "translation": [value, 0, 0]}, ARM]

    def reopened() -> tuple[float, bool]:
        desk.document.save(level)
        desk.document.open(level)
        root = next(e for e, _ in _instances(desk.document))
        body = desk.node(root, "Body")
        is_marked = desk.document.world.has(body, InstanceNode)
        return float(desk.document.world.get(body, LocalTransform).translation[0]), is_marked

    red, blue, green = 1.0, 2.0, 3.0
    root = desk.place(save_prop(level.parent, colour(red)))
    desk.document.set_fields([desk.node(root, "Body")], LocalTransform, translation=(blue, 0, 0))
    entry = desk.document.app.assets.entries()[-1]
    assert reopened() == (blue, True)
    for value in (blue, green):
        save_prop(level.parent, colour(value))
        entry = desk.document.app.assets.entries()[-1]
        desk.until(lambda v=value, e=entry: e.asset.nodes[0].translation[0] == v)
        assert reopened() == (blue, True)


def _instances(document):
    return [
        (e, document.world.get(e, GltfInstance))
        for e in document.world.entities()
        if document.world.has(e, GltfInstance)
    ]


def test_a_burst_of_props_is_one_note(desk, level) -> None:
    props = [save_prop(level.parent, name=f"p{i}") for i in range(6)]
    for prop in props:
        desk.document.place(prop)
    moved = [BODY, {**ARM, "translation": [0, 0, 9]}]
    aside = level.parent / ".aside"
    for i in range(6):
        save(aside / f"p{i}.gltf", json.dumps(gltf(moved)))
    for i in range(6):
        os.replace(aside / f"p{i}.gltf", props[i])
    entries = [e for e in desk.document.app.assets.entries() if e.path.startswith("props/p")]
    desk.until(lambda: all(e.asset.nodes[1].translation[2] == 9 for e in entries))
    assert desk.window.status_line.note.startswith("Reloaded p")

"""Every kind of step that instances and files of a project brought, played in the real editor.

    python -m tests.gui.asset_steps LEVEL OUT STEP...

carries the steps out and writes what the level and the project hold then to OUT. It says "done"
and lives on until it is killed.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np

from engine.assets.cache_folder import CACHE_FOLDER
from engine.reflect import to_record
from engine.scene import (
    Enabled,
    GltfInstance,
    LightSource,
    LocalTransform,
    MaterialOverride,
    MeshRenderer,
    Name,
)
from engine.scene.hierarchy import world_matrix
from engine.scene.instance_nodes import find_node
from tests.editor.document.levels import named
from tests.editor.document.placed import ROOM, below
from tests.editor.document.props import gltf, write_pack, write_prop

LEVEL = """cinder-scene 2
entity 0
  Name text="Ground"
entity 1
  Name text="Chair"
  LocalTransform translation=[4.0,0.0,0.0]
  GltfInstance asset="props/chair.gltf"
entity 2
  Name text="Crate"
  GltfInstance asset="props/crate.gltf"
entity 3
  Name text="Room"
  SceneInstance level="room.scene"
entity 4
  Name text="Lost"
  GltfInstance asset="props/lost.gltf"
entity 5
  InstanceNode root=#2 path="Body/Arm"
  LocalTransform translation=[0.0,7.0,0.0]
"""


def write_project(folder):
    """Write a project in which every step can be made; return its level."""
    folder.mkdir(parents=True)
    (folder / "project.json").write_text('{"root_scene_path": "yard.scene"}')
    write_pack(folder / "props")
    write_prop(folder)
    write_prop(folder / "props", "spare")
    chair = gltf()
    chair["materials"].append({"name": "rust"})
    chair["extensionsUsed"] = ["KHR_materials_variants"]
    chair["extensions"] = {"KHR_materials_variants": {"variants": [{"name": "worn"}]}}
    mapping = {"mappings": [{"material": 1, "variants": [0]}]}
    chair["meshes"][0]["primitives"][0]["extensions"] = {"KHR_materials_variants": mapping}
    (folder / "props" / "chair.gltf").write_text(json.dumps(chair))
    (folder / "room.scene").write_text(ROOM)
    (folder / "other.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="a"\n  GltfInstance asset="props/crate.gltf"\n'
    )
    level = folder / "yard.scene"
    level.write_text(LEVEL)
    return level


def node(document, root, path):
    found = find_node(document.world, named(document, root), path)
    assert found, path
    return found


def _unpack(d):
    d.unpack([named(d, "Chair")])
    arm = below(d, named(d, "Chair"), "Body", "Arm")
    d.set_fields([arm], LocalTransform, translation=(0, 0, 3))


def _make_instance(d):
    made = d.make_instance("sets/corner.scene", [named(d, "Crate"), named(d, "Ground")])
    d.set_fields([made], LocalTransform, scale=(2, 2, 2))


def _apply(d):
    d.set_fields([named(d, "Candle")], LightSource, intensity=9.0)
    d.set_fields([named(d, "Sign")], Name, text="Board")
    d.apply_overrides(named(d, "Room"))


def _material(d):
    arm = node(d, "Chair", "Body/Arm")
    d.add_component([arm], MaterialOverride(base_color=(1, 0.5, 0)))
    d.set_fields([arm], MaterialOverride, roughness=0.25, tiling=(2, 3))


def _revert(d):
    body = node(d, "Chair", "Body")
    d.set_fields([body], LocalTransform, translation=(1, 1, 1), scale=(3, 3, 3))
    d.revert_override([body], LocalTransform, "scale")


def _revert_all(d):
    d.set_fields([node(d, "Chair", "Body")], LocalTransform, translation=(1, 1, 1))
    d.revert_instance(named(d, "Crate"))


def _place_level(d):
    d.place("room.scene", np.eye(4))
    d.add_component([d.selection[0]], Enabled(False))


def _park(d):
    path = d.root / "props" / "chair.gltf"
    d.set_fields([node(d, "Chair", "Body/Arm")], LocalTransform, translation=(0, 5, 0))
    bodiless = [{"name": "Body", "mesh": 0, "children": [1]}, {"name": "Limb", "mesh": 0}]
    path.write_text(json.dumps(gltf(nodes=bodiless)))
    d.reload_assets(force=True)
    d.rename(named(d, "Room"), "Hall")


def _move_parked(d):
    _park(d)
    root = named(d, "Chair")
    [parked] = d.parked_overrides(root)
    d.move_overrides(parked, node(d, "Chair", "Body/Limb"))


def _copy_file(d):
    d.copy_file("props/spare.gltf", "props/lost.gltf")
    d.rename(named(d, "Ground"), "Floor")


def _undone(d):
    d.rename_asset("props/crate.gltf", "chest.gltf")
    d.move_assets(["props/spare.gltf"], "deep/er")
    d.undo()


STEPS = {
    "unpack": _unpack,
    "make instance": _make_instance,
    "apply": _apply,
    "rename file": lambda d: d.rename_asset("props/crate.gltf", "chest.gltf"),
    "move files": lambda d: d.move_assets(["props/crate.gltf", "props/chair.gltf"], "town"),
    "move folder": lambda d: d.move_assets(["props"], "things"),
    "rename level": lambda d: d.rename_asset("room.scene", "hall.scene"),
    "undone move": _undone,
    "relink": lambda d: d.relink("props/lost.gltf", "props/spare.gltf"),
    "copy file": _copy_file,
    "make unique": lambda d: d.make_unique([named(d, "Crate")], "props/crate.gltf"),
    "material": _material,
    "revert": _revert,
    "revert all": _revert_all,
    "variant": lambda d: d.set_fields([named(d, "Chair")], GltfInstance, variant="worn"),
    "place level": _place_level,
    "parked": _park,
    "parked moved": _move_parked,
    "node removed": lambda d: d.delete([node(d, "Chair", "Body/Arm")]),
    "child of a node": lambda d: d.spawn(Name("Lamp"), LightSource(), parent=named(d, "Candle")),
}  # fmt: skip


def snapshot(document):
    """What a level holds and shows, and which files its project has, as JSON can say it."""
    document.settle()
    world = document.world
    shown = {}
    for entity in world.entities():
        key = _where(document, entity)
        override = world.has(entity, MaterialOverride)
        shown[key] = [
            np.round(world_matrix(world, entity).astype(float), 4).tolist(),
            world.has(entity, MeshRenderer),
            repr(to_record(world.get(entity, MaterialOverride)).fields) if override else "",
        ]
    return {
        "text": document.app.level_file.draft_bytes().decode(),
        "shown": dict(sorted(shown.items())),
        "files": files(document.root),
    }


def _where(document, entity):
    names = []
    while entity:
        names.append(document.label(entity))
        entity = document.parent(entity)
    return "/".join(reversed(names))


def files(root):
    """The files of a project with the digests of what they hold."""
    found = {}
    for path in sorted(pathlib.Path(root).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(CACHE_FOLDER):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return found


def main(level, out, *steps):
    from PySide6.QtWidgets import QApplication

    from editor.app import create

    window = create([level])
    window.resize(640, 400)
    window.show()
    window.document.settle()
    for step in steps:
        STEPS[step](window.document)
        window.document.settle()
        QApplication.processEvents()
    pathlib.Path(out).write_text(json.dumps(snapshot(window.document)))
    print("done", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])

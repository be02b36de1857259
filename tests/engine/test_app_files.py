"""What an app makes of files that are other ones now: everything that a level shows."""

import json
import os
import random
import shutil
import struct

import numpy as np
import pytest
from PIL import Image

from engine.app import App
from engine.assets import AssetState, CookManifest, cook_gltf
from engine.assets.watch import FileChanges, FileWatch
from engine.scene import (
    DrawnMaterial,
    Environment,
    GltfInstance,
    LocalTransform,
    MaterialOverride,
    Name,
    SceneInstance,
    children,
)
from engine.scene.instances import find_node
from tests.editor.document.props import TRIANGLE, gltf
from tests.engine.assets.reload.conftest import Store as StrictStore
from tests.engine.assets.watch.conftest import Mailbox
from tests.patience import PATIENCE_S


class Store(StrictStore):
    """What material overrides ask for besides."""

    def material(self, material):
        return self.materials[material]


@pytest.fixture
def app(tmp_path):
    (tmp_path / "project.json").write_text("{}")
    made = App(tmp_path, Store())
    made.news = []
    made.on_assets = made.news.append
    yield made
    made.close()


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(".beside")
    beside.write_bytes(data if isinstance(data, bytes) else data.encode())
    os.replace(beside, path)
    return path


def put_prop(app, nodes=None, roughness=1.0, name="crate"):
    document = gltf(nodes)
    document["materials"][0]["pbrMetallicRoughness"] = {"roughnessFactor": roughness}
    return put(app.root / f"{name}.gltf", json.dumps(document))


def tell(app, *paths):
    """Tell of changed files, and finish what follows from that; return how many that is."""
    count = app.files_changed(FileChanges(tuple(map(str, paths))))
    while app.is_loading:
        app.settle()
        app.frame(0.0)
    app.frame(0.0)
    return count


def reloaded(app):
    found = [path for news in app.news for path in news.reloaded]
    app.news.clear()
    return found


def place(app, name="crate"):
    root = app.world.spawn(Name("prop"), LocalTransform(), GltfInstance(asset=f"{name}.gltf"))
    app.settle()
    app.frame(0.0)
    app.news.clear()
    return root


def test_a_prop_and_the_material_over_it(app):
    path = put_prop(app)
    root = place(app)
    app.world.add(root, MaterialOverride(base_color=(1.0, 0.0, 0.0)))
    app.frame(0.0)
    body = find_node(app.world, root, "Body")
    drawn = app.world.get(body, DrawnMaterial).material
    assert app.renderer.materials[drawn].roughness == 1.0
    put_prop(app, roughness=0.25)
    assert tell(app, path) == 1
    drawn = app.world.get(body, DrawnMaterial).material
    assert app.renderer.materials[drawn].roughness == 0.25
    assert tuple(app.renderer.materials[drawn].base_color[:3]) == (1.0, 0.0, 0.0)
    assert reloaded(app) == ["crate.gltf"]


def picture(path, color):
    Image.new("RGBA", (2, 2), color).save(path)
    return path


def test_a_picture_that_an_override_names(app):
    put_prop(app)
    path = picture(app.root / "a.png", (255, 0, 0, 255))
    root = place(app)
    app.world.add(root, MaterialOverride(base_color_texture="a.png"))
    app.settle()
    app.frame(0.0)
    app.news.clear()
    body = find_node(app.world, root, "Body")

    def shown():
        drawn = app.renderer.materials[app.world.get(body, DrawnMaterial).material]
        return app.renderer.textures[drawn.base_color_texture.texture][0, 0].tolist()

    assert shown() == [255, 0, 0, 255]
    picture(path, (0, 255, 0, 255))
    assert tell(app, path) == 1
    assert shown() == [0, 255, 0, 255]
    assert reloaded(app) == ["a.png"]
    path.write_bytes(path.read_bytes())
    tell(app, path)
    assert reloaded(app) == []
    path.write_bytes(b"broken")
    tell(app, path)
    assert shown() == [0, 255, 0, 255]
    assert "a.png" in app.overrides.issues[root]
    picture(path, (0, 0, 255, 255))
    tell(app, path)
    assert shown() == [0, 0, 255, 255]
    assert app.overrides.issues == {}


def test_a_level_that_is_placed(app):
    path = put(app.root / "shelf.scene", 'cinder-scene 2\nentity 0\n  Name text="Book"\n')
    root = app.world.spawn(Name("shelf"), LocalTransform(), SceneInstance(level="shelf.scene"))
    app.settle()
    app.frame(0.0)
    app.news.clear()
    whole = path.read_text()
    put(path, whole.replace("Book", "Vase"))
    assert tell(app, path) == 1
    assert find_node(app.world, root, "Vase")
    assert reloaded(app) == ["shelf.scene"]
    put(path, whole[:-4])
    tell(app, path)
    assert find_node(app.world, root, "Vase")
    assert any("shelf.scene" in text for text in app.problems())
    put(path, whole)
    tell(app, path)
    assert find_node(app.world, root, "Book")
    assert app.problems() == []


def test_cooked_files(tmp_path):
    prop = put_prop_at(tmp_path / "crate.gltf", 1.0)
    manifest = CookManifest()
    cook_gltf(prop, "Crate", tmp_path / "cooked", manifest)
    manifest.save(tmp_path / "cooked" / "manifest.txt")
    app = App(tmp_path / "cooked")
    mesh = app.assets.load_mesh("Crate#mesh0/prim0")
    app.settle()
    path = app.assets.records[mesh].path
    good = path.read_bytes()
    put(path, good[:40])
    assert tell(app, path) == 1
    assert app.assets.state(mesh) == AssetState.ready()
    assert "cooked" in app.assets.error(mesh)
    put(path, good)
    assert tell(app, path) == 1
    assert app.assets.error(mesh) == ""
    assert tell(app, path) == 0
    app.assets.release(mesh)
    put(path, good[:40])
    assert tell(app, path) == 0
    app.close()


def put_prop_at(path, height):
    document = gltf()
    return put(path, json.dumps(document))


def test_the_files_that_matter_are_named(app):
    put_prop(app)
    picture(app.root / "a.png", (255, 0, 0, 255))
    put(app.root / "shelf.scene", 'cinder-scene 2\nentity 0\n  Name text="Book"\n')
    root = place(app)
    app.world.add(root, MaterialOverride(base_color_texture="a.png"))
    app.world.spawn(Name("shelf"), LocalTransform(), SceneInstance(level="shelf.scene"))
    app.settle()
    app.frame(0.0)
    names = {os.path.basename(path) for path in app.sources()}
    assert {"crate.gltf", "a.png", "shelf.scene"} <= names


BOOK = 'cinder-scene 2\nentity 0\n  Name text="Book"\n'


def test_what_could_not_be_read_at_first_is_there_after_the_next_look(app):
    """Of what nobody watches, the window looks when it comes to the front."""
    names = ("crate.gltf", "shelf.scene", "a.png", "sky.hdr")
    for name in names:
        put(app.root / name, b"broken")
    root = place(app)
    app.world.add(root, MaterialOverride(base_color_texture="a.png"))
    app.world.spawn(Name("shelf"), LocalTransform(), SceneInstance(level="shelf.scene"))
    app.world.spawn(Name("look"), Environment(image="sky.hdr"))
    app.settle()
    app.frame(0.0)
    assert all(any(name in text for text in app.problems()) for name in names)
    put_prop(app)
    put(app.root / "shelf.scene", BOOK)
    picture(app.root / "a.png", (255, 0, 0, 255))
    put(app.root / "sky.hdr", b"#?RADIANCE\n\n-Y 3 +X 6\n" + bytes(range(110, 110 + 18 * 4)))
    app.check_for_changes()
    app.settle()
    app.frame(0.0)
    assert app.problems() == []
    assert find_node(app.world, root, "Body")


# -- the watch and the app together, and a disk that misbehaves ------------------------------


def vandalise(rng, folder, number):
    """Do something to a prop of a collection that a program or a person might do."""
    path = folder / f"p{rng.randrange(4)}.gltf"
    document = gltf([{"name": f"Body {number}", "mesh": 0}], buffer=f"{path.stem}.bin")
    text = json.dumps(document)
    blob = bytearray(TRIANGLE)
    struct.pack_into("<f", blob, 28, 1.0 + number)
    match rng.randrange(9):
        case 0 | 1:
            put(path, text)
        case 2:
            path.write_text(text[: rng.randrange(len(text))])
        case 3:
            path.unlink(missing_ok=True)
        case 4:
            put(path.with_suffix(".bin"), bytes(blob))
        case 5:
            put(path.with_suffix(".bin"), bytes(blob[: rng.randrange(36)]))
        case 6:
            path.with_suffix(".bin").unlink(missing_ok=True)
        case 7:
            path.unlink(missing_ok=True)
            path.mkdir()
            path.rmdir()
        case 8:
            moved = folder.with_name("moved")
            shutil.rmtree(moved, ignore_errors=True)
            folder.rename(moved)
            shutil.copytree(moved, folder)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_to_the_files_the_newest_good_ones_are_shown_in_the_end(app, seed):
    rng, folder = random.Random(seed), app.root / "props"
    mailbox = Mailbox()
    watch = FileWatch(app.root, mailbox.put, mailbox.put_mode)
    watch.start()
    mailbox.modes.get(timeout=PATIENCE_S)
    for i in range(4):
        put(folder / f"p{i}.bin", TRIANGLE)
        put(folder / f"p{i}.gltf", json.dumps(gltf(buffer=f"p{i}.bin")))
    roots = [place(app, f"props/p{i}") for i in range(4)]
    for number in range(40):
        vandalise(rng, folder, number)
        while not mailbox.is_empty():
            app.files_changed(mailbox.take())
        if rng.random() < 0.3:
            roots.append(place(app, f"props/p{rng.randrange(4)}"))
        app.frame(0.0)
    last = {}
    for i in range(4):
        blob = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 100.0 + i, 0)
        put(folder / f"p{i}.bin", blob)
        last[i] = put(
            folder / f"p{i}.gltf",
            json.dumps(gltf([{"name": f"End {i}", "mesh": 0}], buffer=f"p{i}.bin")),
        )
    fence = put(app.root / "fence.txt", "x")
    told = set()
    while str(fence) not in told or not {str(p) for p in last.values()} <= told:
        batch = mailbox.take()
        told.update(batch.paths)
        tell(app, *batch.paths)
    watch.close()
    for root in roots:
        asset = app.world.get(root, GltfInstance).asset
        number = int(asset[-6])
        entry = app.assets.get(asset)
        assert (entry.state, entry.error) == ("ready", "")
        top = float(np.max(entry.asset.meshes[0].primitives[0].mesh.positions))
        assert top == 100.0 + number
        assert find_node(app.world, root, f"End {number}") in children(app.world, root)
    app.attach(None)


def test_saving_a_level_that_another_one_placed_before_is_no_news(app):
    head = 'cinder-scene 2\nentity 0\n  Name text="top"\n  LocalTransform\n'
    room = put(app.root / "room.scene", head.replace("top", "Bulb"))
    house = put(app.root / "house.scene", f'{head}  SceneInstance level="room.scene"\n')
    app.load(house)
    app.settle()
    app.load(room)
    app.news.clear()
    app.world.spawn(Name("Candle"))
    app.save()
    assert tell(app, room) == 0
    assert app.levels.check_for_changes() == []
    assert reloaded(app) == []
    app.load(house)
    app.settle()
    app.frame(0.0)
    placed = app.level_file.entity_at(0)
    assert find_node(app.world, placed, "Candle"), "with what was saved since"

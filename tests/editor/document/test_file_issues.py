"""Issues about files: missing, broken, elsewhere; told once, with their users."""

import pytest

from engine.scene import (
    Environment,
    GltfInstance,
    LocalTransform,
    MaterialOverride,
    Name,
    SceneInstance,
)
from tests.editor.document.found_issues import ADVICE, agree, found
from tests.editor.document.props import PNG, write_pack, write_prop


def test_a_missing_file_is_told_once_with_its_users_and_relinked(document, tmp_path) -> None:
    root = document.root
    write_prop(root / "props")
    document.contents.read()
    document.spawn(Name("a"), GltfInstance("props/crate.gltf"), LocalTransform())
    document.spawn(Name("b"), GltfInstance("props/crate.gltf"), LocalTransform((1, 0, 0)))
    assert document.issues() == []
    (root / "sets").mkdir()
    (root / "props/crate.gltf").rename(root / "sets/box.gltf")
    document.contents.read()
    document.reload_assets()
    document.reload_assets()
    (issue,) = [i for i in document.issues() if i.asset]
    assert issue.text == "props/crate.gltf: there is no such file; 2 entities use it"
    assert issue.options == ("sets/box.gltf",)
    assert issue.fix == "Use sets/box.gltf"
    steps = document.history.index
    document.fix(issue)
    document.settle()
    assert document.history.index == steps + 1
    assert document.issues() == []
    document.undo()
    assert document.uses.count("props/crate.gltf") == 2


def test_a_missing_file_that_no_instance_names(document) -> None:
    document.spawn(Name("look"), Environment(image="sky.hdr"))
    assert [i.text for i in document.issues()] == [
        f"sky.hdr: there is no such file; 1 entity uses it{ADVICE}"
    ]


def test_a_missing_picture_is_told_with_its_uri_and_copied_from_elsewhere(document) -> None:
    pack = write_pack(document.root / "props")
    (document.root / "other").mkdir()
    picture = pack.parent / "Textures/colormap.png"
    picture.rename(document.root / "other/colormap.png")
    document.contents.read()
    document.spawn(Name("a"), GltfInstance("props/crate.gltf"), LocalTransform())
    (issue,) = found(document, "files")
    assert issue.text.startswith(
        "props/crate.gltf: missing file at /images/0/uri: 'Textures/colormap.png' does not exist"
    )
    assert issue.fix == "Copy other/colormap.png there"
    document.fix(issue)
    document.settle()
    document.contents.read()
    assert document.issues() == []
    assert picture.is_file()
    document.undo()
    assert not picture.exists()


def test_a_broken_file_is_told_once(document) -> None:
    path = document.root / "props"
    path.mkdir(parents=True)
    (path / "bad.glb").write_bytes(b"glTF")
    for x in (0, 2):
        document.spawn(Name("a"), GltfInstance("props/bad.glb"), LocalTransform((x, 0, 0)))
    (issue,) = found(document, "files")
    assert "2 entities use it" in issue.text
    assert issue.asset == "props/bad.glb"
    assert issue.fix is None


def test_a_broken_environment_image_is_told_by_its_name(document, caplog) -> None:
    document.root.mkdir(parents=True, exist_ok=True)
    (document.root / "sky.hdr").write_bytes(b"no light")
    document.reload_assets()
    look = document.spawn(Environment(image="sky.hdr"))
    document.settle()
    (issue,) = found(document, "files")
    assert issue.text.startswith("environment image sky.hdr: found b'no light'")
    assert (issue.entity, issue.asset) == (look, "sky.hdr")
    document.set_fields([look], Environment, image="")
    assert found(document, "files") == []
    agree(document)
    caplog.clear()


def test_a_missing_texture_of_an_override_is_told_once(document, prop) -> None:
    crate = document.place(prop)
    document.add_component([crate], MaterialOverride(base_color_texture="props/wood.png"))
    document.app.frame(0)
    document.settle()
    document.app.frame(0)
    assert [i.text for i in document.issues()] == [
        f"props/wood.png: there is no such file; 1 entity uses it{ADVICE}"
    ]
    (document.root / "props/wood.png").write_bytes(PNG)
    node = document.children(crate)[0]
    document.add_component([node], MaterialOverride(base_color_texture="props/oak.png"))
    texts = [i.text for i in document.issues() if "oak" in i.text]
    assert texts == [f"props/oak.png: there is no such file; 1 entity uses it{ADVICE}"]
    document.relink("props/oak.png", "props/wood.png")
    assert document.world.get(node, MaterialOverride).base_color_texture == "props/wood.png"
    document.undo()
    assert document.asset_users("props/oak.png") == [node]


def test_a_missing_level_is_told_once(document) -> None:
    document.spawn(Name("shed"), SceneInstance("gone.scene"), LocalTransform())
    document.settle()
    document.app.frame(0)
    assert [i.text for i in document.issues()] == [
        f"gone.scene: there is no such file; 1 entity uses it{ADVICE}"
    ]


def test_what_is_said_of_broken_files_names_them_as_the_level_does(document, tmp_path) -> None:
    root = document.root
    (root / "props").mkdir(parents=True, exist_ok=True)
    contents = {
        "props/empty.glb": (b"", "parse failed: the file is empty"),
        "props/notes.glb": (b"Dear all,", "parse failed: not JSON: found b'Dear all'"),
        "props/cut.glb": (b"glTF\x02\x00\x00\x00\xff\x00\x00\x00", "parse failed: GLB header"),
    }
    for name, (data, _) in contents.items():
        (root / name).write_bytes(data)
        document.spawn(Name("prop"), LocalTransform(), GltfInstance(name))
    (root / "bad.scene").write_text("cinder-scene 2\nentity x\n")
    document.spawn(Name("shed"), SceneInstance("bad.scene"), LocalTransform())
    (root / "note.png").write_bytes(b"no picture")
    document.spawn(Name("crate"), LocalTransform(), GltfInstance("../crate.glb"))
    box = document.add_shape("box")
    document.add_component([box], MaterialOverride(base_color_texture="note.png"))
    nameless = document.spawn(Name("none"), LocalTransform(), GltfInstance(""))
    document.settle()
    document.app.frame(0.0)
    document.settle()
    texts = [issue.text for issue in document.issues()]
    for name, (_, words) in contents.items():
        assert len([text for text in texts if text.startswith(f"{name}: {words}")]) == 1
    assert any(text.startswith("bad.scene: line 2: ") for text in texts)
    assert any(text.startswith("../crate.glb: leaves the project") for text in texts)
    (told,) = [issue.text for issue in document.issues() if issue.entity == nameless]
    assert told == "no file is named; choose one"
    assert not any("0x" in text for text in texts), "an address in memory helps nobody"
    (told,) = [issue.text for issue in document.issues() if issue.entity == box]
    assert told.startswith("note.png: cannot be decoded (found no PNG, JPEG, WebP")


@pytest.mark.parametrize("name", ["sky.exr", "sky.hdr", "sky.ktx2"])
def test_a_damaged_environment_image_is_an_issue_and_prints_nothing(document, name, capfd) -> None:
    if name == "sky.exr":
        pytest.importorskip("OpenEXR", reason="EXR files need a package")
    heads = {"sky.exr": b"v/1\x01\x02\x00\x00\x00", "sky.hdr": b"#?RADIANCE\n"}
    document.root.mkdir(parents=True, exist_ok=True)
    (document.root / name).write_bytes(heads.get(name, b"\xabKTX 20\xbb\r\n\x1a\n") + bytes(40))
    look = document.spawn(Environment(image=name))
    document.settle()
    (issue,) = found(document, "files")
    assert issue.entity == look
    assert issue.text.startswith(f"environment image {name}: ")
    assert issue.text.count(name) == 1
    assert capfd.readouterr() == ("", "")


def test_what_only_a_placed_level_names_is_relinked_there(document, tmp_path) -> None:
    root = document.root
    (root / "project.json").parent.mkdir(parents=True, exist_ok=True)
    write_prop(root / "props")
    room = root / "room.scene"
    room.write_text(
        'cinder-scene 2\nentity 0\n  Name text="A"\n  GltfInstance asset="props/crate.gltf"\n'
        'entity 1\n  Name text="B"\n  GltfInstance asset="props/crate.gltf"\n'
    )
    document.place("room.scene")
    document.contents.read()
    assert found(document, "files") == []
    (root / "sets").mkdir()
    (root / "props/crate.gltf").rename(root / "sets/box.gltf")
    document.contents.read()
    document.reload_assets()
    document.reload_assets()
    (issue,) = found(document, "files")
    assert issue.text == "props/crate.gltf: there is no such file; room.scene uses it"
    assert issue.fix == "Use sets/box.gltf"
    assert [document.label(e) for e in issue.entities] == ["A", "B"]
    document.fix(issue)
    document.settle()
    assert room.read_text().count("sets/box.gltf") == 2
    assert found(document, "files") == []
    document.undo()
    assert room.read_text().count("props/crate.gltf") == 2


def test_a_file_that_was_good_and_is_broken_or_back_again_is_told_once(document) -> None:
    path = write_prop(document.root / "props")
    good = path.read_bytes()
    for x in (0, 2):
        document.spawn(Name("a"), GltfInstance("props/crate.gltf"), LocalTransform((x, 0, 0)))
    document.settle()
    path.write_bytes(b"{")
    document.reload_assets()
    (issue,) = found(document, "files")
    assert issue.text.startswith("props/crate.gltf: parse failed")
    assert issue.text.endswith("; 2 entities use it")
    assert len(issue.entities) == 2
    path.write_bytes(good)
    document.reload_assets()
    assert found(document, "files") == []
    path.unlink()
    document.reload_assets()
    document.reload_assets()
    (issue,) = found(document, "files")
    path.write_bytes(good)
    assert found(document, "files") == [], "before it was read again, too"
    document.reload_assets()
    assert found(document, "files") == []


def test_what_is_broken_inside_a_placed_level_is_told_once(document) -> None:
    root = document.root
    root.mkdir(parents=True, exist_ok=True)
    (root / "bad.glb").write_bytes(b"glTF")
    crate = '  Name text="{}"\n  GltfInstance asset="bad.glb"\n'
    room = f"cinder-scene 2\nentity 0\n{crate.format('A')}entity 1\n{crate.format('B')}"
    (root / "room.scene").write_text(room)
    document.place("room.scene")
    (issue,) = found(document, "files")
    assert issue.text.endswith("; 2 entities use it")
    assert [document.label(e) for e in issue.entities] == ["A", "B"]

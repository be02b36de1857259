"""Files of a project that are renamed and moved, with everything that names them."""

import json
import random
from pathlib import Path

import pytest

from editor.document import LevelDocument
from engine.errors import AssetError
from engine.scene import GltfInstance
from tests.editor.document.levels import crash, named
from tests.editor.document.moves.conftest import OTHER, assets, files
from tests.editor.document.placed import node
from tests.editor.document.props import PNG, write_pack, write_prop


def test_a_rename_takes_every_reference_along_as_one_step(project, document) -> None:
    before = files(project)
    shown = document.app.assets.get("props/crate.gltf").asset
    steps, yard = document.history.index, (project / "yard.scene").read_bytes()
    assert document.rename_asset("props/crate.gltf", "chest.gltf") == ["other.scene"]
    assert document.history.index == steps + 1
    assert assets(document) == ["props/chest.gltf", "props/lamp.gltf"]
    assert document.uses.count("props/chest.gltf") == 2
    assert files(project) == before - {"props/crate.gltf"} | {"props/chest.gltf"}
    # Other levels follow on disk, and nothing else of them changes.
    assert (project / "other.scene").read_text() == OTHER.replace("props/crate", "props/chest")
    # What is on disk of this level finds its props, too, though it was not saved.
    assert (project / "yard.scene").read_bytes() == yard.replace(b"props/crate", b"props/chest")
    assert not document.changed_on_disk
    # The prop that was read stays.
    assert document.app.assets.get("props/chest.gltf").asset is shown
    document.undo()
    assert files(project) == before
    assert (project / "other.scene").read_text() == OTHER
    assert (project / "yard.scene").read_bytes() == yard
    assert assets(document) == ["props/crate.gltf", "props/lamp.gltf"]
    assert not document.dirty
    document.redo()
    assert (project / "props/chest.gltf").is_file()
    assert "props/chest.gltf" in assets(document)
    document.save()
    document.open(project / "yard.scene")
    assert document.missing_assets() == []
    assert document.issues() == []


def test_a_move_takes_side_files_along(project, document) -> None:
    document.move_assets(["props/crate.gltf"], "props/town")
    assert "props/town/crate.bin" in files(project)
    assert "props/town/Textures/colormap.png" in files(project)
    assert "props/crate.bin" not in files(project)
    document.settle()
    assert document.app.assets.get("props/town/crate.gltf").error == ""
    document.app.assets.check_for_changes(force=True)
    document.settle()
    assert document.app.assets.get("props/town/crate.gltf").error == ""
    document.undo()
    assert "props/Textures/colormap.png" in files(project)
    assert not (project / "props/town").exists()


def test_side_files_that_others_need_are_copied(project, document) -> None:
    write_pack(project / "props", "box")
    document.move_assets(["props/crate.gltf"], "props/town")
    there = files(project)
    assert {"props/Textures/colormap.png", "props/town/Textures/colormap.png"} <= there
    assert "props/crate.bin" not in there
    document.undo()
    assert "props/town/Textures/colormap.png" not in files(project)
    assert "props/Textures/colormap.png" in files(project)
    document.redo()
    assert files(project) == there


def test_assets_that_share_their_side_files_move_together(project, document) -> None:
    write_pack(project / "props", "box")
    document.move_assets(["props/crate.gltf", "props/box.gltf"], "props/town")
    assert "props/Textures/colormap.png" not in files(project)
    assert "props/town/Textures/colormap.png" in files(project)


def test_a_folder_moves_as_a_whole(project, document) -> None:
    document.rename_asset("props", "things")
    assert assets(document) == ["things/crate.gltf", "things/lamp.gltf"]
    assert 'asset="things/crate.gltf"' in (project / "other.scene").read_text()
    document.undo()
    assert assets(document) == ["props/crate.gltf", "props/lamp.gltf"]


def test_renaming_another_level_follows_in_the_project_file(project, document) -> None:
    document.open(project / "other.scene")
    document.rename_asset("yard.scene", "court.scene")
    assert json.loads((project / "project.json").read_text())["root_scene_path"] == "court.scene"
    document.undo()
    assert (project / "project.json").read_text() == '{\n "root_scene_path": "yard.scene"\n}\n'


def test_a_move_outlives_a_crash(project, document, tmp_path) -> None:
    document.rename_asset("props/crate.gltf", "chest.gltf")
    there = files(project)
    crash(document)
    later = LevelDocument()
    later.recover(later.recoverable()[0])
    assert files(project) == there
    assert assets(later) == ["props/chest.gltf", "props/lamp.gltf"]
    later.undo()
    assert (project / "props/crate.gltf").is_file()
    assert assets(later) == ["props/crate.gltf", "props/lamp.gltf"]
    later.close()


def test_what_a_move_wrote_before_a_crash_is_nobody_else_s(project, document) -> None:
    """Also where the level lost meanwhile what it names there."""
    document.rename_asset("props/crate.gltf", "chest.gltf")
    document.move_assets(["props/lamp.gltf"], "town")
    document.undo()
    document.delete([named(document, "a")])
    crash(document)
    later = LevelDocument()
    later.recover(later.recoverable()[0])
    assert not later.changed_on_disk
    assert later.merge_disk() is None
    later.save()
    assert assets(later) == ["props/chest.gltf", "props/lamp.gltf"]
    later.close()


def test_a_journal_that_began_anew_after_a_move_stands_on_the_moved_file(project, document) -> None:
    document.rename_asset("props/crate.gltf", "chest.gltf")
    # What an unpacked node was can't be written as a step.
    document.unpack([named(document, "a")])
    document.rename(named(document, "b"), "bee")
    expected = document.app.level_file.draft_bytes()
    crash(document)
    later = LevelDocument()
    later.recover(later.recoverable()[0])
    assert later.app.level_file.draft_bytes() == expected
    assert not later.changed_on_disk
    later.save()
    assert (project / "yard.scene").read_bytes() == expected
    later.close()


def test_what_somebody_else_wrote_beside_a_move_is_merged_after_a_crash(project, document) -> None:
    document.rename_asset("props/crate.gltf", "chest.gltf")
    document.delete([named(document, "b")])
    crash(document)
    yard = project / "yard.scene"
    yard.write_text(yard.read_text().replace('Name text="c"', 'Name text="theirs"'))
    later = LevelDocument()
    later.recover(later.recoverable()[0])
    later.save()
    assert 'text="theirs"' in yard.read_text()
    assert 'text="b"' not in yard.read_text()
    assert "props/crate.gltf" not in yard.read_text()
    later.close()


def test_files_that_go_with_an_asset(project, document) -> None:
    document.contents.read()
    names = [p.name for p in document.files_of("props/crate.gltf")]
    assert names == ["crate.gltf", "crate.bin", "colormap.png"]
    write_pack(project / "props", "box", PNG)
    document.contents.read()
    assert [p.name for p in document.files_of("props/crate.gltf")] == ["crate.gltf", "crate.bin"]


def test_saving_elsewhere_takes_along_what_kept_records_name(project, document, tmp_path) -> None:
    target = tmp_path / "away"
    target.mkdir()
    (target / "project.json").write_text("{}")
    (target / "props").mkdir()
    (target / "props/crate.gltf").write_text("in the way")
    document.save(target / "yard.scene")
    text = (target / "yard.scene").read_text()
    assert 'Quest prize="props-2/crate.gltf"' in text
    assert 'asset="props-2/crate.gltf"' in text
    assert (target / "props-2/crate.gltf").is_file()
    assert document.missing_assets() == []


def test_one_user_of_many_gets_a_file_of_its_own(project, document) -> None:
    first = next(e for e in document.asset_users("props/crate.gltf") if document.label(e) == "a")
    steps = document.history.index
    assert document.make_unique([first], "props/crate.gltf") == "props/crate-2.gltf"
    assert document.history.index == steps + 1
    assert document.world.get(first, GltfInstance).asset == "props/crate-2.gltf"
    assert document.asset_user_count("props/crate.gltf") == 1
    assert document.app.assets.get("props/crate-2.gltf").error == ""
    assert (project / "other.scene").read_text() == OTHER
    document.undo()
    assert not (project / "props/crate-2.gltf").exists()
    assert document.asset_user_count("props/crate.gltf") == 2
    document.redo()
    assert document.asset_users("props/crate-2.gltf") == [first]


def test_a_file_of_its_own_that_was_changed_stays_and_redo_goes_on_with_it(
    project, document
) -> None:
    first = next(e for e in document.asset_users("props/crate.gltf") if document.label(e) == "a")
    document.make_unique([first], "props/crate.gltf")
    document.rename(first, "mine")
    copy = project / "props/crate-2.gltf"
    copy.write_text(copy.read_text().replace("Arm", "Limb"))
    changed = copy.read_bytes()
    for _ in range(2):
        document.undo()
        document.undo()
        assert document.asset_user_count("props/crate.gltf") == 2
        assert copy.read_bytes() == changed
        document.redo()
        document.redo()
        assert document.asset_users("props/crate-2.gltf") == [first]
        assert document.label(first) == "mine"
        assert copy.read_bytes() == changed


def test_files_come_into_a_folder_with_their_side_files(project, document, tmp_path) -> None:
    pack = write_pack(tmp_path / "outside" / "Town", "shop")
    (project / "sets").mkdir()
    assert document.import_into([pack], "sets") == ["sets/shop.gltf"]
    assert {"sets/shop.bin", "sets/Textures/colormap.png"} <= files(project)
    # Another picture of the same name is in the way: the unit goes into a folder of its own.
    other = write_pack(tmp_path / "outside" / "Farm", "barn", colour=PNG + b"x")
    assert document.import_into([other], "sets") == ["sets/Farm/barn.gltf"]
    assert document.import_into([tmp_path / "outside"], "") == ["outside"]
    assert "outside/Farm/Textures/colormap.png" in files(project)
    assert document.import_into([tmp_path / "outside"], "") == ["outside"]
    with pytest.raises(AssetError, match="holds the project itself"):
        document.import_into([project], "sets")


def test_a_level_comes_with_all_that_it_uses(project, document, tmp_path_factory) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    write_pack(other / "town", "shop")
    (other / "project.json").write_text("{}")
    (other / "sets").mkdir()
    (other / "sets/street.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="a"\n  SceneInstance level="sets/shop.scene"\n'
        'entity 1\n  Name text="b"\n  GltfInstance asset="gone.glb"\n'
    )
    (other / "sets/shop.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="a"\n  GltfInstance asset="town/shop.gltf"\n'
        'entity 1\n  Name text="b"\n  SceneInstance level="sets/street.scene"\n'
    )
    before = files(project)
    assert document.import_into([other / "sets/street.scene"], "props") == ["props/street.scene"]
    assert files(project) - before == {
        "props/street.scene", "sets/shop.scene", "town/shop.gltf", "town/shop.bin",
        "town/Textures/colormap.png",
    }  # fmt: skip
    assert document.import_asset(other / "sets/street.scene") == "sets/street.scene"
    assert document.import_asset(other / "sets/street.scene") == "sets/street.scene"
    (project / "town/shop.gltf").write_text("{}")
    (project / "props/street.scene").unlink()
    before = files(project)
    with pytest.raises(AssetError, match=r"uses town/shop\.gltf, where this"):
        document.import_into([other / "sets/street.scene"], "")
    (other / "sets/street.scene").write_text("no level")
    with pytest.raises(AssetError, match=r"street\.scene: "):
        document.import_into([other / "sets/street.scene"], "")
    assert files(project) == before


def test_favourites_are_the_user_s_and_follow_a_move(project, document) -> None:
    document.set_favourite("props/crate.gltf", True)
    document.rename_asset("props/crate.gltf", "chest.gltf")
    assert document.favourites == {"props/chest.gltf"}
    document.undo()
    later = LevelDocument()
    later.open(project / "yard.scene")
    assert later.favourites == {"props/crate.gltf"}
    later.close()


@pytest.mark.parametrize("seed", range(4))
def test_random_moves_lose_nothing_and_are_taken_back_exactly(project, document, seed) -> None:
    rng = random.Random(seed)
    write_pack(project / "props", "box")
    write_pack(project / "sets" / "Farm", "barn", colour=PNG + b"x")
    (project / "other.scene").write_text(
        OTHER
        + 'entity 2\n  GltfInstance asset="sets/Farm/barn.gltf"\n'
        + 'entity 3\n  MaterialOverride base_color_texture="props/Textures/colormap.png"\n'
    )
    first = {path: (project / path).read_bytes() for path in files(project)}
    refused = 0
    for number in range(40):
        things = sorted(p for p in files(project) if not p.endswith((".bin", ".json")))
        folders = sorted({p.rpartition("/")[0] for p in things} - {""})
        chosen = rng.choice([*things, *folders])
        try:
            act = rng.randrange(4)
            if act == 0:
                document.rename_asset(chosen, f"n{number}{Path(chosen).suffix}")
            elif act == 1:
                document.move_assets([chosen], rng.choice(["", "new", *folders]))
            elif act == 2 and document.history.can_undo:
                document.undo()
            elif act == 3 and document.history.can_redo:
                document.redo()
        except AssetError:
            refused += 1
        assert document.missing_assets() == []
        assert not document.changed_on_disk
        document.contents.read()
        for path, content in document.contents.files.items():
            assert content.missing == (), path
            for used in content.uses or ():
                assert (project / used).is_file(), (path, used)
    assert refused < 40
    while document.history.can_undo:
        document.undo()
    assert {path: (project / path).read_bytes() for path in files(project)} == first
    assert not document.dirty


def test_a_placed_level_shows_its_props_where_they_are_now(project, document) -> None:
    (project / "inner.scene").write_text(
        'cinder-scene 2\nentity 0\n  Name text="Inner"\n  GltfInstance asset="props/crate.gltf"\n'
    )
    root = document.place("inner.scene")
    inner = node(document, root, "Inner")
    for act, asset in (
        (lambda: document.rename_asset("props/crate.gltf", "chest.gltf"), "props/chest.gltf"),
        (document.undo, "props/crate.gltf"),
        (document.redo, "props/chest.gltf"),
    ):
        act()
        assert document.world.get(inner, GltfInstance).asset == asset
        assert node(document, root, "Inner/Body/Arm")
        assert document.missing_assets() == []


def test_what_somebody_else_wrote_to_the_level_is_not_taken_for_the_move(project, document) -> None:
    path = project / "yard.scene"
    path.write_text(path.read_text() + 'entity 3\n  Name text="Theirs"\n')
    document.rename_asset("props/crate.gltf", "chest.gltf")
    assert document.changed_on_disk
    document.merge_disk()
    assert "Theirs" in [document.label(entity) for entity in document.children(None)]
    assert assets(document) == ["props/chest.gltf", "props/lamp.gltf"]


def test_a_file_that_this_level_does_not_name_leaves_nothing_to_save(project, document) -> None:
    write_prop(project / "props", "oven")
    other = OTHER + 'entity 2\n  GltfInstance asset="props/oven.gltf"\n'
    (project / "other.scene").write_text(other)
    assert document.rename_asset("props/oven.gltf", "stove.gltf") == ["other.scene"]
    assert "props/stove.gltf" in (project / "other.scene").read_text()
    assert not document.dirty
    document.undo()
    assert (project / "props/oven.gltf").is_file()
    assert not document.dirty
    document.rename_asset("props/crate.gltf", "chest.gltf")
    assert document.dirty, "this one it names"
    document.undo()
    assert not document.dirty


def test_another_file_under_the_name_of_one_that_moved_away_is_shown(project, document) -> None:
    write_prop(project / "props", "box", nodes=[{"name": "Shade", "mesh": 0}])
    document.place("props/box.gltf")
    document.rename_asset("props/crate.gltf", "chest.gltf")
    document.rename_asset("props/box.gltf", "crate.gltf")
    placed = document.place("props/crate.gltf")
    assert [path for _, path in document.nodes_of(placed)] == ["Shade"]
    chest = document.place("props/chest.gltf")
    assert [path for _, path in document.nodes_of(chest)] == ["Body", "Body/Arm"]

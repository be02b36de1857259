"""Assets that are missing, found again, and everything that names them."""

from editor.document import LevelDocument
from engine.scene import Environment, GltfInstance, Name
from tests.editor.document.moves.conftest import OTHER, assets
from tests.editor.document.props import PNG, picture, write_pack, write_prop


def test_a_missing_asset_is_found_by_content_then_by_name(project, document) -> None:
    document.contents.read()
    (project / "sets").mkdir()
    (project / "props/lamp.gltf").rename(project / "sets/light.gltf")
    write_prop(project / "sets", "lamp", nodes=[{"name": "other"}])
    document.contents.read()
    assert document.missing_assets() == ["props/lamp.gltf"]
    assert document.relink_candidates("props/lamp.gltf") == ["sets/light.gltf", "sets/lamp.gltf"]


def test_content_is_remembered_by_the_next_session(project, document) -> None:
    document.contents.read()
    document.close()
    (project / "props/lamp.gltf").rename(project / "light.gltf")
    later = LevelDocument()
    later.open(project / "yard.scene")
    later.contents.read()
    assert later.relink_candidates("props/lamp.gltf") == ["light.gltf"]
    later.close()


def test_a_relink_changes_all_users_here_and_elsewhere(project, document) -> None:
    (project / "other.scene").write_text(
        OTHER + 'entity 2\n  GltfInstance asset="props/lamp.gltf"\n'
    )
    (project / "props/crate.gltf").unlink()
    before = (project / "other.scene").read_text()
    assert document.relink("props/crate.gltf", "props/lamp.gltf") == ["other.scene"]
    assert assets(document) == ["props/lamp.gltf"]
    assert (project / "other.scene").read_text() == before.replace("props/crate", "props/lamp")
    document.undo()
    # Who named the other file all along still does.
    assert (project / "other.scene").read_text() == before
    assert document.uses.count("props/crate.gltf") == 2


def test_uses_follow_every_kind_of_step(project, document) -> None:
    world = document.world
    first = document.uses.users("props/crate.gltf")[0]
    assert document.asset_user_count("props/crate.gltf") == 2
    copy = document.duplicate([first])[0]
    assert document.asset_user_count("props/crate.gltf") == 3
    document.delete([copy])
    document.set_fields([first], GltfInstance, asset="props/lamp.gltf")
    assert document.asset_user_count("props/crate.gltf") == 1
    document.undo()
    document.undo()
    assert document.uses.users("props/crate.gltf")[-1] == copy
    look = document.spawn(Name("look"), Environment(image="sky.hdr"))
    assert document.asset_users("sky.hdr") == [look]
    document.rename(look, "x")
    assert document.missing_assets() == ["sky.hdr"]
    fresh = type(document.uses)(world, document.registry)
    assert {a: fresh.count(a) for a in fresh.assets()} == {
        a: document.uses.count(a) for a in document.uses.assets()
    }


def test_other_levels_are_listed_with_their_users(project, document) -> None:
    document.contents.read()
    assert document.other_levels_using("props/crate.gltf") == {"other.scene": 2}
    assert document.is_used("props/Textures/colormap.png")
    assert not document.is_used("other.scene")
    assert document.is_used("props/lamp.gltf")
    files = document.contents.files
    assert document.used_files() & files.keys() == {f for f in files if document.is_used(f)}


def test_a_large_level_is_searched_for_names_without_reading_its_records(
    project, document, monkeypatch
) -> None:
    from editor.document import project_reading

    document.contents.read()
    exact = document.other_levels_using("props/crate.gltf")
    monkeypatch.setattr(project_reading, "LARGE_LEVEL", 10)
    (project / "other.scene").write_text(OTHER + "\n")
    document.contents.read()
    assert document.other_levels_using("props/crate.gltf") == exact
    document.rename_asset("props/crate.gltf", "chest.gltf")
    assert (project / "other.scene").read_text() == OTHER.replace("props/crate", "props/chest") + (
        "\n"
    )


def test_nothing_is_looked_at_after_the_end(project, document) -> None:
    contents = document.contents
    contents.refresh()
    contents.refresh()
    contents.close()
    assert not contents.poll()
    contents.refresh()
    assert not contents.poll()


def test_what_was_renamed_before_a_save_elsewhere_stays_found_after_an_undo(
    document, prop, tmp_path
) -> None:
    document.place(prop)
    [asset] = document.uses.assets()
    document.rename_asset(asset, "chest.gltf")
    document.rename_asset("props/Town", "Village")
    document.undo()
    document.save(tmp_path / "away" / "a.scene")
    for _ in range(2):
        assert document.missing_assets() == []
        document.undo()
    document.redo()
    document.redo()
    document.redo()
    assert document.uses.assets() == ["props/Town/chest.gltf"]
    assert document.missing_assets() == []


def test_content_is_that_of_all_files_of_an_asset(project, document) -> None:
    """Packs hold models of equal bytes that show pictures of other content."""
    other = write_pack(project / "other", colour=picture((9, 9, 9, 255)))
    other.rename(other.with_name("chest.gltf"))
    document.contents.read()
    (project / "props/crate.gltf").unlink()
    document.contents.read()
    assert document.relink_candidates("props/crate.gltf") == []
    (project / "other/Textures/colormap.png").write_bytes(PNG)
    document.contents.read()
    assert document.relink_candidates("props/crate.gltf") == ["other/chest.gltf"]


def test_content_of_another_kind_stands_for_nothing(project, document) -> None:
    data = (project / "props/lamp.gltf").read_bytes()
    (project / "lamp.glb").write_bytes(data)
    (project / "light.glb").write_bytes(data)
    document.contents.read()
    (project / "props/lamp.gltf").unlink()
    document.contents.read()
    assert document.relink_candidates("props/lamp.gltf") == []


def test_a_picture_that_a_level_names_is_not_the_model_s_alone(project, document) -> None:
    document.contents.read()
    picture_path = project / "props/Textures/colormap.png"
    assert picture_path in document.files_of("props/crate.gltf")
    (project / "third.scene").write_text(
        "cinder-scene 2\nentity 0\n"
        '  MaterialOverride base_color_texture="props/Textures/colormap.png"\n'
    )
    document.contents.read()
    assert picture_path not in document.files_of("props/crate.gltf")

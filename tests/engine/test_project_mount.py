"""Going over to another project with what is shown, and reading it before."""

import shutil

import pytest

from engine.app import App
from engine.scene import LocalTransform, MeshRenderer
from engine.scene.instances import find_node
from tests.engine.scene.instance_stage import ARM, write_asset
from tests.engine.scene.level_stage import ARM_PATH, ROOM, SHELF, Project
from tests.engine.scene.test_instance_growth import opened, root_of, shown
from tests.engine.test_app_files import Store


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    return Project(folder)


@pytest.fixture
def other(tmp_path, project):
    """A copy of the project."""
    opened(project, is_changed=True).close()
    return shutil.copytree(project.folder, tmp_path / "other")


@pytest.fixture
def app(project, other):
    app = App(project.folder, Store())
    app.load(project.folder / "house.scene")
    app.settle()
    app.frame(0.0)
    yield app
    app.close()
    app.attach(None)
    assert app.renderer is None


def nodes_of(app):
    return {key: find_node(app.world, root_of(app, key), key[1]) for key in shown(app)}


def without_ids(found):
    """Return what is shown but for the ids of meshes and materials."""
    return {
        key: {name: said for name, said in values.items() if name != MeshRenderer.__name__}
        for key, values in found.items()
    }


def expect_drawn(app):
    """Expect that all that is drawn is there still."""
    app.frame(0.0)
    ids = [app.world.get(e, MeshRenderer) for e in app.world.entities() if has_mesh(app, e)]
    assert ids
    assert {value.mesh for value in ids} <= app.renderer.meshes.keys()
    assert {value.material for value in ids} <= app.renderer.materials.keys()


def has_mesh(app, entity):
    return app.world.has(entity, MeshRenderer)


@pytest.mark.parametrize("is_prepared", [False, True])
def test_the_same_files_elsewhere_leave_every_node_what_it_is(app, other, is_prepared):
    before, nodes = without_ids(shown(app)), nodes_of(app)
    if is_prepared:
        app.prepare_mount(other, ["house.scene", "room.scene", "arm.gltf", "lost.glb"])
        while app.is_loading:
            app.frame(0.0)
            assert without_ids(shown(app)) == before
    app.mount_assets(other)
    app.settle() if not is_prepared else app.realise()
    assert app.root == other
    assert nodes_of(app) == nodes
    assert without_ids(shown(app)) == before
    assert app.realiser.issues == {}
    expect_drawn(app)


def test_frames_may_come_before_the_files_elsewhere_are_read(app, other):
    before = without_ids(shown(app))
    app.mount_assets(other)
    app.frame(0.0)
    app.settle()
    assert without_ids(shown(app)) == before
    expect_drawn(app)


def test_what_is_another_file_there_shows_as_after_a_reload(app, other, project):
    moved = SHELF.replace("[1.0,0.0,0.0]", "[4.0,0.0,0.0]")
    (other / "shelf.scene").write_text(moved)
    write_asset(other / "arm.gltf", [ARM[0], {**ARM[1], "translation": [2, 0, 0]}, *ARM[2:]])
    nodes = nodes_of(app)
    app.mount_assets(other)
    app.settle()
    fresh = App(other)
    fresh.load(other / "house.scene")
    fresh.settle()
    assert without_ids(shown(app)) == without_ids(shown(fresh))
    assert nodes_of(app) == nodes
    fresh.close()
    expect_drawn(app)
    # And what changes there is followed.
    (other / "room.scene").write_text(ROOM.replace("[2.0,2.0,2.0]", "[3.0,3.0,3.0]"))
    app.check_for_changes(force=True)
    app.settle()
    arm = find_node(app.world, app.level_file.entity_at(0), ARM_PATH)
    assert app.world.get(arm, LocalTransform).scale.tolist() == [3, 3, 3]


def test_what_was_read_ahead_is_let_go_of(app, other, project):
    count = app.renderer.count()
    app.prepare_mount(other, ["arm.gltf"])
    while app.is_loading:
        app.frame(0.0)
    assert app.renderer.count() != count
    app.drop_mount()
    assert app.renderer.count() == count
    app.prepare_mount(other, ["arm.gltf", "room.scene"])
    app.load(project.folder / "room.scene")
    app.settle()
    app.frame(0.0)
    assert not app.is_loading
    app.prepare_mount(project.folder, ["arm.gltf"])
    assert not app.is_loading

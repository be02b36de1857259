"""Realised nodes and shapes get meshes, materials and lights, and give them back."""

from engine.reflect import Kind
from engine.scene import (
    GltfInstance,
    GltfMesh,
    InstanceNode,
    KeptRecords,
    LocalTransform,
    MeshRenderer,
    Shape,
    children,
)
from tests.engine.scene.instance_stage import ARM


class Store:
    """A renderer that only counts."""

    def __init__(self) -> None:
        self.meshes: set[int] = set()
        self.materials: set[int] = set()
        self._next = 0

    @property
    def resources(self) -> "Store":
        return self

    def _give(self, into: set[int]) -> int:
        self._next += 1
        into.add(self._next)
        return self._next

    def add_mesh(self, mesh: object) -> int:
        return self._give(self.meshes)

    def add_material(self, material: object) -> int:
        return self._give(self.materials)

    def remove_mesh(self, mesh: int) -> None:
        self.meshes.remove(mesh)

    def remove_material(self, material: int) -> None:
        self.materials.remove(material)


def test_attaching_a_renderer_later_gives_every_node_its_ids(stage):
    root = stage.place()
    shape = stage.world.spawn(Shape("sphere"))
    lost = stage.place("gone.glb")
    stage.realiser.sync()
    body = stage.node(root, "Body")
    assert stage.world.get(body, MeshRenderer).mesh == -1
    assert stage.world.get(shape, MeshRenderer).mesh == -1
    store = Store()
    stage.library.attach(store)
    stage.realiser.attach(store)
    box = children(stage.world, lost)[0]
    for entity in (body, shape, box):
        drawn = stage.world.get(entity, MeshRenderer)
        assert drawn.mesh in store.meshes
        assert drawn.material in store.materials
    assert stage.node(root, "Body") == body


def test_a_node_draws_its_own_mesh_again_when_a_shape_over_it_is_reverted(stage):
    store = Store()
    stage.library.attach(store)
    stage.realiser.attach(store)
    root = stage.place()
    body = stage.node(root, "Body")
    before = stage.world.get(body, MeshRenderer)
    stage.override(body, "Shape", kind=(Kind.STRING, "sphere"))
    stage.realiser.sync()
    assert stage.world.get(body, MeshRenderer).mesh != before.mesh
    stage.world.remove(body, KeptRecords)
    stage.world.remove(body, InstanceNode)
    stage.realiser.sync()
    assert not stage.world.has(body, Shape)
    assert stage.world.get(body, MeshRenderer) == before


def test_a_reload_frees_what_the_old_asset_had_uploaded(stage):
    store = Store()
    stage.library.attach(store)
    stage.realiser.attach(store)
    root = stage.place()
    before = len(store.meshes)
    stage.rewrite(ARM)
    stage.library.release_retired()
    assert len(store.meshes) == before
    assert stage.world.get(stage.node(root, "Body"), MeshRenderer).mesh in store.meshes


def test_a_shape_draws_its_mesh_in_its_colour_and_stops_with_the_component(stage):
    store = Store()
    stage.realiser.attach(store)
    world = stage.world
    red, blue = world.spawn(Shape("box", (1, 0, 0))), world.spawn(Shape("box", (0, 0, 1)))
    stage.realiser.sync()
    one, two = world.get(red, MeshRenderer), world.get(blue, MeshRenderer)
    assert one.mesh == two.mesh
    assert one.material != two.material
    world.set(blue, Shape("cone", (1, 0, 0), cast_shadows=False))
    stage.realiser.sync()
    changed = world.get(blue, MeshRenderer)
    assert changed.mesh != one.mesh
    assert changed.material == one.material
    assert not changed.cast_shadows
    assert two.material not in store.materials
    world.remove(red, Shape)
    stage.realiser.sync()
    assert not world.has(red, MeshRenderer)


def test_a_prop_that_is_being_read_does_not_look_like_a_missing_one(stage):
    store = Store()
    stage.library.attach(store)
    stage.realiser.attach(store)
    world = stage.world
    root = world.spawn(LocalTransform(), GltfInstance("gone.glb"))
    stage.realiser.sync()
    waiting = world.get(children(world, root)[0], MeshRenderer)
    stage.realiser.settle()
    missing = world.get(children(world, root)[0], MeshRenderer)
    assert waiting.mesh == missing.mesh
    assert waiting.material != missing.material


def test_a_single_node_of_a_file_that_is_being_read_looks_like_a_prop_that_is(stage):
    store = Store()
    stage.library.attach(store)
    stage.realiser.attach(store)
    world = stage.world
    root = world.spawn(LocalTransform(), GltfInstance("gone.glb"))
    alone = world.spawn(LocalTransform(), GltfMesh("gone.glb", "Body"))
    stage.realiser.sync()
    assert world.get(alone, MeshRenderer) == world.get(children(world, root)[0], MeshRenderer)
    stage.realiser.settle()
    assert world.get(alone, MeshRenderer) == world.get(children(world, root)[0], MeshRenderer)
    assert "no such file" in stage.realiser.issues[alone]

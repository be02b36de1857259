"""The bridge: a scene after `build` is the scene that filling it anew would give."""

import tracemalloc

import numpy as np
import pytest

from engine.ecs import QuerySpec, World
from engine.math import compose, look_at
from engine.reflect import Entity
from engine.render.scene import Camera, RenderInstance, RenderLight, SkyGradient
from engine.scene import (
    CameraComponent,
    Enabled,
    Environment,
    JointPalette,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Parent,
    RenderBridge,
    WorldTransform,
    build_render_scene,
    mark_dirty,
    propagate_transforms,
)
from tests.engine.scene.conftest import empty_scene
from tests.garbage import collect_garbage


def content(scene):
    """Everything that a picture depends on, comparable."""
    instances = [
        (
            view.mesh,
            view.material,
            view.world_from_local.tobytes(),
            view.cast_shadows,
            view.entity,
            scene.joints.array[view.joint_offset :].tobytes() if view.joint_offset >= 0 else None,
            view.joint_offset,
            view.morph_offset,
            view.morph_weights.tobytes(),
        )
        for view in scene.instances
    ]
    names = ["kind", "color", "intensity", "range", "inner_angle", "outer_angle"]
    names += ["cast_shadows", "position", "direction", "entity"]
    lights = [
        tuple(np.asarray(getattr(view, name)).tolist() for name in names) for view in scene.lights
    ]
    camera = scene.camera
    look = (
        np.asarray(scene.ambient, np.float32).tolist(),
        np.asarray(scene.background, np.float32).tolist(),
        scene.environment,
        scene.exposure,
        scene.tonemap,
        scene.sky,
    )
    placed = (camera.world_from_view.tobytes(), camera.fov_y, camera.near, camera.aspect)
    return instances, lights, scene.joints.array.tobytes(), placed, look


def fresh(world):
    scene = empty_scene()
    build_render_scene(world, scene)
    return content(scene)


def drawn(world, *more, mesh=1):
    return world.spawn(MeshRenderer(mesh, 2), LocalTransform(), *more)


def test_the_example_of_the_guide(world, scene):
    world.spawn(LocalTransform(), MeshRenderer(3, 4, False))
    angle = -0.6
    turned = LocalTransform(rotation=(np.sin(angle), 0, 0, np.cos(angle)))
    world.spawn(turned, LightSource("directional", (1, 1, 1), 3.0, cast_shadows=True))
    eye = np.linalg.inv(look_at((0, 2, 5), (0, 0, 0)))
    world.spawn(LocalTransform.from_matrix(eye), CameraComponent(0.9, 0.1, True))
    propagate_transforms(world)
    assert build_render_scene(world, scene) == 1
    assert len(scene.instances) == 1
    assert not scene.instances[0].cast_shadows
    assert len(scene.lights) == 1
    assert scene.camera.position.tolist() == pytest.approx([0, 2, 5], abs=1e-5)
    assert scene.camera.forward == pytest.approx(np.array([0, -2, -5]) / np.sqrt(29), abs=1e-5)


def test_without_a_world_transform_or_a_mesh_there_is_no_instance(world, scene):
    world.spawn(MeshRenderer(1, 1))
    drawn(world, mesh=-1)
    shown = drawn(world)
    propagate_transforms(world)
    world.remove(shown, WorldTransform)
    assert build_render_scene(world, scene) == 0
    propagate_transforms(world)
    assert build_render_scene(world, scene) == 1


def test_an_instance_carries_what_its_entity_says(world, scene):
    entity = world.spawn(LocalTransform((1, 2, 3)), MeshRenderer(5, 6, False))
    propagate_transforms(world)
    build_render_scene(world, scene)
    view = scene.instances[0]
    assert (view.mesh, view.material, view.cast_shadows, view.entity) == (5, 6, False, entity)
    assert view.world_from_local[:3, 3].tolist() == [1, 2, 3]
    assert (view.joint_offset, len(view.morph_weights)) == (-1, 0)


def test_what_is_off_takes_no_part_with_all_below(world, scene):
    bridge = RenderBridge()
    top = drawn(world)
    below = drawn(world, Parent(top))
    lamp = world.spawn(LightSource(), LocalTransform(), Parent(below))
    other = drawn(world)
    propagate_transforms(world)
    assert bridge.build(world, scene) == 3
    world.add(top, Enabled(False))
    assert bridge.build(world, scene) == 1
    assert scene.instances[0].entity == other
    assert len(scene.lights) == 0
    world.set(top, Enabled(True))
    world.add(lamp, Enabled(False))
    assert bridge.build(world, scene) == 3
    assert len(scene.lights) == 0
    world.remove(lamp, Enabled)
    bridge.build(world, scene)
    assert len(scene.lights) == 1


def test_palettes_are_appended_and_weights_copied(world, scene):
    matrices = np.arange(64, dtype=np.float32).reshape(4, 4, 4)
    drawn(world, JointPalette(matrices[:1], [0.5]))
    drawn(world)
    drawn(world, JointPalette(matrices[1:], []))
    drawn(world, JointPalette([], [0.25, 0.75]))
    propagate_transforms(world)
    build_render_scene(world, scene)
    offsets = {}
    for view in scene.instances:
        offsets[view.entity & 0xFFFF] = (view.joint_offset, view.morph_weights.tolist())
    assert offsets == {0: (0, [0.5]), 1: (-1, []), 2: (1, []), 3: (-1, [0.25, 0.75])}
    assert np.array_equal(scene.joints.array, matrices)


def test_a_palette_that_moves_is_rewritten_and_one_that_grows_shifts_the_rest(world, scene):
    bridge = RenderBridge()
    first = drawn(world, JointPalette(np.zeros((2, 4, 4)), [0.0]))
    drawn(world, JointPalette(np.ones((1, 4, 4)), [1.0]))
    propagate_transforms(world)
    bridge.build(world, scene)
    for palette in (
        JointPalette(np.full((2, 4, 4), 7), [0.5]),
        JointPalette(np.full((3, 4, 4), 8), [0.5, 0.5]),
        JointPalette([], []),
    ):
        world.set(first, palette)
        bridge.build(world, scene)
        assert content(scene) == fresh(world)


def test_only_rows_that_moved_are_reported(world, scene):
    bridge = RenderBridge()
    entities = [drawn(world) for _ in range(6)]
    world.add(entities[2], MeshRenderer(-1, -1))
    propagate_transforms(world)
    bridge.build(world, scene)
    serial = scene.instances.serial
    for entity in (entities[1], entities[2], entities[4]):
        world.set(entity, LocalTransform((0, 1, 0)))
    propagate_transforms(world)
    bridge.build(world, scene)
    changes = scene.instances.changes_since(serial)
    assert not changes.everything
    assert np.concatenate(changes.moved).tolist() == [1, 3]
    assert content(scene) == fresh(world)


def test_when_nothing_changed_nothing_is_copied_or_kept(world, scene):
    bridge = RenderBridge()
    world.spawn(LightSource(), LocalTransform())
    world.spawn(CameraComponent(), LocalTransform())
    world.spawn(Environment())
    for _ in range(500):
        drawn(world)
    propagate_transforms(world)
    bridge.build(world, scene)
    bridge.build(world, scene)
    before = scene.instances.serial, scene.lights.version, scene.joints.version, scene.camera
    collect_garbage()
    tracemalloc.start()
    bridge.build(world, scene)
    grown = []
    for _ in range(5):
        start = tracemalloc.get_traced_memory()[0]
        bridge.build(world, scene)
        grown.append(tracemalloc.get_traced_memory()[0] - start)
    tracemalloc.stop()
    # What a build keeps it keeps each time; what another thread takes meanwhile comes once.
    assert min(grown) <= 512
    after = scene.instances.serial, scene.lights.version, scene.joints.version, scene.camera
    assert after == before


def test_a_scene_that_was_edited_in_between_is_put_right(world, scene):
    bridge = RenderBridge()
    drawn(world, JointPalette(np.zeros((2, 4, 4)), [0.5]))
    drawn(world)
    world.spawn(LightSource("point"), LocalTransform())
    world.spawn(CameraComponent(0.5), LocalTransform((0, 0, 9)))
    world.spawn(Environment(exposure=2.0))
    propagate_transforms(world)
    bridge.build(world, scene)
    wanted = content(scene)

    def replace_camera():
        scene.camera = Camera.look_at((9, 9, 9), (0, 0, 0))

    def replace_look():
        scene.ambient, scene.exposure, scene.sky = (9, 9, 9), 7.0, "plain"
        scene.environment, scene.tonemap = SkyGradient((0, 0, 0)), "none"

    edits = [
        lambda: scene.instances.append(RenderInstance(1, 1)),
        lambda: scene.instances.clear(),
        lambda: scene.instances.__delitem__(0),
        lambda: setattr(scene.instances[0], "world_from_local", np.zeros((4, 4))),
        lambda: setattr(scene.instances[1], "mesh", 99),
        lambda: scene.lights.append(RenderLight()),
        lambda: scene.lights.clear(),
        lambda: setattr(scene.lights[0], "kind", "spot"),
        lambda: scene.joints.append(np.eye(4)),
        lambda: scene.joints.clear(),
        lambda: scene.morph_weights.clear(),
        lambda: scene.clear(),
        replace_camera,
        replace_look,
    ]
    for edit in edits:
        edit()
        assert bridge.build(world, scene) == 2
        assert content(scene) == wanted


def test_one_bridge_serves_several_scenes_and_worlds(world, scene):
    bridge = RenderBridge()
    drawn(world)
    propagate_transforms(world)
    other_world, other_scene = World(), empty_scene()
    for mesh in (4, 5):
        drawn(other_world, mesh=mesh)
    propagate_transforms(other_world)
    for _ in range(2):
        assert bridge.build(world, scene) == 1
        assert content(scene) == fresh(world)
        assert bridge.build(other_world, scene) == 2
        assert content(scene) == fresh(other_world)
        assert bridge.build(other_world, other_scene) == 2
        assert content(other_scene) == content(scene)


def test_writing_into_columns_shows(world, scene):
    bridge = RenderBridge()
    for _ in range(3):
        drawn(world)
    propagate_transforms(world)
    bridge.build(world, scene)
    (table,) = (t for t in QuerySpec(MeshRenderer).tables(world) if len(t))
    table.column(MeshRenderer, "mesh")[1] = 42
    table.column(WorldTransform, "matrix")[2, 0, 3] = 5.0
    bridge.build(world, scene)
    assert scene.instances[1].mesh == 42
    assert content(scene) == fresh(world)
    table.column(MeshRenderer, "mesh")[1] = -1
    assert bridge.build(world, scene) == 2


def random_step(world, entities, rng):
    """One random edit of a world."""
    alive = [e for e in entities if world.alive(e)]
    entity = alive[int(rng.integers(len(alive)))] if alive else None
    choice = int(rng.integers(12))
    if choice <= 2 or entity is None:
        parts = [MeshRenderer(int(rng.integers(-1, 5)), 1, bool(rng.integers(2)))]
        parts += [JointPalette(rng.random((int(rng.integers(3)), 4, 4)), rng.random(2))][
            : int(rng.integers(2))
        ]
        parts += [LightSource("point", rng.random(3))][: int(rng.integers(2))]
        parts += [Name("x")][: int(rng.integers(2))]
        entities.append(world.spawn(LocalTransform(rng.random(3)), *parts))
    elif choice == 3:
        world.despawn(entity)
    elif choice == 4:
        world.add(entity, Enabled(bool(rng.integers(2))))
    elif choice == 5:
        world.add(entity, MeshRenderer(int(rng.integers(-1, 5)), 2))
    elif choice == 6:
        world.add(entity, Parent(alive[int(rng.integers(len(alive)))]))
    elif choice == 7:
        world.add(entity, JointPalette(rng.random((int(rng.integers(3)), 4, 4)), ()))
    elif choice == 8 and world.has(entity, LightSource):
        world.remove(entity, LightSource)
    elif choice == 9:
        world.add(entity, CameraComponent(float(rng.random()) + 0.1, 0.1, bool(rng.integers(2))))
    elif choice == 10:
        world.add(entity, Environment(exposure=float(rng.random())))
    else:
        world.set(entity, LocalTransform(rng.random(3), rng.random(4)))


@pytest.mark.parametrize("seed", range(6))
def test_after_any_edits_the_scene_is_what_filling_it_anew_gives(seed, world):
    rng = np.random.default_rng(seed)
    bridge, scene, entities = RenderBridge(), empty_scene(), []
    for _ in range(120):
        for _ in range(int(rng.integers(4))):
            random_step(world, entities, rng)
        propagate_transforms(world)
        had_camera, had_look = scene.camera, scene.exposure
        bridge.build(world, scene)
        anew = empty_scene()
        anew.camera, anew.exposure = had_camera, had_look
        for name in ("ambient", "background", "environment", "tonemap", "sky"):
            setattr(anew, name, getattr(scene, name))
        build_render_scene(world, anew)
        assert content(scene) == content(anew)


def test_a_marked_transform_moves_its_instance(world, scene):
    bridge = RenderBridge()
    entity = drawn(world)
    drawn(world)
    propagate_transforms(world)
    bridge.build(world, scene)
    (table,) = (t for t in QuerySpec(LocalTransform).tables(world) if len(t))
    table.column(LocalTransform, "translation")[0] = (0, 0, 8)
    mark_dirty(world, Entity(entity))
    propagate_transforms(world)
    bridge.build(world, scene)
    assert scene.instances[0].world_from_local[2, 3] == 8
    assert compose((0, 0, 8), (0, 0, 0, 1), (1, 1, 1)).tolist() == (
        scene.instances[0].world_from_local.tolist()
    )


def test_what_the_viewer_hides_is_left_out_but_not_the_camera_or_the_look(world, scene):
    bridge = RenderBridge()
    top = drawn(world)
    below = drawn(world, Parent(top))
    lamp = world.spawn(LightSource(), LocalTransform())
    eye = world.spawn(CameraComponent(0.5), LocalTransform((0, 0, 3)))
    propagate_transforms(world)
    bridge.hidden = frozenset({top, lamp, eye})
    assert bridge.build(world, scene) == 0
    assert len(scene.lights) == 0
    assert scene.camera.fov_y == 0.5
    bridge.hidden = frozenset({below})
    assert bridge.build(world, scene) == 1
    world.remove(below, Parent)
    world.add(below, Name("moved"))
    assert bridge.build(world, scene) == 1
    assert scene.instances[0].entity == top
    world.despawn(below)
    bridge.hidden = frozenset()
    assert bridge.build(world, scene) == 1

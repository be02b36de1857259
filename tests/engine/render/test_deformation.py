"""Skinned and morphed instances are seen, shadowed, framed and picked where their vertices are."""

import numpy as np
import pytest

from engine.assets import Material, MeshData
from engine.assets.mesh import MorphTarget
from engine.math import compose, quat_from_euler_deg
from engine.render import Camera, Renderer, RenderInstance, RenderLight, RenderScene, RenderSettings
from engine.render.deformation import DeformedBoxes, full_weights, mesh_reach
from engine.render.framing import scene_corners
from tests.engine.render.conftest import placed, quad

gpu = pytest.mark.gpu


def posed(positions, deltas, weights, joints, vertex_weights, palette):
    """The vertex shader's arithmetic, written out."""
    points = positions + np.einsum("k,knc->nc", weights, deltas)
    blended = np.einsum("nk,nkij->nij", vertex_weights, palette[joints])
    return np.einsum("nij,nj->ni", blended[:, :3, :3], points) + blended[:, :3, 3]


def random_mesh(rng, joints: int, targets: int):
    positions = rng.normal(size=(60, 3)).astype(np.float32) * (3, 1, 2)
    vertex_weights = rng.random((60, 4)).astype(np.float32) * (rng.random((60, 4)) < 0.6)
    chosen = rng.integers(0, joints, (60, 4)).astype(np.uint16)
    deltas = rng.normal(size=(targets, 60, 3)).astype(np.float32)
    return positions.astype(np.float32), chosen, full_weights(vertex_weights), deltas


def random_palette(rng, joints: int) -> np.ndarray:
    return np.stack(
        [
            compose(
                rng.normal(size=3) * 4,
                quat_from_euler_deg(rng.uniform(-180, 180, 3)),
                rng.uniform(-2, 2, 3),
            )
            for _ in range(joints)
        ]
    ).astype(np.float32)


def boxes_of(scene: RenderScene, reaches, rest) -> DeformedBoxes:
    found = DeformedBoxes()
    arrays = scene.instances.columns()
    found.reset(arrays, reaches, rest, scene.joints.array, scene.morph_weights.array)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_boxes_hold_every_vertex_in_any_pose(seed):
    rng = np.random.default_rng(seed)
    shapes = [random_mesh(rng, 5, 3), random_mesh(rng, 3, 1)]
    reaches = [mesh_reach(p, j, w, d) for p, j, w, d in shapes]
    rest = tuple(np.stack([getattr(s[0], side)(axis=0) for s in shapes]) for side in ("min", "max"))
    scene, poses = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0))), []
    for row in range(12):
        mesh = row % 2
        palette = random_palette(rng, 5 - 2 * mesh)
        weights = rng.uniform(-1, 2, 3 - 2 * mesh)
        offset = scene.joints.extend(palette)
        scene.instances.append(RenderInstance(mesh, 0, joint_offset=offset, morph_weights=weights))
        poses.append((mesh, palette, weights))
    found = boxes_of(scene, reaches, rest)
    assert found.rows.tolist() == list(range(12))
    for row, (mesh, palette, weights) in enumerate(poses):
        positions, joints, vertex_weights, deltas = shapes[mesh]
        vertices = posed(positions, deltas, weights, joints, vertex_weights, palette)
        assert (vertices >= found.lo[row]).all()
        assert (vertices <= found.hi[row]).all()
        size, reach = np.ptp(vertices, axis=0), found.hi[row] - found.lo[row]
        assert (reach < 8 * size).all(), "a box this loose is of no use"
    alone = boxes_of(scene, reaches[:1], rest)
    assert alone.rows.tolist() == list(range(0, 12, 2))
    assert np.array_equal(alone.lo, found.lo[::2])


def test_a_joint_that_the_palette_lacks_may_put_its_vertices_anywhere():
    positions = np.eye(3, dtype=np.float32)
    joints = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], np.uint16)
    weights = np.array([[1, 0, 0, 0]] * 3, np.float32)
    scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    scene.joints.append(np.eye(4))
    scene.instances.append(RenderInstance(0, 0, joint_offset=0))
    rest = positions.min(axis=0)[None], positions.max(axis=0)[None]
    reach = mesh_reach(positions, joints, weights, None)
    assert np.isinf(boxes_of(scene, [reach], rest).lo).all()
    negative = mesh_reach(positions, joints * 0, -weights, None)
    assert np.isinf(boxes_of(scene, [negative], rest).hi).all()
    scene.joints.append(np.full((4, 4), np.nan))
    assert np.isinf(boxes_of(scene, [reach], rest).lo).all()
    scene.joints[1] = np.eye(4)
    assert boxes_of(scene, [reach], rest).hi[0] == pytest.approx([1, 1, 1], abs=1e-4)


def test_only_what_changed_is_posed_anew():
    reach = mesh_reach(*random_mesh(np.random.default_rng(1), 2, 1))
    scene = RenderScene(Camera.look_at((0, 0, 5), (0, 0, 0)))
    for _ in range(4):
        offset = scene.joints.extend([np.eye(4)] * 2)
        scene.instances.append(RenderInstance(0, 0, joint_offset=offset, morph_weights=[0.5]))
    box = np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32)
    found = boxes_of(scene, [reach], box)

    def follow() -> list[int]:
        return found.follow(scene.joints.array, scene.morph_weights.array).tolist()

    assert follow() == []
    scene.joints.array[3, 0, 3] = 7
    assert follow() == [1]
    assert found.moved_joints.tolist() == [3]
    scene.morph_weights.array[2] = 1.5
    assert follow() == [2]
    assert follow() == []


def skinned_quad(size: float = 0.5, joint: int = 0) -> MeshData:
    return quad(size, joints=[[joint, 0, 0, 0]] * 4, weights=[[1, 0, 0, 0]] * 4)


def morphed_quad(*shift: float) -> MeshData:
    return quad(0.5, morph_targets=[MorphTarget(positions=np.tile(np.float32(shift), (4, 1)))])


@pytest.fixture(params=["skin", "morph"])
def far_away(request, renderer, unlit) -> RenderScene:
    """Looks closely at where a square rests, which its pose has put thirty metres to the right."""
    scene = RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))
    scene.background, scene.tonemap = (0, 0, 0), "none"
    white = unlit(1, 1, 1)
    if request.param == "skin":
        scene.joints.append(placed(30, 0, 0))
        mesh, extra = renderer.add_mesh(skinned_quad()), {"joint_offset": 0}
    else:
        mesh, extra = renderer.add_mesh(morphed_quad(15, 0, 0)), {"morph_weights": [2.0]}
    scene.instances.append(RenderInstance(mesh, white, entity=7, **extra))
    return scene


@gpu
def test_what_left_its_rest_box_is_culled_there_and_drawn_where_it_is(renderer, far_away):
    assert renderer.snapshot(far_away, 32, 32)[..., :3].max() == 0
    assert renderer.stats.instances == 0
    assert renderer.pick(16, 16) == 0
    far_away.camera = Camera.look_at((30, 0, 3), (30, 0, 0))
    assert renderer.snapshot(far_away, 32, 32)[16, 16, 0] == 255
    assert renderer.stats.instances == 1
    assert renderer.pick(16, 16) == 7
    assert renderer.pick_rect(0, 0, 32, 32) == {7}
    plain = renderer.snapshot(far_away, 32, 32)
    far_away.selected = {7}
    outlined = renderer.snapshot(far_away, 32, 32)
    around = (outlined != plain).any(axis=2)
    assert around.any()
    assert not around[14:18, 14:18].any()
    lo, hi = np.argwhere(around).min(axis=0), np.argwhere(around).max(axis=0)
    assert (lo > 2).all()
    assert (hi < 30).all()


@gpu
def test_framing_follows_the_pose(renderer, far_away):
    corners = scene_corners(far_away, renderer.instance_boxes(far_away))
    assert corners.min(axis=0) == pytest.approx([29.75, -0.25, 0], abs=0.01)
    assert corners.max(axis=0) == pytest.approx([30.25, 0.25, 0], abs=0.01)


@gpu
def test_a_pose_that_moves_is_followed_frame_by_frame(renderer, unlit):
    scene = RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))
    scene.background, scene.tonemap = (0, 0, 0), "none"
    scene.joints.append(np.eye(4))
    mesh = renderer.add_mesh(skinned_quad())
    scene.instances.append(RenderInstance(mesh, unlit(1, 1, 1), joint_offset=0, entity=7))
    for x in (0.0, 30.0, 0.5, 29.0, 0.0):
        scene.joints[0] = placed(x, 0, 0)
        seen = renderer.snapshot(scene, 32, 32)[..., 0].max() == 255
        assert seen == (x < 1.0)
        assert renderer.stats.instances == int(seen)


@gpu
def test_a_pose_that_stands_costs_nothing(renderer, unlit, monkeypatch):
    scene = RenderScene(Camera.look_at((0, 0, 3), (0, 0, 0)))
    mesh, white = renderer.add_mesh(skinned_quad()), unlit(1, 1, 1)
    for k in range(50):
        scene.joints.append(placed(k, 0, 0))
        scene.instances.append(RenderInstance(mesh, white, joint_offset=k, entity=k + 1))
    renderer.snapshot(scene, 16, 16)
    renderer.snapshot(scene, 16, 16)
    assert renderer.stats.uploaded_bytes == 0
    with monkeypatch.context() as patch:
        patch.setattr(DeformedBoxes, "follow", lambda *_: pytest.fail("nothing moved"))
        renderer.snapshot(scene, 16, 16)
    scene.joints[20] = placed(20, 1, 0)
    renderer.snapshot(scene, 16, 16)
    assert renderer.stats.uploaded_bytes == 64


@gpu
def test_a_bent_skin_throws_its_shadow_where_it_is(renderer):
    """A flat strip whose far half is swung up and over, into the cone of a lamp."""
    strip = MeshData(
        positions=[(x, 0, z) for x in (0.0, 1.0, 3.0) for z in (-1.0, 1.0)],
        indices=[0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4],
        joints=[[0, 0, 0, 0]] * 4 + [[1, 0, 0, 0]] * 2,
        weights=[[1, 0, 0, 0]] * 6,
    )
    white = renderer.add_material(Material(metallic=0.0, roughness=1.0, double_sided=True))
    scene = RenderScene(Camera.look_at((-9, 1, 6), (-9, -2, 0)))
    floor = placed(-9, -2, 0)
    floor[:3, :3] = [[30, 0, 0], [0, 0, 30], [0, -30, 0]]
    scene.instances.append(RenderInstance(renderer.add_mesh(quad()), white, floor))
    scene.joints.extend([np.eye(4), np.eye(4)])
    scene.instances.append(RenderInstance(renderer.add_mesh(strip), white, joint_offset=0))
    scene.lights.append(RenderLight("spot", position=(-9, 6, 0), direction=(0, -1, 0)))
    scene.lights[0].intensity, scene.lights[0].outer_angle = 300.0, 0.3
    renderer.settings = RenderSettings(tonemap="none", msaa=1, shadows=True, ibl=False)
    lit = renderer.snapshot(scene, 64, 64).astype(int)
    assert lit.max() > 100
    scene.joints[1] = compose((-12, 0, 0), (0, 0, 0, 1), (1, 1, 1))
    bent = renderer.snapshot(scene, 64, 64)
    scene.instances[1].cast_shadows = False
    without = renderer.snapshot(scene, 64, 64)
    darker = without.astype(int) - bent
    assert darker.max() > 100
    assert (darker[..., 0] > 50).sum() > 20


@gpu
def test_levels_of_detail_count_what_joints_make_larger(renderer, unlit):
    """A mesh kept small and blown up by its joints is simplified no sooner than one that is big."""
    from types import SimpleNamespace

    fine = skinned_quad(0.01)
    indices = np.concatenate([fine.indices, [0, 1, 2]])
    levels = [
        SimpleNamespace(first_index=first, index_count=count, error=error)
        for first, count, error in ((0, 6, 0.0), (6, 3, 0.0005))
    ]
    scene = RenderScene(Camera.look_at((0, 0, 2), (0, 0, 0)))
    mesh = renderer.add_mesh(fine, (indices, levels))
    scene.joints.append(placed(scale=100.0))
    scene.instances.append(RenderInstance(mesh, unlit(1, 1, 1), joint_offset=0))
    renderer.snapshot(scene, 64, 64)
    assert renderer.stats.triangles == 2
    scene.camera = Camera.look_at((0, 0, 9), (0, 0, 0))
    renderer.snapshot(scene, 64, 64)
    assert renderer.stats.triangles == 1


@gpu
def test_a_mesh_replaced_by_one_that_deforms_is_bounded_by_its_pose(unlit):
    renderer = Renderer()
    scene = RenderScene(Camera.look_at((30, 0, 3), (30, 0, 0)))
    scene.joints.append(placed(30, 0, 0))
    mesh = renderer.add_mesh(quad(0.5))
    material = renderer.add_material(Material(unlit=True))
    scene.instances.append(RenderInstance(mesh, material, joint_offset=0))
    renderer.snapshot(scene, 16, 16)
    assert renderer.stats.instances == 0
    renderer.replace_mesh(mesh, skinned_quad())
    renderer.snapshot(scene, 16, 16)
    assert renderer.stats.instances == 1

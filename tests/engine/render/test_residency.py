"""Textures within a budget: what is seen keeps its detail, and everything comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.assets import Material
from engine.assets.material import TextureRef
from engine.errors import EngineError
from engine.render import Camera, Renderer, RenderInstance, RenderScene, RenderSettings
from engine.render.residency import choose_bases
from tests.engine.render.conftest import placed, quad

gpu = pytest.mark.gpu
SIDE = 512
WHOLE = sum(4 * (SIDE >> k) ** 2 for k in range(10))


@st.composite
def crowds(draw):
    count = draw(st.integers(1, 12))
    power = np.array(draw(st.lists(st.integers(3, 11), min_size=count, max_size=count)))
    last = np.maximum(power - 6, 0)
    level_bytes = 4.0 ** (power[:, None] + 1 - np.minimum(np.arange(16), last[:, None]))
    pixels = draw(st.lists(st.sampled_from([0, 0.1, 7, 300, 5e4]), min_size=count, max_size=count))
    budget = draw(st.integers(0, int(level_bytes[:, 0].sum()) + 1))
    chain = level_bytes.astype(np.int64)
    return chain, last, (2.0**power).astype(np.float32), np.array(pixels, np.float32), budget


@given(crowds())
def test_levels_are_chosen_within_the_budget_and_for_what_is_seen(crowd):
    chain, last, sides, pixels, budget = crowd
    every = np.arange(len(last))
    base = choose_bases(chain, last, sides, pixels, every, budget)
    assert ((base >= 0) & (base <= last)).all()
    total = chain[every, base].sum()
    if chain[:, 0].sum() <= budget:
        assert (base == 0).all()
    elif chain[every, last].sum() <= budget:
        assert total <= budget
    else:
        assert (base == last).all()
    for a in every:
        for b in every:
            if chain[a, 0] == chain[b, 0] and pixels[a] > pixels[b]:
                assert base[a] <= base[b]
    # Nobody's order matters: the same textures in another order get the same levels.
    turned = every[::-1]
    again = choose_bases(chain[turned], last[turned], sides[turned], pixels[turned], turned, budget)
    assert (again == base[turned]).all()


def noise(seed: int) -> np.ndarray:
    pixels = np.random.default_rng(seed).integers(0, 256, (SIDE, SIDE, 4), np.uint8)
    pixels[..., 3] = 255
    return pixels


def gallery(renderer: Renderer, count: int = 4) -> RenderScene:
    """Pictures in a row, one behind the other, each twice as far as the one before."""
    scene = RenderScene(Camera.look_at((0, 0, 4), (0, 0, 0), fov_y=0.8))
    mesh = renderer.add_mesh(quad(1.0))
    resources = renderer.resources
    for k in range(count):
        ref = TextureRef(texture=resources.add_texture(noise(k), label=f"picture {k}"), sampler=0)
        material = renderer.add_material(Material(unlit=True, base_color_texture=ref))
        at = placed(0.6 * k - 0.7, 0, 4 - 1.2 * 2.0**k)
        scene.instances.append(RenderInstance(mesh, material, at, entity=k + 1))
    return scene


def look(**settings: object) -> RenderSettings:
    return RenderSettings(tonemap="none", msaa=1, anisotropy=1, **settings)


@gpu
def test_what_is_near_stays_sharp_and_the_rest_comes_back(tmp_path):
    renderer = Renderer()
    renderer.settings = look()
    scene = gallery(renderer)
    whole = renderer.snapshot(scene, 320, 240)
    assert renderer.stats.texture_bytes == renderer.stats.whole_texture_bytes > 4 * WHOLE
    budget = 2 * WHOLE
    renderer.settings = look(texture_budget=budget)
    less = renderer.snapshot(scene, 320, 240)
    assert renderer.stats.texture_bytes <= budget
    assert not renderer.is_unfinished
    near = [r for r in renderer.resources.residents() if r.source.label == "picture 0"]
    assert near[0].base == 0
    # As sharp as a pixel shows, everything else can be left out.
    assert np.array_equal(less, whole)
    renderer.settings = look(texture_budget=WHOLE // 3)
    blurred = renderer.snapshot(scene, 320, 240)
    assert renderer.stats.texture_bytes <= WHOLE // 3
    assert not np.array_equal(blurred, whole)
    renderer.settings = look()
    assert np.array_equal(renderer.snapshot(scene, 320, 240), whole)
    assert renderer.stats.texture_bytes == renderer.stats.whole_texture_bytes


@gpu
def test_a_picture_does_not_depend_on_those_before_it():
    settings = look(texture_budget=WHOLE // 2)
    wandering, fresh = Renderer(), Renderer()
    wandering.settings = fresh.settings = settings
    scene = gallery(wandering)
    camera = scene.camera
    for z in (-2.0, -20.0, 9.0):
        scene.camera = Camera.look_at((0, 0, z), (0, 0, z - 1), fov_y=0.8)
        wandering.snapshot(scene, 160, 120)
    scene.camera = camera
    expected = fresh.snapshot(gallery(fresh), 160, 120)
    assert np.array_equal(wandering.snapshot(scene, 160, 120), expected)


@gpu
def test_a_view_that_streams_gets_there_picture_by_picture(monkeypatch):
    monkeypatch.setattr("engine.render.residency.STREAMED_BYTES", WHOLE // 8)
    renderer, patient = Renderer(), Renderer()
    patient.settings = look(texture_budget=2 * WHOLE)
    expected = patient.snapshot(gallery(patient), 320, 240)
    renderer.settings = look(texture_budget=WHOLE // 8, streaming=True)
    scene = gallery(renderer)
    for _ in range(12):
        renderer.snapshot(scene, 320, 240)
    assert not renderer.is_unfinished
    renderer.settings = look(texture_budget=2 * WHOLE, streaming=True)
    pictures = [renderer.snapshot(scene, 320, 240)]
    assert renderer.is_unfinished
    while renderer.is_unfinished:
        pictures.append(renderer.snapshot(scene, 320, 240))
        assert len(pictures) < 40
    assert len({picture.tobytes() for picture in pictures}) > 2
    assert np.array_equal(pictures[-1], expected)
    # At rest nothing is brought in or out.
    version = renderer.resources.version
    renderer.snapshot(scene, 320, 240)
    assert renderer.resources.version == version


@gpu
def test_what_is_repeated_on_a_wall_needs_fewer_texels(renderer):
    """A mesh whose UV run over the picture eight times shows an eighth of its texels a metre."""
    resources = renderer.resources
    textures = []
    for k, tiles in enumerate((1.0, 8.0)):
        tiled = quad(1.0)
        tiled.uv0 = np.asarray(tiled.uv0, np.float32) * tiles
        ref = TextureRef(texture=resources.add_texture(noise(40 + k)), sampler=0)
        material = renderer.add_material(Material(unlit=True, base_color_texture=ref))
        textures.append((renderer.add_mesh(tiled), material, ref.texture))
    scene = RenderScene(Camera.look_at((0, 0, 2), (0, 0, 0), fov_y=0.8))
    for k, (mesh, material, _) in enumerate(textures):
        scene.instances.append(RenderInstance(mesh, material, placed(k - 0.5)))
    renderer.settings = look(texture_budget=int(1.3 * WHOLE))
    renderer.snapshot(scene, 256, 256)
    plain, tiled = (resources.resident(texture).base for _, _, texture in textures)
    assert plain < tiled
    for mesh, material, texture in textures:
        renderer.remove_mesh(mesh)
        renderer.remove_material(material)
        resources.remove_texture(texture)


@gpu
def test_equal_pictures_share_a_texture():
    resources = Renderer().resources
    before = resources.used_bytes
    one = resources.add_texture(noise(1), True, "a")
    two = resources.add_texture(noise(1), True, "b")
    other, linear = resources.add_texture(noise(2)), resources.add_texture(noise(1), False)
    assert len({one, two, other, linear}) == 4
    assert resources.used_bytes - before == 3 * WHOLE
    assert resources.view(one) is resources.view(two)
    resources.remove_texture(one)
    assert resources.used_bytes - before == 3 * WHOLE
    assert not resources.has(one)
    assert resources.has(two)
    nearly = noise(1)
    nearly[3, 1] ^= 1  # a row that the digest doesn't read
    assert resources.view(resources.add_texture(nearly)) is not resources.view(two)
    resources.remove_texture(two)
    assert resources.used_bytes - before == 3 * WHOLE


@gpu
def test_pictures_that_are_gone_leave_nothing_behind():
    resources = Renderer().resources
    known = len(resources._alike)
    for seed in range(3):
        pair = [resources.add_texture(noise(seed)) for _ in range(2)]
        for texture in pair:
            resources.remove_texture(texture)
    assert len(resources._alike) == known


@gpu
def test_ready_levels_are_left_out_and_fetched_again():
    renderer = Renderer()
    resources = renderer.resources
    levels = [np.full((64 >> k, 256 >> k, 4), 40 * k, np.uint8) for k in range(3)]
    texture = resources.add_levels(levels, (256, 64), srgb=False)
    resident = resources.resident(texture)
    whole = resources.used_bytes
    resources.begin_at(resident, 2)
    assert (resident.texture.width, resident.texture.mip_level_count) == (64, 1)
    assert resources.used_bytes == whole - levels[0].nbytes - levels[1].nbytes
    resources.begin_at(resident, 1)
    assert (resident.texture.width, resident.texture.mip_level_count) == (128, 2)
    for level, texels in enumerate(levels[1:]):
        size = (texels.shape[1], texels.shape[0], 1)
        layout = {"bytes_per_row": 4 * size[0], "rows_per_image": size[1]}
        source = {"texture": resident.texture, "mip_level": level}
        got = renderer.device.queue.read_texture(source, layout, size)
        assert np.array_equal(np.frombuffer(got, np.uint8), texels.ravel())


def test_a_budget_is_a_number_of_bytes():
    with pytest.raises(EngineError, match="texture_budget"):
        RenderSettings(texture_budget=0)
